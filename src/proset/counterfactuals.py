"""The nearest sample that the model predicts otherwise: what would have had to be different, and what is the least.

Near is, first, to differ in few features; among as many, a small sum over the features of

    |x_d - x'_d| / s_d for numbers and ranks, s_d being the standard deviation of the training samples, and
    1 for another category.

A class is predicted where linear forms of the unnormalised probabilities q(x') are positive: for each other class the
expected cost of that minus that of this one. A probability of at least p is one, q_k - p sum_l q_l, and a familiarity
another, sum_l q_l - 1. `proset.boxes` finds the nearest solution, and proves that it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from proset.boxes import Goal, Space
from proset.encoding import CATEGORY
from proset.explain import exponents
from proset.familiarity import staged_familiarity
from proset.tables import named, require
from proset.units import feature_names, feature_number, given_samples
from proset.validation import check_proportion

if TYPE_CHECKING:
    import pandas as pd

    from proset.fitted_model import FittedModel

MARGIN = 1e-5  # what speaks for a class is more by this share: predictions have kernels in single precision
TINY = 1e-300  # a tie is no solution
REACH = 9.0  # widths of a kernel, beyond which it is 0
SIGNS = {"up": 1, "down": -1}


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
        cls, classifier: "FittedModel", fixed: Sequence[Any], ranges: Mapping[Any, Any], directions: Mapping[Any, str]
    ) -> "Constraints":
        """Make constraints from names or numbers of features; ValueError if they do not fit."""
        for name, given in (("ranges", ranges), ("directions", directions)):
            if not isinstance(given, Mapping):
                raise ValueError(f"{name}: {given!r} is not allowed, must be a dictionary with features as keys")
        if isinstance(fixed, str) or not isinstance(fixed, Iterable):
            raise ValueError(f"fixed: {fixed!r} is not allowed, must be a list of features")
        encoding, numbers, choices, turned = classifier._encoding, {}, {}, {}
        for feature, allowed in ranges.items():
            d = feature_number(classifier, feature, "ranges")
            if (levels := encoding.levels[d]) is None:
                is_pair = np.shape(allowed) == (2,) and all(isinstance(end, Real) for end in allowed)
                if not (is_pair and allowed[0] <= allowed[1]):
                    raise ValueError(f"ranges: {allowed!r} for {feature!r} is not allowed, must be (smallest, largest)")
                numbers[d] = float(allowed[0]), float(allowed[1])
            elif isinstance(allowed, str) or not (isinstance(allowed, Iterable) and all(v in levels for v in allowed)):
                known = list(levels)[:20]
                raise ValueError(f"ranges: {allowed!r} for {feature!r} is not allowed, must be a list from {known}")
            else:
                choices[d] = np.array([float(levels.index(value)) for value in allowed])
        for feature, direction in directions.items():
            d = feature_number(classifier, feature, "directions")
            if direction not in list(SIGNS) or encoding.kinds[d] == CATEGORY:
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

    classifier: "FittedModel"
    constraints: Constraints
    target: int | None
    probability: float | None
    least_familiarity: float

    def goal(self, predicted: int) -> Goal:
        """What the counterfactual of a sample that is predicted as this class must reach."""
        costs, n = self.classifier._costs(), len(self.classifier.classes_)
        every, enough = np.ones(n), 1.0 + MARGIN
        forms, limits = [], []
        for k in [k for k in range(n) if k != predicted] if self.target is None else [self.target]:
            if self.probability is None:
                rows = [costs[:, other] - costs[:, k] for other in range(n) if other != k]
            else:
                rows = [np.where(np.arange(n) == k, 1.0 - self.probability, -self.probability)]
            forms.append(np.array([*(np.where(row < 0.0, enough * row, row) for row in rows), every]))
            # Without a bound the last form holds everywhere, also where rounding leaves the sum of the prior below 1.
            familiar = 1.0 + self.least_familiarity * enough if self.least_familiarity else 0.0
            limits.append(np.array([*(TINY for _ in rows), familiar]))
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
        prototypes, columns, active = model.prototypes, model.columns, model.active_features()
        own = exponents(model, x[None], active)[:, 0]
        may_change = np.isin(active, features)
        centre = prototypes.points.T[features]
        v = np.reshape([batch.feature_weights for batch in model.batches], (len(model.batches), len(x)))[:, features]
        width = v[prototypes.batch].T
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
            weights=prototypes.weights[:, None] * np.eye(len(model.class_prior))[prototypes.labels],
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
        ranges = self.classifier.feature_range_.T
        for d, levels in zip(features, space.levels, strict=True):
            new = rows[:, d]
            if levels is None:  # not the ends of the space, which leave out what is far from all prototypes
                low, high = self.constraints.interval(d, x[d], tuple(ranges[d]))
                allowed &= same[:, d] | ((new >= low) & (new <= high))
            else:
                allowed &= same[:, d] | np.isin(new, levels)
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
    classifier: "FittedModel",
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
    if target is not None and (np.ndim(target) or target not in classes):
        raise ValueError(f"target: {target!r} is not allowed, must be one of {classes.tolist()}")
    if probability is not None:
        check_proportion(probability, "probability")
    check_proportion(min_familiarity_quantile, "min_familiarity_quantile", also_zero=True)
    _, labels, given = given_samples(X, None, None)
    points, model = classifier._validated(given), classifier._model
    code = None if target is None else int(np.flatnonzero(classes == target)[0])
    finder = _Finder(
        classifier,
        Constraints.of(classifier, *constraints),
        code,
        probability,
        _familiarity_at(classifier, min_familiarity_quantile),
    )
    candidates = classifier._fitted_to().points if only_training_rows else None
    predicted, found = _found(finder, points, candidates)
    is_found = np.array([new is not None for new, _, _ in found], dtype=bool)
    instead = np.array([x if new is None else new for x, (new, _, _) in zip(points, found, strict=True)])
    *_, then = model.staged_predict_proba(instead, classifier._n_threads())
    *_, familiarity = staged_familiarity(model, instead)
    codes = classifier._decided(then)
    features, names = model.active_features(), feature_names(classifier, None)
    changed = is_changed(points, instead)
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
        "familiarity quantile": np.where(is_found, classifier._familiarity_quantiles(familiarity), np.nan),
    }
    columns |= named("value of", names, features, values) | named("new value of", names, features, new_values)
    return pd.DataFrame(columns)


def is_changed(before: np.ndarray, then: np.ndarray) -> np.ndarray:
    """Which values of samples differ; what is missing stays so."""
    return (before != then) & ~np.isnan(before)


def nearest(classifier: "FittedModel", points: np.ndarray) -> list[tuple[np.ndarray | None, float, bool]]:
    """Nearest samples of another class for samples (N, D) in the units of the model, None if there is none; with their
    costs, and whether they are proved to be.
    """
    finder = _Finder(classifier, Constraints(set(), {}, {}, {}), None, None, 0.0)
    return _found(finder, points, None)[1]


def _found(
    finder: _Finder, points: np.ndarray, rows: np.ndarray | None
) -> tuple[np.ndarray, list[tuple[np.ndarray | None, float, bool]]]:
    """Predicted classes, and what `_Finder` finds for each sample, among some rows if they are given."""
    classifier = finder.classifier
    *_, probabilities = classifier._model.staged_predict_proba(points, classifier._n_threads())
    predicted = classifier._decided(probabilities)
    pairs = zip(points, predicted, strict=True)
    return predicted, [finder.find(x, k) if rows is None else finder.find_row(x, k, rows) for x, k in pairs]


def _within_reach(ends: np.ndarray, centre: np.ndarray, v: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Intervals of features, (A, 2), without what is so far from all prototypes, (A, J), that nothing changes there."""
    reach = REACH / np.where(v > 0, v, np.inf).min(axis=0, initial=np.inf)
    points = np.column_stack([centre, x])
    low, high = np.nanmin(points, axis=1) - reach, np.nanmax(points, axis=1) + reach
    low = np.minimum(np.maximum(ends[:, 0], low), ends[:, 1])
    return np.column_stack([low, np.maximum(np.minimum(ends[:, 1], high), low)])


def _familiarity_at(classifier: "FittedModel", level: float) -> float:
    """The familiarity whose quantile is at least a level, infinite if there is none."""
    if level == 0.0:
        return 0.0
    points = classifier._yardstick()
    positions = np.arange(len(points) + 1) / (len(points) + 1)
    if level > positions[-1]:
        return np.inf
    return float(np.interp(level, positions, np.concatenate([[min(0.0, float(points[0]))], points])))
