"""Claims about the data sets (D), the three methods (M), experiments E3, E8, E9, and the new examples (N), E10 to E12.

Letters as in `checks.Quantities`. Two methods are "equal" if their L differ by at most the larger SD, A and BA by at
most 0.02: numbers of any precision can meet this, and those that are printed the same always do.
"""

from math import log

from proset_study.data.splits import TEST
from proset_study.methods.weighted import weighted
from proset_study.report.claims import measures
from proset_study.report.claims.checks import (
    EQUIVALENT_SCORES,
    FIVE,
    SIX,
    SMALL,
    Check,
    Checks,
    Number,
    Quantities,
    combine,
    compare,
    distance,
    span,
)
from proset_study.report.claims.registry import claim

NO_STRUCTURE = 0.69  # log-loss of a model that knows the class proportions only, two balanced classes
NO_RANKING = 0.03  # largest distance of its ROC-AUC from 0.5


@claim("D37", "iris_2f")
def one_iris_class_is_separable(q: Quantities) -> Checks:
    """One class of iris_2f is linearly separable, the other two overlap."""
    X, y, names = _training_part(q)
    apart = [k for k in range(len(names)) if measures.separable(X, y == k)]
    yield Check(len(apart) == 1, f"apart from the others: {', '.join(names[apart]) or 'no class'}")
    if len(apart) == 1:
        others = y != apart[0]
        overlap = not measures.separable(X[others], y[others])
        yield Check(overlap, f"the others {'overlap' if overlap else 'are separable'}")


@claim("D38", "wine")
def wine_is_separable(q: Quantities) -> Checks:
    """Wine is linearly separable."""
    X, y, _ = _training_part(q)
    holds = measures.separable(X, y)
    yield Check(holds, f"{'a' if holds else 'no'} linear classifier makes no training error")


@claim("D39", "checker")
def checkerboard_defeats_global_methods(q: Quantities) -> Checks:
    """The checkerboard defeats global methods, such as logistic regression (experiment D39)."""
    yield compare(q.A("D39"), "<=", 0.55)


@claim("D40", "checker")
def local_methods_recover_checkerboard(q: Quantities) -> Checks:
    """Local methods recover the checkerboard: KNN and a decision tree (experiment D40)."""
    for experiment in ("E8", "D40"):
        yield compare(q.BA(experiment), ">=", 0.9)


@claim("D41", "xor_6f")
def xor_is_hard_for_local_methods(q: Quantities) -> Checks:
    """xor_6f is hard for local methods."""
    for experiment in ("E3", "E8", "E9"):
        yield compare(q.L(experiment), ">=", 0.5)


@claim("M42", "iris_2f")
def iris_knn_first(q: Quantities) -> Checks:
    """iris_2f: KNN first, proset equivalent, XGBoost not."""
    yield from _ranking(q, "E8", "E3", "E9")


@claim("M43", "wine")
def wine_knn_first(q: Quantities) -> Checks:
    """Wine: KNN first, proset equivalent, XGBoost not."""
    yield from _ranking(q, "E8", "E3", "E9")


@claim("M44", "cancer")
def cancer_proset_first(q: Quantities) -> Checks:
    """Cancer: proset first, KNN equivalent, XGBoost not."""
    yield from _ranking(q, "E3", "E8", "E9")


@claim("M45", "digits")
def digits_knn_behind(q: Quantities) -> Checks:
    """Digits: proset and XGBoost equal, KNN behind."""
    yield from _equal(q, "E3", "E9")
    yield compare(q.T("E9"), "<", q.T("E3"))
    yield compare(q.L("E8"), ">", q.T("E9"))


@claim("M46", "checker")
def checker_strict_ranking(q: Quantities) -> Checks:
    """Checker: strict ranking XGBoost, proset, KNN."""
    yield compare(q.L("E9"), "<=", q.T("E9"), "<", q.L("E3"), "<=", q.T("E3"), "<", q.L("E8"))


@claim("M47", "xor_6f")
def xor_xgboost_finds_nothing(q: Quantities) -> Checks:
    """xor_6f: proset and KNN equal, XGBoost finds nothing."""
    yield from _equal(q, "E3", "E8")
    yield from _finds_nothing(q, "E9")


@claim("M48", *SMALL)
def knn_varies_least(q: Quantities) -> Checks:
    """KNN varies least in cross-validation on small data."""
    for experiment in ("E3", "E9"):
        yield compare(q.SD("E8"), "<", q.SD(experiment))


@claim("M50", *SMALL, over_replicates=True)
def variance_does_not_show_in_final_model(q: Quantities) -> Checks:
    """Proset's variance in cross-validation does not show in the final model."""
    for experiment in ("E8", "E9"):
        yield ~q.varies_more("E3", experiment)


