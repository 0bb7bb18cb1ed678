"""Losses in the stages of `proset.ProsetClassifierCV`: of penalties, numbers of batches, and numbers of prototypes."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from proset import penalty_path, size_choice
from proset.losses import LOSSES
from proset.penalty_path import Pair
from proset.race import Race
from proset.search_parts import Part


@dataclass(frozen=True)
class Stages:
    """What is tried on all folds.

    Attributes
    ----------
    parts : list of Part
        One for each fold, as the following.
    codes, weights : list of ndarray
        Numbers of the classes and weights of the samples that are scored.
    criterion : str
        One of `LOSSES`.
    early_stopping : bool
    n_jobs : int or None
    verbose : int
    """

    parts: list[Part]
    codes: list[np.ndarray]
    weights: list[np.ndarray]
    criterion: str
    early_stopping: bool
    n_jobs: int | None
    verbose: int

    def of_pairs(
        self, pairs: list[Pair] | None, path: tuple[tuple[float, ...], ...]
    ) -> tuple[list[Pair], np.ndarray, dict[str, np.ndarray]]:
        """Pairs, those given or along the path, their mean losses on the folds, NaN where not tried, and seconds."""
        numbers: dict[Pair, int] = {}
        seconds: dict[tuple[Pair, int], tuple[float, float]] = {}

        def losses(pair: Pair, f: int) -> np.ndarray:
            started = perf_counter()
            predict = self.parts[f].fit(pair, numbers.setdefault(pair, len(numbers)))
            fitted = perf_counter()
            found = LOSSES[self.criterion](predict(), self.codes[f])
            seconds[pair, f] = fitted - started, perf_counter() - fitted
            return found

        def each(function: Callable[[Any], np.ndarray], items: list[Any]) -> Iterable[np.ndarray]:
            for found in self._parallel(return_as="generator")(delayed(function)(item) for item in items):
                yield found
                self._say("stage 1", len(seconds))

        race: Race[Pair] = Race(losses, self.weights, each)
        if pairs is None:
            penalty_path.search(race, *path)
            pairs = list(race.found)
        else:
            numbers |= {pair: number for number, pair in reversed(list(enumerate(pairs)))}
            race.run(list(numbers)) if self.early_stopping else race.score(list(numbers), len(self.parts))
        self._say("stage 1", len(seconds), end="\n")
        shape = len(pairs), len(self.parts)
        table, times = np.full(shape, np.nan), np.full((2, *shape), np.nan)
        for i, pair in enumerate(pairs):
            for f, of_fold in enumerate(race.found[pair]):
                table[i, f] = np.average(of_fold, weights=self.weights[f])
                times[:, i, f] = seconds[pair, f]
        return pairs, table, {"fit_time": times[0], "score_time": times[1]}

    def of_batches(self, pair: Pair, n_batches: int) -> np.ndarray:
        """Mean losses with 0, 1, ... batches on the folds."""
        paths = [part.batches(pair, n_batches) for part in self.parts]
        losses: list[list[float]] = []
        for b in range(n_batches + 1):
            run = delayed(lambda f: self._loss(next(paths[f]), f))
            losses.append(self._parallel()(run(f) for f in range(len(paths))))
            is_worse = self.early_stopping and b > 0 and np.mean(losses[-1]) >= np.mean(losses[-2])
            self._say("stage 2", b * len(paths), end="\n" if is_worse or b == n_batches else "")
            if is_worse:
                break
        return np.array(losses)

    def of_sizes(
        self, pair: Pair, n_batches: int, max_features: int | None, also: int | None
    ) -> tuple[tuple[int, ...], np.ndarray]:
        """Numbers of prototypes, with `also` one that is wanted, and mean losses on the folds; none without a path."""
        run = delayed(lambda part: part.sizes(pair, n_batches, max_features))
        found = self._parallel()(run(part) for part in self.parts) if n_batches else []
        if not (found and all(found)):
            return (), np.empty((0, len(self.parts)))
        self._say("stage 3", len(self.parts), end="\n")
        sizes = size_choice.numbers(found)
        if also is not None and also < sizes[-1]:
            sizes = tuple(sorted({*sizes, also}))
        at_most = size_choice.at_most
        return sizes, np.array([[self._loss(at_most(of, n), f) for f, of in enumerate(found)] for n in sizes])

    def _loss(self, probabilities: np.ndarray, f: int) -> float:
        losses = LOSSES[self.criterion](probabilities, self.codes[f])
        return float(np.average(losses, weights=self.weights[f]))

    def _parallel(self, **options: Any) -> Parallel:
        # Threads: nearly all of the time is spent in compiled code, and nothing has to be sent.
        return Parallel(n_jobs=self.n_jobs, prefer="threads", **options)

    def _say(self, stage: str, n_fits: int, end: str = "") -> None:
        if self.verbose:
            print(f"\r{stage}: {n_fits} fits", end=end, file=sys.stderr, flush=True)
