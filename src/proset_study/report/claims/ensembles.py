"""Claims of lecture notes about ensembles (B); see data/published/statements.csv. Letters as in `checks.Quantities`."""

from proset_study.report.claims import measures
from proset_study.report.claims.checks import (
    ELEVEN,
    EQUIVALENT_SCORES,
    SIX,
    Checks,
    Quantities,
    combine,
    compare,
    distance,
    mostly_better,
)
from proset_study.report.claims.registry import claim
from proset_study.report.evaluations.base import record_of

ON_GENERATED = "xor_3f"  # where bias and variance of most methods are evaluated
BASELINE, NOISIEST = "baseline", "noise_30"  # of the response curves
FORESTS = {  # with the number of relevant features, which come first
    "xor_6_6f": ("random_forest", 6),
    BASELINE: ("curve_random_forest", 2),
    "irrelevant_48": ("curve_random_forest", 2),
}


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
    yield mostly_better((q.on(d).L("random_forest"), q.on(d).L("bagging")) for d in ELEVEN)


@claim("B4")
def boosting_beats_forests(q: Quantities) -> Checks:
    """Boosting beats random forests."""
    yield mostly_better((q.on(d).L("E9" if d in SIX else "E12"), q.on(d).L("random_forest")) for d in ELEVEN)


@claim("B6", *ELEVEN)
def boosting_overfits_with_complex_rules(q: Quantities) -> Checks:
    """Boosting overfits if the weak learner is too complex: AdaBoost with the deepest trees is beyond the threshold."""
    deepest = q.measure("c with the deepest trees", "adaboost", _loss_of_deepest)
    yield compare(deepest, ">", q.measure("T", "adaboost", _threshold))


@claim("B7", NOISIEST)
def boosting_suffers_from_wrong_labels(q: Quantities) -> Checks:
    """Boosting suffers more than bagging where many labels are wrong."""
    bagging = _rise(q, "curve_random_forest")
    for experiment in ("curve_adaboost", "curve_xgboost"):
        yield compare(_rise(q, experiment), ">", bagging)


@claim("B8", "noise_10", "noise_20", NOISIEST)
def the_heaviest_are_mislabelled(q: Quantities) -> Checks:
    """The samples of largest weight are often mislabelled: in the heaviest tenth twice as many as in all."""
    heaviest, everywhere = (
        q.of_truth(
            name, "curve_adaboost", lambda f, p, part=part: measures.mislabelled_among_heaviest(f, p, part), True
        )
        for name, part in (("mislabelled in the heaviest tenth", 0.1), ("in all", 1.0))
    )
    yield compare(heaviest, ">", combine(f"twice those {everywhere.name}", lambda share: 2 * share, everywhere))


@claim("B9", *ELEVEN)
def hundreds_of_trees_with_square_root(q: Quantities) -> Checks:
    """Forests have hundreds of trees and draw the square root of the number of features, which is as good as any.

    500 trees are no worse than 100, and of the trials that whose exponent is nearest to 1/2 is within the threshold.
    """
    forest = "open_random_forest"
    yield compare(q.c(forest, 500), "<=", q.c(forest, 100))
    square_root = q.measure("c with about sqrt(D) features", forest, _loss_with_square_root)
    yield compare(square_root, "<=", q.measure("T", forest, _threshold))


@claim("B12", *FORESTS)
def importance_finds_relevant_features(q: Quantities) -> Checks:
    """Importance of features by the splits of a forest tells the relevant from the irrelevant."""
    experiment, relevant = FORESTS[q.data_set]
    least = q.measure("least importance of a relevant feature", experiment, lambda f: _importance(f)[:relevant].min())
    largest = q.measure("largest of an irrelevant one", experiment, lambda f: _importance(f)[relevant:].max())
    yield compare(least, ">", largest)


@claim("B13", *ELEVEN)
def votes_and_means_decide_alike(q: Quantities) -> Checks:
    """A majority of classes and the mean of probabilities decide alike."""
    for experiment in ("bagging", "random_forest"):
        voted = q.measure("BA by vote", experiment, measures.balanced_accuracy_of_votes)
        yield compare(distance(voted, q.BA(experiment)), "<=", EQUIVALENT_SCORES)


def _loss_of_deepest(final):
    return min((-settings["max_depth"], loss) for settings, loss in _trials(final))[1]


def _loss_with_square_root(final):
    return min((abs(settings["features_exponent"] - 0.5), loss) for settings, loss in _trials(final))[1]


def _trials(final):
    return zip(final.stage1["settings"], final.stage1["mean"], strict=True)


def _threshold(final):
    return final.stage1["threshold"]


def _rise(q, experiment):
    name = f"excess error {experiment} from {BASELINE} to {q.data_set}"
    return combine(name, lambda noisy, clean: noisy - clean, q.excess(experiment), q.on(BASELINE).excess(experiment))


def _importance(final):
    return final.model.fitted.estimator.feature_importances_


def _part(q, part, experiment):
    return q.measure(part, experiment, lambda final: record_of(final, "bias_variance")[part])