@claim("M52")
def xgboost_optimum_is_last_iteration(q: Quantities) -> Checks:
    """XGBoost's optimum is usually the last of its 1,000 iterations."""
    optima = [q.on(d).table("optimum", _xgboost(d), "stage2", "optimal_iterations") for d in (*SIX, *FIVE)]
    last = combine("data sets with optimum 1000", lambda *values: sum(v == 1000 for v in values), *optima)
    yield compare(last, ">", Number("half of them", len(optima) / 2))


@claim("M53", *SIX, *FIVE)
def xgboost_saturates(q: Quantities) -> Checks:
    """XGBoost saturates in iterations."""
    experiment = _xgboost(q.data_set)
    yield compare(q.c(experiment, 1000), "<=", q.T(experiment))


@claim("M54", *SIX, *FIVE)
def small_learning_rate_needs_rounds(q: Quantities) -> Checks:
    """A smaller learning rate is slightly better, and takes more rounds.

    0.01 in stage 2 against 0.1 with 100 rounds in stage 1, both with the parameters that stage 1 selected.
    """
    experiment = _xgboost(q.data_set)
    yield compare(q.best(experiment), "<", q.table("selected c at 0.1", experiment, "stage1", "selected_log_loss"))
    yield compare(q.table("rounds", experiment, "stage2", "optimal_iterations"), ">", 100)


@claim("M55", *SIX, *FIVE)
def shallow_trees_are_best(q: Quantities) -> Checks:
    """XGBoost is best with trees that underfit: of depths up to 9 or 19, the optimum is at most 3."""
    yield compare(q.table("optimal depth", _xgboost(q.data_set), "stage1", "optimal_max_depth"), "<=", 3)


@claim("M59", *SIX)
def only_proset_has_absolute_distance(q: Quantities) -> Checks:
    """KNN has no absolute distance, proset has."""
    proset, knn = (q.measure("far |p - prior|", e, measures.distance_from_prior_far_away) for e in ("E3", "E8"))
    yield compare(proset, "<", 1e-6)
    yield compare(knn, ">", 0.1)


@claim("N60", "checker_rot")
def rotated_xgboost_first(q: Quantities) -> Checks:
    """checker_rot: XGBoost first, proset equivalent."""
    yield compare(q.L("E12"), "<", q.L("E10"), "<=", q.T("E12"))


@claim("N61", "checker_rot")
def rotated_as_proset_unrotated(q: Quantities) -> Checks:
    """checker_rot: XGBoost and proset both as proset on checker."""
    checker = q.on("checker")
    for experiment in ("E10", "E12"):
        yield compare(distance(q.L(experiment), checker.L("E3")), "<=", 0.03)
        yield compare(distance(q.A(experiment), checker.A("E3")), "<=", 0.01)
        yield compare(distance(q.BA(experiment), checker.BA("E3")), "<=", 0.01)


@claim("N62", "checker_rot")
def rotated_knn_worse(q: Quantities) -> Checks:
    """checker_rot: KNN slightly worse."""
    yield compare(q.L("E11"), ">", q.T("E12"))


@claim("N63", "checker_rot")
def rotation_removes_xgboost_edge(q: Quantities) -> Checks:
    """Rotation removes XGBoost's edge."""
    yield compare(q.L("E12"), ">", q.on("checker").T("E9"))


@claim("N64", "xor_3f")
def xor_3f_ranking(q: Quantities) -> Checks:
    """xor_3f: XGBoost, then proset barely equivalent, KNN worse."""
    yield compare(q.L("E12"), "<", q.L("E10"), "<=", q.T("E12"), "<", q.L("E11"))


@claim("N65", "xor_4f")
def xor_4f_ranking(q: Quantities) -> Checks:
    """xor_4f: proset, KNN barely equivalent, XGBoost worse."""
    yield compare(q.L("E10"), "<", q.L("E11"), "<=", q.T("E10"), "<", q.L("E12"))


@claim("N66", "xor_5f")
def xor_5f_ranking(q: Quantities) -> Checks:
    """xor_5f: proset beats KNN, XGBoost finds nothing."""
    yield compare(q.L("E10"), "<=", q.T("E10"), "<", q.L("E11"))
    yield from _finds_nothing(q, "E12")


@claim("N67", "xor_6_6f")
def proset_finds_relevant_features(q: Quantities) -> Checks:
    """xor_6_6f: proset picks exactly the six relevant features."""
    yield compare(q.F("E10"), "==", 6)
    irrelevant = q.measure(
        "irrelevant among them", "E10", lambda f: sum(weighted(f.model.fitted).active_features() >= 6)
    )
    yield compare(irrelevant, "==", 0)


