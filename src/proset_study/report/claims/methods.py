"""Claims about the data sets (D), the three methods (M, F), E3, E8, E9, and the new examples (N), E10 to E12.

Two methods are "equal" if their L differ by at most the larger SD, A and BA by at most 0.02: numbers of any precision
can meet this, and numbers printed the same always do.
"""

from math import log

from proset_study.data.splits import TEST
from proset_study.methods.weighted import weighted
from proset_study.report.claims import measures
from proset_study.report.claims.checks import (
    ELEVEN,
    EQUIVALENT_SCORES,
    SIX,
    SMALL,
    Check,
    compare,
    experiments_on,
    fails,
    varies_more,
)
from proset_study.report.claims.quantities import Quantity, combine, measure, number
from proset_study.report.claims.registry import claim

NO_STRUCTURE = 0.69  # log-loss of a model that knows the class proportions only, two balanced classes
NO_RANKING = 0.03  # largest distance of its ROC-AUC from 0.5
FEW_FEATURES = ("iris_2f", "checker", "xor_6f", "checker_rot", "xor_3f", "xor_4f", "xor_5f")  # at most six


def _ranking(first, equivalent, worse):
    yield f"L {first} < L {equivalent} <= T {first} < L {worse}"
    for letter in ("A", "BA"):
        scores = (number(f"{letter} {experiment}") for experiment in (first, equivalent, worse))
        span = combine(f"range of {letter}", lambda *values: max(values) - min(values), *scores)
        yield compare(span, "<=", EQUIVALENT_SCORES)


def _equal(one, other):
    larger = combine("larger SD", max, number(f"SD {one}"), number(f"SD {other}"))
    yield compare(f"|L {one} - L {other}| <=", larger)
    for letter in ("A", "BA"):
        yield f"|{letter} {one} - {letter} {other}| <= {EQUIVALENT_SCORES}"


def _finds_nothing(experiment):
    yield f"L {experiment} >= {NO_STRUCTURE}"
    yield f"|A {experiment} - 0.5| <= {NO_RANKING}"


def _training_part(scope):
    final = scope.final("E3")
    train = final.folds != TEST
    return final.data.X[train], final.data.y[train], final.data.class_names


@claim("D37", "One class of iris_2f is linearly separable, the other two overlap", "iris_2f").holds_if
def _one_class_is_apart(scope):
    X, y, names = _training_part(scope)
    apart = [k for k in range(len(names)) if measures.separable(X, y == k)]
    yield Check(len(apart) == 1, f"apart from the others: {', '.join(names[apart]) or 'no class'}")
    if len(apart) == 1:
        others = y != apart[0]
        overlap = not measures.separable(X[others], y[others])
        yield Check(overlap, f"the others {'overlap' if overlap else 'are separable'}")


@claim("D38", "Wine is linearly separable", "wine").holds_if
def _is_separable(scope):
    X, y, _ = _training_part(scope)
    holds = measures.separable(X, y)
    return Check(holds, f"{'a' if holds else 'no'} linear classifier makes no training error")


claim(
    "D39", "The checkerboard defeats global methods, such as logistic regression (experiment D39)", "checker"
).holds_if("A D39 <= 0.55")
claim("D40", "Local methods recover the checkerboard: KNN and a decision tree (experiment D40)", "checker").holds_if(
    "BA E8 >= 0.9", "BA D40 >= 0.9"
)
claim("D41", "xor_6f is hard for local methods", "xor_6f").holds_if(
    [f"L {experiment} >= 0.5" for experiment in ("E3", "E8", "E9")]
)

claim("M42", "iris_2f: KNN first, proset equivalent, XGBoost not", "iris_2f").holds_if(*_ranking("E8", "E3", "E9"))
claim("M43", "Wine: KNN first, proset equivalent, XGBoost not", "wine").holds_if(*_ranking("E8", "E3", "E9"))
claim("M44", "Cancer: proset first, KNN equivalent, XGBoost not", "cancer").holds_if(*_ranking("E3", "E8", "E9"))
claim("M45", "Digits: proset and XGBoost equal, KNN behind", "digits").holds_if(
    *_equal("E3", "E9"), "T E9 < T E3", "L E8 > T E9"
)
claim("M46", "Checker: strict ranking XGBoost, proset, KNN", "checker").holds_if("L E9 <= T E9 < L E3 <= T E3 < L E8")
claim("M47", "xor_6f: proset and KNN equal, XGBoost finds nothing", "xor_6f").holds_if(
    *_equal("E3", "E8"), *_finds_nothing("E9")
)
claim("M48", "KNN varies least in cross-validation on small data", *SMALL).holds_if(
    [f"SD E8 < SD {experiment}" for experiment in ("E3", "E9")]
)
claim("M49", "Of the three methods, proset varies most in cross-validation", *SIX).holds_if(
    [f"SD E3 > SD {experiment}" for experiment in ("E8", "E9")]
)
claim(
    "M50", "Proset's variance in cross-validation does not show in the final model", *SMALL, over_replicates=True
).holds_if(fails(varies_more("E3", "E8")), fails(varies_more("E3", "E9")))


claim("M51", "It is hard to improve on KNN where features are few and relevant", *FEW_FEATURES).holds_if(
    "L {KNN} <= T {proset}", "L {KNN} <= T {XGBoost}"
)


