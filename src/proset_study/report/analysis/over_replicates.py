"""Paired differences of methods on each data set over the replicates, by all losses; see `paired`."""

from functools import cache
from itertools import combinations, product
from math import inf
from statistics import stdev

from proset_study import methods
from proset_study.report.analysis.losses import ROPE, losses_by_method, overlaps
from proset_study.report.analysis.paired import MIN_REPLICATES, differences, mean_difference
from proset_study.report.analysis.runs import main_score
from proset_study.report.rows import pick
from proset_study.store.metrics import LOSSES
from proset_study.store.stored import Stored

METHOD_COLUMNS = (
    *("dataset", "score", "first", "second", "replicates", "first_better", "difference", "standard_deviation"),
    *("overlap", "standard_error", "low", "high", "p", "equivalence_p"),
)


@cache
def methods_over_replicates(stored: Stored) -> list[dict]:
    """Paired differences of test losses over the replicates; keys are `METHOD_COLUMNS`.

    The methods are those of the study's `compared_experiments`; the subject is the first of its pairs. "difference" is
    first minus second (negative: the first is better), "low" and "high" are the ends of its 95 % interval, "overlap" is
    n_test / n_train, 0 for generated data; see `paired`.
    "equivalence_p" is that of two one-sided tests with the margin `ROPE`. With ten replicates the tests are weak, and
    p-values are not corrected for the number of comparisons. Of a large study it is the pairs with the subject only.
    """
    study, rows = stored.study, []
    overlap = overlaps(stored, list(study.experiments))
    for score, loss in LOSSES.items():
        by_method = losses_by_method(stored, study.compared_experiments, score)
        compared = [m for m in methods.METHODS if m in by_method and loss.fits(methods.get(m))]
        pairs = list(combinations(sorted(compared, key=lambda m: m != study.subject), 2))
        if study.is_large:
            pairs = [pair for pair in pairs if study.subject in pair]
        for data_set, (first, second) in product(study.data_sets, pairs):
            paired = differences(by_method[first].get(data_set, {}), by_method[second].get(data_set, {}))
            if len(paired) < 2 or overlap[data_set] == inf:
                continue
            mean = mean_difference(paired, overlap[data_set])
            values = (data_set, score, first, second, len(paired), sum(d < 0 for d in paired), mean.value)
            tested = (stdev(paired), overlap[data_set], mean.error, *mean.interval(0.95), mean.p())
            rows.append(dict(zip(METHOD_COLUMNS, (*values, *tested, mean.equivalence(ROPE)), strict=True)))
    return rows


def subject_over_replicates(stored: Stored) -> list[dict]:
    """Differences of the subject and the main score that have an interval: of `MIN_REPLICATES` or more."""
    rows = pick(methods_over_replicates(stored), score=main_score(stored.study), first=stored.study.subject)
    return [row for row in rows if row["replicates"] >= MIN_REPLICATES]
