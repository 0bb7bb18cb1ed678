"""Ever fewer prototypes: backward elimination from a fit, and the number of prototypes that cross-validation chooses.

Penalties alone cannot make few prototypes: below a size there is only the class prior. Elimination goes on from where
they end. With q and Q = sum_k q_k of the whole model, and c_nj = w_j G'_nj what prototype j of class k_j adds at
reference n (symbols of `proset.leave_one_out`), taking it away raises the objective by exactly

    sum_n r_n [log(Q_n - c_nj) - log(q_{n,y_n} - c_nj [k_j = y_n])] - sum_n r_n [log Q_n - log q_{n,y_n}]
    - lambda_w (alpha_w / 2 w_j^2 + (1 - alpha_w) w_j)

A round takes away the prototypes for which this is least, up to `SHARE` of them, as the next size of `SIZES` allows.
Then all weights of features and prototypes are fitted again, from where they were. With more than one batch prototypes
compete over all batches, and each batch is fitted in turn, given the others.

From `EXCHANGED` prototypes on, samples outside are tried in exchange: those with the steepest derivative are let in,
all is fitted again, elimination leads back to the size, and the exchange is kept if the objective is lower.

References
----------
B. Hassibi, D. G. Stork: Second order derivatives for network pruning. NIPS 5 (1993). Elimination by the increase of the
objective, there in its quadratic model.

P. Pudil, J. Novovicova, J. Kittler: Floating search methods in feature selection. Pattern Recognit. Lett. 15 (1994).
Steps back and forth.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, fsum, sqrt

import numpy as np

from proset import arithmetic
from proset.leave_one_out import Samples, Task, class_sums, contributions
from proset.model import Model, fitted_batch
from proset.objective import Penalty
from proset.penalty_path import CORE_CANDIDATES, CORE_REFERENCES, Fold, Pair, core_of, levels_of, without_constants
from proset.solver import Solution

# Numbers of prototypes at which a path stops.
SIZES = (
    *(*range(1, 10), *range(10, 20, 2), *range(20, 50, 5), *range(50, 100, 10), *range(100, 200, 20)),
    *(*range(200, 500, 50), *range(500, 1000, 100), *range(1000, 2000, 200), *range(2000, 5001, 500)),
)
SHARE = 0.2  # of the prototypes that a round takes away at most
EXCHANGED, EXCHANGES, LET_IN = 50, 2, 0.1  # up to this size, so often, as a share of the prototypes
ITERATIONS, TOLERANCE = 20, 1e-4  # of the solver, in each round
COLUMNS = 256  # prototypes whose contributions are in memory together


@dataclass(frozen=True)
class Part:
    """Weights of one batch.

    Attributes
    ----------
    v : ndarray, shape (D,)
    candidates : ndarray of int, shape (J,)
        Which samples the prototypes are, increasing.
    w : ndarray, shape (J,)
        Positive.
    solution : Solution, optional
        Where they are from.
    """

    v: np.ndarray
    candidates: np.ndarray
    w: np.ndarray
    solution: Solution | None = None

    @classmethod
    def of(cls, theta: np.ndarray, candidates: np.ndarray, solution: Solution | None = None) -> "Part":
        """From weights [v, w] of candidates, without those that have none."""
        n_features = len(theta) - len(candidates)
        v, w = np.split(without_constants(theta, n_features), [n_features])
        return cls(v, candidates[w > 0.0], w[w > 0.0], solution)

    @property
    def theta(self) -> np.ndarray:
        """[v, w], shape (D + J,)."""
        return np.concatenate([self.v, self.w])

    def sums(self, samples: Samples, n_classes: int, n_threads: int, rows: np.ndarray | slice) -> np.ndarray:
        """What the batch adds to q of training samples, without their own part."""
        return class_sums(samples, self.candidates, (self.v, self.w), n_classes, n_threads, rows)

    def sums_at(self, X: np.ndarray, samples: Samples, n_classes: int, n_threads: int) -> np.ndarray:
        """What the batch adds to q of other samples, (n, D), counted from the same centre."""
        offsets = np.searchsorted(samples.y[self.candidates], np.arange(n_classes + 1))
        arrays = (X, samples.X[self.candidates], np.zeros(len(self.v)), offsets, self.v, self.w)
        return arithmetic.class_sums(*arrays, n_threads=n_threads)


Parts = tuple[Part, ...]  # a model's


def n_prototypes(parts: Parts) -> int:
    """Over all batches."""
    return sum(len(part.w) for part in parts)


@dataclass(frozen=True)
class Elimination:
    """The task of elimination, in one batch or more.

    Attributes
    ----------
    task : Task
        The first batch's. Samples among its candidates may enter in an exchange.
    penalty : Penalty
    """

    task: Task
    penalty: Penalty

    def path(self, parts: Parts, also: Sequence[int] = (), exchanges: int = EXCHANGES) -> Iterator[Parts]:
        """Ever smaller models, at the sizes of `SIZES` and `also`, down to one prototype; `parts` is not among them."""
        sizes = sorted({*SIZES, *also})
        while smaller := [n for n in sizes if n < n_prototypes(parts)]:
            parts = self.reduced(parts, smaller[-1])
            for _ in range(exchanges if n_prototypes(parts) <= EXCHANGED else 0):
                exchanged = self._exchanged(parts)
                if exchanged is parts:
                    break
                parts = exchanged
            yield parts

    def reduced(self, parts: Parts, n: int) -> Parts:
        """At most n prototypes, in rounds."""
        while (number := n_prototypes(parts)) > n:
            kept = np.ones(number, dtype=bool)
            kept[np.argsort(self.increases(parts), kind="stable")[: min(number - n, ceil(SHARE * number))]] = False
            parts = self.refitted(_with_only(parts, kept), ITERATIONS, TOLERANCE)
        return parts

    def increases(self, parts: Parts) -> np.ndarray:
        """By how much the objective rises without each of the prototypes, shape (J,), batch after batch."""
        samples, rows, penalty = self.task.samples, self.task.references, self.penalty
        labels, weight = samples.y[rows], samples.weight[rows] / fsum(samples.weight[rows])
        q = self._q(parts)
        total, own = arithmetic.row_sums(q), q[np.arange(len(rows)), labels]
        least = self.task.q[rows, labels]  # what is left without any prototype, but for rounding
        found = []
        for part in parts:
            for first in range(0, len(part.w), COLUMNS):
                chunk = slice(first, first + COLUMNS)
                candidates, w = part.candidates[chunk], part.w[chunk]
                added = contributions(samples, candidates, (part.v, w), self.task.n_threads, rows)
                is_own = labels[:, None] == samples.y[candidates]
                rest = np.maximum(total[:, None] - added, least[:, None])
                rest_own = np.maximum(own[:, None] - added * is_own, least[:, None])
                losses = weight[:, None] * (arithmetic.log(rest) - arithmetic.log(rest_own))
                saved = penalty.lambda_w * (penalty.alpha_w / 2.0 * w * w + (1.0 - penalty.alpha_w) * w)
                found.append(arithmetic.means(losses) * len(rows) - saved)
        return np.concatenate(found) - fsum(weight * (arithmetic.log(total) - arithmetic.log(own)))

    def refitted(self, parts: Parts, max_iter: int, tol: float) -> Parts:
        """All weights at a minimum from where they are, batch by batch."""
        parts = tuple(parts)
        for b, part in enumerate(parts):
            if len(part.w):
                objective = replace(self._without(parts, b), candidates=part.candidates).objective(self.penalty)
                solution = objective.minimum(max_iter, tol, part.theta, path=0)
                found = Part.of(solution.x, part.candidates, solution)
                parts = (*parts[:b], found, *parts[b + 1 :])
        return parts

    def score(self, parts: Parts) -> tuple[float, float]:
        """The objective, with the penalties of all batches, and the leave-one-out loss in it."""
        rows, q = self.task.references, self._q(parts)
        weight, own = self.task.samples.weight[rows], q[np.arange(len(rows)), self.task.samples.y[rows]]
        losses = arithmetic.log(arithmetic.row_sums(q)) - arithmetic.log(own)
        loss = fsum(weight * losses) / fsum(weight)
        return loss + fsum(self.penalty.value_and_gradient(part.v, part.w)[0] for part in parts), loss

    def _exchanged(self, parts: Parts) -> Parts:
        """The same number of prototypes with a lower objective, or the same prototypes."""
        n, slopes = n_prototypes(parts), []
        for b, part in enumerate(parts):
            w = np.zeros(len(self.task.candidates))
            inside = np.searchsorted(self.task.candidates, part.candidates)
            w[inside] = part.w
            slope = self._without(parts, b).objective(self.penalty)(np.concatenate([part.v, w]))[1][len(part.v) :]
            slope[inside] = 0.0
            slopes.append(slope)
        steepest = np.argsort(np.concatenate(slopes), kind="stable")[: ceil(LET_IN * n)]
        steepest = steepest[np.concatenate(slopes)[steepest] < 0.0]
        batch, place = np.divmod(steepest, len(self.task.candidates))
        larger = tuple(_with_more(part, self.task.candidates[place[batch == b]]) for b, part in enumerate(parts))
        found = self.reduced(self.refitted(larger, ITERATIONS, TOLERANCE), n)
        return found if self.score(found)[0] < self.score(parts)[0] - TOLERANCE else parts

    def _q(self, parts: Parts) -> np.ndarray:
        """Of the references, with all batches."""
        task, rows = self.task, self.task.references
        return _added(
            task.q[rows], (p.sums(task.samples, task.q.shape[1], task.n_threads, rows) for p in parts if len(p.w))
        )

    def _without(self, parts: Parts, b: int) -> Task:
        """The task of one batch, given the others."""
        others = parts[:b] + parts[b + 1 :]
        if not others:
            return self.task
        q, rows = self.task.q.copy(), self.task.references
        q[rows] = self._q(others)
        return replace(self.task, q=q)


def _added(q: np.ndarray, sums: Iterator[np.ndarray]) -> np.ndarray:
    for more in sums:
        q = q + more
    return q


def _with_only(parts: Parts, kept: np.ndarray) -> Parts:
    found, first = [], 0
    for part in parts:
        mask = kept[first : first + len(part.w)]
        first += len(part.w)
        found.append(replace(part, candidates=part.candidates[mask], w=part.w[mask]))
    return tuple(found)


def _with_more(part: Part, candidates: np.ndarray) -> Part:
    together = np.concatenate([part.candidates, candidates])
    order = np.argsort(together)
    return replace(part, candidates=together[order], w=np.append(part.w, np.zeros(len(candidates)))[order])


@dataclass(frozen=True)
class Sized:
    """A model of a path.

    Attributes
    ----------
    model : Model
    objective, loss : float
        With the penalties of all batches, and the leave-one-out loss in it.
    """

    model: Model
    objective: float
    loss: float


def eliminate(
    fitted: Model, X: np.ndarray, y: np.ndarray, task: Task, penalty: Penalty, max_iter: int, tol: float, n: int | None
) -> list[Sized]:
    """A fitted model, and those with ever fewer prototypes, by increasing number.

    Rounds are on a core of many samples, as in `proset.penalty_path`; where a size is reached, all references count.

    Parameters
    ----------
    fitted : Model
        Its rows are those of X.
    X, y : ndarray, shapes (N, D) and (N,)
    task : Task
        The first batch's, with the same samples.
    penalty : Penalty
    max_iter : int
    tol : float
        Of the model with `n` prototypes; others are near the minimum.
    n : int or None
        A size to stop at, beside those of `SIZES`.
    """
    samples = task.samples
    place = np.full(len(X), -1)
    place[samples.row] = np.arange(len(samples.row))
    parts = tuple(
        _part(batch.feature_weights, place[batch.sample_index], batch.prototype_weights) for batch in fitted.batches
    )
    inner = core_of(task, levels_of(samples), CORE_REFERENCES, CORE_CANDIDATES)
    inner = replace(inner, candidates=np.unique(np.concatenate([inner.candidates, *(p.candidates for p in parts)])))
    everyone, rounds = Elimination(task, penalty), Elimination(inner, penalty)
    found = [Sized(fitted, *everyone.score(parts))]
    for smaller in rounds.path(parts, () if n is None else (n,)):
        if n_prototypes(smaller) == n:
            smaller = everyone.refitted(smaller, max_iter, tol)
        elif len(inner.references) < len(task.references):
            smaller = everyone.refitted(smaller, ITERATIONS, TOLERANCE)
        batches = []
        for part, batch in zip(smaller, fitted.batches, strict=True):
            if part.solution is None:
                batches.append(batch)
                continue
            solution = replace(part.solution, x=part.theta)
            batches.append(fitted_batch(X, y, samples.row[part.candidates], batch.candidate_index, solution))
        found.append(Sized(replace(fitted, batches=tuple(batches)), *everyone.score(smaller)))
    return found[::-1]


def table(path: Sequence[Sized], sizes: "Sizes | None") -> dict[str, np.ndarray]:
    """As `ProsetClassifier.prototype_path_` has it."""
    numbers = [one.model.n_prototypes() for one in path]
    found = {
        "n_prototypes": np.array(numbers),
        "n_features": np.array([len(one.model.active_features()) for one in path]),
        "objective": np.array([one.objective for one in path]),
        "leave_one_out_loss": np.array([one.loss for one in path]),
    }
    return found if sizes is None else {**found, "mean_loss": np.array([sizes.loss_at(n) for n in numbers])}


def _part(v: np.ndarray, candidates: np.ndarray, w: np.ndarray) -> Part:
    order = np.argsort(candidates)
    return Part(v, candidates[order], w[order])


@dataclass(frozen=True)
class Sizes:
    """Losses of held-out samples by the largest number of prototypes.

    Attributes
    ----------
    sizes : tuple of int
        Increasing; the last one is all that the fits on the folds had.
    loss : ndarray, shape (n_sizes,)
        Mean log-loss.
    tolerance : float
        The standard error of the smallest one.
    """

    sizes: tuple[int, ...]
    loss: np.ndarray
    tolerance: float

    def chosen(self, rule: str) -> int | None:
        """The smallest size within one standard error of the best, or the best; None for all prototypes."""
        allowed = self.loss.min() + (self.tolerance if rule == "one_standard_error" else 0.0)
        chosen = int(np.flatnonzero(self.loss <= allowed)[0])
        return self.sizes[chosen] if chosen < len(self.sizes) - 1 else None

    def loss_at(self, n: int) -> float:
        """With at most n prototypes."""
        return float(self.loss[np.searchsorted(self.sizes, n, side="right") - 1])


def cross_validate(folds: Sequence[Fold], pair: Pair, n_batches: int) -> Sizes:
    """Eliminate in each fold, without exchanges; where a fold has no model of a size, its next smaller one counts."""
    losses = [_losses(fold, pair, n_batches) for fold in folds]
    weights = np.concatenate([fold.weight for fold in folds])
    largest = max(max(of_fold) for of_fold in losses)
    sizes = (*(n for n in SIZES if n < largest), largest)
    table = [np.concatenate([f[max(m for m in f if m <= n)] for f in losses]) for n in sizes]
    means = np.array([fsum(weights * row) / fsum(weights) for row in table])
    best = int(means.argmin())
    tolerance = sqrt(fsum((weights * (table[best] - means[best])) ** 2)) / fsum(weights)
    return Sizes(sizes, means, tolerance)


def _losses(fold: Fold, pair: Pair, n_batches: int) -> dict[int, np.ndarray]:
    """Those of the samples held out, by number of prototypes, from none to all of the fit."""
    path, task, parts, later = fold.path, fold.path.task, [], fold
    for b in range(n_batches):
        parts.append(Part.of(later.path.weights(pair), task.candidates))
        later = later.after(pair) if b < n_batches - 1 else later
    elimination = Elimination(task, Penalty(*pair, path.alpha_v, path.alpha_w))
    found = {}
    for model in (tuple(parts), *elimination.path(tuple(parts), exchanges=0), ()):
        sums = (part.sums_at(fold.X, task.samples, fold.q.shape[1], task.n_threads) for part in model)
        q = _added(fold.q, sums)
        own = q[np.arange(len(fold.y)), fold.y]
        found[n_prototypes(model)] = arithmetic.log(arithmetic.row_sums(q)) - arithmetic.log(own)
    return found