@claim("N68", "xor_6_6f")
def irrelevant_features_cost_little(q: Quantities) -> Checks:
    """xor_6_6f: proset slightly worse than on xor_6f, still equivalent."""
    relevant = q.on("xor_6f")
    yield compare(relevant.L("E3"), "<", q.L("E10"), "<=", relevant.T("E3"))


@claim("N69", "xor_6_6f")
def irrelevant_features_defeat_others(q: Quantities) -> Checks:
    """xor_6_6f: KNN and XGBoost find nothing."""
    for experiment in ("E11", "E12"):
        yield from _finds_nothing(q, experiment)


@claim("N70", "xor_6_6f")
def knn_is_near_marginals(q: Quantities) -> Checks:
    """xor_6_6f: KNN's k is very large, near the marginals."""
    yield compare(q.table("k", "E11", "cv", "selected_k"), ">=", 95)
    yield compare(q.measure("mean |p - prior|", "E11", measures.distance_from_prior), "<=", 0.05)


@claim("N71", "xor_6_6f")
def structure_at_small_k_is_spurious(q: Quantities) -> Checks:
    """xor_6_6f: structure at small k is spurious, no k is better than the marginals in cross-validation."""
    yield compare(q.best("E11"), ">=", Number("ln 2", log(2)))


@claim("N74", "xor_4f", "xor_5f", "xor_6f", "xor_6_6f")
def proset_beats_trees_at_high_order(q: Quantities) -> Checks:
    """Proset beats trees at high order."""
    yield compare(q.L("E3" if q.data_set in SIX else "E10"), "<", q.L(_xgboost(q.data_set)))


@claim("N75", "wine", "cancer", "digits")
def fewest_features_at_no_loss(q: Quantities) -> Checks:
    """Proset keeps the fewest features at no loss."""
    for experiment in ("E8", "E9"):
        yield compare(q.F("E3"), "<", q.F(experiment))
    best = min(("E3", "E8", "E9"), key=lambda e: (q.L(e).known(), q.T(e).known()))  # of two equal ones the stricter
    yield compare(q.L("E3"), "<=", q.T(best))


@claim("F1", *SMALL)
def random_parts_overfit_less(q: Quantities) -> Checks:
    """Trees from random parts of features and samples overfit less: test minus training log-loss (experiment X2)."""
    parts, everything = (q.measure("test - training log-loss", e, measures.overfitting) for e in ("E9", "X2"))
    yield compare(parts, "<", everything)


@claim("F2", *SIX)
def far_away_xgboost_is_arbitrary(q: Quantities) -> Checks:
    """Far away from the data XGBoost predicts something arbitrary, which depends on the direction; proset does not."""
    proset, xgboost = (q.measure("spread of p far away", e, measures.spread_far_away) for e in ("E3", "E9"))
    yield compare(proset, "<", 1e-6)
    yield compare(xgboost, ">", 0.1)


@claim("F3", "irrelevant_48")
def irrelevant_features_hurt_neighbours(q: Quantities) -> Checks:
    """Features without influence make k nearest neighbours worse."""
    none, some_, many = (q.on(f"irrelevant_{number}").excess("curve_knn") for number in (0, 12, 48))
    yield compare(none, "<", some_, "<", many)


def _xgboost(data_set):
    return "E9" if data_set in SIX else "E12"


def _ranking(q, first, equivalent, worse):
    yield compare(q.L(first), "<", q.L(equivalent), "<=", q.T(first), "<", q.L(worse))
    experiments = (first, equivalent, worse)
    yield compare(span("range of A", map(q.A, experiments)), "<=", EQUIVALENT_SCORES)
    yield compare(span("range of BA", map(q.BA, experiments)), "<=", EQUIVALENT_SCORES)


def _equal(q, one, other):
    yield compare(distance(q.L(one), q.L(other)), "<=", combine("larger SD", max, q.SD(one), q.SD(other)))
    yield compare(distance(q.A(one), q.A(other)), "<=", EQUIVALENT_SCORES)
    yield compare(distance(q.BA(one), q.BA(other)), "<=", EQUIVALENT_SCORES)


def _finds_nothing(q, experiment):
    yield compare(q.L(experiment), ">=", NO_STRUCTURE)
    yield compare(distance(q.A(experiment), 0.5), "<=", NO_RANKING)


def _training_part(q):
    final = q.evidence.final("E3", q.data_set)
    train = final.folds != TEST
    return final.data.X[train], final.data.y[train], final.data.class_names
