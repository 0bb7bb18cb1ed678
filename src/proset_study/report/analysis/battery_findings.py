"""What is found over a battery, in one place for pages, figures and files."""

from dataclasses import dataclass
from functools import cache

from proset_study.report.analysis.battery import Battery, batteries
from proset_study.report.analysis.dependence import Alike, Effect, between_properties, effects
from proset_study.report.analysis.pareto import Point, points
from proset_study.report.analysis.pays import sentences
from proset_study.report.analysis.ratings import Rating, ratings
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
