"""Claims about the fit strategy of proset (S) and about its settings (A), experiments E1 to E7."""

from itertools import combinations
from statistics import fmean

from proset_study.report.analysis.paired import MIN_REPLICATES, mean_difference
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.claims import measures
from proset_study.report.claims.checks import ELEVEN, FIVE, LARGE, SIX, SMALL, Check, compare, fails, some, varies_more
from proset_study.report.claims.quantities import Deferred, Quantity, combine, measure, named, number
from proset_study.report.claims.registry import claim
from proset_study.store.stored import Missing

SHARE_OF_L2 = ("E1", "E2", "E3")  # from dominant l1 to dominant l2
FEWER_CANDIDATES, MORE_CANDIDATES = ("candidates=100", "candidates=300"), "candidates=1500"  # E7; E6 has 1,000
SWEEP = "S16"  # varies lambda_w at fixed lambda_v
BY_LAMBDA_V, BY_LAMBDA_W = "sweep_lambda_v", "sweep_lambda_w"  # of workflow/suites/chapter_claims.yaml
MOST_BATCHES = 10
PROPORTIONS, HALF = "S13", "max_fraction=0.5"  # varies the proportion of samples that are candidates
LAST_DECIMAL = 0.01  # of a published log-loss; steps against the trend that are not larger do not count


def _runs(data_set) -> list[str]:
    """Proset's experiments and their variants."""
    if data_set in FIVE:
        return ["E10"]
    candidates = (*FEWER_CANDIDATES, MORE_CANDIDATES) if data_set in LARGE else ()
    return [*(f"E{i}" for i in range(1, 7)), *(f"E7 {variant}" for variant in candidates)]


@claim("S1", "The first batch matters most", *SIX).holds_if
def _first_gain_is_largest(scope):
    for run in _runs(scope.data_set):
        first = _of_curve("first gain", run, lambda c: c[0] - c[1])
        yield compare(first, ">", _of_curve("later gain", run, _largest_later_gain))


def _of_curve(name, run, function):
    return named(name, run, lambda scope: function(scope.curve(run)))


def _largest_later_gain(c):
    return max((c[size] - c[size + 1] for size in range(1, max(c))), default=0.0)


claim("S2", "Few large batches beat many small ones", *LARGE).holds_if("c(1) E6 < min c E7 candidates=100")
claim("S3", "A larger first batch is better", *LARGE).holds_if(
    "c(1) E7 candidates=100 > c(1) E7 candidates=300 > c(1) E6"
)
claim("S4", "More batches saturate, they do not overfit", *ELEVEN).holds_if(
    lambda scope: (f"c(10) {run} <= T {run}" for run in _runs(scope.data_set))
)


@claim("S5", "Batches get smaller", *SIX).holds_if
def _batches_get_smaller(scope):
    """Models with other numbers of batches than ten say nothing about it."""
    has_ten = False
    for experiment in ("E4", "E6"):
        n_batches = measure("B", experiment, lambda final: len(measures.prototypes_by_batch(final)))(scope)
        if n_batches.value in (None, MOST_BATCHES):
            has_ten = True
            yield from _get_smaller(experiment, measures.prototypes_by_batch)
    if not has_ten:
        raise Missing(f"a final model with {MOST_BATCHES} batches on {scope.data_set}")


claim("S6", "Batches get smaller along the path of ten that stage 2 fits", *ELEVEN).holds_if(  # mean over the folds
    lambda scope: (_get_smaller(run, _path_of_ten) for run in _runs(scope.data_set))
)


def _get_smaller(run, counts_of):
    """Whether the last of ten batches has fewer prototypes than the first one, and the numbers tend to fall."""

    def of_batch(b):
        return measure(f"P of batch {b}", run, lambda final: counts_of(final)[b - 1])

    yield compare(of_batch(MOST_BATCHES), "<", of_batch(1))
    correlation = measure("rank correlation", run, lambda f: measures.rank_correlation_of_batches(counts_of(f)))
    yield compare(correlation, "< 0")


def _path_of_ten(final):
    counts = measures.prototypes_by_batch_of_paths(final)
    if len(counts) != MOST_BATCHES:
        raise Missing(f"a path of {MOST_BATCHES} batches of {final.label} on {final.data_set}")
    return counts


claim("S8", "Ten batches are a reasonable upper limit: the rule always selects fewer", *ELEVEN).holds_if(
    lambda scope: (
        f"selected B {run} < {MOST_BATCHES}"
        for run in _runs(scope.data_set)
        if run != "E4"  # where the optimum is taken, without the rule
    )
)


def _one_batch(experiment):
    """c(1) <= T; where c(1) is not printed, the selected number of batches says so: it is the smallest within T."""
    loss = number(f"c(1) {experiment}")
    by_loss, by_selection = compare(loss, f"<= T {experiment}"), compare(f"selected B {experiment} == 1")
    return Deferred(lambda scope: (by_selection if loss(scope).missing else by_loss)(scope))


claim("S7", "One batch of 1,000 candidates is a good default", *SIX).holds_if(_one_batch("E3"), _one_batch("E6"))
claim("S9", "Complex data are underfitted by one batch", *LARGE).holds_if(
    some(fails(_one_batch("E3")), fails(_one_batch("E6")))
)