@claim("M52", "XGBoost's optimum is usually the last of its 1,000 iterations").holds_if
def _optimum_is_last(_):
    optima = [number(f"optimum {experiments_on(d)['XGBoost']} on {d}") for d in ELEVEN]
    last = combine("data sets with optimum 1000", lambda *values: sum(v == 1000 for v in values), *optima)
    return compare(last, ">", Quantity("half of them", len(optima) / 2))


claim("M53", "XGBoost saturates in iterations", *ELEVEN).holds_if("c(1000) {XGBoost} <= T {XGBoost}")
claim(  # 0.01 in stage 2 against 0.1 with 100 rounds in stage 1, both with the parameters that stage 1 selected
    "M54", "A smaller learning rate is slightly better, and takes more rounds", *ELEVEN
).holds_if("min c {XGBoost} < selected c at 0.1 {XGBoost}", "rounds {XGBoost} > 100")
claim(
    "M55", "XGBoost is best with trees that underfit: of depths up to 9 or 19, the optimum is at most 3", *ELEVEN
).holds_if("optimal depth {XGBoost} <= 3")
claim("M59", "KNN has no absolute distance, proset has", *SIX).holds_if(
    "far |p - prior| E3 < 1e-6", "far |p - prior| E8 > 0.1"
)

claim("N60", "checker_rot: XGBoost first, proset equivalent", "checker_rot").holds_if("L E12 < L E10 <= T E12")
claim("N61", "checker_rot: XGBoost and proset both as proset on checker", "checker_rot").holds_if(
    [
        f"|{letter} {experiment} - {letter} E3 on checker| <= {most}"
        for experiment in ("E10", "E12")
        for letter, most in (("L", 0.03), ("A", 0.01), ("BA", 0.01))
    ]
)
claim("N62", "checker_rot: KNN slightly worse", "checker_rot").holds_if("L E11 > T E12")
claim("N63", "Rotation removes XGBoost's edge", "checker_rot").holds_if("L E12 > T E9 on checker")
claim("N64", "xor_3f: XGBoost, then proset barely equivalent, KNN worse", "xor_3f").holds_if(
    "L E12 < L E10 <= T E12 < L E11"
)
claim("N65", "xor_4f: proset, KNN barely equivalent, XGBoost worse", "xor_4f").holds_if(
    "L E10 < L E11 <= T E10 < L E12"
)
claim("N66", "xor_5f: proset beats KNN, XGBoost finds nothing", "xor_5f").holds_if(
    "L E10 <= T E10 < L E11", *_finds_nothing("E12")
)
claim("N67", "xor_6_6f: proset picks exactly the six relevant features", "xor_6_6f").holds_if(
    "F E10 == 6",
    compare(
        measure("irrelevant among them", "E10", lambda f: sum(weighted(f.model.fitted).active_features() >= 6)), "==", 0
    ),
)
claim("N68", "xor_6_6f: proset slightly worse than on xor_6f, still equivalent", "xor_6_6f").holds_if(
    "L E3 on xor_6f < L E10 <= T E3 on xor_6f"
)
claim("N69", "xor_6_6f: KNN and XGBoost find nothing", "xor_6_6f").holds_if(
    *_finds_nothing("E11"), *_finds_nothing("E12")
)
claim("N70", "xor_6_6f: KNN's k is very large, near the marginals", "xor_6_6f").holds_if(
    "k E11 >= 95", "mean |p - prior| E11 <= 0.05"
)
claim(
    "N71",
    "xor_6_6f: structure at small k is spurious, no k is better than the marginals in cross-validation",
    "xor_6_6f",
).holds_if(compare("min c E11 >=", Quantity("ln 2", log(2))))
claim("N74", "Proset beats trees at high order", "xor_4f", "xor_5f", "xor_6f", "xor_6_6f").holds_if(
    "L {proset} < L {XGBoost}"
)


@claim("N75", "Proset keeps the fewest features at no loss", "wine", "cancer", "digits").holds_if
def _fewest_features_at_no_loss(scope):
    for experiment in ("E8", "E9"):
        yield f"F E3 < F {experiment}"
    losses = {e: (scope.known(f"L {e}"), scope.known(f"T {e}")) for e in ("E3", "E8", "E9")}
    yield f"L E3 <= T {min(losses, key=losses.__getitem__)}"  # of two equal ones the stricter


claim(
    "F1",
    "Trees from random parts of features and samples overfit less: test minus training log-loss (experiment X2)",
    *SMALL,
).holds_if("test - training log-loss E9 < test - training log-loss X2")
claim(
    "F2",
    "Far away from the data XGBoost predicts something arbitrary, which depends on the direction; proset does not",
    *SIX,
).holds_if("spread of p far away E3 < 1e-6", "spread of p far away E9 > 0.1")


claim("F3", "Features without influence make k nearest neighbours worse", "irrelevant_48").holds_if(
    "excess error curve_knn on irrelevant_0 < excess error curve_knn on irrelevant_12"
    " < excess error curve_knn on irrelevant_48"
)
claim(
    "F5",
    "XGBoost is ahead of proset on xor_3f because its steps are parallel to the edges: not if the cube is turned",
    "xor_3f_turned",
).holds_if("L turned_xgboost on xor_3f < L turned_proset on xor_3f", "L turned_proset < L turned_xgboost")
