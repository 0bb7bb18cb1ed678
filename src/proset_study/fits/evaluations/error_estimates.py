"""How good estimates of the error rate are: each next to the true error, over training sets drawn anew (E18).

T. Hastie, R. Tibshirani and J. Friedman, The Elements of Statistical Learning, 2nd edition (2009), chapter 7.
B. Efron and R. Tibshirani, Improvements on cross-validation: the .632+ bootstrap method, Journal of the American
Statistical Association 92 (1997), 548-560.
C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003), 239-281.
R. Kohavi, A study of cross-validation and bootstrap for accuracy estimation and model selection, IJCAI (1995).
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np

from proset_study.base.seeds import generator, integer_seed
from proset_study.base.settings import integer
from proset_study.data import generators
from proset_study.fits.evaluations.base import Evaluation
from proset_study.fits.evaluations.bootstrap import class_losses
from proset_study.fits.evaluations.bootstrap import estimates as bootstrap_estimates
from proset_study.fits.evaluations.refit import fit_drawn, fit_rows
from proset_study.fits.resampling import bootstrap_sample
from proset_study.fits.search import Case
from proset_study.methods.knn import FittedKNN

LEVEL = 0.95  # of the intervals
FEWEST_DRAWS = 10
HOLDOUTS = (0.5, 0.2, 0.1)
LEAVE_OUT, GROUPS = 0.2, 10  # leave-group-out: share of the samples, and how often
FOLDS = (("folds", 5), ("folds", 10), ("stratified", 10))
REPEATS, INNER = 3, 5  # of five folds; folds inside a training part of them
PARTS = {  # which fits an estimate uses, by what `Fits` counts their seconds under
    "training": ("all",),
    **{f"holdout_{100 * share:.0f}": (f"holdout {share}",) for share in HOLDOUTS},
    "validation": (f"holdout {LEAVE_OUT}",),
    "leave_group_out": (f"holdout {LEAVE_OUT}", "groups"),
    **{f"{kind}_{k}": (f"{kind} {k}",) for kind in ("folds", "stratified") for k in (5, 10)},
    "repeated": ("stratified 5", "repeats"),
    "not_nested": ("stratified 5",),
    "nested": ("stratified 5", "inner folds"),
    "leave_one_out": ("leave-one-out",),
    "out_of_bag": ("all",),
    **dict.fromkeys(("bootstrap_naive", "bootstrap_left_out"), ("bootstrap",)),
    **dict.fromkeys(("bootstrap_632", "bootstrap_632_plus"), ("all", "bootstrap")),
}


class ErrorEstimates(Evaluation):
    """Every estimate of the error of a method at one sample size, and the truth.

    Training sets are independent samples, as many as the final model was fitted to. All estimates use the same fits
    where they can, and all methods the same draws. The record has "draws", a list with "standard_error" (of the true
    error of the model fitted to all) and "estimates" of each training set: by name, [estimate, low, high, true error].
    """

    description = "Estimates of the error rate next to the true one; of generated data only."
    settings = {  # noqa: RUF012
        "draws": integer("Training sets at most.", FEWEST_DRAWS, 10000),
        "fitted_samples": integer(
            f"Samples of all training sets together: of large ones there are fewer, at least {FEWEST_DRAWS}.", 1
        ),
        "test_samples": integer(
            "Fresh samples for the true error, divided among the models of all training sets.", 10000
        ),
        "sizes": {
            "description": "Size of the models by method, which is where the path ends on which one is selected; by"
            " default that of the final model.",
            "type": "object",
            "additionalProperties": {"type": "integer", "minimum": 1},
        },
        "bootstrap_samples": integer("Of a training set.", 2, 1000),
        "leave_one_out": integer(
            "Size up to which leave-one-out is fitted; k nearest neighbours need no fits and have it always.", 0
        ),
    }
    generated = True

    @staticmethod
    def n_fits(settings):
        fits = 1 + len(HOLDOUTS) + GROUPS - 1 + 2 * (5 + 10) + 5 * (REPEATS - 1) + 5 * INNER
        return settings["draws"] * (fits + settings["bootstrap_samples"] + settings["leave_one_out"])

    @staticmethod
    def compute(data, folds, final, settings, case, source):
        final = {**final, "complexity": settings["sizes"].get(case.method, final["complexity"])}
        draws = max(FEWEST_DRAWS, min(settings["draws"], settings["fitted_samples"] // final["n_fit"]))
        n_test, records = settings["test_samples"] // draws, []
        seconds: dict[str, float] = defaultdict(float)
        for draw in range(draws):
            fits = Fits(final, settings, case, generators.get(source["generator"]).of(source), draw, n_test)
            estimates = dict(fits.estimates())
            records.append({"standard_error": fits.standard_error, "estimates": estimates})
            for name in estimates:
                seconds[f"{name}_cpu_s"] += sum(fits.seconds[part] for part in PARTS[name])
        return {
            "complexity": final["complexity"],
            "n_fit": final["n_fit"],
            "n_scored": n_test,
            "draws": records,
            "resources": {name: round(value, 6) for name, value in seconds.items()},
        }


class Fits:
    """All fits to one training set, and what they cost.

    `true` has the error rates of the model fitted to all of `train`, for every size on its path, `standard_error` that
    of the last of them, `seconds` the CPU seconds by what fits were for.
    """

    def __init__(self, final: dict, settings: dict, case: Case, generated: Any, draw: int, n_test: int):
        self.final, self.settings, self.case = final, settings, case
        self.key = ("error_estimates", draw)
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.train = generated.sample(final["n_fit"], self._rng("train"))
        self.rows = np.arange(len(self.train.y))
        test, start = generated.sample(n_test, self._rng("test")), time.process_time()
        self.model, data = fit_drawn(self.train, test, final, case, case.fit_seed(*self.key))
        self.X, self.fitted = data.X, self.model.predict_proba(data.X)
        self.seconds["all"] = time.process_time() - start
        truth, points = generated.probabilities(test.X), np.arange(n_test)
        losses = [1 - truth[points, p.argmax(axis=1)] for p in self.model.staged_predict_proba(data.X_score)]
        self.true = [float(loss.mean()) for loss in losses]
        self.standard_error = float(losses[-1].std() / math.sqrt(n_test))

    def estimates(self) -> Iterator[tuple[str, list[float]]]:
        """Name of each, and the estimate, the ends of its interval, the true value of what it estimates."""
        groups: tuple[Callable[[], Iterator], ...] = (
            self._training,
            *(partial(self._holdout, share) for share in HOLDOUTS),
            *(partial(self._folds, *kind) for kind in FOLDS),
            self._nested_folds,
            self._leave_one_out,
            self._out_of_bag,
            self._bootstrap,
        )
        for group in groups:
            with suppress(ValueError):  # of a fit with too few samples of a class: the draw lacks the estimate
                for name, estimate, interval, *size in group():
                    yield name, [float(estimate), *map(float, interval), self.true[size[0] if size else -1]]

    def _training(self):
        wrong = self.fitted.argmax(axis=1) != self.train.y
        yield "training", wrong.mean(), wilson(wrong)

    def _holdout(self, share):
        from sklearn.model_selection import ShuffleSplit

        first, *others = self._split(ShuffleSplit, n_splits=GROUPS if share == LEAVE_OUT else 1, test_size=share)
        (path,) = self._wrong(f"holdout {share}", [first], path=True)
        yield f"holdout_{100 * share:.0f}", path[-1].mean(), wilson(path[-1])
        if others:
            size = path.mean(axis=1).argmin()
            yield "validation", path[size].mean(), wilson(path[size]), size
            groups = [path[-1], *self._wrong("groups", others)]
            yield "leave_group_out", np.mean(groups), resampled(groups, share / (1 - share))

    def _folds(self, kind, k):
        from sklearn.model_selection import KFold, StratifiedKFold

        splitter = StratifiedKFold if kind == "stratified" else KFold
        wrong = self._wrong(f"{kind} {k}", self._split(splitter, n_splits=k, shuffle=True))
        yield f"{kind}_{k}", np.concatenate(wrong).mean(), resampled(wrong)

    def _nested_folds(self):
        from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

        splits = self._split(StratifiedKFold, n_splits=5, shuffle=True)
        paths = self._wrong("stratified 5", splits, path=True)
        wrong = [path[-1] for path in paths]
        yield "stratified_5", np.concatenate(wrong).mean(), resampled(wrong)
        again = self._split(RepeatedStratifiedKFold, n_splits=5, n_repeats=REPEATS - 1)
        wrong = [*wrong, *self._wrong("repeats", again)]
        yield "repeated", np.concatenate(wrong).mean(), resampled(wrong, 1 / 4)
        if len(self.true) > 1:
            size = best_size(paths)
            wrong = [path[size] for path in paths]
            yield "not_nested", np.concatenate(wrong).mean(), resampled(wrong), size
            inner = [self._split(StratifiedKFold, fitted, n_splits=INNER, shuffle=True) for fitted, _ in splits]
            inside = [best_size(self._wrong("inner folds", folds, path=True)) for folds in inner]
            wrong = [path[chosen] for path, chosen in zip(paths, inside, strict=True)]
            yield "nested", np.concatenate(wrong).mean(), resampled(wrong), size

    def _leave_one_out(self):
        from sklearn.model_selection import LeaveOneOut

        if isinstance(self.model, FittedKNN):
            start = time.process_time()
            wrong = leave_one_out(self.model)
            self.seconds["leave-one-out"] = time.process_time() - start
        elif len(self.rows) <= self.settings["leave_one_out"]:
            wrong = np.concatenate(self._wrong("leave-one-out", LeaveOneOut().split(self.rows)))
        else:
            return
        yield "leave_one_out", wrong.mean(), wilson(wrong)

    def _out_of_bag(self):
        """Out-of-bag error of a method whose model is a mean of models of bootstrap samples."""
        ensemble: Any = getattr(self.model, "estimator", None)
        if ensemble is not None and hasattr(ensemble, "estimators_samples_"):
            total = np.zeros(self.fitted.shape)
            for member, drawn in zip(ensemble.estimators_, ensemble.estimators_samples_, strict=True):
                out = np.setdiff1d(self.rows, drawn)
                total[out] += member.predict_proba(self.X[out])
            known = total.any(axis=1)
            wrong = total[known].argmax(axis=1) != self.train.y[known]
            yield "out_of_bag", wrong.mean(), wilson(wrong)

    def _bootstrap(self):
        y, number = self.train.y, self.settings["bootstrap_samples"]
        drawn = [bootstrap_sample(y, self._rng("bootstrap", b)) for b in range(number)]
        wrong = np.array(self._wrong("bootstrap", [(rows, self.rows) for rows in drawn]), dtype=float)
        held_out = ~np.array([np.isin(self.rows, rows) for rows in drawn])
        tail = (1 - LEVEL) / 2
        yield "bootstrap_naive", wrong.mean(), np.quantile(wrong.mean(axis=1), [tail, 1 - tail])
        error = class_losses(self.fitted)["error"]
        found: dict[str, Any] = bootstrap_estimates(wrong, held_out, error, y, np.ones(len(y)))
        margin = NormalDist().inv_cdf(1 - tail) * found["standard_error"]
        for name, key in (("left_out", "leave_one_out"), ("632", "632"), ("632_plus", "632_plus")):
            yield f"bootstrap_{name}", found[key], (found[key] - margin, found[key] + margin)

    def _rng(self, *key):
        """Random numbers for one purpose, the same for all methods."""
        return generator(self.case.seed, *self.key, self.case.data_set, self.case.replicate, *key)

    def _split(self, splitter, rows=None, **settings):
        """Fitted and held-out rows by one of scikit-learn's splitters, of all rows or of some."""
        rows = self.rows if rows is None else rows
        key = (splitter.__name__, len(rows), int(rows.sum()), *map(str, settings.values()))
        seed = integer_seed(self.case.seed, *self.key, self.case.data_set, self.case.replicate, *key)
        splits = splitter(random_state=seed, **settings).split(rows, self.train.y[rows])
        return [(rows[fitted], rows[scored]) for fitted, scored in splits]

    def _wrong(self, part, splits, path=False):
        """Whether predictions for scored rows are wrong, by split; with `path` of every size, shape (sizes, rows)."""
        found, start = [], time.process_time()
        for i, (fitted, scored) in enumerate(splits):
            seed = self.case.fit_seed(*self.key, part, i)
            model, data = fit_rows(self.train, fitted, scored, self.final, self.case, seed)
            p = np.array([*model.staged_predict_proba(data.X_score)]) if path else model.predict_proba(data.X_score)
            found.append(p.argmax(axis=-1) != data.y_score)
        self.seconds[part] += time.process_time() - start
        return found


