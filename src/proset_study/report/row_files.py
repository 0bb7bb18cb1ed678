"""The CSV files of a report that have a row per number: the columns of each, and what computes its rows."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from proset_study.report.analysis import prototypes, response_curves
from proset_study.report.analysis.against import Difference, differences_of_pairs
from proset_study.report.analysis.battery import Table
from proset_study.report.analysis.costs import Cost, costs
from proset_study.report.analysis.dependence import Effect, PropertyCorrelation
from proset_study.report.analysis.edges import Edge, edges
from proset_study.report.analysis.over_data_sets import Omnibus, OverDataSets, Pair, Rank, over_data_sets
from proset_study.report.analysis.over_replicates import METHOD_COLUMNS, methods_over_replicates
from proset_study.report.analysis.pareto import Point
from proset_study.report.analysis.pays import BatteryFindings, battery_findings
from proset_study.report.analysis.published import Agreement, agreement
from proset_study.report.analysis.ratings import Rating
from proset_study.report.analysis.reproduction import Finding, reproduction
from proset_study.report.analysis.selection_rules import RULE_COLUMNS, rules
from proset_study.report.analysis.tuning import Gain, gains
from proset_study.report.analysis.variance import Noise, variance_rows
from proset_study.store.results import Row, write_rows
from proset_study.store.stored import Stored
from proset_study.study import layout

Rows = Callable[[Stored], Iterable[Any] | None]


def _over_data_sets(rows: Callable[[OverDataSets], Iterable[Any]]) -> Rows:
    return lambda stored: [row for compared in over_data_sets(stored) for row in rows(compared)]


def _of_batteries(rows: Callable[[BatteryFindings], Iterable[Any]]) -> Rows:
    def of_all(stored):
        found = battery_findings(stored)
        return [row for one in found for row in rows(one)] if found else None

    return of_all


# Where the rows are None, a study has no such file.
ROW_FILES: dict[str, tuple[type | tuple[str, ...], Rows]] = {
    layout.ALL_SCORES: (Row, lambda stored: None if stored.study.is_large else stored.rows),  # else they are Parquet
    layout.RULES: (RULE_COLUMNS, rules),
    layout.EDGES: (Edge, edges),
    layout.COSTS: (Cost, costs),
    layout.VARIANCE: (Noise, variance_rows),
    layout.METHODS: (METHOD_COLUMNS, methods_over_replicates),
    layout.PROTOTYPES: (prototypes.COLUMNS, prototypes.prototype_rows),
    "findings/response_curves.csv": (
        response_curves.COLUMNS,
        lambda stored: response_curves.response_rows(stored) or None,
    ),
    "findings/ranks.csv": (Rank, _over_data_sets(lambda compared: compared.ranks)),
    "findings/pairs.csv": (Pair, _over_data_sets(lambda compared: compared.pairs)),
    "findings/over_data_sets.csv": (Omnibus, _over_data_sets(lambda compared: [compared.test])),
    "findings/table_properties.csv": (Table, _of_batteries(lambda found: found.battery.tables)),
    "findings/dependence.csv": (Effect, _of_batteries(lambda found: found.effects)),
    "findings/between_properties.csv": (PropertyCorrelation, _of_batteries(lambda found: found.alike)),
    "findings/ratings.csv": (Rating, _of_batteries(lambda found: found.ratings)),
    "findings/pareto.csv": (Point, _of_batteries(lambda found: found.points)),
    layout.AGAINST: (Difference, lambda stored: differences_of_pairs(stored) or None),
    "findings/tuning.csv": (Gain, lambda stored: gains(stored) or None),
}
# Of these, those that follow from the scores alone, so that a committed report can have them written again.
OF_NUMBERS = (
    layout.VARIANCE,
    layout.METHODS,
    *(f"findings/{name}.csv" for name in ("ranks", "pairs", "over_data_sets")),
    layout.AGAINST,
)
AGAINST_PUBLISHED: dict[str, tuple[type, Callable[[Stored, Path], list[Any]]]] = {
    layout.COMPARISON: (Agreement, agreement),
    "findings/reproduction.csv": (Finding, reproduction),
}


def write_row_files(folder: Path, stored: Stored, published: Path, names: Iterable[str] = tuple(ROW_FILES)) -> None:
    """Write those of `ROW_FILES` with these names, and all `AGAINST_PUBLISHED`, into the folder of a report.

    `published` is the CSV file of the published numbers.
    """
    for name in names:
        columns, compute = ROW_FILES[name]
        if (rows := compute(stored)) is not None:
            write_rows(folder / name, rows, columns)
    for name, (kind, compare) in AGAINST_PUBLISHED.items():
        write_rows(folder / name, compare(stored, published), kind)
