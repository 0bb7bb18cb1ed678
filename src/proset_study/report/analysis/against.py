"""Experiments and those that the config compares them with, `against`: how their test losses differ by data set."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean

from proset_study.methods import get
from proset_study.report.analysis.losses import overlaps
from proset_study.report.analysis.paired import LEVEL, differences, shown_interval
from proset_study.report.analysis.runs import main_score
from proset_study.report.analysis.statistics import DECIMALS
from proset_study.report.rows import groups
from proset_study.report.wording import counted
from proset_study.store.metrics import LOSSES, OF_ALL
from proset_study.store.results import FINAL, by_fit_seed
from proset_study.store.stored import Stored
from proset_study.study.config.study import Study


@dataclass(frozen=True)
class Difference:
    """Mean test losses on a data set of an experiment and of its counterpart, over the replicates that both have.

    Both have the same `variant`, or the counterpart has none. `low` and `high` are the ends of the 95 % interval of the
    difference; None if it cannot be tested, see `paired`.
    """

    experiment: str
    variant: str
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
    def name(self) -> str:
        """Experiment and variant."""
        return f"{self.experiment} {self.variant}".strip()

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
    """Number of data sets on which the loss is lower or higher, and on how many of these significantly."""

    lower: int
    significantly_lower: int
    higher: int
    significantly_higher: int


def differences_of_pairs(stored: Stored) -> list[Difference]:
    """One for each pair of the config, variant and data set that both have."""
    run, found = stored.study.experiments, []
    for first, second in stored.study.config.get("against", {}).items():
        if first in run and second in run:
            score, overlap = _score(stored.study, first, second), overlaps(stored, [first, second])
            ours, theirs = (_losses(stored, experiment, score) for experiment in (first, second))
            for (variant, data_set), losses in ours.items():
                others = theirs.get((variant, data_set)) or theirs.get(("", data_set), {})
                if shared := sorted(losses.keys() & others.keys()):
                    loss, other = (fmean(of[r] for r in shared) for of in (losses, others))
                    ends = shown_interval(differences(losses, others), overlap[data_set]) or (None, None)
                    pair = (first, variant, second, data_set, score)
                    found.append(Difference(*pair, len(shared), loss, other, loss - other, *ends))
    return found


def score_of(found: list[Difference]) -> str:
    """The score that some pairs are compared by, or what several have in common."""
    scores = {difference.score for difference in found}
    return scores.pop() if len(scores) == 1 else "loss"


def _score(study: Study, *experiments: str) -> str:
    """Main score of the report, if the methods of all have it."""
    score, both = main_score(study), [get(study.experiments[e][0].method) for e in experiments]
    return score if all(map(LOSSES[score].fits, both)) else OF_ALL


def _losses(stored, experiment, score):
    """Means over the fit seeds, by variant and data set, and by replicate."""
    found: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for row, values in by_fit_seed(stored.rows_of([experiment], FINAL, LOSSES[score].quantity)):
        found[row.variant, row.dataset][row.replicate] = LOSSES[score].as_loss(fmean(values))
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
    counts = (("name", "pair"), ("dataset", "data set"))
    n, over = tally(found), [counted(len(groups(found, key)), noun) for key, noun in counts]
    words = f"in {n.lower} of {len(found)} cases ({', '.join(over)}), the experiment has a lower mean test "
    words += f"{score_of(found)} than the one it is compared with, significantly in {n.significantly_lower or 'none'}"
    words += f"; in {n.higher or 'none'} a higher one"
    words += f", significantly in {n.significantly_higher or 'none'}" if n.higher else ""
    return [("Answer:", f"{words} (unadjusted {100 * LEVEL:g} % intervals).")]
