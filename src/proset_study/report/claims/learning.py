"""Claims of lecture notes about estimates of the error (Q) and about learning (C); see data/published/statements.csv.

Most are decided by E18, workflow/error_estimates.yaml: the draws of one replicate decide, as replicates do elsewhere.
"""

from math import sqrt
from statistics import fmean, stdev

from proset_study.report.analysis.losses import ROPE
from proset_study.report.analysis.paired import LEVEL, mean_difference
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.claims import measures
from proset_study.report.claims.checks import (
    ELEVEN,
    FIVE,
    METHODS,
    Check,
    compare,
    fails,
    mostly_less,
    never_always_best,
    some,
)
from proset_study.report.claims.quantities import Deferred, measure, of_truth
from proset_study.report.claims.registry import claim
from proset_study.report.evaluations.base import record_of
from proset_study.store.stored import Missing

SMALLEST, ON_CURVES = "mixture_54", "mixture_189"
ESTIMATED = ("estimates_knn", "estimates_decision_tree")
SINGLE = (
    *("logistic_regression", "decision_tree", "bagging", "random_forest", "adaboost", "hist_gradient_boosting", "svm"),
    *("neural_network", "explainable_boosting"),
)
LEARNERS = {**METHODS, **{name: (name, name) for name in SINGLE}}


def _mean_error(experiment, fraction):
    def mean_error(final):
        drawn = [p for p in record_of(final, "learning_curve")["points"] if p["fraction"] == fraction]
        errors = [point["error"] for point in drawn if "error" in point]
        if not errors:
            raise Missing(f"a fit of {final.label} to {fraction:g} of the training part of {final.data_set}")
        return fmean(errors)

    return measure(f"error at {fraction:g}", experiment, mean_error)


def _on_curve(part, experiment, i):
    """Squared bias or variance at one end of the path of sizes."""
    return measure(
        f"{part} at {i}", experiment, lambda final: record_of(final, "complexity_curve")["points"][i]["squared"][part]
    )


def _estimates(final, name):
    """Estimate and true error by draw, without draws that lack it."""
    draws = record_of(final, "error_estimates")["draws"]
    estimates = [draw["estimates"][name] for draw in draws if name in draw["estimates"]]
    return [(estimate, true) for estimate, _, _, true in estimates]


def _bias(scope, name, experiment):
    """The mean difference from the true error, and a text about it."""
    bias = mean_difference([e - true for e, true in _estimates(scope.final(experiment), name)])
    low, high = bias.interval(LEVEL)
    return bias, f"bias of {name} {experiment} {bias.value:.3g} ({low:.3g} to {high:.3g})"


def _too_small(name, experiment):
    """Whether an estimate has a bias below 0; it has not if a bias below -`ROPE` is excluded, at `ALPHA`."""

    def check(scope):
        bias, text = _bias(scope, name, experiment)
        p = bias.above(-ROPE)
        holds = False if p < ALPHA else True if bias.interval(LEVEL)[1] < 0 else None
        return Check(holds, f"{text}, p of below -{ROPE:g} {p:.2g}")

    return Deferred(check)


def _unbiased(name, experiment):
    """Whether a bias is within `ROPE`, by two one-sided tests at `ALPHA`; it is not if its interval is without 0."""

    def check(scope):
        bias, text = _bias(scope, name, experiment)
        p = bias.equivalence(ROPE)
        low, high = bias.interval(LEVEL)
        holds = True if p < ALPHA else None if low <= 0 <= high else False
        return Check(holds, f"{text}, p of beyond {ROPE:g} {p:.2g}")

    return Deferred(check)


def _deviation(share, experiment):
    name = f"deviation with {share} % held out"
    return measure(name, experiment, lambda final: stdev(e for e, _ in _estimates(final, f"holdout_{share}")))


def _rmse(name, experiment):
    def error(final):
        return sqrt(fmean((estimate - true) ** 2 for estimate, true in _estimates(final, name)))

    return measure(f"root mean squared error of {name}", experiment, error)


def _true_spread(final):
    return stdev(true for _, true in _estimates(final, "training"))


