"""The search for penalties and number of batches of `ProsetClassifier`, in two stages."""

import os
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from math import exp, log
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.parallel import delayed

from proset import arithmetic
from proset.classifier import MAX_PENALTY, ProsetClassifier
from proset.search import Fold, Scored, SearchCV, of_model, seed

PARAMETERS, STAGE_1, STAGE_2, REFIT = range(4)  # what random numbers are for


def log_loss(probabilities: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> float:
    """Weighted mean of -log p(own class), with p clipped to [1e-15, 1 - 1e-15]."""
    of_own_class = np.clip(probabilities[np.arange(len(codes)), codes], 1e-15, 1.0 - 1e-15)
    return float(np.average(-arithmetic.log(of_own_class), weights=weight))


def error(probabilities: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> float:
    """Weighted proportion of samples whose most probable class is not their own."""
    return float(np.average(probabilities.argmax(axis=1) != codes, weights=weight))


CRITERIA: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], float]] = {"log_loss": log_loss, "error": error}


class ProsetClassifierCV(SearchCV):
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
        **SearchCV._parameter_constraints,
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
        data, folds = self._parts(X, y, sample_weight, groups)

        pairs = list(product(range(len(settings)), range(len(folds))))
        calls = (
            delayed(self._scored)(folds[f], {**settings[s], "n_batches": 1}, seed(root, STAGE_1, f, s))
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
        calls = (delayed(self._scored)(fold, found, seed(root, STAGE_2, f)) for f, fold in enumerate(folds))
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
            self.best_estimator_ = self._refit(data, **self.best_params_, random_state=seed(root, REFIT))
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

    def _scored(self, fold: Fold, parameters: dict[str, float], random_state: int) -> Scored:
        classifier = self._new_classifier(**parameters, random_state=random_state)
        started = perf_counter()
        classifier._fit(fold.X, fold.y, fold.weight)
        fitted = perf_counter()
        codes = np.searchsorted(self.classes_, fold.y_score)
        stages = classifier.staged_predict_proba(fold.X_score)
        losses = [CRITERIA[self.criterion](p, codes, fold.weight_score) for p in stages]
        converged = all(batch.converged for batch in classifier.batches_)
        return Scored(losses, converged, fitted - started, perf_counter() - fitted)

    @of_model
    def predict(self, X: Any, n_batches: int | None = None) -> np.ndarray:
        """The most probable class of each sample; see `ProsetClassifier.predict`."""
        found, X = self._seen(X)
        labels: np.ndarray = found.predict(X, n_batches)
        return labels

    @of_model
    def predict_proba(self, X: Any, n_batches: int | None = None) -> np.ndarray:
        """Class probabilities; see `ProsetClassifier.predict_proba`."""
        found, X = self._seen(X)
        probabilities: np.ndarray = found.predict_proba(X, n_batches)
        return probabilities

    @of_model
    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Class probabilities with 0, 1, ... batches; see `ProsetClassifier.staged_predict_proba`."""
        found, X = self._seen(X)
        stages: Iterator[np.ndarray] = found.staged_predict_proba(X)
        return stages

    @of_model
    def familiarity(self, X: Any, n_batches: int | None = None) -> np.ndarray:
        """How much prototype weight is near each sample; see `ProsetClassifier.familiarity`."""
        found, X = self._seen(X)
        familiarity: np.ndarray = found.familiarity(X, n_batches)
        return familiarity

    @of_model
    def familiarity_quantile(self, X: Any) -> np.ndarray:
        """Proportion of less familiar training samples; see `ProsetClassifier.familiarity_quantile`."""
        found, X = self._seen(X)
        quantile: np.ndarray = found.familiarity_quantile(X)
        return quantile

    @of_model
    def report(self, path: str | os.PathLike[str], title: str = "Prototype classifier") -> None:
        """Write one HTML page about the model; see `ProsetClassifier.report`."""
        classifier, pipeline = self._found()
        classifier.report(path, pipeline, title)
