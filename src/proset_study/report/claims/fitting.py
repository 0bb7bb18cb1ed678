"""Claims about the fit strategy of proset (S) and about its settings (A), experiments E1 to E7.

Letters as in `checks.Quantities`.
"""

from statistics import fmean, stdev

from proset_study.report.claims import measures
from proset_study.report.claims.checks import (
    FIVE,
    LARGE,
    SIX,
    SMALL,
    Checks,
    Number,
    Quantities,
    combine,
    compare,
    distance,
    some,
)
from proset_study.report.claims.registry import claim
from proset_study.store.stored import Missing

SHARE_OF_L2 = ("E1", "E2", "E3")  # from dominant l1 to dominant l2
FEWER_CANDIDATES, MORE_CANDIDATES = ("candidates=100", "candidates=300"), "candidates=1500"  # E7; E6 has 1,000
SWEEP = "S16"  # the experiment that varies lambda_w at fixed lambda_v
PROPORTIONS, HALF = (
    "S13",
    "max_fraction=0.5",
)  # the experiment that varies the proportion of samples that are candidates
LAST_DECIMAL = 0.01  # of a published log-loss; steps against the trend that are not larger do not count


@claim("S1", *SIX)
def first_batch_matters_most(q: Quantities) -> Checks:
    """The first batch matters most."""
    for run in _runs(q.data_set):
        first = q.path("first gain", run[0], lambda c: c[0] - c[1], run[1])
        later = q.path("later gain", run[0], _largest_later_gain, run[1])
        yield compare(first, ">", later)


@claim("S2", *LARGE)
def one_large_batch_beats_small_ones(q: Quantities) -> Checks:
    """Few large batches beat many small ones."""
    yield compare(q.c("E6", 1), "<", q.best("E7", "candidates=100"))


@claim("S3", *LARGE)
def larger_first_batch_is_better(q: Quantities) -> Checks:
    """A larger first batch is better."""
    fewest, fewer = (q.c("E7", 1, variant) for variant in FEWER_CANDIDATES)
    yield compare(fewest, ">", fewer, ">", q.c("E6", 1))


@claim("S4", *SIX, *FIVE)
def more_batches_saturate(q: Quantities) -> Checks:
    """More batches saturate, they do not overfit."""
    for experiment, variant in _runs(q.data_set):
        yield compare(q.c(experiment, 10, variant), "<=", q.T(experiment, variant))


@claim("S5", *SIX)
def batches_get_smaller(q: Quantities) -> Checks:
    """Batches get smaller.

    Models with other numbers of batches than ten say nothing about it.
    """
    found = False
    for experiment in ("E4", "E6"):
        size = q.measure("B", experiment, lambda final: len(measures.prototypes_by_batch(final)))
        if size.value in (None, 10):
            found = True
            first = q.measure("P of batch 1", experiment, lambda final: measures.prototypes_by_batch(final)[0])
            last = q.measure("P of batch 10", experiment, lambda final: measures.prototypes_by_batch(final)[-1])
            yield compare(last, "<", first)
            yield compare(q.measure("rank correlation", experiment, measures.rank_correlation_of_batches), "<", 0)
    if not found:
        raise Missing(f"a final model with 10 batches on {q.data_set}")


@claim("S7", *SIX)
def one_batch_is_a_good_default(q: Quantities) -> Checks:
    """One batch of 1,000 candidates is a good default."""
    for experiment in ("E3", "E6"):
        yield _one_batch(q, experiment)


@claim("S9", *LARGE)
def complex_data_need_more_batches(q: Quantities) -> Checks:
    """Complex data are underfitted by one batch."""
    yield some(~_one_batch(q, experiment) for experiment in ("E3", "E6"))


@claim("S12", *SIX, *FIVE, cannot_fail=dict.fromkeys(FIVE, "all values that are tried lie inside"))
def lambda_v_is_inside_its_range(q: Quantities) -> Checks:
    """Good values of lambda_v lie inside 1e-6 to 1e-1."""
    for experiment in (*SHARE_OF_L2, "E5") if q.data_set in SIX else ("E10",):
        optimum = q.table("lambda_v", experiment, "stage1", "optimal_lambda_v")
        yield compare(1e-6, "<", optimum, "<", 1e-1)


@claim("S13", *SMALL)
def half_of_the_samples_is_a_compromise(q: Quantities) -> Checks:
    """Half of the samples as candidates is a reasonable compromise where there are few.

    No other proportion is better by more than one standard deviation over the folds.
    """
    best = min(_variants(q, PROPORTIONS), key=lambda variant: q.best(PROPORTIONS, variant).known())
    yield compare(q.best(PROPORTIONS, HALF), "<=", q.T(PROPORTIONS, best))


