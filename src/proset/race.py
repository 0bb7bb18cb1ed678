"""Settings compared on the same held-out samples, pair by pair, so that poor ones need not be tried on all of them."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import fsum, sqrt
from typing import Generic, TypeVar

import numpy as np

S = TypeVar("S", bound=Hashable)
CLEARLY = 2.0  # standard errors of a difference from the best, beyond which a setting is out of the race


class Race(Generic[S]):
    """Losses of settings on the folds of a cross-validation.

    Parameters
    ----------
    losses : callable
        From a setting and the number of a fold to the losses of the fold's samples, shape (n_fold,).
    weights : list of ndarray, shape (n_fold,)
        Of the samples, one array per fold.
    each : callable, default=map
        Calls a function for the folds; another one may do so in parallel.

    Attributes
    ----------
    found : dict
        For each setting, in the order in which they were first tried, the losses of the folds tried so far.
    """

    def __init__(
        self,
        losses: Callable[[S, int], np.ndarray],
        weights: list[np.ndarray],
        each: Callable[[Callable[[tuple[S, int]], np.ndarray], list[tuple[S, int]]], Iterable[np.ndarray]] = map,
    ):
        self.losses, self.weights, self.each = losses, weights, each
        self.found: dict[S, list[np.ndarray]] = {}

    def score(self, settings: Sequence[S], n_folds: int) -> None:
        """Try settings on the first folds, as far as that has not been done."""
        missing = [(s, f) for f in range(n_folds) for s in settings if f >= len(self.found.setdefault(s, []))]
        for (s, _), of_fold in zip(missing, self.each(lambda pair: self.losses(*pair), missing), strict=True):
            self.found[s].append(of_fold)

    def mean(self, setting: S) -> float:
        """Mean loss over the samples of the folds that were tried."""
        of_folds = self.found[setting]
        weights = np.concatenate(self.weights[: len(of_folds)])
        return fsum(weights * np.concatenate(of_folds)) / fsum(weights)

    def difference(self, setting: S, other: S) -> tuple[float, float]:
        """Mean loss of a setting minus that of another on the same samples, and the standard error of this."""
        n_folds = min(len(self.found[setting]), len(self.found[other]))
        weights = np.concatenate(self.weights[:n_folds])
        differences = np.concatenate(self.found[setting][:n_folds]) - np.concatenate(self.found[other][:n_folds])
        total = fsum(weights)
        mean = fsum(weights * differences) / total
        return mean, sqrt(fsum((weights * (differences - mean)) ** 2)) / total

    def is_out(self, setting: S, best: S) -> bool:
        """Whether a setting is clearly worse than another."""
        mean, error = self.difference(setting, best)
        return mean > CLEARLY * error

    def walk(self, settings: Sequence[S], best: S | None = None) -> S:
        """Try settings in turn, until one is clearly worse than the best before it, or two in turn are worse.

        Returns
        -------
        The best of them and of `best`.
        """
        worse = 0
        for setting in settings:
            self.score([setting], len(self.weights))
            if best is None or self.difference(setting, best)[0] < 0.0:
                best, worse = setting, 0
                continue
            worse += 1
            if worse == 2 or self.is_out(setting, best):
                break
        assert best is not None
        return best

    def run(self, settings: Sequence[S]) -> None:
        """Try all settings on the first fold; on each further one those not clearly worse than the best."""
        for n_folds in range(1, len(self.weights) + 1):
            self.score(settings, n_folds)
            best = min(settings, key=self.mean)
            settings = [setting for setting in settings if not self.is_out(setting, best)]