def best_size(paths: list[np.ndarray]) -> int:
    """Which size errs least in cross-validation, from the errors by fold, shapes (sizes, m); the first one of several.

    >>> best_size([np.array([[True, True], [False, True]]), np.array([[False], [False]])])
    1
    """
    return int(np.concatenate(paths, axis=1).mean(axis=1).argmin())


def leave_one_out(model: FittedKNN) -> np.ndarray:
    """Whether the k nearest among the others are wrong about each fitted sample, shape (N,); no two are the same."""
    assert model.tree is not None, "data drawn anew are compared by Euclidean distances"
    own = model.weight[:, None] * (model.y[:, None] == np.arange(model.n_classes))
    others = own.sum(axis=0) - own
    votes = model.pseudo_observations * others / others.sum(axis=1, keepdims=True)
    for nearest in model.tree.query(model.tree.data, k=np.arange(2, model.k + 2))[1].T:  # the first is the sample
        votes[np.arange(len(votes)), model.y[nearest]] += model.weight[nearest]
    return votes.argmax(axis=1) != model.y


def wilson(wrong: np.ndarray) -> tuple[float, float]:
    """Wilson's interval for the probability of an error, as if the predictions for N samples were independent."""
    from scipy.stats import binomtest

    found = binomtest(int(wrong.sum()), len(wrong)).proportion_ci(LEVEL, method="wilson")
    return found.low, found.high


def resampled(groups: list[np.ndarray], overlap: float = 0.0) -> tuple[float, float]:
    """Interval of Student's t around the mean of all errors, from the means of held-out parts.

    If parts overlap, `overlap` is the ratio of held-out to fitted samples (Nadeau and Bengio's correction); 0 takes
    parts for independent.

    >>> low, high = resampled([np.array([True, False]), np.array([False, False])])
    >>> round(low, 3), round(high, 3)
    (-2.927, 3.427)
    """
    from scipy.stats import t

    centre, number = float(np.concatenate(groups).mean()), len(groups)
    deviation = float(np.std([group.mean() for group in groups], ddof=1))
    margin = float(t.ppf((1 + LEVEL) / 2, number - 1)) * deviation * math.sqrt(1 / number + overlap)
    return centre - margin, centre + margin
