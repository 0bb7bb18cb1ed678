"""The scikit-learn estimator: validates, calls the numerical core, stores fitted attributes."""

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted

from proset import base_model, corrections, elimination, leave_one_out, model, penalty_path
from proset.answers import Answers
from proset.candidates import check_class_sizes
from proset.columns import Columns
from proset.encoding import encode
from proset.familiarity import training_familiarity
from proset.fitted_model import no_overflow, or_ones
from proset.model import MAX_ABS
from proset.objective import Penalty
from proset.solver import MAX_ITER, TOL
from proset.training import Training
from proset.validation import weights_with_classes

if TYPE_CHECKING:
    pass

N_CANDIDATES = {"split": 1000, "leave_one_out": leave_one_out.N_CANDIDATES}
PUBLISHED: dict[str, Any] = {"references": "split", "lambda_v": 1e-3, "lambda_w": 1e-8, "scale": False}
MAX_PENALTY = 1e6  # far beyond any use; the solver's quadratic model overflows at 1e300
MIN_SPREAD, MAX_SPREAD = 1e-6, 1e6  # of the widest feature: beyond, every kernel value starts as 1 or as 0


class ProsetClassifier(Answers, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Classifier from few weighted prototypes with Gaussian kernels and sparse feature weights.

    Without arguments it scales the features and chooses its penalties from the data. `published` is the classifier of
    the published study, with other defaults.

    Parameters
    ----------
    n_batches : int >= 0, default=1
        Batches of prototypes (B); 0 is the class prior alone.
    references : {"leave_one_out", "split"}, default="leave_one_out"
        Which samples the likelihood of a batch counts. "leave_one_out": all of them, where none sees itself as a
        prototype; see `proset.leave_one_out`. "split": those that were not drawn as candidates, as published; faster,
        with fewer prototypes and mostly larger losses.
    n_candidates : int >= 1, "all" or None, default=None
        Candidates for prototypes drawn per batch (M). None is 1000 with `references="split"`, else 5000; if there are
        fewer samples, all of them. "all", whose time grows with the square of the number of samples, is for
        `references="leave_one_out"`.
    max_fraction : float in (0, 1), default=0.5
        Largest proportion of a bin of samples that may become candidates (eta); for `references="split"`.
    lambda_v, lambda_w : float in [0, 1e6] or "auto", default="auto"
        Penalty on feature weights and on prototype weights. "auto": chosen by cross-validation along a path of
        penalties, for one batch; see `proset.penalty_path`. No seed has a part in it. With ``references="split"`` it
        is 1e-3 and 1e-8, as published.
    alpha_v, alpha_w : float in [0, 1], default=0.95
        Mixing ratio of that penalty: the proportion of l2 (squared), the rest is l1. Opposite to scikit-learn's
        `l1_ratio`.
    max_iter : int >= 1
        Largest number of solver iterations per batch.
    tol : float > 0
        Tolerance of the solver on the projected gradient; see `proset.solver`.
    random_state : int, RandomState or None, default=None
        For the draw of candidates.
    n_jobs : int or None, default=None
        Threads of `fit` and of predictions: None is 1, -1 one per processor, -2 one less, and so on. They change
        nothing but the time. A fit uses one per 512 samples at most.
    class_weight : dict or "balanced", optional
        Factors of the sample weights by class label, 1 for labels not in it. "balanced": all classes get the same
        total weight, so that the class prior is uniform.
    warm_start : bool, default=False
        Whether `fit` with a larger `n_batches` adds batches to those of the last call, which gives the same model as
        a fit of all of them. The data have to be the same; parameters changed in between are those of the new batches.
    verbose : int, default=0
        From 1 on, `fit` prints a line per batch.
    max_prototypes : {"one_standard_error", "best"}, int >= 0 or None, default="one_standard_error"
        Largest number of prototypes over all batches: after the fit, prototypes are taken away and all weights fitted
        again, see `proset.elimination`. A name lets cross-validation choose the number: "best" has the smallest
        log-loss of samples held out, "one_standard_error" is the smallest number whose log-loss is at most one standard
        error (of what prototypes gain) above that. None: all that the penalties leave, as always with
        ``references="split"``.
    base : estimator, "prefit" or None, default=None
        A classifier with `predict_proba` that prototypes correct, see `proset.base_model`: it is cross-fitted to the
        training samples while prototypes are fitted, then fitted to all of them. One in a
        `sklearn.frozen.FrozenEstimator` stays as it is, and `fit` needs `base_probabilities`; with "prefit" there are
        probabilities alone, in predictions, too. None: the class proportions. Not with ``references="split"``.
    max_features : int >= 1 or None, default=None
        Largest number of features with a positive weight in any batch; the others are taken away before the
        prototypes, in the same way.
    scale : bool, default=True
        Whether the penalties see each feature divided by its standard deviation. The fitted model is in the units of
        `X` all the same. Without it, features have to be on a scale of about 1.
    categorical_features : "from_dtype", array-like of str, int or bool, or None, default="from_dtype"
        Which columns of `X` are categories, see `proset.columns`: those of text, booleans and categorical types, of
        which ordered ones are ranks; or those named, numbered or marked; or None.
    cost_matrix : array-like, shape (K, K), or None, default=None
        What errors cost: entry (i, k) is the cost of predicting class k where class i is true, in the order of
        `classes_`, or of a frame whose index and columns are the classes. `predict` takes the class with the smallest
        expected cost; probabilities do not change. None: the most probable class, as if all errors cost the same.

    Attributes
    ----------
    lambda_v_, lambda_w_ : float
        The penalties of the fit; infinite if the class proportions predict samples that were held out as well as any
        model. Then the batches are empty.
    penalty_search_ : dict of arrays
        What was tried for "auto", in this order: "lambda_v", "lambda_w", "mean_loss" (log-loss of the samples held
        out) and "standard_error" (of its difference from the smallest one); and of the class proportions "prior_loss".
        Only if there was a choice.
    prototype_path_ : dict of arrays
        Of the model of each size, by increasing "n_prototypes": "n_features", "objective" (all penalties included),
        "leave_one_out_loss" (the log-loss in it) and, where the size was chosen, "mean_loss" (of samples held out, with
        at most so many). The last model has all prototypes. Only if `max_prototypes` or `max_features` say so.
    base_ : estimator, "prefit" or None
        The base model, fitted to all samples.
    scale_ : ndarray, shape (D,)
        What features are divided by; rounded to 16 bits, 1 for constant ones and with ``scale=False``.
    feature_range_ : ndarray, shape (2, D)
        Smallest and largest values in the training data; of categories those of their numbers.
    categories_ : list, length D
        Of a column of categories its levels: all of an ordered type, else those in the training data, sorted, with None
        for a missing one. None for numbers.
    feature_weights_ : ndarray, shape (B, D)
        Feature weights of the batches for features divided by `scale_`, so that they can be compared; 0 in empty ones.
    classes_ : ndarray, shape (K,)
    class_prior_ : ndarray, shape (K,)
    n_features_in_ : int
        D.
    feature_names_in_ : ndarray of str, shape (D,)
        Only if `X` had string column names.
    batches_ : tuple of `proset.model.Batch`
    active_features_ : ndarray of int
        Features with positive weight in at least one non-empty batch.
    n_prototypes_ : int
        Over all batches.
    n_iter_ : int
        Largest number of solver iterations of a batch (0 without batches).
    n_samples_fit_ : int
        Training samples of positive weight.
    training_familiarity_ : ndarray, shape (n_batches + 1, m)
        The yardstick of `familiarity_quantile`, by number of batches; see `proset.familiarity`.

    Notes
    -----
    What is minimised is stated in `proset.objective`.

    References
    ----------
    N. Ruf, proset technical report (2021), chapter on the classifier.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier().fit(X, y)
    >>> model.active_features_.tolist()  # length and width of petals
    [2, 3]
    >>> 3 <= model.n_prototypes_ < 100
    True
    >>> model.predict(X[[0, 75, 149]]).tolist()
    [0, 1, 2]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_batches": [Interval(Integral, 0, None, closed="left")],
        "references": [StrOptions({"split", "leave_one_out"})],
        "n_candidates": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"}), None],
        "max_fraction": [Interval(Real, 0, 1, closed="neither")],
        "lambda_v": [Interval(Real, 0, MAX_PENALTY, closed="both"), StrOptions({"auto"})],
        "lambda_w": [Interval(Real, 0, MAX_PENALTY, closed="both"), StrOptions({"auto"})],
        "alpha_v": [Interval(Real, 0, 1, closed="both")],
        "alpha_w": [Interval(Real, 0, 1, closed="both")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "max_prototypes": [
            Interval(Integral, 0, None, closed="left"),
            StrOptions({"one_standard_error", "best"}),
            None,
        ],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "base": [HasMethods("fit"), StrOptions({"prefit"}), None],
        "scale": ["boolean"],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "cost_matrix": ["array-like", None],
    }
    __metadata_request__fit: ClassVar = {"groups": False}  # those of a splitter around it are none of the base
    # Whoever wants fewer batches says so to this classifier, not through those around it.
    __metadata_request__predict: ClassVar = {"n_batches": UNUSED}
    __metadata_request__predict_proba: ClassVar = {"n_batches": UNUSED}

    def __init__(
        self,
        n_batches: int = 1,
        n_candidates: int | str | None = None,
        max_fraction: float = 0.5,
        lambda_v: float | str = "auto",
        lambda_w: float | str = "auto",
        alpha_v: float = 0.95,
        alpha_w: float = 0.95,
        max_iter: int = MAX_ITER,
        tol: float = TOL,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        references: str = "leave_one_out",
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        scale: bool = True,
        max_prototypes: int | str | None = "one_standard_error",
        max_features: int | None = None,
        base: Any = None,
        categorical_features: Any = "from_dtype",
        cost_matrix: npt.ArrayLike | None = None,
    ):
        self.n_batches = n_batches
        self.n_candidates = n_candidates
        self.max_fraction = max_fraction
        self.lambda_v = lambda_v
        self.lambda_w = lambda_w
        self.alpha_v = alpha_v
        self.alpha_w = alpha_w
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.references = references
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.scale = scale
        self.max_prototypes = max_prototypes
        self.max_features = max_features
        self.base = base
        self.categorical_features = categorical_features
        self.cost_matrix = cost_matrix

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_training"}  # see `proset.training`

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @classmethod
    def published(cls, **parameters: Any) -> "ProsetClassifier":
        """The classifier with the defaults of the published study.

        Those are ``references="split"``, ``lambda_v=1e-3``, ``lambda_w=1e-8`` and ``scale=False``. They were chosen on
        data with little noise; with noisy classes such a model is over-confident.

        Parameters
        ----------
        **parameters
            Any parameter of the class.

        Returns
        -------
        ProsetClassifier
            Not fitted.

        Examples
        --------
        >>> ProsetClassifier.published(n_batches=2)
        ProsetClassifier(lambda_v=0.001, lambda_w=1e-08, n_batches=2,
                         references='split', scale=False)
        """
        return cls(**{**PUBLISHED, **parameters})

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        base_probabilities: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> "ProsetClassifier":
        """Fit all batches.

        Parameters
        ----------
        X : array-like, or frame of pandas, polars or Arrow, shape (N, D)
            Numbers, text, booleans and categories; values may be missing. Numbers are finite.
        y : array-like, shape (N,)
            Class labels, at least two different ones.
        sample_weight : array-like, shape (N,), optional
            Non-negative weights. They replace counts in the prior and the likelihood; candidates are drawn without
            regard to them, except that samples of weight 0 are left out altogether. If all are whole numbers, they
            count copies (after division by what all have in common): a weight of 2 is the same row twice, and copies of
            a row know each other's class. For importance weights, of one row each, take numbers that are not whole.
            `base` gets them, too.
        base_probabilities : array-like, shape (N, K), optional
            Of the samples, by models like `base` that did not see them; classes are sorted. By default `base` is
            cross-fitted.
        groups : array-like, shape (N,), optional
            For that: samples of a group are kept together.

        Returns
        -------
        self

        Warns
        -----
        ConvergenceWarning
            If a batch did not converge.
        UserWarning
            If no prototype or no feature has weight, with the likely cause.

        Raises
        ------
        ValueError
            If an argument is out of range, `X` is infinite or, with ``scale=False``, far from a scale of 1, `y` has
            one class only, weights are negative, all zero or huge, a class has too few samples to draw candidates and
            references from it, or `base` or `base_probabilities` are not what they should be.

        Examples
        --------
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> y = ["left"] * 5 + ["right"] * 5
        >>> model = ProsetClassifier(random_state=0).fit(X, y)
        >>> model.classes_.tolist(), model.class_prior_.tolist()
        (['left', 'right'], [0.5, 0.5])
        """
        models, X = self._fit(X, y, sample_weight, base_probabilities, groups)
        self.n_samples_fit_ = len(X)
        self._sized_familiarity = [training_familiarity(of_size, X, self._n_threads()) for of_size in models]
        place = next(i for i, of_size in enumerate(self._sized) if of_size is self._model)
        self.training_familiarity_ = self._sized_familiarity[place]
        for number, batch in enumerate(self.batches_, start=1):
            if not batch.converged:
                warnings.warn(
                    f"batch {number} did not converge after {batch.n_iter} iterations ({batch.message}); "
                    "increase max_iter or tol",
                    ConvergenceWarning,
                    stacklevel=2,
                )
        if self.n_batches > 0 and not (len(self.active_features_) and self.n_prototypes_):
            instead = "the class prior" if self.base is None else "that of the base model"
            warnings.warn(f"nothing was learnt, every prediction is {instead}; {self._why(X)}", stacklevel=2)
        return self

    def _fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None,
        base_probabilities: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> tuple[list[model.Model], np.ndarray]:
        """`fit` without warnings, of which a search would hear hundreds.

        Returns
        -------
        (models, X) : the model of each size, increasing, of the scaled samples of positive weight, and these.
        """
        self.__dict__.pop("_training", None)
        self._is_edited = False
        given = X
        X, codes, weight, copies, rows = self._prepared(X, y, sample_weight)
        self._check_limits()
        base = self._fit_base(given, codes, rows, sample_weight, base_probabilities, groups)
        scaled = self._scaled(X)
        data = scaled, codes, len(self.classes_)
        task = self._task(scaled, codes, weight, copies, base) if self.references == "leave_one_out" else None
        penalty, folds = self._penalty(task)
        growth = self._growth(scaled, codes, weight, base)
        of_fit: dict[str, Any] = {
            "n_batches": self.n_batches,
            "penalty": penalty,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "seed": growth.seed,
            "sample_weight": weight,
            "n_threads": self._n_threads(),
            "start": growth.stage,
            "after_batch": growth.added,
            "columns": self._columns.divided(self.scale_),
        }
        number = N_CANDIDATES[self.references] if self.n_candidates is None else self.n_candidates
        if task is not None:
            n_candidates = None if isinstance(number, str) else number
            of_fit |= {"copies": copies, "minimum": penalty_path.minimum, "base": base}
            fitted = leave_one_out.fit(*data, n_candidates=n_candidates, **of_fit)
        elif isinstance(number, str):
            raise ValueError("n_candidates: 'all' is not allowed, must be a number with references='split'")
        else:
            check_class_sizes(np.bincount(codes), self.max_fraction, self.classes_)
            fitted = model.fit(*data, n_candidates=number, max_fraction=self.max_fraction, **of_fit)
        models, n = [fitted], None
        self.__dict__.pop("prototype_path_", None)
        is_limited = self.max_prototypes is not None or self.max_features is not None
        if task is not None and is_limited and fitted.n_prototypes():
            n, sizes = self._size(folds, len(fitted.batches))
            stops = None if self.max_prototypes is None else () if n is None else (n,)
            settings = elimination.Settings(penalty, self.max_iter, self.tol, self.max_features, stops)
            path = elimination.eliminate(fitted, *data[:2], task, settings)
            models, self.prototype_path_ = [one.model for one in path], elimination.table(path)
            if sizes is not None:
                numbers = self.prototype_path_["n_prototypes"]
                self.prototype_path_["mean_loss"] = np.array([sizes.mean_at(number) for number in numbers])
        self._sized = [of_size.in_units_of(X, self.scale_).with_rows(rows) for of_size in models]
        place = self._largest(n)
        self._store(self._sized[place])
        self.__dict__.pop("_regions", None)
        if task is not None and base is not None:
            self._regions = corrections.regions(models[place], task)
        arguments = given, y, sample_weight, base_probabilities, groups, growth.state
        made = X, codes, or_ones(weight, len(X)), copies, rows, base
        size = fitted.n_prototypes(), len(fitted.active_features())
        self._training = Training(*arguments, *made, self.get_params(deep=False), size)
        self.__dict__.pop("_last_growth", None)
        if self.warm_start:
            self._last_growth = growth
        return models, scaled

    def _largest(self, n: int | None) -> int:
        """Place of the largest model with at most n prototypes."""
        return max(i for i, of_size in enumerate(self._sized) if n is None or of_size.n_prototypes() <= n)

    def _prepared(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray, np.ndarray]:
        """Samples of positive weight, numbers of their classes, weights, copies, and rows; sets what they decide."""
        self._validate_params()
        with no_overflow():
            X, labels, self._encoding = encode(self, X, y, reset=True)
        y = np.asarray(labels)
        levels = self._encoding.n_levels
        _check_range(X)
        check_classification_targets(y)
        weight = None
        rows, copies = np.arange(len(y)), np.ones(len(y))
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            copies = leave_one_out.copies_of(weight)
        if self.class_weight is not None:
            weight = weights_with_classes(np.ones(len(y)) if weight is None else weight, self.class_weight, y)
        if weight is not None:
            if weight.max(initial=0.0) > MAX_ABS:
                raise ValueError(f"sample_weight: {weight.max():g} is not allowed, must be at most {MAX_ABS:g}")
            rows = np.flatnonzero(weight > 0)
            if not len(rows):
                raise ValueError("sample_weight is zero for every sample; at least two classes need positive weight")
            weight = weight[rows]
        self.classes_, codes = np.unique(y[rows], return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"Classifier can't train when only one class is present: y has {len(self.classes_)} class "
                f"({self.classes_[0]}) among samples of positive weight, at least 2 classes are needed"
            )
        self._costs()
        if not self.scale:
            _check_spread(X[rows][:, levels == 0])
        self._columns = Columns.of(X[rows], levels, weight)
        self.scale_ = self._columns.spread if self.scale else np.ones(X.shape[1])
        self.feature_range_ = np.array([np.fmin.reduce(X[rows], axis=0), np.fmax.reduce(X[rows], axis=0)])
        return X[rows], codes, weight, copies[rows], rows

    def _penalty(self, task: leave_one_out.Task | None) -> tuple[Penalty, list[penalty_path.Fold]]:
        """The penalties that are given, or chosen, and the folds of a choice; sets `lambda_v_` and `lambda_w_`."""
        lambda_v = None if isinstance(self.lambda_v, str) else float(self.lambda_v)
        lambda_w = None if isinstance(self.lambda_w, str) else float(self.lambda_w)
        self.__dict__.pop("penalty_search_", None)
        folds: list[penalty_path.Fold] = []
        if task is None:
            lambda_v = PUBLISHED["lambda_v"] if lambda_v is None else lambda_v
            lambda_w = PUBLISHED["lambda_w"] if lambda_w is None else lambda_w
        else:
            by_size = isinstance(self.max_prototypes, str) and self.n_batches > 0
            if by_size or lambda_v is None or lambda_w is None:
                folds = list(penalty_path.folds(task, self.alpha_v, self.alpha_w))
            if lambda_v is None or lambda_w is None:
                choice = penalty_path.choose(folds, lambda_v, lambda_w)
                lambda_v, lambda_w = choice.pair or (np.inf, np.inf)
                self.penalty_search_ = choice.results()
        assert lambda_v is not None
        assert lambda_w is not None
        self.lambda_v_, self.lambda_w_ = lambda_v, lambda_w
        return Penalty(self.lambda_v_, self.lambda_w_, self.alpha_v, self.alpha_w), folds

    def _size(self, folds: list[penalty_path.Fold], n_batches: int) -> tuple[int | None, elimination.Sizes | None]:
        """The largest number of prototypes that is allowed or chosen, and what it was chosen from."""
        if not isinstance(self.max_prototypes, str):
            return self.max_prototypes, None
        if not folds:
            return None, None
        pair = self.lambda_v_, self.lambda_w_
        (sizes,) = elimination.cross_validate(folds, pair, n_batches, (self.max_features,))
        return sizes.chosen(self.max_prototypes), sizes

    def _check_limits(self) -> None:
        """Refuse what only leave-one-out references have."""
        limits = {"max_prototypes": self.max_prototypes, "max_features": self.max_features, "base": self.base}
        given = [name for name, limit in limits.items() if limit is not None and not isinstance(limit, str)]
        given += ["base"] if isinstance(self.base, str) else []
        if self.references == "split" and given:
            raise ValueError(
                f"{given[0]}: {limits[given[0]]!r} is not allowed with references='split', the published algorithm; "
                "use references='leave_one_out'"
            )

    def _fit_base(
        self, X: Any, codes: np.ndarray, rows: np.ndarray, sample_weight: Any, given: Any, groups: Any
    ) -> np.ndarray | None:
        """q_0 of the samples of positive weight; sets `base_`. `X` and what follows `rows` are as in `fit`."""
        self.base_: Any = self.base
        if self.base is None:
            if given is not None:
                raise ValueError("base_probabilities: not allowed without base; use base='prefit', or leave them out")
            return None
        if given is None and isinstance(self.base, str | FrozenEstimator):
            raise ValueError(
                "base_probabilities: None is not allowed with a base that is fitted already, must be probabilities of "
                "the samples by models that did not see them; cross_val_predict(..., method='predict_proba') gives them"
            )
        held_out = None
        if given is not None:
            held_out = base_model.rounded(base_model.checked(given, _num_samples(X), len(self.classes_))[rows])
        if isinstance(self.base, str):
            return held_out
        base_model.check(self.base, self.classes_)
        X, y = _safe_indexing(X if hasattr(X, "shape") else np.asarray(X), rows), self.classes_[codes]
        weight, groups = (None if each is None else np.asarray(each)[rows] for each in (sample_weight, groups))
        if held_out is not None:
            self.base_ = base_model.fitted(self.base, X, y, weight)
            return held_out
        self.base_, held_out = base_model.cross_fitted(self.base, X, y, self.classes_, weight, groups)
        return held_out

    def _fold(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None,
        X_score: Any,
        y_score: Any,
        n_candidates: int,
        groups: npt.ArrayLike | None,
    ) -> penalty_path.Fold:
        """Samples to fit rough models to, and others to score them on, for a search."""
        given = X
        X, codes, weight, copies, rows = self._prepared(X, y, sample_weight)
        if isinstance(self.base, str | FrozenEstimator):
            raise ValueError(
                f"base: {self.base!r} is not allowed in a search, which fits the base in every fold; give an estimator "
                "that is not fitted"
            )
        base = self._fit_base(given, codes, rows, sample_weight, None, groups)
        task = self._task(self._scaled(X), codes, weight, copies, base)
        scored = self._scaled(self._validated(X_score)) - task.samples.centre
        codes, penalty = np.searchsorted(self.classes_, y_score), (self.alpha_v, self.alpha_w)
        return penalty_path.Fold.of(task, scored, codes, *penalty, n_candidates, self._base_of(X_score))

    def _growth(
        self, X: np.ndarray, codes: np.ndarray, weight: np.ndarray | None, base: np.ndarray | None
    ) -> "_Growth":
        """That of the last fit if it goes on, else a new one."""
        if not self.warm_start:
            return _Growth(*self._seed(), "", self.n_batches, self.verbose)
        data = X, codes, or_ones(weight, len(X)), np.empty(0) if base is None else base
        key = _digest(*data) + self.references
        last: _Growth | None = getattr(self, "_last_growth", None)
        if last is None:
            return _Growth(*self._seed(), key, self.n_batches, self.verbose)
        if last.key != key:
            raise ValueError("warm_start: other data or references than in the last fit are not allowed")
        if self.n_batches < last.n_batches:
            raise ValueError(
                f"n_batches: {self.n_batches} is not allowed with warm_start=True, must be at least the "
                f"{last.n_batches} that are fitted"
            )
        return replace(last, n_batches=self.n_batches, verbose=self.verbose)

    def _seed(self) -> tuple[np.random.RandomState, np.random.SeedSequence]:
        """A seed, and the generator as it was before."""
        generator = check_random_state(self.random_state)
        return deepcopy(generator), np.random.SeedSequence(int(generator.randint(2**31)))

    def _why(self, X: np.ndarray) -> str:
        if self.max_prototypes == 0:
            return "max_prototypes=0 allows none"
        than = "the class proportions" if self.base is None else self._base_name()
        if isinstance(self.max_prototypes, str) and len(getattr(self, "prototype_path_", {})):
            return f"by cross-validation no number of prototypes is better than {than} by more than one standard error"
        if np.isinf(self.lambda_v_):
            return f"no penalties gave a model that predicts samples held out better than {than}"
        spread = np.nan_to_num(np.nanstd(X, axis=0)).max()
        if not self.scale and not 0.1 < spread < 10.0:
            return f"the widest feature has a standard deviation of {spread:.3g}, expected is about 1: use scale=True"
        return (
            f"lambda_v={self.lambda_v_:g} or lambda_w={self.lambda_w_:g} may be too large, or {len(X)} samples of "
            "these features tell nothing about the classes"
        )

    def with_prototypes(self, n: int) -> "ProsetClassifier":
        """The model of the path with at most n prototypes.

        Parameters
        ----------
        n : int

        Returns
        -------
        ProsetClassifier
            A new one, fitted, that has no larger models any more. Its size is the largest one of `prototype_path_` that
            is allowed: mostly n itself up to 10, else at most a quarter less. `max_prototypes` stops at a number.

        Raises
        ------
        ValueError
            If no model is so small; without an elimination there is one model only.
        AttributeError
            If the model is from a file, which keeps one size.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ProsetClassifier().fit(X, y)
        >>> model.with_prototypes(3).n_prototypes_
        3
        """
        check_is_fitted(self, "scale_")
        least = self._of_all_sizes()[0].n_prototypes()
        if not (isinstance(n, Integral) and n >= least):
            raise ValueError(f"n: {n!r} is not allowed, must be a whole number of at least {least}")
        smaller = self._copied()
        place = self._largest(int(n))
        if self._sized[place] is not self._model:
            smaller.__dict__.pop("_regions", None)
        smaller._sized, smaller._sized_familiarity = self._sized[: place + 1], self._sized_familiarity[: place + 1]
        if hasattr(self, "prototype_path_"):
            path = self.prototype_path_.items()
            smaller.prototype_path_ = {name: values[: place + 1] for name, values in path}
        smaller._store(self._sized[place])
        smaller.training_familiarity_ = self._sized_familiarity[place]
        return smaller

    def sized_predict_proba(
        self, X: npt.ArrayLike, *, base_probabilities: npt.ArrayLike | None = None
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Class probabilities of the models of all sizes on the path.

        Parameters
        ----------
        X : array-like, shape (N, D)
        base_probabilities : array-like, shape (N, K), optional
            As of `staged_predict_proba`.

        Returns
        -------
        iterator of (int, ndarray of shape (N, K))
            By increasing number of prototypes, as in `prototype_path_`.

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`.
        AttributeError
            If the model is from a file, which keeps one size.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ProsetClassifier().fit(X, y)
        >>> errors = {n: float((p.argmax(axis=1) != y).mean()) for n, p in model.sized_predict_proba(X)}
        >>> errors[1] > errors[3]
        True
        """
        validated, base = self._validated(X), self._base_of(X, base_probabilities)
        for of_size in self._of_all_sizes():
            *_, found = of_size.staged_predict_proba(validated, self._n_threads(), base)
            yield of_size.n_prototypes(), found

    def size_table(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        n_features: Sequence[int] | None = None,
        *,
        base_probabilities: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> dict[str, np.ndarray]:
        """Log-loss in cross-validation by numbers of features and prototypes; nothing is fitted in this object.

        Parameters
        ----------
        X, y, sample_weight, base_probabilities, groups
            As in `fit`.
        n_features : sequence of int, optional
            Numbers of features, at least 1. By default up to 10, from 1 to all that the fits on the folds have.

        Returns
        -------
        dict of arrays
            "n_features", shape (F,), increasing; "n_prototypes", shape (S,), from 0 to all that the fits on the folds
            had; "mean_loss" and the "standard_error" of what prototypes gain, shape (F, S), of models with at most so
            many of both.

        Raises
        ------
        ValueError
            As in `fit`, if `references` is "split", there is no batch, or `n_features` is not allowed.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> table = ProsetClassifier().size_table(X, y, n_features=[1, 2])
        >>> table["mean_loss"].shape == (2, len(table["n_prototypes"]))
        True
        """
        if self.references == "split":
            raise ValueError("references: 'split' is not allowed for a table of sizes, must be 'leave_one_out'")
        if self.n_batches == 0:
            raise ValueError("n_batches: 0 is not allowed for a table of sizes, must be at least 1")
        other: ProsetClassifier = clone(self).set_params(max_prototypes="best")  # any name, for the folds
        samples, codes, weight, copies, rows = other._prepared(X, y, sample_weight)
        base = other._fit_base(X, codes, rows, sample_weight, base_probabilities, groups)
        penalty, folds = other._penalty(other._task(other._scaled(samples), codes, weight, copies, base))
        pair = penalty.lambda_v, penalty.lambda_w
        if n_features is None:
            n_features = _spread(elimination.n_features(folds, pair, other.n_batches))
        if not (len(n_features) and all(isinstance(n, Integral) and n >= 1 for n in n_features)):
            raise ValueError(f"n_features: {n_features!r} is not allowed, must be whole numbers of at least 1")
        numbers = sorted({int(n) for n in n_features})
        found = elimination.cross_validate(folds, pair, other.n_batches, numbers[::-1])[::-1]
        sizes = max((of_number.sizes for of_number in found), key=max)
        at = [np.searchsorted(of_number.sizes, sizes, side="right") - 1 for of_number in found]
        return {
            "n_features": np.array(numbers),
            "n_prototypes": np.array(sizes),
            "mean_loss": np.array([of_number.mean[i] for of_number, i in zip(found, at, strict=True)]),
            "standard_error": np.array([of_number.error[i] for of_number, i in zip(found, at, strict=True)]),
        }

    def _of_all_sizes(self) -> list[model.Model]:
        if not hasattr(self, "_sized"):
            raise AttributeError("a model from a file or with fewer features has one size only; fit it again")
        return self._sized

    def shrink(self) -> "ProsetClassifier":
        """The same model for samples of the active features alone.

        Returns
        -------
        ProsetClassifier
            A new one, whose feature d is feature `active_features_[d]` of this one.

        Raises
        ------
        ValueError
            If no feature is active.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.preprocessing import scale
        >>> X, y = load_iris(return_X_y=True)
        >>> X = scale(X)
        >>> model = ProsetClassifier(lambda_v=0.01, random_state=0).fit(X, y)
        >>> small = model.shrink()
        >>> small.n_features_in_
        2
        >>> bool((small.predict_proba(X[:, model.active_features_]) == model.predict_proba(X)).all())
        True
        """
        features = self.active_features_
        if self._fitted_base() is not None:
            raise ValueError(f"base: {self._base_name()} needs all features, a model with a base cannot be smaller")
        if not len(features):
            raise ValueError("the model has no active feature, every prediction is the class prior")
        batches = (
            replace(b, feature_weights=b.feature_weights[features], prototypes=b.prototypes[:, features])
            for b in self.batches_
        )
        small = copy(self)
        small.__dict__.pop("_sized", None)
        small.scale_, small.feature_range_ = self.scale_[features], self.feature_range_[:, features]
        small._encoding = self._encoding.take(features)
        columns = self._model.columns and self._model.columns.take(features)
        small._store(replace(self._model, centre=self._model.centre[features], batches=tuple(batches), columns=columns))
        small.n_features_in_ = len(features)
        if hasattr(self, "feature_names_in_"):
            small.feature_names_in_ = self.feature_names_in_[features]
        return small


@dataclass
class _Growth:
    """How far a fit has come, and what it takes to go on.

    Attributes
    ----------
    state : RandomState
        From which the seed was drawn.
    seed : SeedSequence
    key : str
        Digest of the data; empty if it will not go on.
    n_batches : int
    verbose : int
        Whether to print a line for a new batch.
    stage : tuple, optional
        Of `proset.model`; None before the first batch.
    """

    state: np.random.RandomState
    seed: np.random.SeedSequence
    key: str
    n_batches: int
    verbose: int
    stage: model.Stage | None = None

    def added(self, stage: model.Stage) -> None:
        """A batch has been added."""
        self.stage = stage
        if self.verbose:
            batches = stage[0].batches
            last = batches[-1]
            print(
                f"batch {len(batches)} of {self.n_batches}: objective {last.objective:.6g} after {last.n_iter} "
                f"iterations, {len(last.labels)} prototypes, {len(last.active_features)} features",
                flush=True,
            )


def _digest(*arrays: np.ndarray) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def _spread(n: int) -> list[int]:
    """Up to 10 whole numbers from 1 to n, with about the same ratios."""
    return sorted({round(number) for number in np.geomspace(1, n, min(n, 10))})


def _check_range(X: np.ndarray) -> None:
    """Refuse features whose squares overflow."""
    max_abs = np.nan_to_num(np.fmax.reduce(np.abs(X), axis=0))
    if max_abs.max() > MAX_ABS:
        raise ValueError(f"X: feature {max_abs.argmax()} reaches {max_abs.max():g}, at most {MAX_ABS:g} is allowed")


def _check_spread(X: np.ndarray) -> None:
    """Refuse features that are so large or all so small that the fit cannot start."""
    spreads = np.nan_to_num(np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0))
    spread = spreads.max(initial=0.0)
    if spread > MAX_SPREAD or 0 < spread < MIN_SPREAD:
        raise ValueError(
            f"X: feature {spreads.argmax()} spreads over {spread:g}, with scale=False the widest feature has to spread "
            f"over {MIN_SPREAD:g} to {MAX_SPREAD:g}; use scale=True"
        )
