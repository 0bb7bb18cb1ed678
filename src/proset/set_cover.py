"""The scikit-learn estimator of prototype selection by set cover: validates, calls the core, stores attributes."""

import warnings
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import haversine_distances
from sklearn.neighbors import VALID_METRICS
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from proset import tables
from proset.columns import Columns
from proset.cover import ball_bits, balls_of_path, chunks, default_cost, euclidean_ball_bits, greedy, rank_radii
from proset.cover_lp import round_relaxed
from proset.encode import encode
from proset.encoding import Encoding
from proset.units import given_samples, naming, without_classifier
from proset.validation import weights_with_classes

if TYPE_CHECKING:
    import pandas as pd

# Without those that are scaled by statistics of the two tables they are called with, of which one is a chunk here.
METRICS = set(VALID_METRICS["brute"]) - {"seuclidean", "mahalanobis", "nan_euclidean"} | {"precomputed"}
ROWS = 2000  # of more samples these are enough to find radii
MAX_WEIGHT = 1e100  # sums of more are beyond the largest number
MIXED = {"cityblock", "euclidean", "sqeuclidean"}  # those that tables with categories or missing values can have
SCIPY = {"l1": "cityblock", "manhattan": "cityblock", "l2": "euclidean"}  # names that are scikit-learn's alone


class SetCoverClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Nearest-prototype classifier; the prototypes solve a prize-collecting set cover.

    The ball of a candidate holds the training points closer to it than `eps`. Chosen are prototypes of each class so
    that few training points of the class are outside all of their balls, few points of other classes inside, and few
    prototypes are needed: the sum of these three numbers, the last one times `cost`, is the objective.

    Parameters
    ----------
    eps : float > 0, default=1.0
        Radius of the balls, on the scale of the dissimilarity.
    cost : float >= 0, optional
        Of a prototype (lambda). By default 1 / (weight of all samples), so that the number of prototypes only breaks
        ties; for weights below 1 in the mean, mean weight / number of samples, so that their unit changes nothing.
    method : {"greedy", "lp"}, default="greedy"
        The greedy algorithm; or the relaxation to a linear program, solved by HiGHS, and randomised rounding without
        the prototypes that do not lower the objective, which also gives a lower bound of it. The second takes more time
        and memory.
    metric : str or callable, default="euclidean"
        Any metric of SciPy that needs no parameters, "haversine", a function of two rows, or "precomputed": then `X`
        holds the dissimilarities of its samples (rows) from all candidates (columns), none of them negative. Where it
        is square in `fit`, the candidates are the samples, in the same order.
    n_neighbors : int >= 1, optional
        Balls hold this number of training points, the nearest to their centre (dissimilarity by rank); `eps` is not
        used. Points that are equally far from it at the edge stay out together. Counts samples, whatever their weight.
    random_state : int, RandomState or None, default=None
        For the rounding.
    class_weight : dict or "balanced", optional
        Factors of the sample weights by class label, 1 for labels not in it. "balanced": all classes get the same
        total weight.
    categorical_features : "from_dtype", array-like of str, int or bool, or None, default="from_dtype"
        Which columns are categories, as of `proset.ProsetClassifier`. Tables with categories or missing values take
        Euclidean and city block metrics, in which two different categories are 1 apart (`Columns.distances` of
        `proset.columns`).

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if `X` had string column names.
    prototype_index_ : ndarray of int, shape (P,)
        Rows of the candidates, in order of choice; with "lp", in the order in which the greedy algorithm would add
        them. Candidates are the training samples if `fit` was given no others.
    prototype_labels_ : ndarray, shape (P,)
        The class that each stands for; mostly, but not by definition, that of the sample itself.
    prototypes_ : ndarray, shape (P, D)
        Categories are their numbers among the levels. Not with "precomputed".
    radii_ : ndarray, shape (P,)
        Of their balls: `eps`, or, with `n_neighbors`, the distance at which they end.
    covered_, newly_covered_, miscovered_ : ndarray, shape (P,)
        Weight of the training samples in its ball: of its class; of its class and in no ball of an earlier prototype of
        the class; of other classes.
    objective_ : float
    objective_path_ : ndarray, shape (P + 1,)
        The objective with the first 0, 1, ..., P prototypes.
    lower_bound_ : float
        No choice of prototypes has a smaller objective, up to the solver's tolerance of 1e-7 of the mean weight. Only
        with "lp".
    majority_class_
        Predicted if there is no prototype.

    References
    ----------
    J. Bien and R. Tibshirani, Prototype selection for interpretable classification, Annals of Applied Statistics 5
    (2011), 2403-2424.

    Examples
    --------
    Points of class a at 0, 1 and 2, one of class b at 10; the ball around 1 holds the first three:

    >>> from proset import SetCoverClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [10.0]], ["a", "a", "a", "b"]
    >>> model = SetCoverClassifier(eps=1.5, cost=0.25).fit(X, y)
    >>> model.prototypes_.tolist(), model.prototype_labels_.tolist(), model.newly_covered_.tolist()
    ([[1.0], [10.0]], ['a', 'b'], [3.0, 1.0])
    >>> model.objective_path_.tolist()
    [4.0, 1.25, 0.5]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "eps": [Interval(Real, 0, None, closed="neither")],
        "cost": [Interval(Real, 0, None, closed="left"), None],
        "method": [StrOptions({"greedy", "lp"})],
        "metric": [StrOptions(METRICS), callable],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    }
    _columns: Columns
    _encoding: Encoding

    def __init__(
        self,
        eps: float = 1.0,
        cost: float | None = None,
        method: str = "greedy",
        metric: str | Callable[[np.ndarray, np.ndarray], float] = "euclidean",
        n_neighbors: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        class_weight: dict[Any, float] | str | None = None,
        categorical_features: Any = "from_dtype",
    ):
        self.eps = eps
        self.cost = cost
        self.method = method
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.class_weight = class_weight
        self.categorical_features = categorical_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == "precomputed"
        tags.input_tags.allow_nan = self._takes_mixed()
        return tags

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        candidates: npt.ArrayLike | None = None,
    ) -> "SetCoverClassifier":
        """Choose the prototypes.

        Parameters
        ----------
        X : array-like or frame, shape (N, D); with "precomputed" (N, M)
            As of `proset.ProsetClassifier`; dissimilarities are finite numbers.
        y : array-like, shape (N,)
            Class labels.
        sample_weight : array-like, shape (N,), optional
            Non-negative; what a sample counts when it is left uncovered or wrongly covered. Samples of weight 0 are
            left out, also as candidates.
        candidates : array-like, shape (M, D), optional
            Points that may become prototypes, whose classes need not be known; by default the rows of `X`. To add the
            centres of k-means, give both: `np.vstack([X, centres])`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an argument is out of range, the arrays do not fit each other or are not finite, all weights are zero,
            `n_neighbors` exceeds the number of samples, or a dissimilarity is negative or not a number.

        Examples
        --------
        Dissimilarities of two samples of each class from three candidates, and weights:

        >>> D = [[0.0, 5.0, 9.0], [1.0, 4.0, 9.0], [9.0, 5.0, 0.0], [9.0, 6.0, 1.0]]
        >>> model = SetCoverClassifier(eps=2.0, metric="precomputed")
        >>> model.fit(D, [0, 0, 1, 1], sample_weight=[1.0, 1.0, 2.0, 2.0]).prototype_index_.tolist()
        [2, 0]
        """
        problem = self._problem(X, y, sample_weight, candidates)
        radius: float | np.ndarray = self.eps
        if self.n_neighbors is not None:
            if self.n_neighbors > len(problem.points):
                raise ValueError(
                    f"n_neighbors: {self.n_neighbors} is not allowed, must be at most n_samples={len(problem.points)}"
                )
            radius = rank_radii(lambda c: problem.distances(slice(None), c), *problem.size, self.n_neighbors)
        points, centres = problem.points, problem.centres
        if self.metric in ("euclidean", "l2") and centres is not None and not self._is_mixed(points, centres):
            bits = euclidean_ball_bits(points, centres, radius)
        else:
            (bits,) = ball_bits(problem.distances, *problem.size, [radius])
        self._choose(problem, bits, radius)
        if not len(self._labels):
            warnings.warn(
                "no ball is worth its cost, so that there are no prototypes and the class with the largest weight is "
                "always predicted; reduce eps, n_neighbors or cost, or scale the features",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _path(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None, radii: np.ndarray
    ) -> Iterator["SetCoverClassifier"]:
        """What `fit` gives for each radius, without its warning, from one pass over the dissimilarities."""
        problem = self._problem(X, y, sample_weight, None)
        for radius, bits in zip(radii, balls_of_path(problem.distances, *problem.size, radii), strict=True):
            fitted = copy(self)
            fitted.eps = float(radius)
            fitted._choose(problem, bits, fitted.eps)
            yield fitted

    def _problem(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None,
        candidates: npt.ArrayLike | None,
    ) -> "_Problem":
        """Validate everything; sets `classes_` and the attributes of the features."""
        self._validate_params()
        for name in ("eps", "cost", "n_neighbors"):
            if isinstance(getattr(self, name), bool):  # which Python takes for a number
                raise ValueError(f"{name}: {getattr(self, name)} is not allowed, must be a number")
        for name in ("lower_bound_", "prototypes_"):  # of an earlier fit; not every fit has them
            self.__dict__.pop(name, None)
        X, labels, self._encoding = self._encoded(X, y)
        y = np.asarray(labels)
        check_classification_targets(y)
        self._check_dissimilarities(X)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if weight.min() < 0:
            raise ValueError(f"sample_weight: {weight.min():g} is not allowed, must be at least 0")
        if self.class_weight is not None:
            weight = weights_with_classes(weight, self.class_weight, y)
        if weight.max() > MAX_WEIGHT:
            raise ValueError(f"sample_weight: {weight.max():g} is not allowed, must be at most {MAX_WEIGHT:g}")
        rows = np.flatnonzero(weight > 0)
        self._columns = Columns.of(X[rows], self._encoding.n_levels, weight[rows])
        self.classes_, codes = np.unique(y[rows], return_inverse=True)
        points = X[rows]
        is_precomputed = self.metric == "precomputed"
        index, centres = rows, None if is_precomputed else points
        if candidates is not None:
            if is_precomputed:
                raise ValueError(
                    "candidates: not allowed with metric='precomputed', where the columns of X are the candidates"
                )
            try:
                centres, _, _ = self._encoded(candidates, reset=False)
            except (TypeError, ValueError) as error:
                raise type(error)(f"candidates: {error}") from error
            index = np.arange(len(centres))
        elif is_precomputed and X.shape[0] != X.shape[1]:
            index = np.arange(X.shape[1])

        def distances(these: slice, those: slice = slice(None)) -> np.ndarray:
            return points[these, index[those]] if centres is None else self._distances(points[these], centres[those])

        return _Problem(points, codes, weight[rows], index, centres, distances)

    def _choose(self, problem: "_Problem", bits: np.ndarray, radius: float | np.ndarray) -> None:
        """Choose prototypes and store them."""
        weight, codes, index = problem.weight, problem.codes, problem.index
        cost = default_cost(weight) if self.cost is None else float(self.cost)
        if self.method == "lp":
            rng = check_random_state(self.random_state)
            cover = round_relaxed(bits, codes, weight, cost, len(index), rng)
            self.lower_bound_ = cover.lower_bound
        else:
            cover = greedy(bits, codes, weight, cost)
        self.prototype_index_ = index[cover.index]
        self.prototype_labels_ = self.classes_[cover.labels]
        self._labels = cover.labels
        self.radii_ = np.broadcast_to(radius, len(index))[cover.index].astype(np.float64)
        if problem.centres is not None:
            self.prototypes_ = problem.centres[cover.index]
        self.covered_, self.newly_covered_, self.miscovered_ = cover.covered, cover.newly_covered, cover.miscovered
        self.objective_path_, self.objective_ = cover.objective_path, cover.objective
        self._majority = int(np.bincount(codes, weights=weight).argmax())
        self.majority_class_ = self.classes_[self._majority]

    def predict(self, X: npt.ArrayLike) -> np.ndarray:
        """The class of the nearest prototype of each sample; of equally near ones, the first chosen.

        Parameters
        ----------
        X : array-like, shape (m, D)
            With "precomputed" the dissimilarities from all candidates, shape (m, M).

        Returns
        -------
        ndarray, shape (m,)

        Raises
        ------
        ValueError
            If `X` is infinite, has other features than in `fit`, or a dissimilarity is negative or not a number.

        Examples
        --------
        >>> model = SetCoverClassifier(eps=1.5).fit([[0.0], [1.0], [2.0], [10.0]], ["a", "a", "a", "b"])
        >>> model.predict([[-3.0], [6.0]]).tolist()
        ['a', 'b']
        """
        X = self._validated(X)
        found = np.full(len(X), self._majority)
        if len(self._labels):
            for rows in chunks(len(X), len(self._labels)):
                found[rows] = self._labels[self._near(X[rows]).argmin(axis=1)]
        labels: np.ndarray = self.classes_[found]
        return labels

    def familiarity(self, X: npt.ArrayLike) -> np.ndarray:
        """How deep each sample is in a ball: the largest difference of a radius and the distance from its centre.

        Parameters
        ----------
        X : array-like
            As for `predict`.

        Returns
        -------
        ndarray, shape (m,)
            On the scale of the dissimilarity. Positive in a ball, which then covers the sample; below 0 outside of all;
            minus infinity if there is no prototype.

        Raises
        ------
        ValueError
            As for `predict`.

        Examples
        --------
        >>> model = SetCoverClassifier(eps=1.5).fit([[0.0], [1.0], [2.0], [10.0]], ["a", "a", "a", "b"])
        >>> model.familiarity([[1.0], [2.0], [6.0]]).tolist()
        [1.5, 0.5, -2.5]
        """
        X = self._validated(X)
        found = np.full(len(X), -np.inf)
        for rows in chunks(len(X), len(self._labels)) if len(self._labels) else ():
            found[rows] = (self.radii_ - self._near(X[rows])).max(axis=1)
        return found

    def explain(self, X: npt.ArrayLike, top: int | None = None, transformer: Any = None) -> "pd.DataFrame":
        """The prototypes behind the predictions for single samples, the nearest first, and which balls cover them.

        Parameters
        ----------
        X : array-like, shape (m, D) or (D,)
            As `transformer` takes them, if there is one; else as for `predict`.
        top : int >= 1, optional
            Prototypes to list per sample, the nearest; by default all.
        transformer : fitted transformer or Pipeline, optional
            What the features go through before they reach the classifier; a Pipeline may end with the classifier. The
            values are then in the units of the table (see `proset.units.in_original_units`).

        Returns
        -------
        pandas.DataFrame
            For each sample a row for itself, then its prototypes: "sample" (its label in the index of `X`, or its
            number), "term" ("sample" or "prototype"), "row" (of the candidate, -1 for the sample), "class" (of the
            sample the predicted one), "distance", "radius", "covers" and, but with "precomputed", "value of <feature>".

        Raises
        ------
        ValueError
            As for `predict`, or if `top` is below 1.
        ImportError
            Without pandas.

        Examples
        --------
        >>> model = SetCoverClassifier(eps=1.5).fit([[0.0], [1.0], [2.0], [10.0]], ["a", "a", "a", "b"])
        >>> model.explain([2.0])[["term", "class", "distance", "covers"]].to_dict("list")
        ... # doctest: +NORMALIZE_WHITESPACE
        {'term': ['sample', 'prototype', 'prototype'], 'class': ['a', 'a', 'b'], 'distance': [nan, 1.0, 8.0],
         'covers': [False, True, False]}
        """
        transformer, labels, given = given_samples(X, top, transformer)
        points, of_table, values = self._validated(given), naming(self, transformer), {}
        if hasattr(self, "prototypes_"):
            of_both = of_table["units"](np.concatenate([points, self.prototypes_]))
            values = dict(zip(("values", "of_prototypes"), np.split(of_both, [len(points)]), strict=True))
        return tables.balls(
            labels,
            self.predict(given),
            self._near(points),
            rows=self.prototype_index_,
            classes=self.prototype_labels_,
            radii=self.radii_,
            top=top,
            names=of_table["names"],
            **values,
        )

    def export(self, transformer: Any = None) -> "pd.DataFrame":
        """All prototypes, in order of choice.

        Parameters
        ----------
        transformer : fitted transformer or Pipeline, optional
            As for `explain`.

        Returns
        -------
        pandas.DataFrame
            "row" (of the candidate), "class", "radius", "covered", "newly covered", "miscovered" and, but with
            "precomputed", "value of <feature>".

        Raises
        ------
        ImportError
            Without pandas.

        Examples
        --------
        >>> model = SetCoverClassifier(eps=1.5).fit([[0.0], [1.0], [2.0], [10.0]], ["a", "a", "a", "b"])
        >>> model.export()[["class", "radius", "newly covered", "value of x0"]].to_dict("list")
        {'class': ['a', 'b'], 'radius': [1.5, 1.5], 'newly covered': [3.0, 1.0], 'value of x0': [1.0, 10.0]}
        """
        tables.require("pandas", "export")
        import pandas as pd

        columns = {
            "row": self.prototype_index_,
            "class": self.prototype_labels_,
            "radius": self.radii_,
            "covered": self.covered_,
            "newly covered": self.newly_covered_,
            "miscovered": self.miscovered_,
        }
        if hasattr(self, "prototypes_"):
            of_table, features = naming(self, without_classifier(transformer)), np.arange(self.n_features_in_)
            columns |= tables.named("value of", of_table["names"], features, of_table["units"](self.prototypes_))
        return pd.DataFrame(columns)

    def _validated(self, X: npt.ArrayLike) -> np.ndarray:
        check_is_fitted(self)
        checked, _, _ = self._encoded(X, reset=False)
        self._check_dissimilarities(checked)
        return checked

    def _encoded(self, X: Any, y: Any = "no_validation", reset: bool = True) -> tuple[np.ndarray, Any, Encoding]:
        instead = f"not allowed with metric={self.metric!r}, only with {', '.join(sorted(MIXED | {*SCIPY}))}"
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # in scikit-learn's check of huge values
                array, y, encoding = encode(self, X, y, reset=reset, allow_nan=self._takes_mixed())
        except ValueError as error:
            if str(error).startswith("Input X contains NaN"):
                raise ValueError(f"Input X contains NaN: missing values are {instead}") from None
            raise
        if not (encoding.are_numbers or self._takes_mixed()):
            raise ValueError(f"Input X contains categories: they are {instead}")
        return array, y, encoding

    def _is_mixed(self, *tables: np.ndarray) -> bool:
        return bool(self._columns.levels.any()) or any(bool(np.isnan(table).any()) for table in tables)

    def _takes_mixed(self) -> bool:
        return isinstance(self.metric, str) and SCIPY.get(self.metric, self.metric) in MIXED

    def _near(self, X: np.ndarray) -> np.ndarray:
        """Dissimilarities of validated samples from the prototypes, shape (m, P)."""
        if self.metric == "precomputed":
            near: np.ndarray = X[:, self.prototype_index_]
            return near
        return self._distances(X, self.prototypes_)

    def _some_distances(self, X: npt.ArrayLike) -> np.ndarray:
        """Dissimilarities between different samples, of at most `ROWS` evenly spread ones."""
        X, _, encoding = self._encoded(X)
        some = X[:: -(-len(X) // ROWS)]
        if self.metric == "precomputed":
            return some.ravel()
        self._columns = Columns.of(X, encoding.n_levels, None)
        return self._distances(some, some)[np.triu_indices(len(some), 1)]

    def _check_dissimilarities(self, X: np.ndarray) -> None:
        if self.metric == "precomputed" and X.min() < 0:
            raise ValueError(
                f"X: {X.min():g} is not allowed with metric='precomputed', dissimilarities must be at least 0"
            )

    def _distances(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        # SciPy's: scikit-learn's put equal points at a distance of 1e-8 and depend on the other rows of a chunk.
        metric = SCIPY.get(self.metric, self.metric) if isinstance(self.metric, str) else self.metric
        if isinstance(metric, str) and self._is_mixed(A, B):
            return self._columns.distances(A, B, metric)
        found: np.ndarray = haversine_distances(A, B) if metric == "haversine" else cdist(A, B, metric)
        if np.isnan(found).any():
            raise ValueError(f"metric: {self.metric!r} is not allowed for these data, some dissimilarities are NaN")
        return found


@dataclass(frozen=True)
class _Problem:
    """Samples of positive weight, which are to be covered, and the candidates that cover them.

    Attributes
    ----------
    points : ndarray, shape (N, D)
    codes : ndarray of int, shape (N,)
        Class indices.
    weight : ndarray, shape (N,)
    index : ndarray of int, shape (M,)
        What the candidates are called outside.
    centres : ndarray, shape (M, D), optional
        Not with "precomputed".
    distances : callable
        From slices of the points and of the candidates to their dissimilarities.
    """

    points: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    index: np.ndarray
    centres: np.ndarray | None
    distances: Callable[..., np.ndarray]

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of points and of candidates."""
        return len(self.points), len(self.index)
