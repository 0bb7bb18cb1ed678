"""Experiments and those that the config compares them with, `against`: how their test losses differ by data set."""

from dataclasses import dataclass
from statistics import fmean

from proset_study.methods import get
from proset_study.report.analysis.losses import losses_by_method, overlaps
from proset_study.report.analysis.paired import LEVEL, differences, shown_interval
from proset_study.report.analysis.runs import main_score
from proset_study.report.analysis.statistics import DECIMALS
from proset_study.report.rows import groups
from proset_study.report.wording import counted
from proset_study.store.metrics import LOSSES
from proset_study.store.stored import Stored
from proset_study.study.config.study import Study

_COUNTED = (("experiment", "pair"), ("dataset", "data set"))


@dataclass(frozen=True)
class Difference:
    """Mean test losses on a data set of an experiment and of its counterpart, over the replicates that both have.

    `low` and `high` are the ends of the 95 % interval of their difference; None if it cannot be tested, see `paired`.
    """

    experiment: str
    against: str
    dataset: str
    score: str  # one of `LOSSES`
    replicates: int
    loss: float
    loss_against: float
    difference: float
    low: float | None
    high: float | None

    @property
    def is_lower(self) -> bool:
        """Whether the experiment has the lower loss, by more than rounding."""
        return round(self.difference, DECIMALS) < 0

    @property
    def is_higher(self) -> bool:
        """The same of the higher loss."""
        return round(self.difference, DECIMALS) > 0

    @property
    def is_significant(self) -> bool:
        """Whether the interval does not contain 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True)
class Tally:
    """On how many data sets the loss is lower or higher, and on how many of these significantly."""

    lower: int
    significantly_lower: int
    higher: int
    significantly_higher: int


def pairs(study: Study) -> list[tuple[str, str]]:
    """Those of the config of which both experiments are run and have the score that the report compares."""
    run, score = study.experiments, LOSSES[main_score(study)]
    named = study.config.get("against", {}).items()
    return [pair for pair in named if all(e in run and score.fits(get(run[e][0].method)) for e in pair)]


def differences_of_pairs(stored: Stored) -> list[Difference]:
    """One for each of `pairs` and each data set that both have."""
    score, found = main_score(stored.study), []
    for pair in pairs(stored.study):
        ours, theirs = (next(iter(losses_by_method(stored, [e], score).values()), {}) for e in pair)
        overlap = overlaps(stored, list(pair))
        for data_set, losses in ours.items():
            others = theirs.get(data_set, {})
            if shared := sorted(losses.keys() & others.keys()):
                means = [fmean(of[r] for r in shared) for of in (losses, others)]
                low, high = shown_interval(differences(losses, others), overlap[data_set]) or (None, None)
                numbers = (len(shared), *means, means[0] - means[1], low, high)
                found.append(Difference(*pair, data_set, score, *numbers))
    return found


def tally(found: list[Difference]) -> Tally:
    """Counts of some differences."""
    lower, higher = [d for d in found if d.is_lower], [d for d in found if d.is_higher]
    n_lower, n_higher = (sum(d.is_significant for d in side) for side in (lower, higher))
    return Tally(len(lower), n_lower, len(higher), n_higher)


def answer(stored: Stored) -> list[tuple[str, str]]:
    """What the pairs say together, in the way of a verdict; empty without any."""
    found = differences_of_pairs(stored)
    if not found:
        return []
    n, over = tally(found), [counted(len(groups(found, key)), noun) for key, noun in _COUNTED]
    words = f"compared with its counterpart in the table below, an experiment has the lower mean test {found[0].score}"
    words += f" in {n.lower} of {len(found)} cases ({', '.join(over)}), significantly in "
    words += f"{n.significantly_lower or 'none'}; the higher in {n.higher or 'none'}"
    words += f", significantly in {n.significantly_higher or 'none'}" if n.higher else ""
    return [("Answer:", f"{words} (single {100 * LEVEL:g} % intervals).")]
