"""Claims of sources 001 to 004: prototypes by set cover (P), estimates of the error (Q), learning (C), ensembles (B).

Where they stand, and which statements wait for an experiment, is in data/published/statements.csv. Letters as in
`checks.Quantities`.
"""

from statistics import fmean, stdev

from proset_study.report.claims.checks import FIVE, SIX, Checks, Number, Quantities, combine, compare
from proset_study.report.claims.registry import claim
from proset_study.report.evaluations.base import record_of
from proset_study.report.paired import mean_difference
from proset_study.store.stored import Missing

ELEVEN = (*SIX, *FIVE)
ACCURACY = 0.02  # of balanced accuracy that "as good as" allows
ON_GENERATED = "xor_3f"  # where bias and variance of most methods are evaluated
# E18, workflow/error_estimates.yaml. The draws of one replicate decide, as replicates do elsewhere.
SMALLEST, ON_CURVES = "mixture_54", "mixture_189"
ESTIMATED = ("estimates_knn", "estimates_decision_tree")


@claim("P1", *ELEVEN)
def set_cover_is_as_good_as_nearest_neighbour(q: Quantities) -> Checks:
    """Set cover predicts as well as the nearest neighbour, with far fewer prototypes."""
    yield compare(q.BA("set_cover"), ">=", _minus(q.BA("nearest_neighbour"), ACCURACY))
    yield compare(q.P("set_cover"), "<", combine("half of P nearest_neighbour", _half, q.P("nearest_neighbour")))


@claim("P2", "digits")
def centres_among_the_candidates_help(q: Quantities) -> Checks:
    """Centres of k-means among the candidates help where there are many features."""
    yield compare(q.BA("set_cover_centres"), ">", q.BA("set_cover"))


@claim("P3", "mixture")
def medoids_suffer_where_classes_overlap(q: Quantities) -> Checks:
    """Where classes overlap, k-medoids are worse than set cover and LVQ."""
    for experiment in ("set_cover", "lvq"):
        yield compare(q.BA(experiment), ">", q.BA("k_medoids"))


@claim("P4", "digits")
def free_prototypes_help_with_many_features(q: Quantities) -> Checks:
    """Prototypes anywhere (k-means, LVQ) have an advantage over samples (k-medoids) where there are many features."""
    for experiment in ("k_means", "lvq"):
        yield compare(q.BA(experiment), ">", q.BA("k_medoids"))


@claim("P5")
def no_prototype_method_is_always_best(q: Quantities) -> Checks:
    """No prototype method is the best on all data sets."""
    wins = dict.fromkeys(("set_cover", "nearest_neighbour", "k_medoids", "lvq"), 0)
    for data_set in ELEVEN:
        found = {e: q.on(data_set).BA(e).known() for e in wins}
        for experiment in wins:
            wins[experiment] += found[experiment] == max(found.values())
    most = max(wins, key=lambda e: wins[e])
    yield compare(Number(f"data sets with {most} best", wins[most]), "<", Number("all", len(ELEVEN)))


@claim("Q1", ON_CURVES, over_replicates=True)
def complexity_trades_bias_for_variance(q: Quantities) -> Checks:
    """The more complex a model, the smaller its bias and the larger its variance."""
    for experiment, simplest in (("estimates_knn", -1), ("estimates_decision_tree", 0)):
        for part, relation in (("bias2", "<"), ("variance", ">")):
            ends = [q.measure(f"{part} at {i}", experiment, _on_curve(part, i)) for i in (-1 - simplest, simplest)]
            yield compare(ends[0], relation, ends[1])


@claim("Q4", SMALLEST, over_replicates=True)
def naive_bootstrap_is_too_small(q: Quantities) -> Checks:
    """The naive bootstrap error is too small; samples that were left out mend that."""
    for experiment in ESTIMATED:
        yield compare(_bias(q, experiment, "bootstrap_naive", 1), "<", 0.0)
        yield compare(_bias(q, experiment, "bootstrap_left_out", 1), ">=", 0.0)


@claim("Q7", SMALLEST, over_replicates=True)
def training_error_is_too_small(q: Quantities) -> Checks:
    """The training error is no estimate of the error on new samples: it is too small."""
    for experiment in ESTIMATED:
        yield compare(_bias(q, experiment, "training", 1), "<", 0.0)


