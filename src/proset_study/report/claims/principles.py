"""Claims of sources 001 to 004: prototypes by set cover (P), estimates of the error (Q), learning (C), ensembles (B).

Where they stand, and which statements wait for an experiment, is in data/published/statements.csv. Letters as in
`checks.Quantities`.
"""

from statistics import fmean

from proset_study.report.claims.checks import FIVE, SIX, Checks, Number, Quantities, combine, compare
from proset_study.report.claims.registry import claim
from proset_study.report.evaluations.base import record_of
from proset_study.store.stored import Missing

ELEVEN = (*SIX, *FIVE)
ACCURACY = 0.02  # of balanced accuracy that "as good as" allows
ON_GENERATED = "xor_3f"  # where bias and variance of most methods are evaluated


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


@claim("C1", "wine", "cancer", "digits", "checker")
def more_samples_are_better(q: Quantities) -> Checks:
    """The more samples a model learns from, the smaller its test error."""
    for experiment in ("E3", "E8", "E9"):
        least, most = (q.measure(f"error at {part:g}", experiment, _error_at(part)) for part in (0.1, 1.0))
        yield compare(most, "<", least)


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


def _part(q, part, experiment):
    return q.measure(part, experiment, lambda final: record_of(final, "bias_variance")[part])


def _mostly_better(q, one, other):
    """Whether the first is better by log-loss on more than half of the data sets."""
    losses = [(q.on(d).L(one(d)), q.on(d).L(other(d))) for d in ELEVEN]
    better = [combine("better", lambda a, b: float(a < b), *pair) for pair in losses]
    return compare(combine("data sets where it is better", lambda *values: sum(values), *better), ">", len(ELEVEN) / 2)
