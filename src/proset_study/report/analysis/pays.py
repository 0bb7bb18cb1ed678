"""What is found over a battery, in one place for pages, figures and files; when its control pays."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from proset_study.methods.labels import method_name
from proset_study.report.analysis.battery import BEST, PROPERTIES, Battery, batteries, rival_name
from proset_study.report.analysis.dependence import BETTER, UNCLEAR, WORSE, Alike, Effect, between_properties, effects
from proset_study.report.analysis.pareto import Point, points
from proset_study.report.analysis.ratings import Rating, ratings
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.wording import counted, fixed, listed
from proset_study.store.stored import Stored

MAX_WORDS = 25  # fewer are in a sentence


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


def sentences(battery: Battery, found: list[Effect]) -> list[str]:
    """Over all tables, where the control is better, where a rival is, how many rivals it beats, and what is open.

    Where no property matters, that is said once.

    `found` are the `dependence.effects` of the battery.
    """
    by_property = [_better(battery, found), _worse(battery, found)] if _significant(found) else []
    return [_overall(battery), *by_property, _pairs(battery), _open(battery, found)]


def strongest(found: list[Effect], is_so: Callable[[float, float], bool]) -> tuple[Effect, bool] | None:
    """The effect with the largest correlation of those whose interval on one side is so, and whether it is that above.

    Effects that are not significant do not count.
    """
    sides = [
        (effect, is_above)
        for effect in _significant(found)
        for is_above in (False, True)
        if _side(effect, is_above)[0] is not None and is_so(*_side(effect, is_above)[1:])
    ]
    return max(sides, key=lambda side: (abs(side[0].correlation), abs(_side(*side)[0])), default=None)


def _overall(battery):
    difference, n_methods = battery.differences[BEST], len(battery.differences)  # the control takes the place of BEST
    words = (
        f"{method_name(battery.control)} has the lowest log-loss on {sum(difference <= 0)} of {len(difference)} tables"
    )
    alike = len(difference) / n_methods
    return f"{words}; each of {n_methods} equal methods would have it on {alike:.1f}."


def _better(battery, found):
    name = method_name(battery.control)
    if best := strongest(found, lambda low, high: high < 0):
        effect, is_above = best
        return _on_tables(effect, is_above, name, _other(effect.rival))
    if gained := _largest(found, BETTER):
        return _gains(gained, name, _other(gained.rival))
    return f"Where a property matters, {name} is significantly better on neither half."


def _worse(battery, found):
    name = method_name(battery.control)
    if worst := strongest(found, lambda low, high: low > 0):
        effect, is_above = worst
        return _on_tables(effect, is_above, _other(effect.rival), name)
    if lost := _largest(found, WORSE):
        return _gains(lost, _other(lost.rival), name)
    return f"Where a property matters, no rival is significantly better than {name} on either half."


def _largest(found, state):
    return max((e for e in found if e.state == state), key=lambda effect: abs(effect.correlation), default=None)


def _gains(effect, gaining, losing):
    more = PROPERTIES[effect.property].title
    return f"With more {more} {gaining} gains on {losing}, but is significantly better on neither half."


def _on_tables(effect, is_above, better, worse):
    value, *ends = _side(effect, is_above)
    tables = PROPERTIES[effect.property].tables(effect.split, is_above)
    words = f"On tables with {tables}, {better} is better than {worse} by {fixed(abs(value))} in log-loss"
    interval = f" ({_ends(ends, value < 0)})"  # in tables, too: long names of methods leave no room for it
    return f"{words}{interval if len(f'{words}{interval}'.split()) < MAX_WORDS else ''}."


def _pairs(battery):
    pairs = [p for p in battery.compared.pairs if p.first == battery.control and p.second in battery.differences]
    sure = [pair for pair in pairs if pair.holm_p_control is not None and pair.holm_p_control < ALPHA]
    better = sum(_signed_ranks(battery.differences[pair.second]) < 0 for pair in sure)
    rest = len(pairs) - len(sure)
    return (
        f"By signed ranks {method_name(battery.control)} is better than {better} of {len(pairs)} methods and worse than"
        f" {len(sure) - better}; {counted(rest, 'difference')} {'is' if rest == 1 else 'are'} not significant."
    )


def _signed_ranks(difference):
    """Wilcoxon's sum: negative if the first method is better."""
    from scipy.stats import rankdata

    return float(np.sign(difference) @ rankdata(np.abs(difference)))


def _open(battery, found):
    if not found:
        return f"With {battery.n_sources} sources nothing can be said about properties of the tables."
    sure = _significant(found)
    properties = {effect.property for effect in sure}
    titles = [shown.title for name, shown in PROPERTIES.items() if name not in properties]
    if not sure:
        return f"Where it pays is not known: none of {len(found)} correlations with {listed(titles)} is significant."
    counts = f"{len(sure)} of {len(found)} correlations are significant"
    return f"Nothing can be said about {listed(titles)}: {counts}." if titles else f"Of all properties, {counts}."


def _significant(found):
    return [effect for effect in found if effect.state != UNCLEAR]


def _other(rival):
    return "the best other" if rival == BEST else rival_name(rival)


def _side(effect, is_above):
    if is_above:
        return effect.above, effect.above_low, effect.above_high
    return effect.up_to, effect.up_to_low, effect.up_to_high


def _ends(ends, is_negative):
    """The interval of a size: its ends change place if the difference is negative."""
    low, high = (-ends[1], -ends[0]) if is_negative else ends
    return f"{fixed(low)} to {fixed(high)}"
