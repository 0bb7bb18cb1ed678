"""Leave-one-out fits at the end of a path of penalties, and the penalties that cross-validation along it chooses.

Path
----
The objective is not convex, and from one start strong penalties lead to poor minima: the first steps drop features that
the solution needs, or all prototypes. So a fit with strong penalties starts where one with weaker penalties ended:

    (0.01, 1e-8) -> (0.02, 1e-8) -> ... -> (lambda_v, 1e-8) -> (lambda_v, 1e-6) -> ... -> (lambda_v, lambda_w)

with the values of `LAMBDA_V` and `LAMBDA_W` in between that are not next to the end. The first fit starts from `start`;
with lambda_v up to 0.01 and lambda_w up to 1e-8 there is no other, unless it ends without any prototype: then the path
begins with the next weaker lambda_v. Each pair of penalties has one path, so that a fit depends on its penalties alone,
whoever chose them.

Large data
----------
Paths are followed on a core of the samples, `CORE_REFERENCES` of which are references and `CORE_CANDIDATES` candidates.
From where the path ends, the fit goes on with all of them, until no candidate outside the working set would enter
(`proset.leave_one_out.certified`). The core is a stretch of one fixed order, in which every stretch is like the whole:
no seed has a part in it.

Choice
------
`choose` scores pairs of penalties by their log-loss on samples held out of the core, in parts of the same order. It
starts at (0.01, 1e-8) and goes up and down in lambda_v as long as that helps, then up in lambda_w, at the best lambda_v
and at the next weaker one. Of samples with copies some are held out, as future rows may have copies among those fitted
to. If the best pair is not better than the class proportions by more than the standard error of the difference, these
are the model. docs/penalties.md has the alternatives that were measured.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, isinf
from typing import Any

import numpy as np

from proset import arithmetic
from proset.leave_one_out import Samples, Task, certified, class_sums, class_sums_at
from proset.losses import log_losses
from proset.objective import Penalty
from proset.race import Race
from proset.solver import MAX_ITER, Solution

LAMBDA_V = (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 2e-2, 4e-2, 8e-2, 0.16, 0.32)
LAMBDA_W = (1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
COLD = 1e-2  # the strongest lambda_v whose fit starts from `start`
ROUGH = 1e-3  # tolerance of fits that are on the way, or only scored
CORE_REFERENCES, CORE_CANDIDATES = 4000, 1000
HELD_OUT = 5000  # samples to score, if there are more
FOLDS = 5  # of up to 5,000 samples
NEIGHBOURS, MAX_WIDER = 3.0, 30  # see `start`
ORDER = 0  # key of the order that cores and folds are stretches of

Pair = tuple[float, float]  # lambda_v, lambda_w


def weaker(lambda_v: float, lambda_w: float) -> Pair | None:
    """The pair before this one on its path; None for the first.

    Examples
    --------
    >>> weaker(0.05, 5e-6), weaker(0.05, 1e-6), weaker(0.05, 1e-8), weaker(0.02, 1e-8), weaker(0.01, 1e-8)
    ((0.05, 1e-06), (0.05, 1e-08), (0.02, 1e-08), (0.01, 1e-08), None)
    """
    if lambda_w > LAMBDA_W[0]:
        return lambda_v, max(w for w in LAMBDA_W if w < lambda_w / 3 or w == LAMBDA_W[0])
    if lambda_v > COLD:
        return max(v for v in LAMBDA_V if v < lambda_v / 1.5 or v == COLD), lambda_w
    return None


@dataclass
class Path:
    """Fits of one task by their penalties, each made once.

    Attributes
    ----------
    task : Task
    alpha_v, alpha_w : float
        Of the penalties.
    tol : float
    """

    task: Task
    alpha_v: float
    alpha_w: float
    tol: float
    _found: dict[Pair, np.ndarray] = field(default_factory=dict)

    def weights(self, pair: Pair) -> np.ndarray:
        """Feature weights and prototype weights of all candidates at the end of the path, shape (D + J,)."""
        if pair not in self._found:
            before = weaker(*pair)
            found = self._minimum(pair, None if before is None else self.weights(before))
            if before is None and not found.any() and (lower := [v for v in LAMBDA_V if v < pair[0]]):
                found = self._minimum(pair, self.weights((lower[-1], pair[1])))
            self._found[pair] = found
        return self._found[pair]

    def _minimum(self, pair: Pair, before: np.ndarray | None) -> np.ndarray:
        """Minimise from the weights of the pair before, or from the start."""
        objective = self.task.objective(Penalty(*pair, self.alpha_v, self.alpha_w))
        if before is None:
            found = objective.minimum(MAX_ITER, self.tol, start(self.task)).x
        else:
            found = objective.minimum(MAX_ITER, self.tol, before, path=0).x if before.any() else before
        return without_constants(found, self.task.samples.X.shape[1])


def start(task: Task) -> np.ndarray:
    """Where the first fit of a path starts: w_j = 1, and v_d = 10 / D, or less, so that references see enough.

    With 5 to 10 features, kernels of this width are so narrow that most references see no candidate; then the fit keeps
    a few features by chance. So v_d is lowered until half of the references see candidates with a total of
    `NEIGHBOURS`, or of a tenth of all.
    """
    samples, n_features, n = task.samples, task.samples.X.shape[1], len(task.candidates)
    v, w = np.full(n_features, 10.0 / n_features), np.ones(n)
    rows = task.references[:: ceil(len(task.references) / CORE_CANDIDATES)]
    for _ in range(MAX_WIDER):
        seen = class_sums(samples, task.candidates, (v, w), task.q.shape[1], task.n_threads, rows).sum(axis=1)
        if np.median(seen) >= min(NEIGHBOURS, n / 10):
            break
        v *= 0.8
    return np.concatenate([v, w])


def without_constants(theta: np.ndarray, n_features: int) -> np.ndarray:
    """Weights [v, w]; all are 0 if the features or the prototypes have none: such a batch is constant."""
    v, w = theta[:n_features], theta[n_features:]
    return theta if v.any() and w.any() else np.zeros(len(theta))


def minimum(task: Task, penalty: Penalty, max_iter: int, tol: float) -> Solution:
    """The minimum of a batch at the end of the path of its penalties; a `proset.leave_one_out.Minimum`.

    With infinite penalties no weight is left.
    """
    n_features = task.samples.X.shape[1]
    if isinf(penalty.lambda_v):
        objective = task.objective(replace(penalty, lambda_v=0.0, lambda_w=0.0))
        nothing = np.zeros(n_features + len(task.candidates))
        return Solution(nothing, objective(nothing)[0], 0, 1, True, "infinite penalties")
    objective = task.objective(penalty)
    pair = penalty.lambda_v, penalty.lambda_w
    inner = core_of(task, levels_of(task.samples), CORE_REFERENCES, CORE_CANDIDATES)
    v, w = np.split(Path(inner, penalty.alpha_v, penalty.alpha_w, max(tol, ROUGH)).weights(pair), [n_features])
    theta = np.zeros(n_features + len(task.candidates))
    theta[:n_features] = v
    theta[n_features + np.searchsorted(task.candidates, inner.candidates)] = w
    solution = certified(objective, objective.minimum(max_iter, tol, theta, path=0), max_iter, tol)
    return replace(solution, x=without_constants(solution.x, n_features))


def levels_of(samples: Samples) -> np.ndarray:
    """Where each sample is in one fixed order by chance, in (0, 1), such that every stretch is like the whole.

    Within a class, levels are evenly spread.
    """
    rng = np.random.default_rng(np.random.SeedSequence(ORDER))
    levels = np.empty(len(samples.y))
    for k in np.unique(samples.y):
        of_class = np.flatnonzero(samples.y == k)
        levels[of_class] = (rng.permutation(len(of_class)) + 0.5) / len(of_class)
    return levels


def core_of(task: Task, levels: np.ndarray, n_references: int, n_candidates: int) -> Task:
    """The same task with fewer references and candidates, those of the lowest levels."""
    order = np.argsort(levels, kind="stable")
    kept = order[np.isin(order, task.references)][:n_references]
    return replace(
        task,
        references=task.references[np.isin(task.references, kept)],
        candidates=np.sort(kept[np.isin(kept, task.candidates)][:n_candidates]),
    )


@dataclass(frozen=True)
class Fold:
    """Samples to fit a batch to, and others to score it on.

    Attributes
    ----------
    path : Path
        Of the samples to fit to.
    X : ndarray, shape (n, D)
        To score, counted from the centre of the others.
    y : ndarray of int, shape (n,)
    weight, q : ndarray, shapes (n,) and (n, K)
        Sample weights, and unnormalised class probabilities before the batch.
    """

    path: Path
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    q: np.ndarray

    @classmethod
    def of(
        cls,
        task: Task,
        X: np.ndarray,
        y: np.ndarray,
        alpha_v: float,
        alpha_w: float,
        n_candidates: int,
        base: np.ndarray | None = None,
    ) -> "Fold":
        """The fold of the first batch, with a core of the task's samples, and others to score; `base` is their q_0."""
        inner = core_of(task, levels_of(task.samples), CORE_REFERENCES, n_candidates)
        q = np.tile(task.q[0], (len(X), 1)) if base is None else base
        return cls(Path(inner, alpha_v, alpha_w, ROUGH), X, y, np.ones(len(y)), q)

    def probabilities(self, pair: Pair | None) -> np.ndarray:
        """Class probabilities with the batch, shape (n, K); without it for None."""
        q = self.q if pair is None else self.q + self._sums(pair)
        found: np.ndarray = q / arithmetic.row_sums(q)[:, None]
        return found

    def losses(self, pair: Pair | None) -> np.ndarray:
        """-log P(y_n | x_n), shape (n,)."""
        return log_losses(self.probabilities(pair), self.y, clip=0.0)

    def after(self, pair: Pair) -> "Fold":
        """The fold of the next batch."""
        path, task, weights = self.path, self.path.task, self._weights(pair)
        added = class_sums(task.samples, task.candidates, weights, self.q.shape[1], task.n_threads)
        return replace(
            self, path=replace(path, task=replace(task, q=task.q + added), _found={}), q=self.q + self._sums(pair)
        )

    def _weights(self, pair: Pair) -> list[np.ndarray]:
        return np.split(self.path.weights(pair), [self.X.shape[1]])

    def _sums(self, pair: Pair) -> np.ndarray:
        task = self.path.task
        batch = task.samples, task.candidates, self._weights(pair)
        return class_sums_at(self.X, *batch, self.q.shape[1], task.n_threads)