@claim("S14", *SIX, cannot_fail={"iris_2f": "the threshold is as high as the log-loss of the class prior"})
def default_lambda_v_works(q: Quantities) -> Checks:
    """lambda_v = 1e-3 works everywhere."""
    yield compare(q.L("E6"), "<=", q.T("E3"))


@claim("S15", *SIX)
def default_lambda_w_works(q: Quantities) -> Checks:
    """lambda_w = 1e-8 works everywhere."""
    yield compare(q.L("E5"), "<=", q.T("E3"))


@claim("S16", *SIX, over_replicates=True)
def larger_lambda_w_can_add_prototypes(q: Quantities) -> Checks:
    """A larger lambda_w can add prototypes.

    Between two values of lambda_w the mean over replicates rises by more than either standard deviation.
    """
    sweep, replicates = _sweep(q), q.replicates(at_least=2)
    counts = [(value, [r.P(SWEEP, variant).known() for r in replicates]) for value, variant in sweep]
    moments = [(value, fmean(p), stdev(p)) for value, p in counts]
    rises = [  # of the mean, what it has to exceed, where
        (mean_2 - mean_1, max(spread_1, spread_2), f"{value_1:.3g} to {value_2:.3g}")
        for i, (value_1, mean_1, spread_1) in enumerate(moments)
        for value_2, mean_2, spread_2 in moments[i + 1 :]
    ]
    rise, spread, where = max(rises, key=lambda r: r[0] - r[1])
    yield compare(Number(f"rise of P from lambda_w = {where}", rise), ">", Number("standard deviation", spread))


@claim("S17", *SIX)
def still_larger_lambda_w_underfits(q: Quantities) -> Checks:
    """A still larger lambda_w underfits."""
    losses = [q.measure("", SWEEP, measures.training_log_loss, variant).known() for _, variant in _sweep(q)]
    falls = max(a - b for i, a in enumerate(losses) for b in losses[i:])
    yield compare(Number("largest fall of the training log-loss", falls), "<=", LAST_DECIMAL)


@claim("S18", *SIX)
def large_lambda_w_shrinks_to_marginals(q: Quantities) -> Checks:
    """A still larger lambda_w shrinks the predictions to the marginals."""
    shifts = [q.measure("", SWEEP, measures.distance_from_prior, variant).known() for _, variant in _sweep(q)]
    rises = max(b - a for i, a in enumerate(shifts) for b in shifts[i:])
    last, first = Number("mean |p - prior| at the largest lambda_w", shifts[-1]), Number("at the smallest", shifts[0])
    yield compare(last, "<", first)
    yield compare(Number("largest rise", rises), "<=", LAST_DECIMAL)


@claim("S19", *SIX)
def small_lambda_w_does_not_overfit(q: Quantities) -> Checks:
    """A smaller lambda_w does not overfit."""
    sweep = _sweep(q)
    smallest = [variant for value, variant in sweep if abs(value / 1e-9 - 1) < 1e-6]
    if not smallest:
        raise Missing(f"lambda_w = 1e-9 in {SWEEP} on {q.data_set}")
    best = min((variant for _, variant in sweep), key=lambda variant: q.best(SWEEP, variant).known())
    yield compare(q.best(SWEEP, smallest[0]), "<=", q.T(SWEEP, best))


@claim("S20", *SIX)
def good_lambda_w_are_small(q: Quantities) -> Checks:
    """Good values of lambda_w lie in the range from 1e-9 to 1e-4."""
    losses = [(value, q.best(SWEEP, variant).known()) for value, variant in _sweep(q)]
    inside, beyond = ([c for value, c in losses if (value < 2e-4) == small] for small in (True, False))
    if not beyond:
        raise Missing(f"lambda_w above 1e-4 in {SWEEP} on {q.data_set}")
    yield compare(Number("least c with lambda_w up to 1e-4", min(inside)), "<", Number("beyond", min(beyond)))


@claim("S21")
def dominant_l2_keeps_more_features(q: Quantities) -> Checks:
    """Dominant l2 keeps more features."""
    dominant_l1, dominant_l2 = (_over_six(q, "sum of F", sum, Quantities.F, e) for e in ("E1", "E3"))
    yield compare(dominant_l2, ">", dominant_l1)


@claim("S22", *SMALL, over_replicates=True)
def dominant_l1_is_unstable(q: Quantities) -> Checks:
    """Dominant l1 is unstable on small data."""
    yield q.varies_more("E1", "E3")


@claim("A23")
def dominant_l1_is_worse(q: Quantities) -> Checks:
    """Dominant l1 is slightly worse."""
    losses = {e: _over_six(q, "mean L", fmean, Quantities.L, e) for e in SHARE_OF_L2}
    yield compare(losses["E1"], ">", losses["E2"])
    yield compare(losses["E1"], ">", losses["E3"])


