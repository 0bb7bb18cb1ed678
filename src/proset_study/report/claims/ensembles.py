"""Claims of lecture notes about ensembles (B); see data/published/statements.csv."""

import operator
from functools import partial

from proset_study.report.claims import measures
from proset_study.report.claims.checks import ELEVEN, EQUIVALENT_SCORES, compare, experiments_on, mostly_less
from proset_study.report.claims.quantities import combine, measure, number, of_truth
from proset_study.report.claims.registry import claim
from proset_study.report.evaluations.base import record_of

ON_GENERATED = "xor_3f"  # where bias and variance of most methods are evaluated
BASELINE, NOISIEST = "baseline", "noise_30"  # of the response curves
FORESTS = {  # with the number of relevant features, which come first
    "xor_6_6f": ("random_forest", 6),
    BASELINE: ("curve_random_forest", 2),
    "irrelevant_48": ("curve_random_forest", 2),
}


def _part(part, experiment):
    """Squared bias or variance."""
    return measure(part, experiment, lambda final: record_of(final, "bias_variance")[part])


def _loss_of_trial(distance_from_wanted):
    """Loss of the trial of stage 1 whose settings are nearest to what is wanted."""
    return lambda final: min(
        (distance_from_wanted(settings), loss)
        for settings, loss in zip(final.stage1["settings"], final.stage1["mean"], strict=True)
    )[1]


def _threshold(final):
    return final.stage1["threshold"]


def _rise(experiment):
    """Rise of the excess error from the baseline to the data with most noise."""
    name = f"excess error {experiment}"
    return combine(f"{name} from {BASELINE} to {NOISIEST}", operator.sub, number(name), number(f"{name} on {BASELINE}"))


def _importance(final):
    return final.model.fitted.estimator.feature_importances_


claim("B1", "Bagging reduces the variance of trees", ON_GENERATED).holds_if(
    compare(_part("variance", "bagging"), "<", _part("variance", "decision_tree"))
)
claim("B2", "Bagging increases the bias of trees", ON_GENERATED).holds_if(
    compare(_part("bias2", "bagging"), ">", _part("bias2", "decision_tree"))
)
claim("B3", "Random forests are usually better than bagged trees").holds_if(
    mostly_less((f"L random_forest on {d}", f"L bagging on {d}") for d in ELEVEN)
)
claim("B4", "Boosting beats random forests").holds_if(
    mostly_less((f"L {experiments_on(d)['XGBoost']} on {d}", f"L random_forest on {d}") for d in ELEVEN)
)
claim(
    "B6",
    "Boosting overfits if the weak learner is too complex: AdaBoost with the deepest trees is beyond the threshold",
    *ELEVEN,
).holds_if(
    compare(
        measure("c with the deepest trees", "adaboost", _loss_of_trial(lambda settings: -settings["max_depth"])),
        ">",
        measure("T", "adaboost", _threshold),
    )
)
claim("B7", "Boosting suffers more than bagging where many labels are wrong", NOISIEST).holds_if(
    [
        compare(_rise(experiment), ">", _rise("curve_random_forest"))
        for experiment in ("curve_adaboost", "curve_xgboost")
    ]
)


@claim(
    "B8",
    "The samples of largest weight are often mislabelled: in the heaviest tenth twice as many as in all",
    *("noise_10", "noise_20", NOISIEST),
).holds_if
def _the_heaviest_are_mislabelled(scope):
    def mislabelled(name, proportion):
        of_part = partial(measures.mislabelled_among_heaviest, proportion=proportion)
        return of_truth(name, "curve_adaboost", of_part, training=True)

    everywhere = mislabelled("in all", 1.0)
    twice = combine(f"twice those {everywhere(scope).name}", lambda share: 2 * share, everywhere)
    return compare(mislabelled("mislabelled in the heaviest tenth", 0.1), ">", twice)


claim(  # 500 trees are no worse than 100; the trial whose exponent is nearest to 1/2 is within the threshold
    "B9",
    "Forests have hundreds of trees and draw the square root of the number of features, which is as good as any",
    *ELEVEN,
).holds_if(
    "c(500) open_random_forest <= c(100) open_random_forest",
    compare(
        measure(
            "c with about sqrt(D) features",
            "open_random_forest",
            _loss_of_trial(lambda settings: abs(settings["features_exponent"] - 0.5)),
        ),
        "<=",
        measure("T", "open_random_forest", _threshold),
    ),
)


@claim(
    "B12", "Importance of features by the splits of a forest tells the relevant from the irrelevant", *FORESTS
).holds_if
def _importance_finds_relevant_features(scope):
    experiment, relevant = FORESTS[scope.data_set]
    least = measure("least importance of a relevant feature", experiment, lambda f: _importance(f)[:relevant].min())
    largest = measure("largest of an irrelevant one", experiment, lambda f: _importance(f)[relevant:].max())
    return compare(least, ">", largest)


claim("B13", "A majority of classes and the mean of probabilities decide alike", *ELEVEN).holds_if(
    [f"|BA by vote {e} - BA {e}| <= {EQUIVALENT_SCORES}" for e in ("bagging", "random_forest")]
)
