"""How many prototypes a model needs, by cross-validation: elimination in each fold, and the rule that chooses."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from proset import arithmetic
from proset.elimination import SIZES, Elimination, added
from proset.losses import log_losses
from proset.objective import Penalty
from proset.parts import Part, Parts, active_features, merged, n_prototypes
from proset.penalty_path import Fold, Pair


@dataclass(frozen=True)
class Sizes:
    """Losses of held-out samples by the largest number of prototypes.

    Attributes
    ----------
    sizes : tuple of int
        Increasing from 0; the last one is all that the fits on the folds had.
    mean, error : ndarray, shape (n_sizes,)
        Mean log-loss, and the standard error of how much lower it is than without prototypes.
    """

    sizes: tuple[int, ...]
    mean: np.ndarray
    error: np.ndarray

    @classmethod
    def of(cls, losses: Sequence[dict[int, np.ndarray]], weights: np.ndarray) -> "Sizes":
        """Sizes from the losses on each fold by number of prototypes; without one the next smaller model counts."""
        sizes = numbers(losses)
        found = np.array([np.concatenate([at_most(of_fold, n) for of_fold in losses]) for n in sizes])
        means = np.array([fsum(weights * row) / fsum(weights) for row in found])
        gains, mean_gains = found[0] - found, means[0] - means
        squares = (weights * (gains - mean_gains[:, None])) ** 2
        return cls(sizes, means, np.array([sqrt(fsum(row)) / fsum(weights) for row in squares]))

    def chosen(self, rule: str) -> int | None:
        """The smallest size within one standard error of the best, or the best; None for all prototypes.

        The error is that of the gain of the best: what its loss has in common with the model without prototypes, which
        with a base model is nearly all, does not count.
        """
        best = int(self.mean.argmin())
        allowed = self.mean[best] + (self.error[best] if rule == "one_standard_error" else 0.0)
        chosen = int(np.flatnonzero(self.mean <= allowed)[0])
        return self.sizes[chosen] if chosen < len(self.sizes) - 1 else None

    def mean_at(self, n: int) -> float:
        """Mean loss with at most n prototypes."""
        return float(self.mean[np.searchsorted(self.sizes, n, side="right") - 1])


def cross_validate(
    folds: Sequence[Fold], pair: Pair, n_batches: int, max_features: Sequence[int | None] = (None,)
) -> list[Sizes]:
    """Eliminate in each fold, roughly; for each number of features, which fall, or without a limit for None."""
    weights = np.concatenate([fold.weight for fold in folds])
    found: list[list[dict[int, np.ndarray]]] = [[] for _ in max_features]
    for fold in folds:
        parts = _fitted(fold, pair, n_batches)
        for limit, of_limit in zip(max_features, found, strict=True):
            parts = _limited(fold, pair, parts, limit)
            of_limit.append({n: log_losses(p, fold.y, clip=0.0) for n, p in _held_out(fold, pair, parts).items()})
    return [Sizes.of(of_limit, weights) for of_limit in found]


def held_out(fold: Fold, pair: Pair, n_batches: int, max_features: int | None) -> dict[int, np.ndarray]:
    """Class probabilities of the samples held out, by number of prototypes, from none to all."""
    return _held_out(fold, pair, _limited(fold, pair, _fitted(fold, pair, n_batches), max_features))


def n_features(folds: Sequence[Fold], pair: Pair, n_batches: int) -> int:
    """The largest number of features in the models of the folds, at least 1."""
    return max([1, *(len(active_features(_fitted(fold, pair, n_batches))) for fold in folds)])


def numbers(found: Sequence[dict[int, np.ndarray]]) -> tuple[int, ...]:
    """Numbers of prototypes at which folds are compared: those of a path, and the largest that any fold had."""
    largest = max(max(of_fold) for of_fold in found)
    return (*(n for n in (0, *SIZES) if n < largest), largest)


def at_most(found: dict[int, np.ndarray], n: int) -> np.ndarray:
    """What is there for the largest number up to n."""
    return found[max(m for m in found if m <= n)]


def _fitted(fold: Fold, pair: Pair, n_batches: int) -> Parts:
    parts = []
    for b in range(n_batches):
        task = fold.path.task
        parts.append(merged(Part.of(fold.path.weights(pair), task.candidates), task.samples))
        fold = fold.after(pair) if b < n_batches - 1 else fold
    return tuple(parts)


def _limited(fold: Fold, pair: Pair, parts: Parts, max_features: int | None) -> Parts:
    return parts if max_features is None else _elimination(fold, pair).with_features(parts, max_features)


def _held_out(fold: Fold, pair: Pair, parts: Parts) -> dict[int, np.ndarray]:
    task, found = fold.path.task, {}
    for model in (parts, *_elimination(fold, pair).path(parts, rough=True), ()):
        sums = (part.sums_at(fold.X, task.samples, fold.q.shape[1], task.n_threads) for part in model)
        q = added(fold.q, sums)
        found[n_prototypes(model)] = q / arithmetic.row_sums(q)[:, None]
    return found


def _elimination(fold: Fold, pair: Pair) -> Elimination:
    return Elimination(fold.path.task, Penalty(*pair, fold.path.alpha_v, fold.path.alpha_w))
