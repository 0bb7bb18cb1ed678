"""How close our numbers are to the published ones: differences with intervals first, then counts and what they tell."""

from pathlib import Path
from statistics import fmean

from proset_study.report.analysis.losses import ROPE
from proset_study.report.analysis.paired import mean_difference
from proset_study.report.analysis.published import agreement, is_test_score, within
from proset_study.report.analysis.statistics import ALPHA
from proset_study.store.results import write_rows
from proset_study.store.stored import Stored

COLUMNS = ("what", "of", "found", "value", "low", "high", "p")
DIFFERENCE = "log-loss, published minus ours"
LEVEL = 0.95  # of prediction intervals
INSIDE = f"test scores in the {100 * LEVEL:g} % prediction interval"
TOLERATED = "test scores within the tolerance"
TOLERATED_OF_REPEATED = "test scores with replicates within the tolerance"
PROTOTYPES, FEWER = "numbers of prototypes within a factor of 2", "numbers of prototypes outside of it, ours fewer"
FOIL = "test scores of our {ours} within the tolerance of {theirs}"
# Ours, and the published experiment it is held against: other methods and settings, to see what the tolerance can tell.
FOILS = (("E8", "E3"), ("E9", "E3"), ("E1", "E4"))


def reproduction(stored: Stored, published: Path) -> list[dict]:
    """What the published numbers and ours say about each other.

    Returns
    -------
    list of dict
        With `COLUMNS` as keys. First the mean of published minus our log-loss (mean over replicates) by data set and
        over them, with the 90 % interval and the p of two one-sided tests with the margin `ROPE`: data sets are the
        independent units, scores of one are not. Then numbers ("found") of test scores, out of "of": in the prediction
        interval of our replicates, also as the mean over data sets of the proportion ("value") with the p of a
        one-sided test that it is below `LEVEL`; within the tolerance, in all and of those with replicates, next to the
        proportion that our replicates reach among each other ("value"); and within the tolerance if our numbers are
        those of another experiment.
    """
    cells = agreement(stored, published)
    return [*_differences(cells), *_counts(cells), *_foils(cells)]


def write_reproduction(path: Path, stored: Stored, published: Path) -> None:
    """Write `reproduction` as CSV."""
    write_rows(path, reproduction(stored, published), COLUMNS)


def _row(what, of, **numbers):
    return {**dict.fromkeys(COLUMNS), "what": what, "of": of, **numbers}


def _differences(cells):
    losses = [c for c in cells if c["section"] == "final" and c["quantity"] == "log_loss" and c["chance"]]
    by_data_set: dict[str, list[float]] = {}
    for cell in losses:
        by_data_set.setdefault(cell["dataset"], []).append(cell["published"] - cell["mean"])
    means = {data_set: fmean(found) for data_set, found in by_data_set.items()}
    if len(means) > 1:
        mean = mean_difference(list(means.values()))
        low, high = mean.interval(1 - 2 * ALPHA)
        numbers = {"value": mean.value, "low": low, "high": high, "p": mean.equivalence(ROPE)}
        yield _row(DIFFERENCE, len(means), **numbers)
    for data_set, value in means.items():
        yield _row(f"{DIFFERENCE}, {data_set}", len(by_data_set[data_set]), value=value)


def _counts(cells):
    judged = [c for c in cells if is_test_score(c) and c["within"] in ("yes", "no")]
    repeated = [c for c in judged if c["chance"]]
    if repeated:
        yield _inside(repeated)
        again = fmean(c["repeated"] for c in repeated)
        yield _row(TOLERATED_OF_REPEATED, len(repeated), found=_n_within(repeated), value=again)
    if judged:
        yield _row(TOLERATED, len(judged), found=_n_within(judged))
    prototypes = [c for c in cells if c["quantity"] == "prototypes" and c["within"] in ("yes", "no")]
    if prototypes:
        yield _row(PROTOTYPES, len(prototypes), found=_n_within(prototypes))
        fewer = sum(c["within"] == "no" and c["ours"] < c["published"] for c in prototypes)
        yield _row(FEWER, len(prototypes) - _n_within(prototypes), found=fewer)


def _inside(cells):
    by_data_set: dict[str, list[bool]] = {}
    for cell in cells:
        by_data_set.setdefault(cell["dataset"], []).append(cell["chance"] == "yes")
    proportions = [fmean(inside) for inside in by_data_set.values()]
    row = _row(INSIDE, len(cells), found=sum(map(sum, by_data_set.values())), value=fmean(proportions))
    return row | {"p": 1 - mean_difference(proportions).above(LEVEL)} if len(proportions) > 1 else row


def _n_within(cells):
    return sum(c["within"] == "yes" for c in cells)


def _foils(cells):
    """The tolerance of one experiment's scores, asked about the numbers of another one on the same data sets."""
    scores = [c for c in cells if is_test_score(c) and c["ours"] is not None and not c["variant"]]
    ours = {(c["experiment"], c["dataset"], c["quantity"]): c["ours"] for c in scores}
    for other, experiment in FOILS:
        verdicts = [
            within(ours[place], (cell["allowed_low"], cell["allowed_high"]))
            for cell in scores
            if cell["experiment"] == experiment and (place := (other, cell["dataset"], cell["quantity"])) in ours
        ]
        if verdicts:
            yield _row(FOIL.format(ours=other, theirs=experiment), len(verdicts), found=sum(verdicts))