def folds(task: Task, alpha_v: float, alpha_w: float) -> Iterator[Fold]:
    """Parts to fit and parts to score; all samples are scored once, if there are up to 5,000.

    The m copies of a sample of level u have the levels u, u + 1 / m, ..., modulo 1. A fold scores those in a stretch,
    and is fitted to the others.
    """
    samples, levels = task.samples, levels_of(task.samples)
    n = len(levels)
    part = min(n, CORE_REFERENCES + HELD_OUT)
    share = 1.0 / FOLDS if part <= HELD_OUT else 1.0 - CORE_REFERENCES / part
    inside = levels < part / n
    levels = levels * n / part
    for number in range(ceil(min(part, HELD_OUT) / (share * part) - 1e-9)):
        held_out = np.where(inside, _between(levels, samples.copies, number * share, (number + 1) * share), 0)
        fitted = np.where(inside, samples.copies - held_out, 0.0)
        scored, seen = np.flatnonzero(held_out), fitted > 0
        if len(scored) and seen.any():
            weight = samples.weight / samples.copies
            kept = replace(samples, weight=weight * fitted, copies=fitted)
            parts = replace(task, samples=kept, references=task.references[seen[task.references]])
            core = core_of(parts, levels, n, CORE_CANDIDATES)
            path, arrays = Path(core, alpha_v, alpha_w, ROUGH), (samples.X[scored], samples.y[scored])
            yield Fold(path, *arrays, (weight * held_out)[scored], task.q[scored])


