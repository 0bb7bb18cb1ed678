"""Every published number next to ours, with a verdict where a tolerance makes sense."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from proset_study.store.metrics import SCORES
from proset_study.store.results import FINAL, Row, read_lines, read_results, write_lines
from proset_study.store.stored import Stored

COLUMNS = (
    *("experiment", "method", "dataset", "variant", "section", "quantity", "published", "ours", "difference", "within"),
    *("allowed_low", "allowed_high", "replicates", "mean", "standard_deviation", "chance", "repeated"),
)
MIN_REPLICATES = 5
TOLERANCE_NOTE = (
    "Numbers are compared as printed, with two decimals. Log-losses and thresholds agree within the larger of 0.03"
    " and the published standard deviation over the folds, there called standard error (threshold minus optimal"
    " log-loss of the same stage; for test scores, of the last stage); ROC-AUC within 0.02; balanced accuracy within"
    " 0.04; active features within the larger of 2 and a fifth of the published number; prototypes within a factor of"
    " 2; sizes of the data exactly, candidates within 2 %. Chosen parameters are shown and not judged: they follow the"
    " random draws of a search."
)

Published = Mapping[tuple[str, ...], float | None]  # by `Row.key`


@dataclass(frozen=True)
class Agreement:
    """A published number and ours.

    Attributes
    ----------
    row : Row
        What was published.
    ours : float or None
        Of the first replicate.
    allowed : (float, float) or None
        Smallest and largest number of ours that agree, None if no tolerance is stated.
    replicates : int
    mean, deviation : float or None
        Over the replicates, None if there is one only.
    chance : bool or None
        Whether the published number is one that another replicate of ours could have: it is inside the 95 % prediction
        interval. None with less than `MIN_REPLICATES`.
    repeated : float or None
        Proportion of pairs of our replicates that agree with each other within the tolerance.
    """

    row: Row
    ours: float | None = None
    allowed: tuple[float, float] | None = None
    replicates: int = 0
    mean: float | None = None
    deviation: float | None = None
    chance: bool | None = None
    repeated: float | None = None

    @property
    def published(self) -> float | None:
        """The published number; None where "n/a" is printed."""
        return self.row.value

    @property
    def difference(self) -> float | None:
        """Ours minus the published number."""
        return None if self.ours is None or self.published is None else self.ours - self.published

    @property
    def within(self) -> str:
        """Whether ours agrees: "yes", "no", "" where no tolerance is stated, or "missing" where we have no number."""
        if self.published is None:
            return ""
        if self.ours is None:
            return "missing"
        return "" if self.allowed is None else _word(within(self.ours, self.allowed))

    @property
    def is_test_score(self) -> bool:
        """Whether it is a score of a final model."""
        return self.row.section == FINAL and self.row.quantity in SCORES

    @property
    def cells(self) -> tuple[Any, ...]:
        """The numbers in the order of `COLUMNS`."""
        _, *names, _ = self.row.cells
        low, high = self.allowed or (None, None)
        compared = (self.published, self.ours, self.difference, self.within, low, high)
        return *names, *compared, self.replicates, self.mean, self.deviation, _word(self.chance), self.repeated


def _word(answer):
    return None if answer is None else "yes" if answer else "no"


def agreement(stored: Stored, published: Path) -> list[Agreement]:
    """All published numbers with ours, in the published order."""
    theirs = read_results(published)
    known = {row.key: row.value for row in theirs}
    ours: dict[tuple, dict[int, float]] = {}
    for row in stored.rows:
        if row.value is not None and row.fit_seed == 0:
            ours.setdefault(row.key, {})[row.replicate] = row.value
    return [_agreement(row, ours.get(row.key, {}), known, stored.replicates[0]) for row in theirs]


def write_agreement(path: Path, stored: Stored, published: Path) -> None:
    """Write `agreement` as CSV."""
    write_lines(path, COLUMNS, [number.cells for number in agreement(stored, published)])


def read_agreement(path: Path) -> list[Agreement]:
    """What `write_agreement` wrote."""
    return [_parsed(cells) for cells in read_lines(path)]


def _parsed(cells):
    def number(name):
        return float(cells[name]) if cells[name] else None

    low, high = number("allowed_low"), number("allowed_high")
    return Agreement(
        Row.of({**cells, "value": cells["published"]}),
        number("ours"),
        None if low is None or high is None else (low, high),
        int(float(cells["replicates"])),
        number("mean"),
        number("standard_deviation"),
        cells["chance"] == "yes" if cells["chance"] else None,
        number("repeated"),
    )


@dataclass(frozen=True)
class Summary:
    """How many test scores of an experiment, or of all, are within the tolerance.

    `repeated` is the proportion of scores within the tolerance that our replicates reach among each other, None without
    replicates: an exact reproduction of the published study can be expected to reach as much. `chance` counts the
    scores outside the tolerance that are inside the prediction interval, `unexplained` those that are not.
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
    scores = [n for n in numbers if n.is_test_score]
    groups: dict[str, list[Agreement]] = {}
    for number in scores:
        groups.setdefault(number.row.experiment, []).append(number)
    return [_summary(name, group) for name, group in {**groups, "all": scores}.items()]


def _summary(experiment, group):
    repeated = [n.repeated for n in group if n.repeated is not None]
    outside = [n.chance for n in group if n.within == "no"]
    n_within, n_missing = (sum(n.within == word for n in group) for word in ("yes", "missing"))
    return Summary(
        experiment,
        n_within,
        n_within + len(outside),
        n_missing,
        fmean(repeated) if repeated else None,
        outside.count(True),
        outside.count(False),
    )


def _agreement(row, ours, theirs, first):
    values = list(ours.values())
    mean, deviation = (fmean(values), stdev(values)) if len(values) > 1 else (None, None)
    if row.value is None or first not in ours:
        return Agreement(row, None, None, len(values), mean, deviation)
    allowed = allowed_range(row.key, row.value, theirs)
    chance = could_be_another(row.value, values) if len(values) >= MIN_REPLICATES else None  # else all is inside
    repeated = None
    if allowed is not None and len(values) > 1:
        low, high = allowed[0] - row.value, allowed[1] - row.value
        pairs = [low - 1e-9 <= round(a, 2) - round(b, 2) <= high + 1e-9 for a, b in permutations(values, 2)]
        repeated = fmean(pairs)
    return Agreement(row, ours[first], allowed, len(values), mean, deviation, chance, repeated)


def allowed_range(key: tuple[str, ...], published: float, theirs: Published) -> tuple[float, float] | None:
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
    from scipy.stats import t

    return float(t.ppf(0.975, n - 1)) * deviation * float((1 + 1 / n) ** 0.5)


def could_be_another(published: float, values: list[float]) -> bool:
    """Whether a number that is printed with two decimals is in the 95 % prediction interval of our values."""
    return abs(published - fmean(values)) <= prediction_half_width(stdev(values), len(values)) + 0.005


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
