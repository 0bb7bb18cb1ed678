"""Every published number next to ours, with a verdict where a tolerance makes sense."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from statistics import fmean, stdev

from scipy.stats import t

from proset_study.report.rows import groups, pick
from proset_study.store.metrics import SCORES
from proset_study.store.results import FINAL, Row, read_published
from proset_study.store.stored import Stored

MIN_FOR_PREDICTION = 5  # replicates, of which the interval says where one more could be
TOLERANCE_NOTE = (
    "Numbers are compared as printed, with two decimals. Log-losses and thresholds agree within the larger of 0.03"
    " and the published standard deviation over the folds, there called standard error (threshold minus optimal"
    " log-loss of the same stage; for test scores, of the last stage); ROC-AUC within 0.02; balanced accuracy within"
    " 0.04; active features within the larger of 2 and a fifth of the published number; prototypes within a factor of"
    " 2; sizes of the data exactly, candidates within 2 %. Chosen parameters are shown and not judged: they follow the"
    " random draws of a search."
)

Key = tuple[str, str, str, str, str, str, str]  # see `Row.key`
Published = Mapping[Key, float | None]


@dataclass(frozen=True)
class Agreement:
    """A published number and ours, of the first replicate.

    `within` says whether ours is in the allowed range: "yes", "no", "" where no tolerance is stated, or "missing" where
    we have no number. `chance` is "yes" if the published number is one that another replicate of ours could have, in
    the 95 % prediction interval, "" with less than `MIN_FOR_PREDICTION`. `repeated` is the proportion of pairs of our
    replicates of which one is in the range that would be allowed if the other were published.
    """

    experiment: str
    method: str
    dataset: str
    variant: str
    section: str
    quantity: str
    published: float | None
    ours: float | None
    difference: float | None
    within: str
    allowed_low: float | None
    allowed_high: float | None
    replicates: int
    mean: float | None
    standard_deviation: float | None
    chance: str
    repeated: float | None
    role: str = ""

    @property
    def key(self) -> Key:
        """What is compared; see `Row.key`."""
        return self.experiment, self.method, self.dataset, self.variant, self.section, self.role, self.quantity

    @property
    def is_test_score(self) -> bool:
        """Whether it is a score of a final model."""
        return self.section == FINAL and self.quantity in SCORES


def agreement(stored: Stored, published: Path) -> list[Agreement]:
    """All published numbers of the experiments of the study with ours, in the published order."""
    theirs = [row for row in read_published(published) if row.experiment in stored.study.experiments]
    known = {row.key: row.value for row in theirs}
    ours: dict[tuple, dict[int, float]] = {}
    for row in stored.rows_of(sorted({row.experiment for row in theirs})):
        if row.value is not None and row.fit_seed == 0:
            ours.setdefault(row.key, {})[row.replicate] = row.value
    return [_agreement(row, ours.get(row.key, {}), known, stored.replicates[0]) for row in theirs]


@dataclass(frozen=True)
class Summary:
    """How many test scores of an experiment, or of all, are within the tolerance.

    `repeated` is the proportion of scores within the tolerance that our replicates reach among each other, None without
    replicates: an exact reproduction of the published study can be expected to reach as much. `chance` counts the
    scores outside the tolerance that are inside the prediction interval, `unexplained` the others.
    """

    experiment: str
    within: int
    compared: int
    missing: int
    repeated: float | None
    chance: int
    unexplained: int


def summary(numbers: list[Agreement]) -> list[Summary]:
    """One for each experiment, and "all" as the last one."""
    scores = pick(numbers, is_test_score=True)
    return [_summary(name, group) for name, group in {**groups(scores, "experiment"), "all": scores}.items()]


def _summary(experiment, group):
    repeated = [n.repeated for n in group if n.repeated is not None]
    outside = [n.chance for n in group if n.within == "no"]
    n_within, n_missing = (sum(n.within == word for n in group) for word in ("yes", "missing"))
    share = fmean(repeated) if repeated else None
    n_compared = n_within + len(outside)
    return Summary(experiment, n_within, n_compared, n_missing, share, outside.count("yes"), outside.count("no"))


def _agreement(row: Row, ours: dict[int, float], theirs: Published, first: int) -> Agreement:
    published, values, own = row.value, list(ours.values()), ours.get(first)
    difference, agrees, low, high, chance, repeated = None, "", None, None, "", None
    if published is not None and own is None:
        agrees = "missing"
    if published is not None and own is not None:
        difference = own - published
        if len(values) >= MIN_FOR_PREDICTION:  # with fewer the interval holds nearly everything
            inside = could_be_another(published, fmean(values), stdev(values), len(values))
            chance = "yes" if inside else "no"
        if allowed := allowed_range(row.key, published, theirs):
            low, high = allowed
            agrees = "yes" if within(own, allowed) else "no"
            ranges = [allowed_range(row.key, round(value, 2), theirs) or allowed for value in values]
            alike = [within(a, around) for (a, _), (_, around) in permutations(zip(values, ranges, strict=True), 2)]
            repeated = fmean(alike) if alike else None
    mean, deviation = (fmean(values), stdev(values)) if len(values) > 1 else (None, None)
    names = (row.experiment, row.method, row.dataset, row.variant, row.section, row.quantity)
    spread = (len(values), mean, deviation, chance, repeated, row.role)
    return Agreement(*(*names, published, own, difference, agrees, low, high, *spread))


def allowed_range(key: Key, published: float, theirs: Published) -> tuple[float, float] | None:
    """Smallest and largest number that agree with a published one, None if no tolerance is stated."""
    *case, section, _, quantity = key
    if quantity in ("log_loss", "threshold"):
        tolerance = max(0.03, _fold_deviation(case, section, theirs))
    elif section == "data":
        tolerance = 0.02 * published if quantity == "candidates" else 0.0
    elif quantity == "prototypes":
        return published / 2, 2 * published
    else:
        tolerances = {"roc_auc": 0.02, "balanced_accuracy": 0.04, "active_features": max(2.0, published / 5)}
        if quantity not in tolerances:
            return None
        tolerance = tolerances[quantity]
    return published - tolerance, published + tolerance


def prediction_half_width(deviation: float, n: int) -> float:
    """Half of the 95 % interval around the mean of n values, of that standard deviation, for one value more."""
    return float(t.ppf(0.975, n - 1)) * deviation * float((1 + 1 / n) ** 0.5)


def could_be_another(published: float, mean: float, deviation: float, n: int) -> bool:
    """Whether a number that is printed with two decimals is in the 95 % prediction interval of n values."""
    return abs(published - mean) <= prediction_half_width(deviation, n) + 0.005


def within(value: float, allowed: tuple[float, float]) -> bool:
    """Whether a number of ours, printed with two decimals, is in an `allowed_range`."""
    low, high = allowed
    return low - 1e-9 <= round(value, 2) <= high + 1e-9


def _fold_deviation(case, section, theirs):
    for stage in ("stage2", "cv") if section == FINAL else (section,):
        threshold = theirs.get((*case, stage, "", "threshold"))
        optimal = theirs.get((*case, stage, "optimal", "log_loss"))
        if threshold is not None and optimal is not None:
            return threshold - optimal
    return 0.0