@claim(
    "S12",
    "Good values of lambda_v lie inside 1e-6 to 1e-1",
    *ELEVEN,
    cannot_fail=dict.fromkeys(FIVE, "all values that are tried lie inside"),
).holds_if
def _lambda_v_is_inside(scope):
    for experiment in (*SHARE_OF_L2, "E5") if scope.data_set in SIX else ("E10",):
        yield f"1e-6 < lambda_v {experiment} < 1e-1"


@claim("S13", "Half of the samples as candidates is a reasonable compromise where there are few", *SMALL).holds_if
def _half_is_as_good(scope):
    """No other proportion is better by more than one standard deviation over the folds."""
    return f"min c {PROPORTIONS} {HALF} <= T {_best(scope, _variants(scope, PROPORTIONS))}"


claim(
    "S14",
    "lambda_v = 1e-3 works everywhere",
    *SIX,
    cannot_fail={"iris_2f": "the threshold is as high as the log-loss of the class prior"},
).holds_if("L E6 <= T E3")
claim("S15", "lambda_w = 1e-8 works everywhere", *SIX).holds_if("L E5 <= T E3")


@claim("S11", "Tuning lambda_v alone is better than tuning lambda_w alone, with one batch", *SIX).holds_if
def _lambda_v_is_the_one_to_tune(scope):
    """The lowest c of stage 1 of E5, where lambda_w = 1e-8, and of the values of lambda_w at lambda_v = 1e-3."""
    by_lambda_v = named("min c", "E5", lambda s: s.evidence.value("E5", s.data_set, "stage1", "optimal_log_loss"))
    by_lambda_w = combine(f"min c {SWEEP}", min, *(number(f"min c {run}") for run in _variants(scope, SWEEP)))
    yield compare(by_lambda_v, "<", by_lambda_w)


@claim("S16", "A larger lambda_w can add prototypes", *SIX, over_replicates=True).holds_if
def _prototypes_rise(scope):
    """Between two values of lambda_w the mean over replicates rises, by paired tests with Bonferroni's correction.

    The claim fails if the mean falls significantly between every two of them, and is undetermined otherwise.
    """
    sweep, replicates = _sweep(scope), scope.replicates(MIN_REPLICATES)
    counts = [(value, [replicate.known(f"P {run}") for replicate in replicates]) for value, run in sweep]
    is_generated = scope.evidence.is_generated(scope.data_set)
    overlap = 0.0 if is_generated else measures.overlap_of_training(scope.final(sweep[0][1]))
    rises = [
        (mean_difference([after - before for before, after in zip(p_1, p_2, strict=True)], overlap), value_1, value_2)
        for (value_1, p_1), (value_2, p_2) in combinations(counts, 2)
    ]
    mean, *ends = min(rises, key=lambda rise: rise[0].above(0.0))
    p = min(1.0, len(rises) * mean.above(0.0))
    always_falls = all(1.0 - rise.above(0.0) < ALPHA for rise, *_ in rises)
    text = f"rise of P from lambda_w = {ends[0]:.3g} to {ends[1]:.3g} {mean.value:.3g} (p = {p:.2g})"
    return Check(True if p < ALPHA else False if always_falls else None, text)


@claim("S17", "A still larger lambda_w underfits", *SIX).holds_if
def _training_loss_does_not_fall(scope):
    losses = [measures.training_log_loss(scope.final(run)) for _, run in _sweep(scope)]
    falls = max(a - b for i, a in enumerate(losses) for b in losses[i:])
    return compare(Quantity("largest fall of the training log-loss", falls), "<=", LAST_DECIMAL)


@claim("S18", "A still larger lambda_w shrinks the predictions to the marginals", *SIX).holds_if
def _predictions_shrink(scope):
    shifts = [measures.distance_from_prior(scope.final(run)) for _, run in _sweep(scope)]
    rises = max(b - a for i, a in enumerate(shifts) for b in shifts[i:])
    last = Quantity("mean |p - prior| at the largest lambda_w", shifts[-1])
    yield compare(last, "<", Quantity("at the smallest", shifts[0]))
    yield compare(Quantity("largest rise", rises), "<=", LAST_DECIMAL)


@claim("S19", "A smaller lambda_w does not overfit", *SIX).holds_if
def _smallest_does_not_overfit(scope):
    sweep = _sweep(scope)
    smallest = [run for value, run in sweep if abs(value / 1e-9 - 1) < 1e-6]
    if not smallest:
        raise Missing(f"lambda_w = 1e-9 in {SWEEP} on {scope.data_set}")
    return f"min c {smallest[0]} <= T {_best(scope, [run for _, run in sweep])}"


@claim("S20", "Good values of lambda_w lie in the range from 1e-9 to 1e-4", *SIX).holds_if
def _small_values_are_good(scope):
    losses = [(value, scope.known(f"min c {run}")) for value, run in _sweep(scope)]
    inside, beyond = ([c for value, c in losses if (value < 2e-4) == small] for small in (True, False))
    if not beyond:
        raise Missing(f"lambda_w above 1e-4 in {SWEEP} on {scope.data_set}")
    return compare(Quantity("least c with lambda_w up to 1e-4", min(inside)), "<", Quantity("beyond", min(beyond)))