def _between(levels: np.ndarray, copies: np.ndarray, low: float, high: float) -> np.ndarray:
    """How many of the levels u, u + 1 / m, ..., modulo 1, of each sample are from `low` to below `high`."""

    def below(x: float) -> np.ndarray:
        """Number of values u + t / m, t = 0, 1, ..., below x; 0 or negative if x is not above u."""
        return np.ceil(copies * (x - levels) - 1e-9).astype(int)

    number: np.ndarray = below(high) - below(low)
    return number


@dataclass(frozen=True)
class Choice:
    """Penalties, and what they were chosen from.

    Attributes
    ----------
    pair : tuple or None
        lambda_v and lambda_w; None for the class proportions.
    tried : list of pairs
        In the order in which they were.
    loss, error : ndarray, shape (n_tried,)
        Mean log-loss of the samples held out, and the standard error of its difference from that of the best pair.
    prior_loss : float
        That of the class proportions.
    """

    pair: Pair | None
    tried: list[Pair]
    loss: np.ndarray
    error: np.ndarray
    prior_loss: float

    def results(self) -> dict[str, np.ndarray | float]:
        """The search in the form of `ProsetClassifier.penalty_search_`."""
        lambda_v, lambda_w = np.array(self.tried).reshape(-1, 2).T
        of_pairs = {"lambda_v": lambda_v, "lambda_w": lambda_w, "mean_loss": self.loss, "standard_error": self.error}
        return {**of_pairs, "prior_loss": self.prior_loss}


