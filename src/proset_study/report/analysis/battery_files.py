"""What is found over a battery, in one place for pages and figures, and as CSV files."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proset_study.report.analysis.battery import Battery, Table, batteries
from proset_study.report.analysis.dependence import Alike, Effect, between_properties, effects
from proset_study.report.analysis.pareto import Point, points
from proset_study.report.analysis.pays import sentences
from proset_study.report.analysis.ratings import Rating, ratings
from proset_study.report.analysis.tuning import Gain, gains
from proset_study.store.results import write_rows
from proset_study.store.stored import Stored


@dataclass(frozen=True)
class BatteryFindings:
    """All that is said of one battery."""

    battery: Battery
    effects: list[Effect]
    alike: list[Alike]
    ratings: list[Rating]
    points: list[Point]

    @property
    def sentences(self) -> list[str]:
        """When the control pays."""
        return sentences(self.battery, self.effects)


@cache
def battery_findings(stored: Stored) -> list[BatteryFindings]:
    """One for each comparison by methods with enough data sets; most studies have none."""
    seed = stored.study.config["seed"]
    return [
        BatteryFindings(b, effects(b), between_properties(b), ratings(b, seed), points(stored, b))
        for b in batteries(stored)
    ]


def write_battery(folder: Path, stored: Stored) -> None:
    """Write table_properties.csv, dependence.csv, ratings.csv and others, if there is a battery."""
    if found := battery_findings(stored):
        write_rows(folder / "table_properties.csv", [t for f in found for t in f.battery.tables], Table)
        write_rows(folder / "dependence.csv", [e for f in found for e in f.effects], Effect)
        write_rows(folder / "between_properties.csv", [a for f in found for a in f.alike], Alike)
        write_rows(folder / "ratings.csv", [r for f in found for r in f.ratings], Rating)
        write_rows(folder / "pareto.csv", [p for f in found for p in f.points], Point)
    if gained := gains(stored):
        write_rows(folder / "tuning.csv", gained, Gain)