@claim("S23", "Below a threshold, a smaller lambda_w leaves fewer prototypes with larger weights", *SIX).holds_if
def _fewer_prototypes_with_larger_weights(scope):
    """The threshold is the largest lambda_w whose c is within T of the best one."""
    runs = [run for _, run in _sweep(scope)]
    within = scope.known(f"T {_best(scope, runs)}")
    smallest, largest = runs[0], [run for run in runs if scope.known(f"min c {run}") <= within][-1]
    yield f"P {smallest} < P {largest}"
    yield f"mean weight {smallest} > mean weight {largest}"


@claim(
    "F4", "lambda_v controls how smooth a model is; it, not lambda_w, is the main safeguard against overfitting", *SIX
).holds_if
def _lambda_v_smooths(scope):
    """Overfitting is the log-loss on the test part minus that on the training part; one batch."""
    steep, smooth = _ends(scope, BY_LAMBDA_V, "lambda_v", measures.steepness)
    yield compare(Quantity("steepness at the largest lambda_v", smooth), "<", Quantity("at the smallest", steep))
    first, last = _ends(scope, BY_LAMBDA_V, "lambda_v", measures.overfitting)
    removed = Quantity("overfitting that the largest lambda_v removes", first - last)
    yield compare(0.0, "<", removed)
    first, last = _ends(scope, BY_LAMBDA_W, "lambda_w", measures.overfitting)
    yield compare(Quantity("that the largest lambda_w removes", first - last), "<", removed)


def _ends(scope, experiment, parameter, function) -> tuple[float, float]:
    """A measure of the final models with the smallest and with the largest value of a parameter."""
    (_, smallest), *_, (_, largest) = _sweep(scope, experiment, parameter)
    return function(scope.final(smallest)), function(scope.final(largest))


def _sweep(scope, experiment=SWEEP, parameter="lambda_w") -> list[tuple[float, str]]:
    """Values of a varied parameter, increasing, and their runs."""
    return sorted((scope.final(run).fit["parameters"][parameter], run) for run in _variants(scope, experiment))


def _best(scope, runs) -> str:
    """The first run with the lowest c."""
    return min(runs, key=lambda run: scope.known(f"min c {run}"))


def _variants(scope, experiment) -> list[str]:
    variants = scope.evidence.variants(experiment, scope.data_set)
    if len(variants) < 2:
        raise Missing(f"two variants of {experiment} on {scope.data_set}")
    return [f"{experiment} {variant}" for variant in variants]


def _features(experiment):
    return combine(f"sum of F {experiment}", lambda *F: sum(F), *(number(f"F {experiment} on {d}") for d in SIX))


def _mean_loss(experiment):
    return combine(f"mean L {experiment}", lambda *L: fmean(L), *(number(f"L {experiment} on {d}") for d in SIX))


claim("S21", "Dominant l2 keeps more features").holds_if(compare(_features("E3"), ">", _features("E1")))
claim("S22", "Dominant l1 is unstable on small data", *SMALL, over_replicates=True).holds_if(varies_more("E1", "E3"))

claim("A23", "Dominant l1 is slightly worse").holds_if(
    [compare(_mean_loss("E1"), ">", _mean_loss(experiment)) for experiment in ("E2", "E3")]
)
claim("A24", "Dominant l1 underfits iris_2f and cancer", "iris_2f", "cancer").holds_if("F E1 == 1", "L E1 > T E1")
claim(
    "A25", "Optimal parameters are slightly better on test data, over all data sets, than those of the rule"
).holds_if([compare(_mean_loss("E4"), "<", _mean_loss(experiment)) for experiment in SHARE_OF_L2])
claim("A26", "Optimal parameters give a granular surface on iris_2f", "iris_2f").holds_if("regions E4 > regions E3")
claim("A28", "The rule of one standard deviation (there called standard error) costs little", *SIX).holds_if(
    "L E3 <= T E4"
)
claim("A29", "Fixing lambda_w is harmless", *SIX).holds_if("|L E5 - L E3| <= SD E3")
claim("A31", "Fixing lambda_v and lambda_w worsens iris_2f", "iris_2f").holds_if("L E6 > T E3")
claim("A32", "Fixing lambda_v and lambda_w is comparable or better elsewhere", *SIX[1:]).holds_if("L E6 <= T E3")
claim("A33", "100 and 300 candidates are worse than 1,000", *LARGE).holds_if(
    [f"L E7 {variant} > T E6" for variant in FEWER_CANDIDATES]
)
claim("A34", "1,500 candidates are comparable to 1,000", *LARGE).holds_if(
    f"L E7 {MORE_CANDIDATES} <= T E6", f"|L E7 {MORE_CANDIDATES} - L E6| <= 0.02"
)
claim("A35", "More candidates are better", *LARGE).holds_if("L E7 candidates=100 > L E7 candidates=300 > L E6")
