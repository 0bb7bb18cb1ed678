"""Claims of lecture notes about estimates of the error (Q) and about learning (C); see data/published/statements.csv.

Most are decided by E18, workflow/error_estimates.yaml: the draws of one replicate decide, as replicates do elsewhere.
Letters as in `checks.Quantities`.
"""

from math import sqrt
from statistics import fmean, stdev

from proset_study.report.analysis.paired import mean_difference
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.claims import measures
from proset_study.report.claims.checks import (
    ELEVEN,
    FIVE,
    SIX,
    Checks,
    Number,
    Quantities,
    compare,
    most_wins,
    mostly_better,
    some,
)
from proset_study.report.claims.registry import claim
from proset_study.report.evaluations.base import record_of
from proset_study.store.stored import Missing

SMALLEST, ON_CURVES = "mixture_54", "mixture_189"
ESTIMATED = ("estimates_knn", "estimates_decision_tree")
SINGLE = (
    *("logistic_regression", "decision_tree", "bagging", "random_forest", "adaboost", "hist_gradient_boosting", "svm"),
    *("neural_network", "explainable_boosting"),
)
LEARNERS = {  # their experiments on the first six data sets, and on the other five
    **{"proset": ("E3", "E10"), "KNN": ("E8", "E11"), "XGBoost": ("E9", "E12")},
    **{name: (name, name) for name in SINGLE},
}


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


@claim("C3", SMALLEST, over_replicates=True)
def one_training_part_hides_how_much_it_matters(q: Quantities) -> Checks:
    """One training part does not show how much the error depends on it: the true error differs between them.

    By more than the noise with which it is measured.
    """
    for experiment in ESTIMATED:
        between = q.measure("deviation of the true error", experiment, lambda final: stdev(_true_errors(final)))
        yield compare(between, ">", q.measure("twice its standard error", experiment, lambda f: 2 * _true_noise(f)))


@claim("C4", *ELEVEN)
def stratified_parts_keep_proportions(q: Quantities) -> Checks:
    """Stratified parts keep the class proportions: of each class every fold has as many samples, but for one."""
    experiment = "E3" if q.data_set in SIX else "E10"
    yield compare(q.measure("samples of a class, largest difference", experiment, measures.imbalance_of_folds), "<=", 1)


@claim("C5", SMALLEST, over_replicates=True)
def nested_selection_is_unbiased(q: Quantities) -> Checks:
    """A selection inside each training part leaves the estimate unbiased."""
    for experiment in ESTIMATED:
        yield compare(_bias(q, experiment, "nested", -1), "<=", 0.0, "<=", _bias(q, experiment, "nested", 1))


@claim("C6")
def no_learner_is_always_best(q: Quantities) -> Checks:
    """No learner is the best in all domains."""
    losses = [{name: -q.on(d).L(of[d in FIVE]).known() for name, of in LEARNERS.items()} for d in ELEVEN]
    yield compare(most_wins(losses), "<", Number("all", len(ELEVEN)))


@claim("C8", "noise_10", "noise_20", "noise_30")
def trees_handle_noise(q: Quantities) -> Checks:
    """Trees handle noisy data: they learn more than half of what can be learned."""
    tree = "curve_decision_tree"
    guess = q.of_truth(
        "half of what guessing adds to the Bayes error", tree, lambda f, p: measures.excess_of_guess(p) / 2
    )
    yield compare(q.excess(tree), "<", guess)


@claim("C10")
def several_models_are_better_than_one(q: Quantities) -> Checks:
    """Several models together are better than one: bagged trees than a tree."""
    yield mostly_better((q.on(d).L("bagging"), q.on(d).L("decision_tree")) for d in ELEVEN)


@claim("C12", *ELEVEN)
def splits_that_are_not_significant_are_not_worth_making(q: Quantities) -> Checks:
    """A split that is not significant is not worth making: no tree that begins with one is better than the prior."""
    p = q.measure("p of the first split", "decision_tree", measures.p_of_first_split)
    yield some([compare(p, "<", ALPHA), compare(q.L("decision_tree"), ">=", q.L("class_prior"))])


@claim("C13", SMALLEST, over_replicates=True)
def a_selecting_score_is_too_good(q: Quantities) -> Checks:
    """The error on the set that selected the model is too small."""
    for experiment in ESTIMATED:
        yield compare(_bias(q, experiment, "validation", 1), "<", 0.0)


@claim("C14", SMALLEST, over_replicates=True)
def folds_use_samples_better(q: Quantities) -> Checks:
    """Cross-validation uses the samples better than one test part of the same size: its error is smaller."""
    for experiment in ESTIMATED:
        folds, part = (
            q.measure(f"root mean squared error of {name}", experiment, _rmse(name))
            for name in ("folds_5", "holdout_20")
        )
        yield compare(folds, "<", part)


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


def _rmse(name):
    return lambda final: sqrt(fmean((estimate - true) ** 2 for estimate, true in _estimates(final, name)))


def _true_errors(final):
    return [true for _, true in _estimates(final, "training")]


def _true_noise(final):
    return fmean(draw["standard_error"] for draw in record_of(final, "error_estimates")["draws"])