def _true_noise(final):
    return 2 * fmean(draw["standard_error"] for draw in record_of(final, "error_estimates")["draws"])


claim(
    "Q1", "The more complex a model, the smaller its bias and the larger its variance", ON_CURVES, over_replicates=True
).holds_if(
    [
        compare(_on_curve(part, experiment, -1 - simplest), relation, _on_curve(part, experiment, simplest))
        for experiment, simplest in (("estimates_knn", -1), ("estimates_decision_tree", 0))
        for part, relation in (("bias2", "<"), ("variance", ">"))
    ]
)
claim(
    "Q4", "The naive bootstrap error is too small; samples that were left out mend that", SMALLEST, over_replicates=True
).holds_if(
    [_too_small("bootstrap_naive", experiment) for experiment in ESTIMATED],
    [fails(_too_small("bootstrap_left_out", experiment)) for experiment in ESTIMATED],
)
claim(
    "Q7",
    "The training error is no estimate of the error on new samples: it is too small",
    SMALLEST,
    over_replicates=True,
).holds_if([_too_small("training", experiment) for experiment in ESTIMATED])

claim(
    "C1", "The more samples a model learns from, the smaller its test error", *("wine", "cancer", "digits", "checker")
).holds_if([compare(_mean_error(e, 1.0), "<", _mean_error(e, 0.1)) for e in ("E3", "E8", "E9")])
claim("C2", "A larger test part gives an estimate of less variance", SMALLEST, over_replicates=True).holds_if(
    [compare(_deviation(50, e), "<", _deviation(20, e), "<", _deviation(10, e)) for e in ESTIMATED]
)
claim(  # by more than the noise with which it is measured
    "C3",
    "One training part does not show how much the error depends on it: the true error differs between them",
    SMALLEST,
    over_replicates=True,
).holds_if(
    [
        compare(
            measure("deviation of the true error", experiment, _true_spread),
            ">",
            measure("twice its standard error", experiment, _true_noise),
        )
        for experiment in ESTIMATED
    ]
)


claim(
    "C4",
    "Stratified parts keep the class proportions: of each class every fold has as many samples, but for one",
    *ELEVEN,
).holds_if("samples of a class, largest difference {proset} <= 1")
claim(
    "C5", "A selection inside each training part leaves the estimate unbiased", SMALLEST, over_replicates=True
).holds_if([_unbiased("nested", experiment) for experiment in ESTIMATED])


@claim("C6", "No learner is the best in all domains").holds_if
def _no_learner_is_always_best(scope):
    return never_always_best(
        {name: -scope.known(f"L {of[d in FIVE]} on {d}") for name, of in LEARNERS.items()} for d in ELEVEN
    )


claim(
    "C8",
    "Trees handle noisy data: they learn more than half of what can be learned",
    *("noise_10", "noise_20", "noise_30"),
).holds_if(
    compare(
        "excess error curve_decision_tree <",
        of_truth(
            "half of what guessing adds to the Bayes error",
            "curve_decision_tree",
            lambda _, truth: measures.excess_of_guess(truth) / 2,
        ),
    )
)
claim("C10", "Several models together are better than one: bagged trees than a tree").holds_if(
    mostly_less((f"L bagging on {d}", f"L decision_tree on {d}") for d in ELEVEN)
)
claim(
    "C12",
    "A split that is not significant is not worth making: no tree that begins with one is better than the prior",
    *ELEVEN,
).holds_if(some(compare(f"p of the first split decision_tree < {ALPHA}"), compare("L decision_tree >= L class_prior")))
claim("C13", "The error on the set that selected the model is too small", SMALLEST, over_replicates=True).holds_if(
    [_too_small("validation", experiment) for experiment in ESTIMATED]
)
claim(
    "C14",
    "Cross-validation uses the samples better than one test part of the same size: its error is smaller",
    SMALLEST,
    over_replicates=True,
).holds_if([compare(_rmse("folds_5", experiment), "<", _rmse("holdout_20", experiment)) for experiment in ESTIMATED])
