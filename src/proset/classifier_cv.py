"""The search for penalties and numbers of batches and prototypes of `ProsetClassifier`, in stages."""

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from math import exp, log
from numbers import Integral, Real
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.parallel import Parallel, delayed

from proset import arithmetic, elimination, fitting, penalty_path
from proset.attributions import Attributions
from proset.classifier import ProsetClassifier
from proset.defaults import MAX_PENALTY
from proset.penalty_path import CORE_CANDIDATES, LAMBDA_V, LAMBDA_W, Pair
from proset.race import Race
from proset.search import Fold, SearchCV, of_model, seed

if TYPE_CHECKING:
    import pandas as pd

PARAMETERS, STAGE_1, STAGE_2, REFIT = range(4)  # what random numbers are for
FEWER_CANDIDATES = 400  # of rough fits, where pairs are drawn or on a grid
_Predict = Callable[[], np.ndarray]


def log_loss(probabilities: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """-log p(own class) of each sample, with p clipped to [1e-15, 1 - 1e-15]."""
    of_own_class = np.clip(probabilities[np.arange(len(codes)), codes], 1e-15, 1.0 - 1e-15)
    return -arithmetic.log(of_own_class)


def error(probabilities: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """1 for samples whose most probable class is not their own, else 0."""
    wrong: np.ndarray = (probabilities.argmax(axis=1) != codes).astype(float)
    return wrong


CRITERIA: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"log_loss": log_loss, "error": error}


class _Part(Protocol):
    """Fits to one fold, and probabilities of its held-out samples."""

    def fit(self, pair: Pair, number: int) -> _Predict:
        """One batch; `number` is that of the pair among those tried."""

    def batches(self, pair: Pair, n_batches: int) -> Iterator[np.ndarray]:
        """With 0, 1, ..., `n_batches` batches, each fitted when it is asked for."""

    def sizes(self, pair: Pair, n_batches: int, max_features: int | None) -> dict[int, np.ndarray]:
        """By number of prototypes, from none to all."""


@dataclass
class _AlongPath:
    """Rough fits of leave-one-out references, see `proset.penalty_path`; they share what their paths share."""

    fold: penalty_path.Fold

    def fit(self, pair: Pair, number: int) -> _Predict:
        self.fold.path.weights(pair)
        return lambda: self.fold.probabilities(pair)

    def batches(self, pair: Pair, n_batches: int) -> Iterator[np.ndarray]:
        fold = self.fold
        yield fold.probabilities(None)
        for _ in range(n_batches):
            yield fold.probabilities(pair)
            fold = fold.after(pair)

    def sizes(self, pair: Pair, n_batches: int, max_features: int | None) -> dict[int, np.ndarray]:
        return elimination.held_out(self.fold, pair, n_batches, max_features)


@dataclass
class _OneByOne:
    """Fits of the classifier as it is."""

    fold: Fold
    new_classifier: Callable[..., ProsetClassifier]
    seeds: Callable[..., int]  # from a stage and, in the first one, the number of a pair
    converged: dict[int, list[bool]] = field(default_factory=lambda: {STAGE_1: [], STAGE_2: []})

    def fit(self, pair: Pair, number: int) -> _Predict:
        classifier = self._new(pair, n_batches=1, random_state=self.seeds(STAGE_1, number))
        self._fit(classifier, STAGE_1)
        return lambda: classifier.predict_proba(self.fold.X_score)

    def batches(self, pair: Pair, n_batches: int) -> Iterator[np.ndarray]:
        classifier = self._new(pair, n_batches=0, random_state=self.seeds(STAGE_2), warm_start=True)
        for b in range(n_batches + 1):
            self._fit(classifier.set_params(n_batches=b), STAGE_2)
            yield classifier.predict_proba(self.fold.X_score)

    def sizes(self, pair: Pair, n_batches: int, max_features: int | None) -> dict[int, np.ndarray]:
        return {}  # with these references there is no elimination

    def _new(self, pair: Pair, **parameters: Any) -> ProsetClassifier:
        return self.new_classifier(lambda_v=pair[0], lambda_w=pair[1], **parameters)

    def _fit(self, classifier: ProsetClassifier, stage: int) -> None:
        fitting.fit(classifier, self.fold.X, self.fold.y, self.fold.weight)
        self.converged[stage].append(all(batch.converged for batch in classifier.batches_))


class ProsetClassifierCV(SearchCV):
    """`ProsetClassifier` with penalties and numbers of batches and prototypes found by cross-validation, in stages.

    Stage 1 fits one batch for each pair of penalties and selects a pair, stage 2 fits up to `n_batches` batches with it
    and selects their number, stage 3 takes away prototypes. Then the classifier is fitted on all samples.

    `ProsetClassifier` chooses its penalties without this. A search is for other folds (groups, time), another criterion
    or rule, steps of a Pipeline that belong into the folds, more than one batch, and for seeing what was tried.

    Parameters
    ----------
    estimator : ProsetClassifier or Pipeline, optional
        Where all other parameters come from; a Pipeline ends with a `ProsetClassifier`, and its other steps are fitted
        in every fold.
    lambda_v : (low, high), list of float, or float; default=(1e-5, 0.4)
        Penalty on feature weights. A tuple is a range, a list or array is a grid, a number is kept.
    lambda_w : (low, high), list of float, or float; default=(1e-8, 1e-1)
        Penalty on prototype weights, in the same way.
    n_batches : int >= 0, default=1
        Largest number of batches.
    prototypes : {"one_standard_error", "best"}, int >= 0 or None, default="one_standard_error"
        Rule of stage 3, in the place of the estimator's `max_prototypes`: the smallest number of prototypes whose mean
        loss over the folds is at most one standard error (of what prototypes gain) above the smallest one, or the
        number that has the smallest. A number is kept. With None, all prototypes, or ``references="split"`` there is no
        stage 3.
    n_iter : int >= 1 or None, default=None
        With a range: None goes along the path of `proset.penalty_path`, about ten pairs; a number draws so many pairs,
        the logarithms of their values uniformly in the ranges, and a grid next to a range is gone through in turn.
        Without a range all pairs of the two grids are tried.
    cv : int, splitter or iterable, default=5
        As in scikit-learn; a number means stratified folds, which keep `groups` together if there are any.
    criterion : {"log_loss", "error"}, default="log_loss"
        What is made small: the log-loss of the probabilities, or the proportion of wrong classes.
    selection_rule : {"one_standard_deviation", "one_standard_error", "best"}, default="best"
        Take the simplest setting whose mean loss over the folds exceeds the smallest mean by no more than the standard
        deviation of that one (over the folds, with n - 1), or than that deviation divided by the square root of the
        number of folds; or take the smallest mean. Simple are large lambda_v lambda_w and few batches.
    early_stopping : bool, default=True
        Whether to save fits that will hardly matter. Stage 1: pairs that are drawn or on a grid are tried on one fold
        after the other, and a pair is stopped when its mean loss so far exceeds that of the best pair on the same
        samples by more than 2 standard errors of the difference. Stage 2 ends with the first batch that does not
        lower the mean loss.
    scale : bool, default=False
        Whether to put a `StandardScaler` before the classifier, which scales features itself but for
        ``ProsetClassifier(scale=False)``.
    refit : bool, default=True
        Whether to fit what was found on all samples; without, there are no predictions.
    n_jobs : int or None, default=None
        Fits at the same time, by threads; None is 1, -1 one per processor. It changes nothing but the time.
    random_state : int, RandomState or None, default=None
        For the penalties and, instead of that of the estimator, the candidates of each fit.
    verbose : int, default=0
        From 1 on, `fit` counts its fits on the standard error.

    Attributes
    ----------
    best_params_ : dict
        "lambda_v", "lambda_w", "n_batches" and, unless all prototypes stay, "max_prototypes".
    best_index_ : int
        Place of the pair of penalties in `cv_results_`.
    best_score_ : float
        Mean score of what was found over the folds, in the last stage.
    best_estimator_ : ProsetClassifier or Pipeline
        Fitted on all samples; `random_state` is a number that gives the same fit again. Only with `refit`.
    cv_results_ : dict of arrays
        Stage 1 in the form of scikit-learn, a value for each pair: "params", "param_lambda_v", "param_lambda_w",
        "split0_test_score", ..., "mean_test_score", "std_test_score" (with n), "rank_test_score", mean and standard
        deviation of "fit_time" and "score_time" in seconds, and "within_threshold". Scores are negative losses. Of a
        pair that was "stopped" (a boolean) scores are NaN where it was not tried, and mean and deviation are those of
        the folds where it was; it ranks behind all others and cannot be selected.
    stage2_results_ : dict of arrays
        Stage 2 in the same form, a value for each number of batches that was tried, "param_n_batches"; without times,
        as all are from the same fits.
    stage3_results_ : dict of arrays
        Stage 3 in the same form, a value for each number of prototypes, "param_max_prototypes"; only if there was one.
    threshold_, stage2_threshold_, stage3_threshold_ : float
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

    With leave-one-out references, fits of the folds are rough: they have a tolerance of 1e-3, and at most 4,000
    references and 1,000 candidates (400 where pairs are drawn or on a grid).

    The search of the published study, but for its random numbers, is ``ProsetClassifierCV(ProsetClassifier.published(),
    lambda_v=(1e-6, 1e-1), lambda_w=(1e-9, 1e-4), n_iter=50, n_batches=10, selection_rule="one_standard_deviation",
    early_stopping=False)`` on scaled features.

    References
    ----------
    N. Ruf, proset technical report (2021), chapter on the case study.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from proset import ProsetClassifierCV
    >>> X, y = load_wine(return_X_y=True)
    >>> search = ProsetClassifierCV(random_state=0).fit(X, y)
    >>> sorted(search.best_params_)
    ['lambda_v', 'lambda_w', 'max_prototypes', 'n_batches']
    >>> 4 <= len(search.cv_results_["params"]) <= 20
    True
    >>> search.score(X, y) > 0.9
    True
    """

    _classifier = ProsetClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchCV._parameter_constraints,
        "lambda_v": [tuple, "array-like", Interval(Real, 0, MAX_PENALTY, closed="both")],
        "lambda_w": [tuple, "array-like", Interval(Real, 0, MAX_PENALTY, closed="both")],
        "n_batches": [Interval(Integral, 0, None, closed="left")],
        "prototypes": ProsetClassifier._parameter_constraints["max_prototypes"],
        "n_iter": [Interval(Integral, 1, None, closed="left"), None],
        "criterion": [StrOptions(set(CRITERIA))],
        "early_stopping": ["boolean"],
    }
    __metadata_request__predict: ClassVar = {"n_batches": UNUSED}
    __metadata_request__predict_proba: ClassVar = {"n_batches": UNUSED}

    def __init__(
        self,
        estimator: Any = None,
        *,
        lambda_v: tuple[float, float] | npt.ArrayLike = (1e-5, 0.4),
        lambda_w: tuple[float, float] | npt.ArrayLike = (1e-8, 1e-1),
        n_batches: int = 1,
        prototypes: int | str | None = "one_standard_error",
        n_iter: int | None = None,
        cv: Any = 5,
        criterion: str = "log_loss",
        selection_rule: str = "best",
        early_stopping: bool = True,
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
        self.prototypes = prototypes
        self.n_iter = n_iter
        self.cv = cv
        self.criterion = criterion
        self.selection_rule = selection_rule
        self.early_stopping = early_stopping
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
            If fits did not converge, with their number; rough fits are not counted.
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
        >>> search = ProsetClassifierCV(lambda_v=[1e-3, 1e-2], lambda_w=1e-8, n_batches=1, cv=3)
        >>> search.fit(X, y).cv_results_["params"]
        [{'lambda_v': 0.001, 'lambda_w': 1e-08}, {'lambda_v': 0.01, 'lambda_w': 1e-08}]
        """
        self._validate_params()
        root = int(check_random_state(self.random_state).randint(2**31))
        if isinstance(self.prototypes, Integral) and self._new_classifier().references == "split":
            raise ValueError(
                f"prototypes: {self.prototypes} is not allowed with references='split', must be None or a rule"
            )
        spaces = {name: _space(name, getattr(self, name)) for name in ("lambda_v", "lambda_w")}
        data, folds = self._parts(X, y, sample_weight, groups)
        walks = self.n_iter is None and any(space.is_range for space in spaces.values())
        n_candidates = CORE_CANDIDATES if walks else FEWER_CANDIDATES
        parts = [self._part_of(fold, f, root, n_candidates) for f, fold in enumerate(folds)]

        pairs, losses, seconds = self._stage_1(parts, folds, None if walks else self._pairs(spaces, root), spaces)
        settings = [dict(zip(spaces, pair, strict=True)) for pair in pairs]
        simplicity: list[tuple[float, ...]] = [(lambda_v * lambda_w,) for lambda_v, lambda_w in pairs]
        self.cv_results_, self.best_index_, self.threshold_ = self._select(settings, simplicity, losses, seconds)
        self.cv_results_["stopped"] = np.isnan(losses).any(axis=1)

        stage2 = self._stage_2(parts, folds, pairs[self.best_index_])
        numbers = range(len(stage2))
        self.stage2_results_, n_batches, self.stage2_threshold_ = self._select(
            [{"n_batches": b} for b in numbers], [(-b,) for b in numbers], stage2
        )
        self.best_params_ = {**settings[self.best_index_], "n_batches": n_batches}
        self.best_score_ = float(self.stage2_results_["mean_test_score"][n_batches])
        _warn_of_convergence(parts)
        if n_batches == 0:
            warnings.warn(
                "nothing was learnt: by the selection rule the class prior is as good as any number of batches; the "
                "features may tell nothing about the classes",
                stacklevel=2,
            )
        limit = self._stage_3(parts, folds, pairs[self.best_index_], n_batches)
        if limit is not None:
            self.best_params_["max_prototypes"] = limit
        if limit == 0 and n_batches > 0:
            warnings.warn("nothing was learnt: by the rule of stage 3 no prototype is worth its place", stacklevel=2)
        if self.refit:
            parameters = {"max_prototypes": None, **self.best_params_, "random_state": seed(root, REFIT)}
            self.best_estimator_ = self._refit(data, **parameters)
        return self

    def _part_of(self, fold: Fold, number: int, root: int, n_candidates: int) -> _Part:
        classifier = self._new_classifier()
        if classifier.references == "leave_one_out":
            scored = fold.X_score, fold.y_score, n_candidates, fold.groups
            return _AlongPath(fitting.fold(classifier, fold.X, fold.y, fold.weight, *scored))
        return _OneByOne(fold, self._new_classifier, lambda stage, *key: seed(root, stage, number, *key))

    def _stage_1(
        self, parts: list[_Part], folds: list[Fold], pairs: list[Pair] | None, spaces: dict[str, "_Space"]
    ) -> tuple[list[Pair], np.ndarray, dict[str, np.ndarray]]:
        """Pairs, those given or along the path, their mean losses on the folds, NaN where not tried, and seconds."""
        codes = [np.searchsorted(self.classes_, fold.y_score) for fold in folds]
        numbers: dict[Pair, int] = {}
        seconds: dict[tuple[Pair, int], tuple[float, float]] = {}

        def losses(pair: Pair, f: int) -> np.ndarray:
            started = perf_counter()
            predict = parts[f].fit(pair, numbers.setdefault(pair, len(numbers)))
            fitted = perf_counter()
            found = CRITERIA[self.criterion](predict(), codes[f])
            seconds[pair, f] = fitted - started, perf_counter() - fitted
            return found

        def each(function: Callable[[Any], np.ndarray], items: list[Any]) -> Iterable[np.ndarray]:
            # Threads: nearly all of the time is spent in compiled code, and nothing has to be sent.
            parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
            for found in parallel(delayed(function)(item) for item in items):
                yield found
                self._say("stage 1", len(seconds))

        race: Race[Pair] = Race(losses, [fold.weight_score for fold in folds], each)
        if pairs is None:
            penalty_path.search(race, *(space.on_path() for space in spaces.values()))
            pairs = list(race.found)
        else:
            numbers |= {pair: number for number, pair in reversed(list(enumerate(pairs)))}
            race.run(list(numbers)) if self.early_stopping else race.score(list(numbers), len(folds))
        self._say("stage 1", len(seconds), end="\n")
        table, times = np.full((len(pairs), len(folds)), np.nan), np.full((2, len(pairs), len(folds)), np.nan)
        for i, pair in enumerate(pairs):
            for f, of_fold in enumerate(race.found[pair]):
                table[i, f] = np.average(of_fold, weights=folds[f].weight_score)
                times[:, i, f] = seconds[pair, f]
        return pairs, table, {"fit_time": times[0], "score_time": times[1]}

    def _stage_2(self, parts: list[_Part], folds: list[Fold], pair: Pair) -> np.ndarray:
        """Mean losses with 0, 1, ... batches on the folds."""
        codes = [np.searchsorted(self.classes_, fold.y_score) for fold in folds]
        paths = [part.batches(pair, self.n_batches) for part in parts]

        def loss(f: int) -> float:
            found = CRITERIA[self.criterion](next(paths[f]), codes[f])
            return float(np.average(found, weights=folds[f].weight_score))

        losses: list[list[float]] = []
        for b in range(self.n_batches + 1):
            losses.append(Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(loss)(f) for f in range(len(folds))))
            self._say("stage 2", b * len(folds), end="\n" if b == self.n_batches else "")
            if self.early_stopping and b > 0 and np.mean(losses[-1]) >= np.mean(losses[-2]):
                break
        return np.array(losses)

    def _stage_3(self, parts: list[_Part], folds: list[Fold], pair: Pair, n_batches: int) -> int | None:
        """The largest number of prototypes, None for all; sets what is known of each number."""
        for name in ("stage3_results_", "stage3_threshold_"):
            self.__dict__.pop(name, None)
        if self.prototypes is None:
            return None
        limit = self._new_classifier().max_features
        run = delayed(lambda part: part.sizes(pair, n_batches, limit))
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(run(part) for part in parts)
        self._say("stage 3", len(parts), end="\n")
        if n_batches == 0 or not all(found):
            return None
        sizes, losses = elimination.numbers(found), []
        if isinstance(self.prototypes, Integral) and self.prototypes < sizes[-1]:
            sizes = tuple(sorted({*sizes, int(self.prototypes)}))
        for of_fold, fold in zip(found, folds, strict=True):
            codes = np.searchsorted(self.classes_, fold.y_score)
            of_sizes = [CRITERIA[self.criterion](elimination.at_most(of_fold, n), codes) for n in sizes]
            losses.append([float(np.average(one, weights=fold.weight_score)) for one in of_sizes])
        table, rule = np.array(losses).T, self.prototypes if isinstance(self.prototypes, str) else "best"
        self.stage3_results_, chosen, self.stage3_threshold_ = self._select(
            [{"max_prototypes": n} for n in sizes], [(-n,) for n in sizes], table, rule=rule, common=table[0]
        )
        if isinstance(self.prototypes, Integral):
            chosen = sizes.index(min(int(self.prototypes), sizes[-1]))
        self.best_score_ = float(self.stage3_results_["mean_test_score"][chosen])
        if isinstance(self.prototypes, Integral):
            return int(self.prototypes)
        return sizes[chosen] if chosen < len(sizes) - 1 else None

    def _say(self, stage: str, n_fits: int, end: str = "") -> None:
        if self.verbose:
            print(f"\r{stage}: {n_fits} fits", end=end, file=sys.stderr, flush=True)

    def _pairs(self, spaces: dict[str, "_Space"], root: int) -> list[Pair]:
        """Pairs of a grid, or drawn; a drawn one does not depend on how many there are."""
        space_v, space_w = spaces.values()
        kept_v, kept_w = ((np.nan,) if space.is_range else space.values for space in (space_v, space_w))
        grid = list(product(kept_v, kept_w))
        if not (space_v.is_range or space_w.is_range):
            return grid
        pairs = []
        for trial in range(self.n_iter or 1):
            rng = np.random.default_rng(np.random.SeedSequence(root, spawn_key=(PARAMETERS, trial)))
            lambda_v, lambda_w = grid[trial % len(grid)]
            lambda_v = space_v.draw(rng) if space_v.is_range else lambda_v
            lambda_w = space_w.draw(rng) if space_w.is_range else lambda_w
            pairs.append((lambda_v, lambda_w))
        return pairs

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
    def attributions(self, X: Any, background: Any = None) -> Attributions:
        """What each feature adds to probabilities, in the units of `X`; see `ProsetClassifier.attributions`."""
        classifier, pipeline = self._found()
        found: Attributions = classifier.attributions(X, background, pipeline)
        return found

    @of_model
    def drift(self, X: Any, level: float = 0.05) -> "pd.DataFrame":
        """Whether new samples are like the training samples; see `ProsetClassifier.drift`."""
        classifier, pipeline = self._found()
        frame: pd.DataFrame = classifier.drift(X, level, transformer=pipeline)
        return frame

    @of_model
    def report(
        self,
        path: str | os.PathLike[str],
        title: str = "Prototype classifier",
        *,
        X: Any = None,
        y: Any = None,
        groups: Any = None,
    ) -> None:
        """Write one HTML page about the model; see `ProsetClassifier.report`."""
        classifier, pipeline = self._found()
        classifier.report(path, pipeline, title, X=X, y=y, groups=groups)


@dataclass(frozen=True)
class _Space:
    """Values of a penalty: both ends of a range, or a grid."""

    values: tuple[float, ...]
    is_range: bool
    of_path: tuple[float, ...]

    def draw(self, rng: np.random.Generator) -> float:
        return exp(rng.uniform(log(self.values[0]), log(self.values[1])))

    def on_path(self) -> tuple[float, ...]:
        """Increasing values to go along: a range has those of the path and its ends."""
        if not self.is_range:
            return tuple(sorted(set(self.values)))
        low, high = self.values
        return tuple(sorted({low, high, *(value for value in self.of_path if low < value < high)}))


def _space(name: str, given: Any) -> _Space:
    values, is_range = np.asarray(given, dtype=float), isinstance(given, tuple)
    allowed = values.size and 0 <= values.min() <= values.max() <= MAX_PENALTY
    if not allowed or (is_range and (values.shape != (2,) or not 0 < values[0] <= values[1])):
        raise ValueError(
            f"{name}: {given!r} is not allowed, must be a tuple (low, high) of positive numbers, a list of "
            f"numbers, or a number; up to {MAX_PENALTY:g}"
        )
    return _Space(tuple(values.ravel().tolist()), is_range, LAMBDA_V if name == "lambda_v" else LAMBDA_W)


def _warn_of_convergence(parts: list[_Part]) -> None:
    exact = [part for part in parts if isinstance(part, _OneByOne)]
    for name, stage in (("stage 1", STAGE_1), ("stage 2", STAGE_2)):
        converged = [one for part in exact for one in part.converged[stage]]
        if failed := converged.count(False):
            warnings.warn(
                f"{name}: {failed} of {len(converged)} fits have batches that did not converge; increase max_iter or "
                "tol of the estimator, or standardise the features, for example with scale=True",
                ConvergenceWarning,
                stacklevel=3,
            )
