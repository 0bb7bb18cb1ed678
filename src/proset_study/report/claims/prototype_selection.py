"""Claims about prototypes by set cover (P), after Bien and Tibshirani (2011); see data/published/statements.csv.

Letters as in `checks.Quantities`.
"""

from proset_study.report.analysis.paired import mean_difference
from proset_study.report.claims import measures
from proset_study.report.claims.checks import (
    ELEVEN,
    EQUIVALENT_SCORES,
    Check,
    Checks,
    Number,
    Quantities,
    combine,
    compare,
    less,
    most_wins,
)
from proset_study.report.claims.registry import claim

NEARLY = 0.1  # by which proportion the greedy objective may be above that of the linear program
BY_DISSIMILARITY = ("E15_nearest_neighbour", "E15_set_cover", "E15_k_medoids")
L1, L2, TANGENT, MISMATCH = (f"metric={name}" for name in ("manhattan", "euclidean", "tangent", "mismatch"))
COVERS = {"digits": ("set_cover", ""), "digits_16": ("E16_set_cover", TANGENT)}  # by Euclidean, by tangent distance


@claim("P1", *ELEVEN)
def set_cover_is_as_good_as_nearest_neighbour(q: Quantities) -> Checks:
    """Set cover predicts as well as the nearest neighbour, with far fewer prototypes."""
    yield compare(q.BA("set_cover"), ">=", less(q.BA("nearest_neighbour"), EQUIVALENT_SCORES))
    yield compare(
        q.P("set_cover"), "<", combine("half of P nearest_neighbour", lambda P: P / 2, q.P("nearest_neighbour"))
    )


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
    methods = ("set_cover", "nearest_neighbour", "k_medoids", "lvq")
    scores = [{e: q.on(data_set).BA(e).known() for e in methods} for data_set in ELEVEN]
    yield compare(most_wins(scores), "<", Number("all", len(ELEVEN)))


@claim("P6", "iris", "wine", "cancer", "penguins")
def the_distance_decides_which_method_is_best(q: Quantities) -> Checks:
    """Which method is best depends on the distance: another one by l1 than by l2."""
    best = []
    for metric in (L1, L2):
        scores = {e: q.BA(e, metric).known() for e in BY_DISSIMILARITY}
        best.append({e for e, score in scores.items() if score == max(scores.values())})
    by_l1, by_l2 = (", ".join(sorted(methods)) for methods in best)
    yield Check(best[0].isdisjoint(best[1]), f"best by l1: {by_l1}, by l2: {by_l2}")


@claim("P7", *ELEVEN)
def greedy_is_nearly_as_good_as_the_linear_program(q: Quantities) -> Checks:
    """The greedy algorithm's objective is nearly as low as that of linear programming with rounding, at every radius.

    How much faster it is depends on the machine: benchmarks/results.md.
    """
    greedy, rounded = (
        measures.objectives(q.evidence.final(experiment, q.data_set)) for experiment in ("set_cover", "set_cover_lp")
    )
    worst = max(g / r - 1 for g, r in zip(greedy, rounded, strict=False))
    yield compare(Number("largest excess of the greedy objective, in proportion,", worst), "<=", NEARLY)


@claim("P8", "digits")
def most_prototypes_cover_themselves_only(q: Quantities) -> Checks:
    """After less than half of the steps each further prototype covers itself only."""
    steps = q.measure("steps to the last prototype that covers more", "set_cover", measures.steps_that_cover_more)
    yield compare(steps, "<", combine("half of P", lambda P: P / 2, q.P("set_cover")))


@claim("P9", *COVERS, over_replicates=True)
def varied_classes_get_more_prototypes(q: Quantities) -> Checks:
    """Classes that vary less get fewer prototypes.

    Rank correlation of the mean distance within a class and its prototypes by sample: the mean over the replicates,
    with an interval as if their test parts were of the same samples.
    """
    experiment, variant = COVERS[q.data_set]
    finals = [r.evidence.final(experiment, q.data_set, variant) for r in q.replicates(at_least=2)]
    found = mean_difference([measures.correlation_of_variation(f) for f in finals], measures.overlap(finals[0]))
    low, high = found.interval(0.95)
    text = f"mean rank correlation {found.value:.2f} ({low:.2f} to {high:.2f})"
    yield Check(True if low > 0 else False if high < 0 else None, text)


@claim("P10", "digits_16")
def tangent_distance_helps_on_digits(q: Quantities) -> Checks:
    """Tangent distance makes the nearest neighbour and set cover better on digits."""
    for experiment in ("E16_nearest_neighbour", "E16_set_cover"):
        yield compare(q.BA(experiment, TANGENT), ">", q.BA(experiment, L2))


@claim("P11", "families")
def strings_by_a_mismatch_kernel_work(q: Quantities) -> Checks:
    """Set cover by a mismatch kernel works on strings with a rare class: as 1-NN does, and it finds half of the class.

    Half of the rare class, and all of the other one, are a balanced accuracy of 0.75.
    """
    cover, neighbour = (q.BA(experiment, MISMATCH) for experiment in ("E17_set_cover", "E17_nearest_neighbour"))
    yield compare(cover, ">=", less(neighbour, EQUIVALENT_SCORES))
    yield compare(cover, ">", 0.75)
