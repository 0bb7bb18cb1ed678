"""The scikit-learn estimator of prototype selection by set cover: validates, calls the core, stores attributes."""

import warnings
from collections.abc import Callable, Iterator
from copy import copy
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from proset.columns import Columns
from proset.cover import ball_bits, balls_of_path, default_cost, euclidean_ball_bits, greedy, rank_radii
from proset.cover_lp import round_relaxed
from proset.fitted_cover import FittedCover
from proset.metrics import METRICS, distances, encoded, is_mixed, takes_mixed
from proset.set_cover_problem import Problem, problem_of
from proset.validation import as_before_if_it_fails

ROWS = 2000  # of more samples these are enough to find radii


class SetCoverClassifier(FittedCover, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Nearest-prototype classifier; the prototypes approximately solve a prize-collecting set cover.

    The ball of a candidate holds the training points closer to it than `eps`. Prototypes of each class are chosen so
    that few training points of the class are outside all of their balls, few points of other classes are inside, and
    few prototypes are needed. The objective is the sum of these three numbers: the weight of the points outside, the
    weight of the points inside, once for each ball, and the number of prototypes times `cost`.

    Parameters
    ----------
    eps : float > 0, default=1.0
        Radius of the balls, on the scale of the dissimilarity.
    cost : float >= 0, optional
        Cost of a prototype (lambda). By default 1 / (weight of all samples), so that the number of prototypes only
        breaks ties; for weights with a mean below 1, mean weight / number of samples, so that their unit changes
        nothing.
    method : {"greedy", "lp"}, default="greedy"
        "greedy" is the greedy algorithm. "lp" is the relaxation to a linear program, solved by HiGHS, and randomised
        rounding without the prototypes that do not lower the objective; it also gives a lower bound of the objective,
        and takes more time and memory.
    metric : str or callable, default="euclidean"
        Name of a metric of scikit-learn, except "mahalanobis", "nan_euclidean" and "seuclidean", a function of two
        rows, or "precomputed": then `X` holds the dissimilarities of its samples (rows) from all candidates (columns),
        none of them negative. If it is square in `fit`, the candidates are the samples, in the same order.
    n_neighbors : int >= 1, optional
        Balls hold this number of training points, the nearest to their centre (dissimilarity by rank); `eps` is not
        used. Points that are equally far from it at the edge stay out together. Samples of positive weight count once.
    random_state : int, RandomState or None, default=None
        Seed for the rounding of "lp".
    class_weight : dict or "balanced", optional
        Factors of the sample weights by class label, 1 for labels that are not in it. "balanced" gives all classes the
        same total weight.
    categorical_features : "from_dtype", array-like of str, int or bool, or None, default="from_dtype"
        Which columns are categories, as in `proset.ProsetClassifier`. Tables with categories or missing values need a
        Euclidean, squared Euclidean or city block metric, in which two different categories are 1 apart
        (`Columns.distances` of `proset.columns`).

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if `X` had string column names.
    prototype_index_ : ndarray of int, shape (P,)
        Rows of the candidates, in order of choice; with "lp", in the order in which the greedy algorithm would add
        them. Candidates are the training samples if `fit` was given no others; with "precomputed" they are the columns
        of `X`.
    prototype_labels_ : ndarray, shape (P,)
        The class that each stands for; mostly, but not by definition, that of the sample itself.
    prototypes_ : ndarray, shape (P, D)
        Categories are their numbers among the levels. Not with "precomputed".
    radii_ : ndarray, shape (P,)
        Radii of their balls: `eps`, or, with `n_neighbors`, the distance at which they end, infinite if they hold all.
    covered_, newly_covered_, miscovered_ : ndarray, shape (P,)
        Weight of the training samples in the ball of each: of its class; of its class and in no ball of an earlier
        prototype of the class; of other classes.
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
        tags.input_tags.allow_nan = takes_mixed(self.metric)
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
            As in `proset.ProsetClassifier`; dissimilarities are finite numbers.
        y : array-like, shape (N,)
            Class labels; one class is enough.
        sample_weight : array-like, shape (N,), optional
            Non-negative; what a sample counts when it is left uncovered or wrongly covered. Samples of weight 0 are
            left out, also as candidates by default.
        candidates : array-like, shape (M, D), optional
            Points that may become prototypes, whose classes need not be known; by default the rows of `X`. To add the
            centres of k-means, give both: `np.vstack([X, centres])`. Not with "precomputed".

        Returns
        -------
        self

        Warns
        -----
        UserWarning
            If no ball is worth its cost: there are no prototypes; or as in `proset.ProsetClassifier.fit` for text.

        Raises
        ------
        ValueError
            If an argument is out of range, the arrays do not fit each other or are not finite, the metric does not take
            missing values or categories, all weights are zero, `n_neighbors` exceeds the number of samples, a
            dissimilarity is NaN, or a precomputed one is negative.
        TypeError
            If `X` is sparse.
        RuntimeError
            If the linear program is not solved.

        Examples
        --------
        Dissimilarities of two samples of each class from three candidates, and weights:

        >>> D = [[0.0, 5.0, 9.0], [1.0, 4.0, 9.0], [9.0, 5.0, 0.0], [9.0, 6.0, 1.0]]
        >>> model = SetCoverClassifier(eps=2.0, metric="precomputed")
        >>> model.fit(D, [0, 0, 1, 1], sample_weight=[1.0, 1.0, 2.0, 2.0]).prototype_index_.tolist()
        [2, 0]
        """
        with as_before_if_it_fails(self):
            problem = problem_of(self, X, y, sample_weight, candidates)
            self._choose(problem, *self._balls(problem))
            if not len(self._labels):
                warnings.warn(
                    "no ball is worth its cost, so that there are no prototypes and the class with the largest weight "
                    "is always predicted; reduce eps, n_neighbors or cost, or scale the features",
                    UserWarning,
                    stacklevel=2,
                )
        return self

    def _balls(self, problem: Problem) -> tuple[np.ndarray, float | np.ndarray]:
        """Which points are in which balls, as bits, and the radii."""
        radius: float | np.ndarray = self.eps
        if self.n_neighbors is not None:
            if self.n_neighbors > len(problem.points):
                raise ValueError(
                    f"n_neighbors: {self.n_neighbors} is not allowed, must be at most n_samples={len(problem.points)}"
                )
            radius = rank_radii(lambda c: problem.distances(slice(None), c), *problem.size, self.n_neighbors)
        points, centres = problem.points, problem.centres
        if self.metric in ("euclidean", "l2") and centres is not None and not is_mixed(self._columns, points, centres):
            return euclidean_ball_bits(points, centres, radius), radius
        (bits,) = ball_bits(problem.distances, *problem.size, [radius])
        return bits, radius

    def _path(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None, radii: np.ndarray
    ) -> Iterator["SetCoverClassifier"]:
        """What `fit` gives for each radius, without its warning, from one pass over the dissimilarities."""
        problem = problem_of(self, X, y, sample_weight, None)
        for radius, bits in zip(radii, balls_of_path(problem.distances, *problem.size, radii), strict=True):
            fitted = copy(self)
            fitted.eps = float(radius)
            fitted._choose(problem, bits, fitted.eps)
            yield fitted

    def _choose(self, problem: Problem, bits: np.ndarray, radius: float | np.ndarray) -> None:
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

    def _some_distances(self, X: npt.ArrayLike) -> np.ndarray:
        """Dissimilarities between different samples, of at most `ROWS` evenly spread ones."""
        X, _, encoding = encoded(self, X)
        some = X[:: -(-len(X) // ROWS)]
        if self.metric == "precomputed":
            return some.ravel()
        self._columns = Columns.of(X, encoding.n_levels, None)
        return distances(some, some, self.metric, self._columns)[np.triu_indices(len(some), 1)]
