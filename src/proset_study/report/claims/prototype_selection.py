"""Claims about prototypes by set cover (P), after Bien and Tibshirani (2011); see data/published/statements.csv."""

from proset_study.report.analysis.paired import MIN_REPLICATES, mean_difference
from proset_study.report.analysis.prototype_places import of_prototypes, of_samples
from proset_study.report.claims import measures
from proset_study.report.claims.checks import ELEVEN, EQUIVALENT_SCORES, Check, compare, never_always_best
from proset_study.report.claims.quantities import Quantity, absolute, combine, difference, measure, number
from proset_study.report.claims.registry import claim

EQUIVALENT_ERRORS = 0.005  # difference in cross-validation where the rare class is 0.026 of the samples
NEARLY = 0.1  # by which proportion the greedy objective may be above that of the linear program
METHODS = ("set_cover", "nearest_neighbour", "k_medoids", "lvq")
BY_DISSIMILARITY = ("E15_nearest_neighbour", "E15_set_cover", "E15_k_medoids")
L1, L2, TANGENT, MISMATCH = (f"metric={name}" for name in ("manhattan", "euclidean", "tangent", "mismatch"))
TABLES = ("iris", "penguins", "election", "affairs_1969")  # of E15, where its experiments stand for those of the study
COVERS = {"digits": "set_cover", "digits_16": f"E16_set_cover {TANGENT}"}  # by Euclidean, by tangent distance


def _half(text, name):
    return combine(f"half of {name}", lambda value: value / 2, number(text))


claim("P1", "Set cover predicts as well as the nearest neighbour, with far fewer prototypes", *ELEVEN).holds_if(
    f"BA set_cover >= BA nearest_neighbour - {EQUIVALENT_SCORES}",
    compare("P set_cover <", _half("P nearest_neighbour", "P nearest_neighbour")),
)
claim("P2", "Centres of k-means among the candidates help where there are many features", "digits").holds_if(
    "BA set_cover_centres > BA set_cover"
)
claim("P3", "Where classes overlap, k-medoids are worse than set cover and LVQ", "mixture").holds_if(
    [f"BA {e} > BA k_medoids" for e in ("set_cover", "lvq")]
)
claim(
    "P4",
    "Prototypes anywhere (k-means, LVQ) have an advantage over samples (k-medoids) where there are many features",
    "digits",
).holds_if([f"BA {e} > BA k_medoids" for e in ("k_means", "lvq")])


@claim("P5", "No prototype method is the best on all data sets").holds_if
def _no_method_is_always_best(scope):
    return never_always_best({e: scope.known(f"BA {e} on {d}") for e in METHODS} for d in ELEVEN)


@claim(
    "P6",
    "Which method is best depends on the distance: another one by l1 than by l2",
    *("iris", "wine", "cancer", "penguins", "election", "affairs_1969"),
).holds_if
def _the_distance_decides(scope):
    best = []
    for metric in (L1, L2):
        scores = {e: scope.known(f"BA {e} {metric}") for e in BY_DISSIMILARITY}
        best.append({e for e, score in scores.items() if score == max(scores.values())})
    by_l1, by_l2 = (", ".join(sorted(methods)) for methods in best)
    return Check(best[0].isdisjoint(best[1]), f"best by l1: {by_l1}, by l2: {by_l2}")


@claim(
    "P7",
    "The greedy algorithm's objective is nearly as low as that of linear programming with rounding, at every radius",
    *ELEVEN,
    *TABLES,
).holds_if
def _greedy_is_nearly_as_good(scope):
    """How much faster it is depends on the machine: benchmarks/results.md."""
    greedy, rounded = (measures.objectives(scope.final(_on(scope, e, L2))) for e in ("set_cover", "set_cover_lp"))
    worst = max(g / r - 1 for g, r in zip(greedy, rounded, strict=False))
    return compare(Quantity("largest excess of the greedy objective, in proportion,", worst), "<=", NEARLY)


claim("P8", "After less than half of the steps each further prototype covers itself only", "digits").holds_if(
    compare("steps to the last prototype that covers more set_cover <", _half("P set_cover", "P"))
)


@claim("P9", "Classes that vary less get fewer prototypes", *COVERS, over_replicates=True).holds_if
def _varied_classes_get_more(scope):
    """Rank correlation of the mean distance within a class and its prototypes by sample: the mean over replicates.

    Prototypes are chosen from the training parts, which share samples, or images that are turned anew.
    """
    finals = [r.final(COVERS[scope.data_set]) for r in scope.replicates(MIN_REPLICATES)]
    overlap = measures.overlap_of_training(finals[0])
    mean = mean_difference([measures.correlation_of_variation(f) for f in finals], overlap)
    low, high = mean.interval(0.95)
    text = f"mean rank correlation {mean.value:.2f} ({low:.2f} to {high:.2f})"
    return Check(True if low > 0 else False if high < 0 else None, text)


claim("P10", "Tangent distance makes the nearest neighbour and set cover better on digits", "digits_16").holds_if(
    [f"BA {experiment} {TANGENT} > BA {experiment} {L2}" for experiment in ("E16_nearest_neighbour", "E16_set_cover")]
)
claim(  # half of the rare class, and all of the other one, are a balanced accuracy of 0.75
    "P11",
    "Set cover by a mismatch kernel works on strings with a rare class: as 1-NN does, and it finds half of the class",
    "families",
).holds_if(
    f"BA E17_set_cover {MISMATCH} >= BA E17_nearest_neighbour {MISMATCH} - {EQUIVALENT_SCORES}",
    f"BA E17_set_cover {MISMATCH} > 0.75",
)


@claim(
    "P13",
    "Condensing keeps samples near the boundary between classes, set cover those of homogeneous regions",
    *("wine", "cancer", "digits", "mixture"),
    *TABLES,
).holds_if
def _condensing_keeps_the_boundary(scope):
    for run, relation in ((_on(scope, "condensed_nn", ""), ">"), (_on(scope, "set_cover", L2), "<")):
        kept, everywhere = _elsewhere("prototypes", of_prototypes, run), _elsewhere("all samples", of_samples, run)
        yield compare(kept, relation, everywhere)


def _elsewhere(name, places, run):
    return measure(f"share of other classes around {name}", run, lambda final: float(places(final).mean()))


def _on(scope, experiment, variant):
    """An experiment of the study, or on a table of E15 that of the suite, with its variant."""
    return f"E15_{experiment} {variant}".strip() if scope.data_set in TABLES else experiment


claim(
    "P14",
    "Set cover by a mismatch kernel has the same smallest error in cross-validation as a support vector machine",
    "families",
).holds_if(
    compare(
        absolute(
            difference(
                measure("smallest error", f"E17_set_cover {MISMATCH}", lambda final: min(final.stage2["mean"])),
                measure("smallest error", f"E17_svm {MISMATCH}", lambda final: min(final.stage1["mean"])),
            )
        ),
        f"<= {EQUIVALENT_ERRORS}",
    )
)
