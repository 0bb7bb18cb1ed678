"""The nearest solution among values of some features, by branch and bound over boxes.

A solution fulfils linear forms of the unnormalised probabilities, sum_k f_k q_k(x') >= g. In a box of values every
kernel has a largest and a smallest value, a product of those of single features, and with them each q_k and each form.
So a box can be shown to hold no solution.

Sets of features are searched by size. All boxes of a size are split, those shown empty are thrown away, and so are
boxes further away than the best solution found; what is left after the last one is the nearest solution, to `GAP` of
its cost and to boxes of `RESOLUTION` of the width of a kernel. That no smaller set has a solution is then proved, too.
With more than `MAX_PROVEN` features single ones are searched like this, and then prototypes that are solutions are
moved towards the sample, feature by feature, as far as they stay solutions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

import numpy as np

MAX_PROVEN = 8
MAX_PRODUCTS = 200_000_000  # boxes times features times prototypes: after that many for a size, nothing is proved
ENTRIES = 2_000_000  # of a table of these, which exists for some boxes at a time
GAP, RESOLUTION = 1e-3, 1e-3
STARTS = 5  # prototypes to start from, where sets of features are too many
HALVINGS = 30


@dataclass(frozen=True)
class Goal:
    """What a solution has to fulfil: all forms of one of several classes.

    Attributes
    ----------
    forms : ndarray, shape (T R, K)
        f of the R forms of each of T classes.
    limits : ndarray, shape (T R,)
        g of each form.
    n_classes : int
        T.
    """

    forms: np.ndarray
    limits: np.ndarray
    n_classes: int

    @classmethod
    def of(cls, forms: list[np.ndarray], limits: list[np.ndarray]) -> "Goal":
        """Make a goal from the forms, (R, K), and limits, (R,), of each class."""
        return cls(np.concatenate(forms), np.concatenate(limits), len(forms))

    def may_hold(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Whether it may hold somewhere between low and high values of q, both (n, K); shape (n,)."""
        return self._any(high @ np.maximum(self.forms, 0.0).T + low @ np.minimum(self.forms, 0.0).T)

    def holds(self, q: np.ndarray) -> np.ndarray:
        """Whether it holds, shape (n,)."""
        return self._any(q @ self.forms.T)

    def _any(self, values: np.ndarray) -> np.ndarray:
        fulfilled = (values >= self.limits).reshape(len(values), self.n_classes, values.shape[1] // self.n_classes)
        return np.any(np.all(fulfilled, axis=2), axis=1)


@dataclass(frozen=True)
class Space:
    """Where solutions are looked for: the features of one sample that may change, and the model over them.

    Attributes
    ----------
    x : ndarray, shape (A,)
        Values of the sample in these features.
    low, high : ndarray, shape (A,)
        Between which values of numbers are allowed.
    levels : list of ndarray or None, length A
        Allowed values of categories and of ranks, without that of the sample; None for numbers.
    unit : ndarray, shape (A,)
        What a change of 1 costs; of categories, any change.
    is_category : ndarray of bool, shape (A,)
    centre, width, gap : ndarray, shape (A, J)
        Values of the prototypes, 0 where one is missing; feature weights, 0 there; what a missing value adds. For
        categories the weight is multiplied by the distance.
    own : ndarray, shape (A, J)
        What the sample's values add.
    rest : ndarray, shape (J,)
        What all other features add.
    weights : ndarray, shape (J, K)
        Of the prototypes, in the column of their class.
    prior : ndarray, shape (K,)
    goal : Goal
    """

    x: np.ndarray
    low: np.ndarray
    high: np.ndarray
    levels: list[np.ndarray | None]
    unit: np.ndarray
    is_category: np.ndarray
    centre: np.ndarray
    width: np.ndarray
    gap: np.ndarray
    own: np.ndarray
    rest: np.ndarray
    weights: np.ndarray
    prior: np.ndarray
    goal: Goal

    def nearest(self) -> tuple[np.ndarray | None, bool]:
        """Values (A,) of a solution, None if there is none; and whether it is proved that there is no nearer one."""
        n_features, is_proved = len(self.x), True
        sizes = range(1, n_features + 1) if n_features <= MAX_PROVEN else range(1, 2)
        for size in sizes:
            found, is_complete = self._in_sets(list(combinations(range(n_features), size)))
            is_proved &= is_complete
            if found is not None:
                return found, is_proved
        if n_features <= MAX_PROVEN and is_proved:
            return None, True
        return self._from_prototypes(), False

    def cost(self, values: np.ndarray) -> np.ndarray:
        """Cost of values (n, A), shape (n,)."""
        change = np.where(self.is_category, (values != self.x) * 1.0, np.abs(values - self.x))
        return change @ self.unit

    def holds(self, values: np.ndarray) -> np.ndarray:
        """Whether values (n, A) are solutions."""
        every = np.tile(np.arange(len(self.x)), (len(values), 1))
        return self._holds(every, values)

    def _holds(self, sets: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Whether values (n, size) of sets of features, all others being those of the sample, are solutions."""
        if len(values) > (step := self._step(sets)):
            tiles = (slice(first, first + step) for first in range(0, len(values), step))
            return np.concatenate([self._holds(sets[rows], values[rows]) for rows in tiles])
        lower = values[..., None]
        distance = np.where(self.is_category[sets][..., None], lower != self.centre[sets], lower - self.centre[sets])
        return self.goal.holds(self._q(sets, distance))

    def _may_hold(self, sets: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Whether there may be solutions in boxes of sets of features, arrays of shape (n, size)."""
        if len(low) > (step := self._step(sets)):
            tiles = (slice(first, first + step) for first in range(0, len(low), step))
            return np.concatenate([self._may_hold(sets[rows], low[rows], high[rows]) for rows in tiles])
        centre, lower, upper = self.centre[sets], low[..., None], high[..., None]
        is_category, differs = self.is_category[sets][..., None], lower != centre
        nearest = np.where(is_category, differs, np.clip(centre, lower, upper) - centre)
        furthest = np.where(is_category, differs, np.maximum(np.abs(lower - centre), np.abs(upper - centre)))
        return self.goal.may_hold(self._q(sets, furthest), self._q(sets, nearest))

    def _step(self, sets: np.ndarray) -> int:
        return int(max(1, ENTRIES // max(1, sets.shape[1] * len(self.rest))))

    def _q(self, sets: np.ndarray, distance: np.ndarray) -> np.ndarray:
        """q, (n, K), where the features of sets, (n, size), have some distances from the prototypes, (n, size, J)."""
        fixed = self.rest + self.own.sum(axis=0) + (self.gap[sets] - self.own[sets]).sum(axis=1)
        exponent = fixed + ((self.width[sets] * distance) ** 2).sum(axis=1)
        return self.prior + np.exp(-0.5 * np.maximum(exponent, 0.0)) @ self.weights

    def _in_sets(self, sets: Sequence[tuple[int, ...]]) -> tuple[np.ndarray | None, bool]:
        """The nearest solution that differs in all features of one of these sets, and whether all was searched."""
        best, least = None, np.inf
        of_box = len(sets[0]) * max(1, len(self.rest))
        n_boxes = sum(prod(len(self._choices(d)) for d in features) for features in sets)
        if n_boxes * of_box > MAX_PRODUCTS:
            return None, False
        which, low, high = self._boxes(sets)
        while len(which):
            x, unit, is_category = self.x[which], self.unit[which], self.is_category[which]
            possible = self._may_hold(which, low, high)
            nearest = np.where(is_category, low, np.clip(x, low, high))
            costs = (unit * np.where(is_category, 1.0, np.abs(nearest - x))).sum(axis=1)
            kept = possible & (costs < least * (1.0 - GAP))
            which, low, high, nearest, costs, unit, is_category, x = (
                of[kept] for of in (which, low, high, nearest, costs, unit, is_category, x)
            )
            if not len(which):
                break
            middle = np.where(is_category, low, (low + high) / 2.0)
            solved = self._holds(which, nearest)
            tried = self._holds(which, middle)
            ends = (unit * np.where(is_category, 1.0, np.abs(middle - x))).sum(axis=1)
            if solved.any() and costs[solved].min() < least:
                i = np.flatnonzero(solved)[costs[solved].argmin()]
                best, least = self._with(which[i], nearest[i]), costs[i]
            if tried.any() and ends[tried].min() < least:
                i = np.flatnonzero(tried)[ends[tried].argmin()]
                best = self._between(self._with(which[i], nearest[i]), self._with(which[i], middle[i]))
                least = float(self.cost(best[None])[0])
            spread = np.where(is_category, 0.0, (high - low) * self.width[which].max(axis=2, initial=0.0))
            open_ = ~solved & (spread.max(axis=1) > RESOLUTION) & (costs < least * (1.0 - GAP))
            which, low, high, middle, spread = (of[open_] for of in (which, low, high, middle, spread))
            n_boxes += 2 * len(which)
            if n_boxes * of_box > MAX_PRODUCTS:
                return best, False
            rows, split = np.arange(len(which)), spread.argmax(axis=1) if len(which) else np.empty(0, dtype=int)
            left, right = high.copy(), low.copy()
            left[rows, split] = right[rows, split] = middle[rows, split]
            which, low, high = np.tile(which, (2, 1)), np.concatenate([low, right]), np.concatenate([left, high])
        return best, True

    def _boxes(self, sets: Sequence[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One box for each set, or one for each combination of categories: features, and their lower and upper ends."""
        which, low, high = [], [], []
        for features in sets:
            for levels in product(*map(self._choices, features)):
                ends = [
                    (self.low[d], self.high[d]) if level is None else (level, level)
                    for d, level in zip(features, levels, strict=True)
                ]
                which.append(features)
                low.append([end[0] for end in ends])
                high.append([end[1] for end in ends])
        size = len(sets[0])
        return (
            np.reshape(np.array(which, dtype=np.intp), (-1, size)),
            np.reshape(np.array(low, dtype=float), (-1, size)),
            np.reshape(np.array(high, dtype=float), (-1, size)),
        )

    def _choices(self, d: int) -> list[float | None]:
        """None for a number, which has an interval."""
        levels = self.levels[d]
        return [None] if levels is None else levels.tolist()

    def _with(self, features: np.ndarray, values: np.ndarray) -> np.ndarray:
        found = self.x.copy()
        found[features] = values
        return found

    def _between(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """A solution on the way from no solution to one, by bisection."""
        step = end - start
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            low, high = (low, middle) if self.holds((start + middle * step)[None])[0] else (middle, high)
        return start + high * step

    def _from_prototypes(self) -> np.ndarray | None:
        """A solution that is near, if a prototype or a mixture of one and the sample is one."""
        numbers = np.flatnonzero([levels is None for levels in self.levels])
        values = np.where(self.width > 0, self.centre, self.x[:, None]).T
        values[:, numbers] = np.clip(values[:, numbers], self.low[numbers], self.high[numbers])
        for a, levels in enumerate(self.levels):
            if levels is not None:
                values[~np.isin(values[:, a], levels), a] = self.x[a]
        values = values[self.holds(values)]
        found = [self._reduced(value) for value in values[np.argsort(self.cost(values), kind="stable")[:STARTS]]]
        return min(found, key=self._key) if found else None

    def _key(self, value: np.ndarray) -> tuple[int, float]:
        return int((value != self.x).sum()), float(self.cost(value[None])[0])

    def _reduced(self, value: np.ndarray) -> np.ndarray:
        """A solution with features set back to those of the sample, or moved towards them, as far as it stays one."""
        while len(changed := np.flatnonzero(value != self.x)):
            tried = np.tile(value, (len(changed), 1))
            tried[np.arange(len(changed)), changed] = self.x[changed]
            allowed = np.flatnonzero(self.holds(tried))
            if not len(allowed):
                break
            value = tried[allowed[self.cost(tried[allowed]).argmin()]]
        for d in np.flatnonzero((value != self.x) & ~self.is_category):
            if self.levels[d] is None:
                start = value.copy()
                start[d] = np.clip(self.x[d], self.low[d], self.high[d])
                value = start if self.holds(start[None])[0] else self._between(start, value)
        return value