@claim("C1", "wine", "cancer", "digits", "checker")
def more_samples_are_better(q: Quantities) -> Checks:
    """The more samples a model learns from, the smaller its test error."""
    for experiment in ("E3", "E8", "E9"):
        least, most = (q.measure(f"error at {part:g}", experiment, _error_at(part)) for part in (0.1, 1.0))
        yield compare(most, "<", least)


@claim("C2", SMALLEST, over_replicates=True)
def larger_test_parts_vary_less(q: Quantities) -> Checks:
    """A larger test part gives an estimate of less variance."""
    for experiment in ESTIMATED:
        ten, twenty, fifty = (
            q.measure(f"deviation with {share} % held out", experiment, _deviation(f"holdout_{share}"))
            for share in (10, 20, 50)
        )
        yield compare(fifty, "<", twenty, "<", ten)


@claim("C5", SMALLEST, over_replicates=True)
def nested_selection_is_unbiased(q: Quantities) -> Checks:
    """A selection inside each training part leaves the estimate unbiased."""
    for experiment in ESTIMATED:
        yield compare(_bias(q, experiment, "nested", -1), "<=", 0.0, "<=", _bias(q, experiment, "nested", 1))


@claim("C13", SMALLEST, over_replicates=True)
def a_selecting_score_is_too_good(q: Quantities) -> Checks:
    """The error on the set that selected the model is too small."""
    for experiment in ESTIMATED:
        yield compare(_bias(q, experiment, "validation", 1), "<", 0.0)


@claim("B1", ON_GENERATED)
def bagging_reduces_variance(q: Quantities) -> Checks:
    """Bagging reduces the variance of trees."""
    yield compare(_part(q, "variance", "bagging"), "<", _part(q, "variance", "decision_tree"))


@claim("B2", ON_GENERATED)
def bagging_increases_bias(q: Quantities) -> Checks:
    """Bagging increases the bias of trees."""
    yield compare(_part(q, "bias2", "bagging"), ">", _part(q, "bias2", "decision_tree"))


@claim("B3")
def forests_beat_bagging(q: Quantities) -> Checks:
    """Random forests are usually better than bagged trees."""
    yield _mostly_better(q, lambda data_set: "random_forest", lambda data_set: "bagging")


@claim("B4")
def boosting_beats_forests(q: Quantities) -> Checks:
    """Boosting beats random forests."""
    yield _mostly_better(q, lambda data_set: "E9" if data_set in SIX else "E12", lambda data_set: "random_forest")


def _half(value):
    return value / 2


def _minus(number, amount):
    return combine(f"{number.name} - {amount:g}", lambda value: value - amount, number)


def _error_at(fraction):
    def mean_error(final):
        drawn = [p for p in record_of(final, "learning_curve")["points"] if p["fraction"] == fraction]
        fitted = [point["error"] for point in drawn if "error" in point]
        if not fitted:
            raise Missing(f"a fit of {final.label} to {fraction:g} of the training part of {final.data_set}")
        return fmean(fitted)

    return mean_error


def _on_curve(part, i):
    return lambda final: record_of(final, "complexity_curve")["points"][i]["squared"][part]


def _estimates(final, name):
    """Estimate and true error by draw, without draws that lack it."""
    draws = record_of(final, "error_estimates")["draws"]
    found = [draw["estimates"][name] for draw in draws if name in draw["estimates"]]
    return [(estimate, true) for estimate, _, _, true in found]


def _deviation(name):
    return lambda final: stdev(estimate for estimate, _ in _estimates(final, name))


def _bias(q, experiment, name, side):
    """An end of the 95 % interval of the mean difference from the true error: the lower one for -1, the upper for 1."""

    def end(final):
        off = mean_difference([estimate - true for estimate, true in _estimates(final, name)])
        return off.interval(0.95)[side > 0]

    return q.measure(f"{'upper' if side > 0 else 'lower'} end of the bias of {name}", experiment, end)


def _part(q, part, experiment):
    return q.measure(part, experiment, lambda final: record_of(final, "bias_variance")[part])


def _mostly_better(q, one, other):
    """Whether the first is better by log-loss on more than half of the data sets."""
    losses = [(q.on(d).L(one(d)), q.on(d).L(other(d))) for d in ELEVEN]
    better = [combine("better", lambda a, b: float(a < b), *pair) for pair in losses]
    return compare(combine("data sets where it is better", lambda *values: sum(values), *better), ">", len(ELEVEN) / 2)
