"""Ever fewer prototypes: backward elimination from a fit; `proset.size_choice` chooses their number.

Penalties alone cannot make few prototypes: below a size there is only the class prior. Elimination goes on from where
they end. With q and Q = sum_k q_k of the whole model, and c_nj = w_j G'_nj what prototype j of class k_j adds at
reference n (symbols of `proset.leave_one_out`), taking it away raises the objective by exactly

    sum_n r_n [log(Q_n - c_nj) - log(q_{n,y_n} - c_nj [k_j = y_n])] - sum_n r_n [log Q_n - log q_{n,y_n}]
    - lambda_w (alpha_w / 2 w_j^2 + (1 - alpha_w) w_j)

A round takes away the prototypes for which this is least, up to `SHARE` of them, as the next size of `SIZES` allows.
Then all weights of features and prototypes are fitted again, from where they were. With more than one batch prototypes
compete over all batches, and each batch is fitted in turn, given the others.

At `EXCHANGED` prototypes or fewer, samples outside are tried in exchange: those with the steepest derivative are let
in, all is fitted again, elimination leads back to the size, and the exchange is kept if the objective is lower.

Features are taken away first, in the same way: what the objective is without each of them, v_d = 0 in all batches and
all other weights as they are, is computed for each, and all is fitted again.

References
----------
B. Hassibi, D. G. Stork: Second order derivatives for network pruning. NIPS 5 (1993). Elimination by the increase of the
objective, there in its quadratic model.

P. Pudil, J. Novovicova, J. Kittler: Floating search methods in feature selection. Pattern Recognit. Lett. 15 (1994).
Steps back and forth.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, fsum

import numpy as np

from proset import arithmetic
from proset.leave_one_out import Task
from proset.model import Model, fitted_batch
from proset.objective import Objective, Penalty
from proset.parts import (
    Part,
    Parts,
    active_features,
    merged,
    n_prototypes,
    parts_of,
    with_more,
    with_only,
    without_feature,
)
from proset.penalty_path import CORE_CANDIDATES, CORE_REFERENCES, core_of, levels_of

# Numbers of prototypes at which a path stops.
SIZES = (
    *(*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000),
    *(1200, 1500, 2000, 2500, 3000, 4000, 5000),
)
SHARE, ROUGH_SHARE = 0.1, 0.2  # of the prototypes that a round takes away at most; in cross-validation
EXCHANGED, LET_IN = 200, 0.1  # up to this size; as a share of the prototypes
LEAST = 20  # let in where a prototype has to be replaced
ITERATIONS, TOLERANCE = 20, 1e-4  # of the solver, in each round


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

    def path(self, parts: Parts, also: Sequence[int] = (), rough: bool = False) -> Iterator[Parts]:
        """Models of decreasing size, at `SIZES` and `also`, down to one prototype; `parts` is not among them.

        A rough one has fewer rounds and no exchanges.
        """
        sizes = sorted({*SIZES, *also})
        while smaller := [n for n in sizes if n < n_prototypes(parts)]:
            parts = self.reduced(parts, smaller[-1], ROUGH_SHARE if rough else SHARE)
            if not rough and n_prototypes(parts) <= EXCHANGED:
                parts = self._exchanged(parts)
            yield parts

    def reduced(self, parts: Parts, n: int, share: float) -> Parts:
        """Remove prototypes in rounds until at most n are left."""
        while (number := n_prototypes(parts)) > n:
            kept = np.ones(number, dtype=bool)
            kept[np.argsort(self.increases(parts), kind="stable")[: min(number - n, ceil(share * number))]] = False
            parts = self.refitted(with_only(parts, kept), ITERATIONS, TOLERANCE)
        return parts

    def with_features(self, parts: Parts, n: int) -> Parts:
        """Remove features in rounds until at most n are left over all batches."""
        while (number := len(active := active_features(parts))) > n:
            objectives = np.array([self.score(without_feature(parts, d))[0] for d in active])
            leaving = np.argsort(objectives, kind="stable")[: min(number - n, ceil(SHARE * number))]
            for d in active[leaving]:
                parts = without_feature(parts, d)
            parts = self.refitted(parts, ITERATIONS, TOLERANCE)
        return parts

    def increases(self, parts: Parts) -> np.ndarray:
        """Increase in the objective if a prototype is removed, for each of them, shape (J,), batch after batch."""
        return np.concatenate(self.increases_of(parts))

    def increases_of(self, parts: Parts) -> list[np.ndarray]:
        """The same, batch by batch."""
        objectives = [self.objective(parts, b) if len(part.w) else None for b, part in enumerate(parts)]
        return [p.w if f is None else f.increases(p.theta) for f, p in zip(objectives, parts, strict=True)]

    def refitted(self, parts: Parts, max_iter: int, tol: float) -> Parts:
        """All weights at a minimum from where they are, batch by batch."""
        parts = tuple(parts)
        for b, part in enumerate(parts):
            if len(part.w):
                solution = self.objective(parts, b).minimum(max_iter, tol, part.theta, path=0)
                found = merged(Part.of(solution.x, part.candidates, solution), self.task.samples)
                parts = (*parts[:b], found, *parts[b + 1 :])
        return parts

    def score(self, parts: Parts) -> tuple[float, float]:
        """The objective, with the penalties of all batches, and the leave-one-out loss in it."""
        rows, q = self.task.references, self.q_of(parts)
        weight, own = self.task.samples.weight[rows], q[np.arange(len(rows)), self.task.samples.y[rows]]
        losses = arithmetic.log(arithmetic.row_sums(q)) - arithmetic.log(own)
        loss = fsum(weight * losses) / fsum(weight)
        return loss + fsum(self.penalty.value_and_gradient(part.v, part.w)[0] for part in parts), loss

    def filled(self, parts: Parts, n: int) -> Parts:
        """Add prototypes up to n if some are missing, as in an exchange; near the minimum."""
        missing = n - n_prototypes(parts)
        more = max(ceil(LET_IN * n), LEAST) if missing else ceil(LET_IN * n)
        larger = self._with_steepest(parts, missing + more, also_constant=not missing)
        return self.reduced(self.refitted(larger, ITERATIONS, TOLERANCE), n, SHARE)

    def _exchanged(self, parts: Parts) -> Parts:
        """The same number of prototypes with a lower objective, or the same prototypes."""
        found = self.filled(parts, n_prototypes(parts))
        return found if self.score(found)[0] < self.score(parts)[0] - TOLERANCE else parts

    def _with_steepest(self, parts: Parts, number: int, also_constant: bool) -> Parts:
        """Add up to `number` prototypes of weight 0, those whose derivatives are the most negative.

        In a batch without features they are of no use. An exchange tries them as well, which fits have the bits of.
        """
        slopes = []
        for b, part in enumerate(parts):
            w = np.zeros(len(self.task.candidates))
            inside = np.searchsorted(self.task.candidates, part.candidates)
            w[inside] = part.w
            slope = self._without(parts, b).objective(self.penalty)(np.concatenate([part.v, w]))[1][len(part.v) :]
            slope[inside] = 0.0
            slopes.append(slope if also_constant or part.v.any() else 0.0 * slope)
        steepest = np.argsort(np.concatenate(slopes), kind="stable")[:number]
        steepest = steepest[np.concatenate(slopes)[steepest] < 0.0]
        batch, place = np.divmod(steepest, len(self.task.candidates))
        return tuple(with_more(part, self.task.candidates[place[batch == b]]) for b, part in enumerate(parts))

    def q_of(self, parts: Parts) -> np.ndarray:
        """Unnormalised class probabilities of the references, with all batches."""
        task, rows = self.task, self.task.references
        return added(
            task.q[rows], (p.sums(task.samples, task.q.shape[1], task.n_threads, rows) for p in parts if len(p.w))
        )

    def objective(self, parts: Parts, b: int) -> Objective:
        """Objective of the prototypes of one batch, given the others."""
        return replace(self._without(parts, b), candidates=parts[b].candidates).objective(self.penalty)

    def _without(self, parts: Parts, b: int) -> Task:
        """The task of one batch, given the others."""
        others = parts[:b] + parts[b + 1 :]
        if not others:
            return self.task
        q, rows = self.task.q.copy(), self.task.references
        q[rows] = self.q_of(others)
        return replace(self.task, q=q)


def added(q: np.ndarray, sums: Iterable[np.ndarray]) -> np.ndarray:
    """q with what some batches add to it."""
    for more in sums:
        q = q + more
    return q


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


@dataclass(frozen=True)
class Settings:
    """Settings of an elimination.

    Attributes
    ----------
    penalty : Penalty
    max_iter : int
    tol : float
        Of the model with all prototypes and of those of `sizes`; others are near the minimum.
    max_features : int or None
    sizes : tuple of int or None
        Numbers of prototypes to stop at, besides those of `SIZES`; None: no prototype is taken away.
    """

    penalty: Penalty
    max_iter: int
    tol: float
    max_features: int | None
    sizes: tuple[int, ...] | None


def eliminate(fitted: Model, X: np.ndarray, y: np.ndarray, task: Task, settings: Settings) -> list[Sized]:
    """A fitted model, or that with fewer features, and those with ever fewer prototypes, by increasing number.

    Rounds are on a core of many samples, as in `proset.penalty_path`; where a size is reached, all references count.

    Parameters
    ----------
    fitted : Model
        Its rows are those of X.
    X, y : ndarray, shapes (N, D) and (N,)
    task : Task
        The first batch's, with the same samples.
    settings : Settings
    """
    samples, start = task.samples, parts_of(fitted, task.samples)
    parts = start
    candidates = np.unique(samples.of_row[np.concatenate([batch.candidate_index for batch in fitted.batches])])
    task = replace(task, candidates=candidates)
    inner = core_of(task, levels_of(samples), CORE_REFERENCES, CORE_CANDIDATES)
    inner = replace(inner, candidates=np.unique(np.concatenate([inner.candidates, *(p.candidates for p in parts)])))
    candidate_index = np.sort(samples.row[candidates])
    everyone, rounds = Elimination(task, settings.penalty), Elimination(inner, settings.penalty)

    def sized(parts: Parts) -> Sized:
        batches = []
        for part, before, batch in zip(parts, start, fitted.batches, strict=True):
            if part is before:
                batches.append(batch)
                continue
            assert part.solution is not None
            solution = replace(part.solution, x=part.theta)
            candidates = samples.row[part.candidates]
            batches.append(fitted_batch(X, y, candidates, candidate_index, solution, samples.columns))
        return Sized(replace(fitted, batches=tuple(batches)), *everyone.score(parts))

    limit, sizes, exactly = settings.max_features, settings.sizes, (settings.max_iter, settings.tol)
    if limit is not None and len(active_features(parts)) > limit:
        parts = everyone.refitted(rounds.with_features(parts, limit), *exactly)
    found = [sized(parts)]
    if sizes is None:
        return found
    wanted = sorted(sizes)
    for smaller in rounds.path(parts, sizes):
        if wanted and n_prototypes(smaller) <= wanted[-1]:  # less where weights fell to 0
            wanted = [n for n in wanted if n < n_prototypes(smaller)]
            smaller = everyone.refitted(smaller, *exactly)
        elif len(inner.references) < len(task.references):
            smaller = everyone.refitted(smaller, ITERATIONS, TOLERANCE)
        found.append(sized(smaller))
    best: dict[int, Sized] = {}  # of a size that a path has twice, where weights fell to 0, the better one
    for one in found:
        n = one.model.n_prototypes()
        if n not in best or one.objective < best[n].objective:
            best[n] = one
    return [best[n] for n in sorted(best)]


def table(path: Sequence[Sized]) -> dict[str, np.ndarray]:
    """The path in the form of `ProsetClassifier.prototype_path_`."""
    return {
        "n_prototypes": np.array([one.model.n_prototypes() for one in path]),
        "n_features": np.array([len(one.model.active_features()) for one in path]),
        "objective": np.array([one.objective for one in path]),
        "leave_one_out_loss": np.array([one.loss for one in path]),
    }
