"""Searches by cross-validation in the form of scikit-learn: the two stages of proset, and the radii of set cover."""

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import exp, log
from numbers import Integral, Real
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array, check_random_state, get_tags, indexable
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metadata_routing import UNUSED, get_routing_for_object
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from proset import arithmetic
from proset.classifier import MAX_PENALTY, ProsetClassifier
from proset.cover import path_radii
from proset.selection import SELECTION_RULES, select
from proset.set_cover import SetCoverClassifier
from proset.validation import missing_values_named, weights_with_classes

if TYPE_CHECKING:
    import pandas as pd

_Method = TypeVar("_Method", bound=Callable[..., Any])
WIDTH = 30  # of a progress bar
PARAMETERS, STAGE_1, STAGE_2, REFIT = range(4)  # what random numbers are for


def log_loss(probabilities: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> float:
    """Weighted mean of -log p(own class), with p clipped to [1e-15, 1 - 1e-15]."""
    of_own_class = np.clip(probabilities[np.arange(len(codes)), codes], 1e-15, 1.0 - 1e-15)
    return float(np.average(-arithmetic.log(of_own_class), weights=weight))


def error(probabilities: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> float:
    """Weighted proportion of samples whose most probable class is not their own."""
    return float(np.average(probabilities.argmax(axis=1) != codes, weights=weight))


CRITERIA: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], float]] = {"log_loss": log_loss, "error": error}


@dataclass(frozen=True)
class _Data:
    """Samples to fit on, as the classifier sees them."""

    transformers: Pipeline | None  # fitted on them
    X: Any
    y: np.ndarray
    weight: np.ndarray | None


@dataclass(frozen=True)
class _Fold(_Data):
    """And those to score on."""

    X_score: Any
    y_score: np.ndarray
    codes_score: np.ndarray
    weight_score: np.ndarray


@dataclass(frozen=True)
class _Scored:
    """Losses along the path of one fold, whether all fits converged, and seconds."""

    losses: list[float]
    converged: bool
    fit_time: float
    score_time: float


def _is_refitted(search: "_SearchCV") -> bool:
    if not search.refit:
        raise AttributeError(f"{type(search).__name__} with refit=False has no model to predict with")
    return True


def _of_model(method: _Method) -> _Method:
    """A method that only a search with `refit` has."""
    of_model: _Method = available_if(_is_refitted)(method)
    return of_model


