"""Which methods are on the Pareto front of loss, size and time, by data set of a battery."""

from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import numpy as np

from proset_study.report.analysis.battery import Battery
from proset_study.report.analysis.losses import by_method
from proset_study.report.rows import groups, pick
from proset_study.store.stored import Stored

# What a model is made of: units with a number for every active feature, or units that count by themselves.
PER_FEATURE, ALONE = ("prototypes", "support_vectors", "convex_sets"), ("leaves", "weights", "terms")


@dataclass(frozen=True)
class Point:
    """A method on a data set: means over replicates, but for the CPU time, which is that of the first final model.

    `size` is a number of numbers, see `size_of`. `on_front` is "yes" if no other method is at least as good in log-
    loss, size and time, and better in one of them.
    """

    comparison: str
    dataset: str
    method: str
    log_loss: float
    prototypes: float | None
    active_features: float
    size: float
    fit_cpu_s: float
    on_front: str


@dataclass(frozen=True)
class Front:
    """Number of data sets on which a method is on the front, and its medians."""

    method: str
    data_sets: int
    on_front: int
    size: float
    fit_cpu_s: float
    prototypes: float | None
    active_features: float


def points(stored: Stored, battery: Battery) -> list[Point]:
    """All methods on all data sets of a battery that have a record of the time.

    Boosted trees whose records do not count leaves, those of XGBoost, have no size and are left out.
    """
    experiments = stored.study.config["comparisons"][battery.name]["experiments"]
    experiments = [e for e in experiments if e in stored.study.experiments]
    quantities = {name: by_method(stored, experiments, name) for name in ("active_features", *PER_FEATURE, *ALONE)}
    fits: dict[tuple[str, str], dict] = {}
    for final in stored.finals():
        if final.run.experiment in experiments and not final.run.variant:
            fits.setdefault((final.run.method, final.data_set), final.fit)
    rows = []
    for i, table in enumerate(battery.tables):
        lines = []
        for j, method in enumerate(battery.compared.methods):
            fit = fits.get((method, table.dataset))
            if fit and ("rounds" not in fit["summary"] or "leaves" in fit["summary"]):
                of_replicates = {name: found[method].get(table.dataset) for name, found in quantities.items()}
                known = {name: fmean(values.values()) for name, values in of_replicates.items() if values}
                size = size_of(method, known, table.train_samples)
                loss, time = float(battery.compared.losses[i, j]), fit["resources"]["fit_cpu_s"]
                lines.append((method, loss, known.get("prototypes"), known.get("active_features", 0.0), size, time))
        on_front = front(np.array([[loss, size, time] for _, loss, _, _, size, time in lines])) if lines else ()
        for line, is_on in zip(lines, on_front, strict=True):
            rows.append(Point(battery.name, table.dataset, *line, "yes" if is_on else "no"))
    return rows


def size_of(method: str, quantities: dict[str, float], train_samples: float) -> float:
    """Numbers in a model: prototypes or the like times active features, else leaves or the like, else active features.

    >>> size_of("proset", {"prototypes": 12.0, "active_features": 3.0}, 100.0)
    36.0
    >>> size_of("random_forest", {"leaves": 500.0, "active_features": 3.0}, 100.0)
    500.0
    >>> size_of("knn", {"active_features": 3.0}, 100.0)
    300.0
    """
    features = quantities.get("active_features", 0.0)
    if method == "knn":  # whose model is the training part
        return train_samples * max(1.0, features)
    for name in PER_FEATURE:
        if name in quantities:
            return quantities[name] * max(1.0, features)
    return next((quantities[name] for name in ALONE if name in quantities), features)


def front(criteria: np.ndarray) -> np.ndarray:
    """Whether each row is on the Pareto front: no other row is nowhere larger and somewhere smaller; shape (n,).

    >>> front(np.array([[0.1, 50], [0.2, 10], [0.2, 20], [0.3, 5]])).tolist()
    [True, True, False, True]
    """
    nowhere_larger = (criteria[:, None, :] <= criteria[None, :, :]).all(axis=2)
    somewhere_smaller = (criteria[:, None, :] < criteria[None, :, :]).any(axis=2)
    return ~np.any(nowhere_larger & somewhere_smaller, axis=0)


def fronts(found: list[Point]) -> list[Front]:
    """One for each method, in the order of the rows."""
    rows = []
    for method, own in groups(found, "method").items():
        known: list[Any] = []
        for name in ("size", "fit_cpu_s", "prototypes", "active_features"):
            values = [value for point in own if (value := getattr(point, name)) is not None]
            known.append(median(values) if values else None)
        rows.append(Front(method, len(own), len(pick(own, on_front="yes")), *known))
    return rows
