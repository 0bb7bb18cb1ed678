"""The nearest sample that the model predicts otherwise: what would have had to be different, and what is the least.

Near is, first, to differ in few features; among as many, a small sum over the features of

    |x_d - x'_d| / s_d for numbers and ranks, s_d being the standard deviation of the training samples, and
    1 for another category.

A class is reached where some linear forms of the unnormalised probabilities q(x') are not negative, and so is a
probability or a familiarity: sum_k f_k q_k(x') >= g. In a box of values every kernel has a largest and a smallest
value, a product of those of single features, and with them each q_k and each form. So a box can be shown to hold no
solution.

Sets of features are searched by size. For each all its boxes are split, those shown empty are thrown away, and so are
those that are further than what has been found; what is left after the last one is the nearest solution, to `GAP` of
its cost and to boxes of `RESOLUTION` of the width of a kernel. That no smaller set has a solution is then proved, too.
This is feasible for up to `MAX_PROVEN` features that may change. With more, single features are searched like this, and
then prototypes of the other class are moved towards the sample, feature by feature, as far as the class stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from proset.encoding import CATEGORY
from proset.explain import exponents_of
from proset.familiarity import quantile, staged_familiarity
from proset.tables import given_samples, named, require
from proset.units import feature_names, feature_number

if TYPE_CHECKING:
    import pandas as pd

    from proset.classifier import ProsetClassifier

MAX_PROVEN = 8
MAX_BOXES = 400_000  # after so many, nothing is proved any more
MARGIN = 1e-5  # of probabilities: predictions have kernels in single precision
REACH = 9.0  # widths of a kernel, beyond which it is 0
GAP, RESOLUTION = 1e-3, 1e-3
STARTS = 5  # prototypes to start from, where sets of features are too many
HALVINGS = 30
SIGNS = {"up": 1, "down": -1}


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
        """From the forms, (R, K), and limits, (R,), of each class."""
        return cls(np.concatenate(forms), np.concatenate(limits), len(forms))

    def may_hold(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Whether it may hold somewhere between low and high values of q, both (n, K); shape (n,)."""
        return self._any(high @ np.maximum(self.forms, 0.0).T + low @ np.minimum(self.forms, 0.0).T)

    def holds(self, q: np.ndarray) -> np.ndarray:
        """Whether it holds, shape (n,)."""
        return self._any(q @ self.forms.T)

    def _any(self, values: np.ndarray) -> np.ndarray:
        fulfilled = (values >= self.limits).reshape(len(values), self.n_classes, -1)
        found: np.ndarray = np.any(np.all(fulfilled, axis=2), axis=1)
        return found


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
        if n_features <= MAX_PROVEN:
            return None, is_proved
        return self._from_prototypes(), False

    def cost(self, values: np.ndarray) -> np.ndarray:
        """Of values (n, A), shape (n,)."""
        change = np.where(self.is_category, (values != self.x) * 1.0, np.abs(values - self.x))
        found: np.ndarray = change @ self.unit
        return found

    def holds(self, values: np.ndarray) -> np.ndarray:
        """Whether values (n, A) are solutions."""
        every = np.tile(np.arange(len(self.x)), (len(values), 1))
        return self._holds(every, values)

    def _holds(self, sets: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Whether values (n, size) of sets of features, all others being those of the sample, are solutions."""
        lower = values[..., None]
        distance = np.where(self.is_category[sets][..., None], lower != self.centre[sets], lower - self.centre[sets])
        return self.goal.holds(self._q(sets, distance))

    def _may_hold(self, sets: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Whether there may be solutions in boxes of sets of features, arrays of shape (n, size)."""
        centre, lower, upper = self.centre[sets], low[..., None], high[..., None]
        is_category, differs = self.is_category[sets][..., None], lower != centre
        nearest = np.where(is_category, differs, np.clip(centre, lower, upper) - centre)
        furthest = np.where(is_category, differs, np.maximum(np.abs(lower - centre), np.abs(upper - centre)))
        return self.goal.may_hold(self._q(sets, furthest), self._q(sets, nearest))

    def _q(self, sets: np.ndarray, distance: np.ndarray) -> np.ndarray:
        """q, (n, K), where the features of sets, (n, size), have some distances from the prototypes, (n, size, J)."""
        fixed = self.rest + self.own.sum(axis=0) + (self.gap[sets] - self.own[sets]).sum(axis=1)
        exponent = fixed + ((self.width[sets] * distance) ** 2).sum(axis=1)
        found: np.ndarray = self.prior + np.exp(-0.5 * np.maximum(exponent, 0.0)) @ self.weights
        return found

    def _in_sets(self, sets: Sequence[tuple[int, ...]]) -> tuple[np.ndarray | None, bool]:
        """The nearest solution that differs in all features of one of these sets, and whether all was searched."""
        best, least = None, np.inf
        which, low, high = self._boxes(sets)
        n_boxes = 0
        while len(which):
            n_boxes += len(which)
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
            if n_boxes > MAX_BOXES:
                return best, False
            which, low, high, middle, spread = (of[open_] for of in (which, low, high, middle, spread))
            rows, split = np.arange(len(which)), spread.argmax(axis=1) if len(which) else np.empty(0, dtype=int)
            left, right = high.copy(), low.copy()
            left[rows, split] = right[rows, split] = middle[rows, split]
            which, low, high = np.tile(which, (2, 1)), np.concatenate([low, right]), np.concatenate([left, high])
        return best, True

    def _boxes(self, sets: Sequence[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each set one box, or one for each combination of categories: features, and their lower and upper ends."""
        which, low, high = [], [], []
        for features in sets:
            choices = [[None] if self.levels[d] is None else list(self.levels[d]) for d in features]  # type: ignore[arg-type]
            for levels in product(*choices):
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
        found: np.ndarray = start + high * step
        return found

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


@dataclass(frozen=True)
class Constraints:
    """What may change, by number of feature.

    Attributes
    ----------
    fixed : set of int
    ranges : dict
        Smallest and largest values of numbers.
    choices : dict
        Allowed categories and ranks, as numbers.
    directions : dict
        1 for features that may only rise, -1 for those that may only fall.
    """

    fixed: set[int]
    ranges: dict[int, tuple[float, float]]
    choices: dict[int, np.ndarray]
    directions: dict[int, int]

    @classmethod
    def of(
        cls,
        classifier: "ProsetClassifier",
        fixed: Sequence[Any],
        ranges: Mapping[Any, Any],
        directions: Mapping[Any, str],
    ) -> "Constraints":
        """From names or numbers of features; ValueError if they do not fit."""
        encoding, numbers, choices, turned = classifier._encoding, {}, {}, {}
        for feature, allowed in ranges.items():
            d = feature_number(classifier, feature, "ranges")
            if (levels := encoding.levels[d]) is None:
                is_pair = np.shape(allowed) == (2,) and all(isinstance(end, Real) for end in allowed)
                if not (is_pair and allowed[0] <= allowed[1]):
                    raise ValueError(f"ranges: {allowed!r} for {feature!r} is not allowed, must be (smallest, largest)")
                numbers[d] = float(allowed[0]), float(allowed[1])
            elif isinstance(allowed, str) or not all(value in levels for value in allowed):
                known = list(levels)[:20]
                raise ValueError(f"ranges: {allowed!r} for {feature!r} is not allowed, must be a list from {known}")
            else:
                choices[d] = np.array([float(levels.index(value)) for value in allowed])
        for feature, direction in directions.items():
            d = feature_number(classifier, feature, "directions")
            if direction not in SIGNS or encoding.kinds[d] == CATEGORY:
                allowed = "a category has none" if encoding.kinds[d] == CATEGORY else f"must be one of {list(SIGNS)}"
                raise ValueError(f"directions: {direction!r} for {feature!r} is not allowed, {allowed}")
            turned[d] = SIGNS[direction]
        return cls({feature_number(classifier, feature, "fixed") for feature in fixed}, numbers, choices, turned)

    def interval(self, d: int, x: float, usual: tuple[float, float]) -> tuple[float, float]:
        """Smallest and largest value of a number that is x now; the first is larger if there is none."""
        low, high = self.ranges.get(d, usual)
        sign = self.directions.get(d, 0)
        return (max(low, x) if sign > 0 else low), (min(high, x) if sign < 0 else high)

    def levels(self, d: int, x: float, known: Sequence[Any]) -> np.ndarray:
        """Other numbers among the levels than x; a missing value is not proposed."""
        found = np.array(
            [number for number, level in enumerate(known) if level is not None and number != x], dtype=float
        )
        if d in self.choices:
            found = found[np.isin(found, self.choices[d])]
        return found[self.directions.get(d, 0) * (found - x) >= 0]


@dataclass(frozen=True)
class _Finder:
    """The model with its constraints, and what is asked for.

    Attributes
    ----------
    classifier : ProsetClassifier
    constraints : Constraints
    target : int, optional
        Number of a class; by default any but the predicted one.
    probability : float, optional
        That it has to have at least; by default it has to be the predicted one.
    least_familiarity : float
    """

    classifier: "ProsetClassifier"
    constraints: Constraints
    target: int | None
    probability: float | None
    least_familiarity: float

    def goal(self, predicted: int) -> Goal:
        """For a sample of a predicted class."""
        costs, n = self.classifier._costs(), len(self.classifier.classes_)
        every = np.ones(n)
        forms, limits = [], []
        for k in [k for k in range(n) if k != predicted] if self.target is None else [self.target]:
            if self.probability is None:
                others = np.delete(np.arange(n), k)
                rows = [*(costs[:, others] - costs[:, [k]] - MARGIN * np.abs(costs).max()).T]
            else:
                rows = [np.eye(n)[k] - (self.probability + MARGIN) * every]
            forms.append(np.array([*rows, every]))
            limits.append(np.array([0.0] * len(rows) + [1.0 + self.least_familiarity * (1.0 + MARGIN)]))
        return Goal.of(forms, limits)

    def space(self, x: np.ndarray, goal: Goal) -> tuple[np.ndarray, Space]:
        """Features that may change, (A,), and their space."""
        classifier, model, rules = self.classifier, self.classifier._model, self.constraints
        encoding, ranges = classifier._encoding, classifier.feature_range_
        choices: list[np.ndarray | None] = []
        intervals, free = [], []
        for d in model.active_features():
            known, ends, levels = encoding.levels[d], (0.0, 0.0), None
            is_missing = np.isnan(x[d]) or (known is not None and x[d] < len(known) and known[int(x[d])] is None)
            if d in rules.fixed or is_missing:
                continue
            if known is None:
                ends = rules.interval(d, x[d], tuple(ranges[:, d]))
                if not ends[0] <= ends[1]:
                    continue
            elif not len(levels := rules.levels(d, x[d], known)):
                continue
            free.append(d)
            intervals.append(ends)
            choices.append(levels)
        features = np.array(free, dtype=np.intp)
        batches, columns = model.batches, model.columns
        active = model.active_features()
        none = np.empty((len(active), 0))
        own = np.concatenate([none, *(exponents_of(model, x[None], batch, active)[:, 0] for batch in batches)], axis=1)
        may_change = np.isin(active, features)
        centre = np.concatenate([none[may_change], *(batch.prototypes.T[features] for batch in batches)], axis=1)
        sizes = [len(batch.labels) for batch in batches]
        v = np.array([batch.feature_weights[features] for batch in batches]).reshape(len(batches), -1)
        width = np.repeat(v, sizes, axis=0).T
        labels = np.concatenate([np.empty(0, dtype=int), *(batch.labels for batch in batches)])
        weights = np.concatenate([np.empty(0), *(batch.prototype_weights for batch in batches)])
        spread = classifier.scale_ if columns is None else columns.spread
        is_category = np.array([encoding.kinds[d] == CATEGORY for d in features], dtype=bool)
        gaps = np.isnan(centre)
        gap = np.where(gaps, np.log1p((width * spread[features, None]) ** 2), 0.0)
        width = np.where(gaps, 0.0, width)
        if columns is not None:
            width = np.where(is_category[:, None], width * columns.category[features, None], width)
        ends_of = _within_reach(np.reshape(np.array(intervals, dtype=float), (-1, 2)), centre, v, x[features])
        return features, Space(
            x=x[features],
            low=ends_of[:, 0],
            high=ends_of[:, 1],
            levels=choices,
            unit=np.where(is_category, 1.0, 1.0 / spread[features]),
            is_category=is_category,
            centre=np.where(gaps, 0.0, centre),
            width=width,
            gap=gap,
            own=own[may_change],
            rest=own[~may_change].sum(axis=0),
            weights=weights[:, None] * np.eye(len(model.class_prior))[labels],
            prior=model.class_prior,
            goal=goal,
        )

    def find(self, x: np.ndarray, predicted: int) -> tuple[np.ndarray | None, float, bool]:
        """The sample instead of x, (D,), or None; its cost; and whether there is provably no nearer one."""
        goal = self.goal(predicted)
        features, space = self.space(x, goal)
        if space.holds(space.x[None])[0]:
            return x, 0.0, True
        values, is_proved = space.nearest() if len(features) else (None, True)
        if values is None:
            return None, np.nan, is_proved
        found = x.copy()
        found[features] = values
        return found, float(space.cost(values[None])[0]), is_proved

    def find_row(self, x: np.ndarray, predicted: int, rows: np.ndarray) -> tuple[np.ndarray | None, float, bool]:
        """The same among some samples (n, D), which differ from x in active features that may change."""
        features, space = self.space(x, self.goal(predicted))
        if space.holds(space.x[None])[0]:
            return x, 0.0, True
        active = self.classifier.active_features_
        same = (rows == x) | (np.isnan(rows) & np.isnan(x))
        allowed = same[:, np.setdiff1d(active, features)].all(axis=1)
        for d, low, high, levels in zip(features, space.low, space.high, space.levels, strict=True):
            new = rows[:, d]
            allowed &= same[:, d] | ((new >= low) & (new <= high) if levels is None else np.isin(new, levels))
        values = rows[allowed][:, features]
        values = values[space.holds(values)]
        if not len(values):
            return None, np.nan, True
        costs = space.cost(values)
        best = np.lexsort((costs, (values != space.x).sum(axis=1)))[0]
        found = x.copy()
        found[features] = values[best]
        return found, float(costs[best]), True


def counterfactuals(
    classifier: "ProsetClassifier",
    X: npt.ArrayLike,
    target: Any,
    probability: float | None,
    constraints: tuple[Sequence[Any], Mapping[Any, Any], Mapping[Any, str]],
    only_training_rows: bool,
    min_familiarity_quantile: float,
) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.counterfactuals`."""
    require("pandas", "counterfactuals")
    import pandas as pd

    if classifier._fitted_base() is not None:
        raise ValueError(f"base: {classifier._base_name()} is not allowed, nothing can be proved of its probabilities")
    classes = classifier.classes_
    if target is not None and target not in classes:
        raise ValueError(f"target: {target!r} is not allowed, must be one of {classes.tolist()}")
    if probability is not None and not 0.0 < probability < 1.0:
        raise ValueError(f"probability: {probability!r} is not allowed, must be between 0 and 1")
    if not 0.0 <= min_familiarity_quantile < 1.0:
        raise ValueError(
            f"min_familiarity_quantile: {min_familiarity_quantile!r} is not allowed, must be at least 0 and below 1"
        )
    _, labels, given = given_samples(X, None, None)
    points, model = classifier._validated(given), classifier._model
    code = None if target is None else int(np.flatnonzero(classes == target)[0])
    finder = _Finder(
        classifier,
        Constraints.of(classifier, *constraints),
        code,
        probability,
        _familiarity_at(classifier.training_familiarity_[-1], min_familiarity_quantile),
    )
    candidates = classifier._fitted_to().points if only_training_rows else None
    *_, probabilities = model.staged_predict_proba(points, classifier._n_threads())
    predicted = classifier._decided(probabilities)
    found = [
        finder.find(x, k) if candidates is None else finder.find_row(x, k, candidates)
        for x, k in zip(points, predicted, strict=True)
    ]
    is_found = np.array([new is not None for new, _, _ in found], dtype=bool)
    instead = np.array([x if new is None else new for x, (new, _, _) in zip(points, found, strict=True)])
    *_, then = model.staged_predict_proba(instead, classifier._n_threads())
    *_, familiarity = staged_familiarity(model, instead)
    codes = classifier._decided(then)
    features, names = model.active_features(), feature_names(classifier, None)
    changed = (instead != points) & ~np.isnan(points)
    values, new_values = (classifier._encoding.decode(of)[:, features] for of in (points, instead))
    none: Any = None if new_values.dtype == object else np.nan
    new_values = np.where(is_found[:, None], new_values, none)
    shown = codes if code is None else np.full(len(codes), code)
    if code is None and probability is not None:
        shown = np.where(np.arange(len(classes)) == predicted[:, None], -1.0, then).argmax(axis=1)
    columns: dict[str, Any] = {
        "sample": labels,
        "found": is_found,
        "class": classes[predicted],
        "class then": pd.Series(np.where(is_found, classes[codes].astype(object), None), dtype=object),
        "probability": np.where(is_found, then[np.arange(len(then)), shown], np.nan),
        "changed": [", ".join(names[d] for d in np.flatnonzero(row)) for row in changed],
        "n_changed": changed.sum(axis=1),
        "cost": [cost for _, cost, _ in found],
        "proved": [is_proved for _, _, is_proved in found],
        "familiarity": np.where(is_found, familiarity, np.nan),
        "familiarity quantile": np.where(is_found, quantile(classifier.training_familiarity_[-1], familiarity), np.nan),
    }
    columns |= named("value of", names, features, values) | named("new value of", names, features, new_values)
    return pd.DataFrame(columns)


def _within_reach(ends: np.ndarray, centre: np.ndarray, v: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Intervals of features, (A, 2), without what is so far from all prototypes, (A, J), that nothing changes there."""
    reach = REACH / np.where(v > 0, v, np.inf).min(axis=0)
    points = np.column_stack([centre, x])
    low, high = np.nanmin(points, axis=1) - reach, np.nanmax(points, axis=1) + reach
    low = np.minimum(np.maximum(ends[:, 0], low), ends[:, 1])
    return np.column_stack([low, np.maximum(np.minimum(ends[:, 1], high), low)])


def _familiarity_at(points: np.ndarray, level: float) -> float:
    """The familiarity whose quantile is at least a level, infinite if there is none."""
    positions = np.arange(len(points) + 1) / (len(points) + 1)
    if level > positions[-1]:
        return np.inf
    return float(np.interp(level, positions, np.concatenate([[min(0.0, float(points[0]))], points]))) if level else 0.0