class _SearchCV(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Folds, tables of results, and predictions of what was found: the same for both classifiers."""

    _classifier: ClassVar[type[BaseEstimator]]
    estimator: Any
    cv: Any
    selection_rule: str
    scale: bool
    refit: bool
    n_jobs: int | None
    random_state: int | np.random.RandomState | None
    verbose: int
    best_estimator_: Any
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods("fit"), None],
        "cv": ["cv_object"],
        "selection_rule": [StrOptions(set(SELECTION_RULES))],
        "scale": ["boolean"],
        "refit": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    __metadata_request__fit: ClassVar = {"groups": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._classifier() if self.estimator is None else self.estimator).input_tags
        return tags

    def _steps(self) -> list[tuple[str, Any]]:
        """New copies of all steps of the estimator; the last one is the classifier."""
        estimator = self._classifier() if self.estimator is None else clone(self.estimator)
        steps = list(estimator.steps) if isinstance(estimator, Pipeline) else [("classifier", estimator)]
        last = steps[-1][1]
        if not isinstance(last, self._classifier):
            raise ValueError(
                f"estimator: {type(last).__name__} is not allowed, must be {self._classifier.__name__} or a Pipeline "
                "that ends with one"
            )
        if self.scale:
            steps.insert(-1, ("scale", StandardScaler()))
        return steps

    def _data(self, X: Any, y: np.ndarray, weight: np.ndarray | None) -> _Data:
        steps = self._steps()[:-1]
        if not steps:
            return _Data(None, X, y, weight)
        transformers = Pipeline(steps)
        metadata = {} if weight is None else {"sample_weight": weight}
        wanted = get_routing_for_object(transformers).consumes("fit_transform", metadata)
        X = transformers.fit_transform(X, y, **{name: metadata[name] for name in wanted})
        return _Data(transformers, X, y, weight)

    def _prepared(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[_Data, list[_Fold]]:
        """All samples, and the folds; sets `classes_`, `n_splits_` and the attributes of the features."""
        y = validate_data(self, y=y)
        X = validate_data(self, X, skip_check_array=True)
        check_classification_targets(y)
        X, y, sample_weight, groups = indexable(X, y, sample_weight, groups)
        X = X if hasattr(X, "shape") else np.asarray(X)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weight_score = np.ones(len(y)) if weight is None else weight
        class_weight = self._steps()[-1][1].class_weight
        if class_weight is not None:
            weight_score = weights_with_classes(weight_score, class_weight, y)
        everything = self._data(X, y, weight)
        with missing_values_named():  # before it fails in some fold
            checked = check_array(everything.X, dtype=np.float64, input_name="X", estimator=self)
        X = checked if everything.transformers is None else X
        is_pairwise = get_tags(self).input_tags.pairwise and checked.shape[0] == checked.shape[1]
        splitter = check_cv(self.cv, y, classifier=True)
        if groups is not None and isinstance(self.cv, Integral | None):
            splitter = StratifiedGroupKFold(splitter.get_n_splits())
        folds = []
        for number, (train, test) in enumerate(splitter.split(X, y, groups)):
            missing = np.setdiff1d(self.classes_, y[train] if weight is None else y[train][weight[train] > 0])
            if len(missing):
                raise ValueError(f"cv: fold {number} has no sample of class {missing[0]} to fit on")
            if not weight_score[test].sum() > 0:
                raise ValueError(f"cv: fold {number} has no sample of positive weight to score")
            seen = train if is_pairwise else None
            data = self._data(_rows(X, train, seen), y[train], None if weight is None else weight[train])
            X_score = _rows(X, test, seen)
            if data.transformers is not None:
                X_score = data.transformers.transform(X_score)
            scored = {"y_score": y[test], "codes_score": codes[test], "weight_score": weight_score[test]}
            folds.append(_Fold(**vars(data), X_score=X_score, **scored))
        if len(folds) < 2:
            raise ValueError(f"cv: {len(folds)} fold is not allowed, the rules need at least 2")
        self.n_splits_ = len(folds)
        return everything, folds

    def _run(self, title: str, calls: Iterable[Any], number: int) -> list[_Scored]:
        # Threads: nearly all of the time is spent in compiled code, and nothing has to be sent.
        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        scored = list(_progress(parallel(calls), title, number, self.verbose))
        if failed := sum(not one.converged for one in scored):
            warnings.warn(
                f"{title}: {failed} of {number} fits have batches that did not converge; increase max_iter or tol of "
                "the estimator, or standardise the features, for example with scale=True",
                ConvergenceWarning,
                stacklevel=4,
            )
        return scored

    def _select(
        self,
        params: list[dict[str, Any]],
        simplicity: list[tuple[float, ...]],
        losses: np.ndarray,
        **seconds: np.ndarray,
    ) -> tuple[dict[str, Any], int, float]:
        """Results in the form of scikit-learn, the position of the selected setting, the threshold as a score."""
        selection = select(losses, simplicity, self.selection_rule)
        scores = -losses
        results: dict[str, Any] = {}
        for name, values in seconds.items():
            results |= {f"mean_{name}": values.mean(axis=1), f"std_{name}": values.std(axis=1)}
        results |= {f"param_{name}": np.ma.array([setting[name] for setting in params]) for name in params[0]}
        results |= {"params": params}
        results |= {f"split{fold}_test_score": scores[:, fold] for fold in range(losses.shape[1])}
        results |= {
            "mean_test_score": scores.mean(axis=1),
            "std_test_score": scores.std(axis=1),
            "rank_test_score": rankdata(losses.mean(axis=1), method="min").astype(np.int32),
            "within_threshold": np.isin(np.arange(len(params)), selection["within"]),
        }
        return results, selection["selected"], -selection["threshold"]

    def _refit(self, data: _Data, **parameters: Any) -> Any:
        """The whole estimator, fitted on all samples."""
        name, classifier = self._steps()[-1]
        classifier.set_params(**parameters).fit(data.X, data.y, data.weight)
        return classifier if data.transformers is None else Pipeline([*data.transformers.steps, (name, classifier)])

    def _found(self) -> tuple[Any, Pipeline | None]:
        """The classifier that was found, and the Pipeline that it is the end of."""
        check_is_fitted(self)
        found = self.best_estimator_
        return (found[-1], found) if isinstance(found, Pipeline) else (found, None)

    def _seen(self, X: Any) -> tuple[Any, Any]:
        """The classifier that was found, and samples as it sees them."""
        classifier, pipeline = self._found()
        return classifier, X if pipeline is None else pipeline[:-1].transform(X)

    @_of_model
    def explain(self, X: Any, top: int | None = None) -> "pd.DataFrame":
        """Why predictions are what they are, in the units of `X`; see `explain` of the classifier."""
        classifier, pipeline = self._found()
        frame: pd.DataFrame = classifier.explain(X, top, pipeline)
        return frame

    @_of_model
    def export(self) -> "pd.DataFrame":
        """The model as a table, in the units of the data; see `export` of the classifier."""
        classifier, pipeline = self._found()
        frame: pd.DataFrame = classifier.export(pipeline)
        return frame


def _rows(X: Any, rows: np.ndarray, columns: np.ndarray | None) -> Any:
    X = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    return X if columns is None else X[:, columns]


def _progress(items: Iterable[_Scored], title: str, number: int, verbose: int) -> Iterator[_Scored]:
    """Pass on the items; with `verbose`, draw a bar of how many there have been."""
    started = perf_counter()
    for done, item in enumerate(items, start=1):
        yield item
        if verbose and WIDTH * done // number > WIDTH * (done - 1) // number:
            bar = "#" * (WIDTH * done // number)
            line = f"\r{title}: [{bar:<{WIDTH}}] {done} of {number}, {perf_counter() - started:.1f} s"
            print(line, end="\n" if done == number else "", file=sys.stderr, flush=True)


def _seed(root: int, *key: int) -> int:
    return int(np.random.SeedSequence(root, spawn_key=key).generate_state(1)[0] >> 1)


class ProsetClassifierCV(_SearchCV):
    """`ProsetClassifier` with penalties and number of batches found by cross-validation, in two stages.

    Stage 1 fits one batch for each pair of penalties and selects a pair, stage 2 fits `n_batches` batches with it and
    selects their number, from one fit per fold. Then the classifier is fitted on all samples.

    Parameters
    ----------
    estimator : ProsetClassifier or Pipeline, optional
        Where all other parameters come from; a Pipeline ends with a `ProsetClassifier`, and its other steps are fitted
        in every fold.
    lambda_v : (low, high), list of float, or float; default=(1e-6, 1e-1)
        Penalty on feature weights. A tuple is a range, from which `n_iter` values are drawn, their logarithms
        uniformly; a list or array is a grid; a number is kept.
    lambda_w : (low, high), list of float, or float; default=(1e-9, 1e-4)
        Penalty on prototype weights, in the same way. Two grids are crossed; a grid next to a range is gone through
        in turn.
    n_batches : int >= 0, default=10
        Largest number of batches.
    n_iter : int >= 1, default=50
        Pairs that are drawn, if there is a range.
    cv : int, splitter or iterable, default=5
        As in scikit-learn; a number means stratified folds, which keep `groups` together if there are any.
    criterion : {"log_loss", "error"}, default="log_loss"
        What is made small: the log-loss of the probabilities, or the proportion of wrong classes.
    selection_rule : {"one_standard_deviation", "one_standard_error", "best"}, default="one_standard_deviation"
        Take the simplest setting whose mean loss over the folds exceeds the smallest mean by no more than the standard
        deviation of that one (over the folds, with n - 1), or than that deviation divided by the square root of the
        number of folds; or take the smallest mean. Simple are large lambda_v lambda_w and few batches.
    scale : bool, default=False
        Whether to standardise features before the classifier, with statistics of the samples to fit on.
    refit : bool, default=True
        Whether to fit what was found on all samples; without, there are no predictions.
    n_jobs : int or None, default=None
        Fits at the same time, by threads; None is 1, -1 one per processor. It changes nothing but the time.
    random_state : int, RandomState or None, default=None
        For the penalties and, instead of that of the estimator, the candidates of each fit.
    verbose : int, default=0
        From 1 on, `fit` draws a progress bar on the standard error.

    Attributes
    ----------
    best_params_ : dict
        "lambda_v", "lambda_w", "n_batches".
    best_index_ : int
        Place of the pair of penalties in `cv_results_`.
    best_score_ : float
        Mean score of what was found over the folds, in stage 2.
    best_estimator_ : ProsetClassifier or Pipeline
        Fitted on all samples; `random_state` is a number that gives the same fit again. Only with `refit`.
    cv_results_ : dict of arrays
        Stage 1 in the form of scikit-learn, a value for each pair: "params", "param_lambda_v", "param_lambda_w",
        "split0_test_score", ..., "mean_test_score", "std_test_score" (with n), "rank_test_score", mean and standard
        deviation of "fit_time" and "score_time" in seconds, and "within_threshold". Scores are negative losses.
    stage2_results_ : dict of arrays
        Stage 2 in the same form, a value for each number of batches from 0 on, "param_n_batches"; without times, as all
        are from the same fits.
    threshold_, stage2_threshold_ : float
        Scores from which on a setting is within the threshold of the rule.
    n_splits_ : int
        Folds.
    classes_ : ndarray, shape (K,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (D,)
        Only if `X` had string column names.

    Notes
    -----
    Held-out samples count in the loss by their `sample_weight` and by the `class_weight` of the estimator, as in a fit.

    References
    ----------
    N. Ruf, proset technical report (2021), chapter on the case study.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from proset import ProsetClassifierCV
    >>> X, y = load_wine(return_X_y=True)
    >>> search = ProsetClassifierCV(n_iter=10, n_batches=3, scale=True, random_state=0).fit(X, y)
    >>> sorted(search.best_params_)
    ['lambda_v', 'lambda_w', 'n_batches']
    >>> search.cv_results_["mean_test_score"].shape, search.stage2_results_["mean_test_score"].shape
    ((10,), (4,))
    >>> search.score(X, y) > 0.9
    True
    """

    _classifier = ProsetClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_SearchCV._parameter_constraints,
        "lambda_v": [tuple, "array-like", Interval(Real, 0, MAX_PENALTY, closed="both")],
        "lambda_w": [tuple, "array-like", Interval(Real, 0, MAX_PENALTY, closed="both")],
        "n_batches": [Interval(Integral, 0, None, closed="left")],
        "n_iter": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions(set(CRITERIA))],
    }
    __metadata_request__predict: ClassVar = {"n_batches": UNUSED}
    __metadata_request__predict_proba: ClassVar = {"n_batches": UNUSED}

    def __init__(
        self,
        estimator: Any = None,
        *,
        lambda_v: tuple[float, float] | npt.ArrayLike = (1e-6, 1e-1),
        lambda_w: tuple[float, float] | npt.ArrayLike = (1e-9, 1e-4),
        n_batches: int = 10,
        n_iter: int = 50,
        cv: Any = 5,
        criterion: str = "log_loss",
        selection_rule: str = "one_standard_deviation",
        scale: bool = False,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ):
        self.estimator = estimator
        self.lambda_v = lambda_v
        self.lambda_w = lambda_w
        self.n_batches = n_batches
        self.n_iter = n_iter
        self.cv = cv
        self.criterion = criterion
        self.selection_rule = selection_rule
        self.scale = scale
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> "ProsetClassifierCV":
        """Search, then fit on all samples.

        Parameters
        ----------
        X : array-like, shape (N, D)
            Or a frame, or what else the first step of a Pipeline takes.
        y : array-like, shape (N,)
            Class labels, at least two different ones.
        sample_weight : array-like, shape (N,), optional
            Non-negative; they count in fits and in losses. Steps of a Pipeline get them if they request them (metadata
            routing of scikit-learn).
        groups : array-like, shape (N,), optional
            For the splitter: samples of a group are kept together.

        Returns
        -------
        self

        Warns
        -----
        ConvergenceWarning
            If fits did not converge, with their number.
        UserWarning
            If the class prior is as good as all models.

        Raises
        ------
        ValueError
            If an argument is out of range, `ProsetClassifier` refuses the data, or a fold has no sample of a class to
            fit on.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> search = ProsetClassifierCV(lambda_v=[1e-3, 1e-2], lambda_w=1e-8, n_batches=1, cv=3, scale=True)
        >>> search.fit(X, y).cv_results_["params"]
        [{'lambda_v': 0.001, 'lambda_w': 1e-08}, {'lambda_v': 0.01, 'lambda_w': 1e-08}]
        """
        self._validate_params()
        root = int(check_random_state(self.random_state).randint(2**31))
        settings = self._settings(root)
        data, folds = self._prepared(X, y, sample_weight, groups)

        pairs = list(product(range(len(settings)), range(len(folds))))
        calls = (
            delayed(self._scored)(folds[f], {**settings[s], "n_batches": 1}, _seed(root, STAGE_1, f, s))
            for s, f in pairs
        )
        scored = self._run("stage 1", calls, len(pairs))
        shape = len(settings), len(folds)
        self.cv_results_, self.best_index_, self.threshold_ = self._select(
            settings,
            [(setting["lambda_v"] * setting["lambda_w"],) for setting in settings],
            np.array([one.losses[1] for one in scored]).reshape(shape),
            fit_time=np.array([one.fit_time for one in scored]).reshape(shape),
            score_time=np.array([one.score_time for one in scored]).reshape(shape),
        )

        found = {**settings[self.best_index_], "n_batches": self.n_batches}
        calls = (delayed(self._scored)(fold, found, _seed(root, STAGE_2, f)) for f, fold in enumerate(folds))
        numbers = range(self.n_batches + 1)
        self.stage2_results_, n_batches, self.stage2_threshold_ = self._select(
            [{"n_batches": b} for b in numbers],
            [(-b,) for b in numbers],
            np.array([one.losses for one in self._run("stage 2", calls, len(folds))]).T,
        )
        self.best_params_ = {**found, "n_batches": n_batches}
        self.best_score_ = float(self.stage2_results_["mean_test_score"][n_batches])
        if n_batches == 0:
            warnings.warn(
                "nothing was learnt: by the selection rule the class prior is as good as any number of batches; "
                "features may not be on a scale of about 1 (scale=True), or tell nothing about the classes",
                stacklevel=2,
            )
        if self.refit:
            self.best_estimator_ = self._refit(data, **self.best_params_, random_state=_seed(root, REFIT))
        return self

    def _settings(self, root: int) -> list[dict[str, float]]:
        """Pairs of penalties; a drawn one does not depend on how many there are."""
        ranges, grids = {}, {}
        for name, space in (("lambda_v", self.lambda_v), ("lambda_w", self.lambda_w)):
            values = np.asarray(space, dtype=float)
            is_range = isinstance(space, tuple)
            allowed = values.size and 0 <= values.min() <= values.max() <= MAX_PENALTY
            if not allowed or (is_range and (values.shape != (2,) or not 0 < values[0] <= values[1])):
                raise ValueError(
                    f"{name}: {space!r} is not allowed, must be a tuple (low, high) of positive numbers, a list of "
                    f"numbers, or a number; up to {MAX_PENALTY:g}"
                )
            if is_range:
                ranges[name] = log(values[0]), log(values[1])
            else:
                grids[name] = values.ravel().tolist()
        grid = [dict(zip(grids, values, strict=True)) for values in product(*grids.values())]
        if not ranges:
            return grid
        settings = []
        for trial in range(self.n_iter):
            rng = np.random.default_rng(np.random.SeedSequence(root, spawn_key=(PARAMETERS, trial)))
            drawn = {name: exp(rng.uniform(*logs)) for name, logs in ranges.items()}
            settings.append({**grid[trial % len(grid)], **drawn})
        return settings

    def _scored(self, fold: _Fold, parameters: dict[str, float], seed: int) -> _Scored:
        _, classifier = self._steps()[-1]
        classifier.set_params(**parameters, random_state=seed)
        started = perf_counter()
        classifier._fit(fold.X, fold.y, fold.weight)
        fitted = perf_counter()
        stages = classifier.staged_predict_proba(fold.X_score)
        losses = [CRITERIA[self.criterion](p, fold.codes_score, fold.weight_score) for p in stages]
        converged = all(batch.converged for batch in classifier.batches_)
        return _Scored(losses, converged, fitted - started, perf_counter() - fitted)

    @_of_model
    def predict(self, X: Any, n_batches: int | None = None) -> np.ndarray:
        """The most probable class of each sample; see `ProsetClassifier.predict`."""
        found, X = self._seen(X)
        labels: np.ndarray = found.predict(X, n_batches)
        return labels

    @_of_model
    def predict_proba(self, X: Any, n_batches: int | None = None) -> np.ndarray:
        """Class probabilities; see `ProsetClassifier.predict_proba`."""
        found, X = self._seen(X)
        probabilities: np.ndarray = found.predict_proba(X, n_batches)
        return probabilities

    @_of_model
    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Class probabilities with 0, 1, ... batches; see `ProsetClassifier.staged_predict_proba`."""
        found, X = self._seen(X)
        stages: Iterator[np.ndarray] = found.staged_predict_proba(X)
        return stages

    @_of_model
    def familiarity(self, X: Any, n_batches: int | None = None) -> np.ndarray:
        """How much prototype weight is near each sample; see `ProsetClassifier.familiarity`."""
        found, X = self._seen(X)
        familiarity: np.ndarray = found.familiarity(X, n_batches)
        return familiarity

    @_of_model
    def familiarity_quantile(self, X: Any) -> np.ndarray:
        """Proportion of less familiar training samples; see `ProsetClassifier.familiarity_quantile`."""
        found, X = self._seen(X)
        quantile: np.ndarray = found.familiarity_quantile(X)
        return quantile

    @_of_model
    def report(self, path: str | os.PathLike[str], title: str = "Prototype classifier") -> None:
        """Write one HTML page about the model; see `ProsetClassifier.report`."""
        classifier, pipeline = self._found()
        classifier.report(path, pipeline, title)


class SetCoverClassifierCV(_SearchCV):
    """`SetCoverClassifier` with a radius found by cross-validation, from one pass over the distances of each fold.

    Parameters
    ----------
    eps : int or list of float, default=18
        Radii, or their number: then they are quantiles of the dissimilarities between samples, from balls of single
        samples to large ones.
    estimator : SetCoverClassifier or Pipeline, optional
        Where all other parameters come from; a Pipeline ends with a `SetCoverClassifier`, and its other steps are
        fitted in every fold.
    cv : int, splitter or iterable, default=5
        As in scikit-learn; a number means stratified folds, which keep `groups` together if there are any.
    selection_rule : {"one_standard_deviation", "one_standard_error", "best"}, default="one_standard_deviation"
        As in `ProsetClassifierCV`; the loss is the proportion of wrong classes, simple are large balls.
    scale : bool, default=False
        Whether to standardise features before the classifier, with statistics of the samples to fit on.
    refit : bool, default=True
        Whether to fit what was found on all samples; without, there are no predictions.
    n_jobs : int or None, default=None
        Folds at the same time, by threads; None is 1, -1 one per processor. It changes nothing but the time.
    random_state : int, RandomState or None, default=None
        Instead of that of the estimator, for the rounding of each fit.
    verbose : int, default=0
        From 1 on, `fit` draws a progress bar on the standard error.

    Attributes
    ----------
    best_params_ : dict
        "eps".
    best_index_ : int
        Place of the radius in `cv_results_`.
    best_score_ : float
        Mean score of the radius over the folds.
    best_estimator_ : SetCoverClassifier or Pipeline
        Fitted on all samples. Only with `refit`.
    cv_results_ : dict of arrays
        In the form of scikit-learn, a value for each radius: "params", "param_eps", "split0_test_score", ...,
        "mean_test_score", "std_test_score" (with n), "rank_test_score", "within_threshold". Scores are negative losses.
    threshold_ : float
        Score from which on a radius is within the threshold of the rule.
    n_splits_ : int
        Folds.
    classes_ : ndarray, shape (K,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (D,)
        Only if `X` had string column names.

    Notes
    -----
    Held-out samples count in the loss by their `sample_weight` and by the `class_weight` of the estimator, as in a fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import SetCoverClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SetCoverClassifierCV(eps=[0.3, 0.6, 1.2, 2.4]).fit(X, y)
    >>> search.best_params_["eps"] in (0.6, 1.2)
    True
    >>> search.best_estimator_.eps == search.best_params_["eps"]
    True
    """

    _classifier = SetCoverClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_SearchCV._parameter_constraints,
        "eps": [Interval(Integral, 1, None, closed="left"), "array-like"],
    }

    def __init__(
        self,
        eps: int | npt.ArrayLike = 18,
        *,
        estimator: Any = None,
        cv: Any = 5,
        selection_rule: str = "one_standard_deviation",
        scale: bool = False,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ):
        self.eps = eps
        self.estimator = estimator
        self.cv = cv
        self.selection_rule = selection_rule
        self.scale = scale
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> "SetCoverClassifierCV":
        """Search, then fit on all samples.

        Parameters
        ----------
        X : array-like, shape (N, D)
            Or a frame, or what else the first step of a Pipeline takes.
        y : array-like, shape (N,)
            Class labels.
        sample_weight : array-like, shape (N,), optional
            Non-negative; they count in fits and in losses. Steps of a Pipeline get them if they request them (metadata
            routing of scikit-learn).
        groups : array-like, shape (N,), optional
            For the splitter: samples of a group are kept together.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an argument is out of range, `SetCoverClassifier` refuses the data, or a fold has no sample of a class to
            fit on.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> SetCoverClassifierCV(eps=3, scale=True).fit(X, y).cv_results_["mean_test_score"].shape
        (3,)
        """
        self._validate_params()
        root = int(check_random_state(self.random_state).randint(2**31))
        data, folds = self._prepared(X, y, sample_weight, groups)
        _, classifier = self._steps()[-1]
        if classifier.n_neighbors is not None:
            raise ValueError(f"n_neighbors: {classifier.n_neighbors} is not allowed in a search for eps, must be None")
        radii = self._radii(data.X, classifier)
        calls = (delayed(self._scored)(fold, radii, _seed(root, STAGE_1, f)) for f, fold in enumerate(folds))
        self.cv_results_, self.best_index_, self.threshold_ = self._select(
            [{"eps": float(radius)} for radius in radii],
            [(radius,) for radius in radii],
            np.array([one.losses for one in self._run("folds", calls, len(folds))]).T,
        )
        self.best_params_ = dict(self.cv_results_["params"][self.best_index_])
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        if self.refit:
            self.best_estimator_ = self._refit(data, **self.best_params_, random_state=_seed(root, REFIT))
        return self

    def _radii(self, X: Any, classifier: SetCoverClassifier) -> np.ndarray:
        if isinstance(self.eps, Integral):
            return path_radii(classifier._some_distances(X), int(self.eps))
        radii = np.asarray(self.eps, dtype=float)
        if radii.ndim != 1 or not radii.size or not radii.min() > 0:
            raise ValueError(f"eps: {self.eps!r} is not allowed, must be a number of radii, or a list of positive ones")
        return radii

    def _scored(self, fold: _Fold, radii: np.ndarray, seed: int) -> _Scored:
        _, classifier = self._steps()[-1]
        classifier.set_params(random_state=seed)
        started = perf_counter()
        losses = [
            float(np.average(fitted.predict(fold.X_score) != fold.y_score, weights=fold.weight_score))
            for fitted in classifier._path(fold.X, fold.y, fold.weight, radii)
        ]
        return _Scored(losses, True, perf_counter() - started, 0.0)

    @_of_model
    def predict(self, X: Any) -> np.ndarray:
        """The class of the nearest prototype of each sample; see `SetCoverClassifier.predict`."""
        found, X = self._seen(X)
        labels: np.ndarray = found.predict(X)
        return labels

    @_of_model
    def familiarity(self, X: Any) -> np.ndarray:
        """How deep each sample is in a ball; see `SetCoverClassifier.familiarity`."""
        found, X = self._seen(X)
        familiarity: np.ndarray = found.familiarity(X)
        return familiarity
