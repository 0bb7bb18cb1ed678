"""On what the difference between two methods depends: rank correlations with properties of the tables.

One property at a time, not a regression on all of them. From 20 to 40 data sets of fewer sources, six coefficients that
hold each other constant cannot be had with useful intervals, and a log-loss has outliers that decide a least-squares
line. A rank correlation has neither trouble, needs no transformation of a property, and answers what the owner of a
table asks: which method is better on tables like mine? It does not say why: properties that go together (see
`between_properties`) share their correlations.

Sources are the units. Each has the same weight, shared by its data sets, and intervals count sources: as if the data
sets of one generator said no more than one data set. They are Fisher's, with Bonett and Wright's standard error of a
rank correlation, at a level for all that is asked together (Bonferroni): the properties for the best of the others,
which is the main question, and all properties and rivals for the single rivals. Each of
these two finds an effect in less than 5 % of made-up studies without any, if these have nine sources or more (with six
to eight in up to 10 %, if only one or two properties vary); simultaneous intervals by a bootstrap of
sources did so in 38 % of studies with 40 sources, and in 77 % with 12.

D. G. Bonett and T. A. Wright, Sample size requirements for estimating Pearson, Kendall and Spearman correlations,
Psychometrika 65 (2000).
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from proset_study.report.analysis.battery import BEST, DIGITS, MIN_SOURCES, PROPERTIES, Battery, mean_and_ends
from proset_study.report.analysis.statistics import ALPHA

MIN_SIDE = 3  # sources on either side of the value that tables are split at
WORSE, BETTER, UNCLEAR = "control worse", "control better", "not significant"
_LARGEST = 1 - 1e-6  # correlations of 1 have no finite transform


@dataclass(frozen=True)
class Effect:
    """The difference of log-loss, control minus rival, and one of `PROPERTIES`.

    `correlation` has an interval from `low` to `high`; `state` says how the control is where there is more of the
    property, compared with where there is less. Tables are split at the median: mean differences up to it and above it
    with 95 % intervals over sources, None where there are too few.
    """

    comparison: str
    control: str
    rival: str
    property: str
    data_sets: int
    sources: int
    correlation: float
    low: float
    high: float
    state: str
    split: float
    up_to: float | None
    up_to_low: float | None
    up_to_high: float | None
    above: float | None
    above_low: float | None
    above_high: float | None


@dataclass(frozen=True)
class PropertyCorrelation:
    """Rank correlation of two properties over the data sets of a comparison."""

    comparison: str
    first: str
    second: str
    correlation: float


def varied(battery: Battery) -> list[str]:
    """The properties of which there are tables of enough sources on both sides of the median."""

    def n_sources(side):
        return len(np.unique(battery.source[side]))

    return [name for name in PROPERTIES if min(map(n_sources, _sides(battery, name)[1:])) >= MIN_SIDE]


def effects(battery: Battery) -> list[Effect]:
    """All rivals and all properties that vary; nothing if there are too few sources."""
    from scipy.stats import norm

    properties = varied(battery)
    if battery.n_sources < MIN_SOURCES or not properties:
        return []
    weight = _weights(battery.source)
    n_rivals = len(battery.differences) - 1
    rows = []
    for rival, difference in battery.differences.items():
        n_asked = len(properties) * (1 if rival == BEST else n_rivals)
        width = float(norm.isf(ALPHA / 2 / n_asked))
        for name in properties:
            r = rank_correlation(battery.values(name), difference, weight)
            low, high = interval(r, battery.n_sources, width)
            state = WORSE if low > 0 else BETTER if high < 0 else UNCLEAR
            names = (battery.name, battery.control, rival, name, len(difference), battery.n_sources)
            low, high = (round(end, DIGITS) for end in (low, high))
            split, *sides = _sides(battery, name)
            up_to, above = (mean_and_ends(difference[side], battery.source[side]) for side in sides)
            rows.append(Effect(*names, r, low, high, state, split, *up_to, *above))
    return rows


def between_properties(battery: Battery) -> list[PropertyCorrelation]:
    """Rank correlations of all pairs of properties that vary, which say what cannot be taken apart."""
    weight = _weights(battery.source)
    return [
        PropertyCorrelation(
            battery.name, a, b, round(rank_correlation(battery.values(a), battery.values(b), weight), DIGITS)
        )
        for a, b in combinations(varied(battery), 2)
    ]


def rank_correlation(a: np.ndarray, b: np.ndarray, weight: np.ndarray) -> float:
    """Spearman's correlation with weights that sum to 1; 0 if all values of one are equal.

    >>> rank_correlation(np.array([1, 10, 100]), np.array([-3, 0, 1]), np.full(3, 1 / 3))
    1.0
    """
    from scipy.stats import rankdata

    a, b = (rankdata(np.round(values, DIGITS)) for values in (a, b))
    a, b = a - weight @ a, b - weight @ b
    scale = float(np.sqrt((weight @ a**2) * (weight @ b**2)))
    return float(round((weight * a) @ b / scale, DIGITS)) if scale else 0.0


def interval(r: float, n: int, width: float) -> tuple[float, float]:
    """Ends of the interval of a rank correlation from `n` independent pairs, at `width` standard errors.

    >>> [round(end, 2) for end in interval(0.5, 40, 1.96)]
    [0.2, 0.71]
    """
    middle = np.arctanh(np.clip(r, -_LARGEST, _LARGEST))
    half = width * np.sqrt((1 + r * r / 2) / (n - 3))
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))


def _weights(source):
    """The same for each source, shared by its data sets; they sum to 1."""
    by_source = np.bincount(source)
    return 1 / (len(by_source) * by_source[source])


def _sides(battery: Battery, name: str) -> tuple[float, np.ndarray, np.ndarray]:
    """The largest value of a property up to the median, and which tables are up to it and above it."""
    values = battery.values(name)
    split = float(values[values <= np.median(values)].max())
    return split, values <= split, values > split