def search(race: Race[Any], lambda_v: Sequence[float], lambda_w: Sequence[float]) -> Pair:
    """The best pair of two increasing sequences, along the path.

    From the weakest lambda_w: first the lambda_v from `COLD` on upwards, then those below it downwards, and at the best
    one and the next weaker one all lambda_w; each as long as that helps.
    """
    strong, weak = [v for v in lambda_v if v >= COLD], [v for v in reversed(lambda_v) if v < COLD]
    best: Pair | None = None
    for values in (strong, weak):
        best = race.walk([(v, lambda_w[0]) for v in values], best) if values else best
    assert best is not None
    here = list(lambda_v).index(best[0])
    for v in lambda_v[max(here - 1, 0) : here + 1]:
        race.score([(v, lambda_w[0])], len(race.weights))
        end = race.walk([(v, w) for w in lambda_w[1:]], (v, lambda_w[0]))
        best = min(best, end, key=race.mean)
    return best


def choose(parts: Sequence[Fold], lambda_v: float | None = None, lambda_w: float | None = None) -> Choice:
    """The penalties of the first batch of a fit, from `folds`; given ones are kept."""
    if not parts:
        return Choice(None, [], np.empty(0), np.empty(0), np.nan)
    race: Race[Pair | None] = Race(lambda pair, fold: parts[fold].losses(pair), [part.weight for part in parts])
    best = search(race, LAMBDA_V if lambda_v is None else (lambda_v,), LAMBDA_W if lambda_w is None else (lambda_w,))
    tried = [pair for pair in race.found if pair is not None]
    race.score([None], len(parts))
    gain, error = race.difference(None, best)
    return Choice(
        pair=best if gain > error else None,
        tried=tried,
        loss=np.array([race.mean(pair) for pair in tried]),
        error=np.array([race.difference(pair, best)[1] for pair in tried]),
        prior_loss=race.mean(None),
    )