@claim("A24", "iris_2f", "cancer")
def dominant_l1_underfits(q: Quantities) -> Checks:
    """Dominant l1 underfits iris_2f and cancer."""
    yield compare(q.F("E1"), "==", 1)
    yield compare(q.L("E1"), ">", q.T("E1"))


@claim("A25")
def optimal_parameters_win_on_test(q: Quantities) -> Checks:
    """Optimal parameters are slightly better on test data, over all data sets, than those of the rule."""
    optimal = _over_six(q, "mean L", fmean, Quantities.L, "E4")
    for experiment in SHARE_OF_L2:
        yield compare(optimal, "<", _over_six(q, "mean L", fmean, Quantities.L, experiment))


@claim("A26", "iris_2f")
def optimal_parameters_are_granular(q: Quantities) -> Checks:
    """Optimal parameters give a granular surface on iris_2f."""
    optimal, selected = (q.measure("regions", e, measures.count_regions) for e in ("E4", "E3"))
    yield compare(optimal, ">", selected)


@claim("A28", *SIX)
def one_standard_error_rule_costs_little(q: Quantities) -> Checks:
    """The rule of one standard deviation (there called standard error) costs little."""
    yield compare(q.L("E3"), "<=", q.T("E4"))


@claim("A29", *SIX)
def fixing_lambda_w_is_harmless(q: Quantities) -> Checks:
    """Fixing lambda_w is harmless."""
    yield compare(distance(q.L("E5"), q.L("E3")), "<=", q.SD("E3"))


@claim("A31", "iris_2f")
def fixing_both_worsens_iris(q: Quantities) -> Checks:
    """Fixing lambda_v and lambda_w worsens iris_2f."""
    yield compare(q.L("E6"), ">", q.T("E3"))


@claim("A32", *SIX[1:])
def fixing_both_is_comparable_elsewhere(q: Quantities) -> Checks:
    """Fixing lambda_v and lambda_w is comparable or better elsewhere."""
    yield compare(q.L("E6"), "<=", q.T("E3"))


@claim("A33", *LARGE)
def few_candidates_are_worse(q: Quantities) -> Checks:
    """100 and 300 candidates are worse than 1,000."""
    for variant in FEWER_CANDIDATES:
        yield compare(q.L("E7", variant), ">", q.T("E6"))


@claim("A34", *LARGE)
def many_candidates_are_comparable(q: Quantities) -> Checks:
    """1,500 candidates are comparable to 1,000."""
    loss = q.L("E7", MORE_CANDIDATES)
    yield compare(loss, "<=", q.T("E6"))
    yield compare(distance(loss, q.L("E6")), "<=", 0.02)


@claim("A35", *LARGE)
def more_candidates_are_better(q: Quantities) -> Checks:
    """More candidates are better."""
    fewest, fewer = (q.L("E7", variant) for variant in FEWER_CANDIDATES)
    yield compare(fewest, ">", fewer, ">", q.L("E6"))


def _runs(data_set) -> list[tuple[str, str]]:
    """Proset's experiments and their variants."""
    if data_set in FIVE:
        return [("E10", "")]
    candidates = (*FEWER_CANDIDATES, MORE_CANDIDATES) if data_set in LARGE else ()
    return [*((f"E{i}", "") for i in range(1, 7)), *(("E7", variant) for variant in candidates)]


def _largest_later_gain(c):
    return max((c[size] - c[size + 1] for size in range(1, max(c))), default=0.0)


def _one_batch(q, experiment):
    """c(1) <= T; where c(1) is not printed, the selected number of batches says so: it is the smallest within T."""
    loss, selected = q.c(experiment, 1), q.table("selected B", experiment, "stage2", "selected_batches")
    return compare(selected, "==", 1) if loss.missing else compare(loss, "<=", q.T(experiment))


def _over_six(q, name, function, letter, experiment):
    numbers = [letter(q.on(data_set), experiment) for data_set in SIX]
    return combine(f"{name} {experiment}", lambda *values: function(values), *numbers)


def _sweep(q) -> list[tuple[float, str]]:
    """Values of lambda_w, increasing, and their variants."""
    variants = _variants(q, SWEEP)
    return sorted((q.evidence.final(SWEEP, q.data_set, v).fit["parameters"]["lambda_w"], v) for v in variants)


def _variants(q, experiment) -> list[str]:
    variants = q.evidence.variants(experiment, q.data_set)
    if len(variants) < 2:
        raise Missing(f"two variants of {experiment} on {q.data_set}")
    return variants
