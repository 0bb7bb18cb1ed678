"""What is found over a battery, in one place for pages, figures and files; when its control pays."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from proset_study.methods.labels import method_name
from proset_study.report.analysis.battery import BEST, PROPERTIES, Battery, batteries, rival_name
from proset_study.report.analysis.dependence import (
    BETTER,
    UNCLEAR,
    WORSE,
    Effect,
    PropertyCorrelation,
    between_properties,
    effects,
)
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
    alike: list[PropertyCorrelation]
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
    """Sentences over all tables: where the control is better, where a rival is, how many rivals it beats, what is open.

    Where no property matters, that is said once.

    `found` are the `dependence.effects` of the battery.
    """
    by_property = [_where(battery, found, state) for state in (BETTER, WORSE)] if _significant(found) else []
    return [_overall(battery), *by_property, _pairs(battery), _open(battery, found)]


def _overall(battery):
    difference, n_methods = battery.differences[BEST], len(battery.differences)  # the control takes the place of BEST
    words = (
        f"{method_name(battery.control)} has the lowest log-loss on {sum(difference <= 0)} of {len(difference)} tables"
    )
    alike = len(difference) / n_methods
    return f"{words}; each of {n_methods} equal methods would have it on {alike:.1f}."


def _where(battery, found, state):
    """Where the control is better than a rival, or a rival than it: on which tables, or with more of what."""
    name = method_name(battery.control)

    def in_order(rival):
        other = "the best other" if rival == BEST else rival_name(rival)
        return (name, other) if state == BETTER else (other, name)

    if strongest := _strongest(found, state):
        return _on_tables(*strongest, *in_order(strongest[0].rival))
    if changing := [effect for effect in found if effect.state == state]:
        effect = max(changing, key=lambda effect: abs(effect.correlation))
        gaining, losing = in_order(effect.rival)
        more = PROPERTIES[effect.property].title
        return f"With more {more} {gaining} gains on {losing}, but is significantly better on neither half."
    if state == BETTER:
        return f"Where a property matters, {name} is significantly better on neither half."
    return f"Where a property matters, no rival is significantly better than {name} on either half."


def _strongest(found, state):
    """The significant effect with the largest correlation, of those with a half of the tables where the state holds.

    With it, whether that half is the one above the split; None without such an effect.
    """
    halves = [(effect, is_above) for effect in _significant(found) for is_above in (False, True)]
    sure = []
    for half in halves:
        mean, low, high = _side(*half)
        if mean is not None and (high < 0 if state == BETTER else low > 0):
            sure.append(half)
    return max(sure, key=lambda half: (abs(half[0].correlation), abs(_side(*half)[0])), default=None)


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


def _side(effect, is_above):
    if is_above:
        return effect.above, effect.above_low, effect.above_high
    return effect.up_to, effect.up_to_low, effect.up_to_high


def _ends(ends, is_negative):
    """The interval of a size: its ends change place if the difference is negative."""
    low, high = (-ends[1], -ends[0]) if is_negative else ends
    return f"{fixed(low)} to {fixed(high)}"
