"""Tuned and default parameters side by side: two comparisons of the same methods on the same data sets."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from proset_study.report.analysis import statistics
from proset_study.report.analysis.battery import MIN_TABLES, Battery, batteries, mean_and_ends
from proset_study.store.stored import Stored


@dataclass(frozen=True)
class Gain:
    """A method in a comparison with searches and in one without: average ranks, and what tuning gains in log-loss.

    Ranks are among the methods of both comparisons on the data sets of both. `gain` is the mean over sources of the
    loss with defaults minus that after tuning, with its 95 % interval; None with fewer than three sources.
    """

    tuned: str
    defaults: str
    method: str
    data_sets: int
    rank_tuned: float
    rank_defaults: float
    gain: float | None
    low: float | None
    high: float | None


def gains(stored: Stored) -> list[Gain]:
    """All pairs of batteries with the same first method, one of which has more searches, by rank after tuning."""
    rows = []
    for pair in combinations(batteries(stored), 2):
        defaults, tuned = sorted(pair, key=lambda battery: searched(stored, battery))
        if searched(stored, defaults) < searched(stored, tuned) and defaults.control == tuned.control:
            rows += gains_of(tuned, defaults)
    return rows


def searched(stored: Stored, battery: Battery) -> float:
    """The proportion of experiments of a comparison that search parameters."""
    config = stored.study.config
    experiments = config["comparisons"][battery.name]["experiments"]
    return sum("stage1" in config["experiments"][e] for e in experiments) / len(experiments)


def gains_of(tuned: Battery, defaults: Battery) -> list[Gain]:
    """Gains of the methods that both have, on the data sets that both have; nothing if these are too few."""
    names = [method for method in tuned.compared.methods if method in defaults.compared.methods]
    shared = [d for d in tuned.compared.data_sets if d in defaults.compared.data_sets]
    if len(shared) < MIN_TABLES or len(names) < 2:
        return []
    after, before = (_losses(battery, names, shared) for battery in (tuned, defaults))
    ranks = [statistics.rank(losses).mean(axis=0) for losses in (after, before)]
    source = tuned.source[[tuned.compared.data_sets.index(d) for d in shared]]
    rows = []
    for i, method in enumerate(names):
        gained = mean_and_ends(before[:, i] - after[:, i], source)
        rank_after, rank_before = (float(rank[i]) for rank in ranks)
        rows.append(Gain(tuned.name, defaults.name, method, len(shared), rank_after, rank_before, *gained))
    return sorted(rows, key=lambda row: row.rank_tuned)


def _losses(battery: Battery, names: list[str], data_sets: list[str]) -> np.ndarray:
    rows = [battery.compared.data_sets.index(d) for d in data_sets]
    columns = [battery.compared.methods.index(method) for method in names]
    return battery.compared.losses[np.ix_(rows, columns)]
