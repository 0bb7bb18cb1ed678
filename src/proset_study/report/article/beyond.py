"""What explains differences from the published numbers, and what goes beyond the study besides the open track."""

from collections import Counter
from math import log
from pathlib import Path
from statistics import fmean

from matplotlib.figure import Figure

from proset.losses import SMALLEST
from proset_study.report.analysis.losses import ROPE
from proset_study.report.analysis.manifest import cost_by_method
from proset_study.report.analysis.paired import mean_difference
from proset_study.report.analysis.published import Agreement, summary
from proset_study.report.analysis.response_curves import SCORES, Curves, curves_of, points, response_section
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.article.open_track import OF_TRACK, TRACK
from proset_study.report.article.standing import DEVELOPMENT, SEALED
from proset_study.report.article.study import BENCH, DRAWS, ON_DRAWS, RESULTS, STUDY, equivalent, misses_of
from proset_study.report.article.topics import Content, Reported, figure, topic
from proset_study.report.article.wording import count, decimals, difference, p_of, percent, ratio, whole
from proset_study.report.evaluations.error_estimates import LABELS, NEVER, OF_THE_SELECTED, of_all_sizes, pooled
from proset_study.report.figures.response_curves import response_figure
from proset_study.report.rows import groups, pick, read_table
from proset_study.report.wording import listed
from proset_study.store.results import read_rows
from proset_study.study import layout

CURVES, ESTIMATES = "reports/response_curves", "reports/error_estimates"
CORRECTED = "reports/base_models"
REPORTS = {  # that are committed, with their titles on the site
    STUDY: "The published study, done again",
    DRAWS: "The same with the data and splits of the published scripts",
    TRACK: "The tables of the study and three more, with a search for every method",
    CURVES: "Generated tables of which one property is varied at a time",
    ESTIMATES: "Estimates of the error, compared with the error itself",
    CORRECTED: "Other models, alone and corrected by prototypes",
    "reports/references": "Forms of the classifier",
    "reports/neural_network": "A neural network, the SVM and proset",
    "reports/prototype_variants": "Set cover and other prototype methods in their variants",
    "reports/chapter_claims": "Two claims of the published study, tested",
    "reports/set_cover": "Other prototype methods on real tables",
    DEVELOPMENT: "Tables on which choices were allowed",
    SEALED: "Tables held back for the final test",
}
CPU = ("fit_cpu_s", "score_cpu_s")  # of a cost in a manifest
PANEL = (2.2, 1.35)  # inches: three columns are as wide as a line of text
SHOWN = (*NEVER, "bootstrap_632_plus", "holdout_20", "stratified_10", *OF_THE_SELECTED)  # estimates of the error


def stored_curves(stored: Reported) -> list[Curves]:
    """The response curves of a report, of each score."""
    found = stored.read("findings/response_curves.csv")
    found = [{**row, "replicate": int(row["replicate"])} for row in found]
    return curves_of(found, points(stored.study.config["data_sets"]))


@topic(CURVES, "findings/response_curves.csv")
def response_curves(stored: Reported) -> Content:
    """Excess error as one property of generated data is varied."""
    curves = stored_curves(stored)
    section = response_section(curves, stored.study.subject)[0]
    first = section["words"][-1]  # of proset and what is derived from it, what is farthest from the published one
    found = stored.read("findings/response_curves.csv")
    table = [["property", "range", "by excess error"]]
    table += [[line["title"], line["range"], line["words"]] for line in first["lines"]]
    texts = {
        "method": first["method"],
        "methods": listed(section["methods"]),
        "properties": count(len(curves[0].points)),
        "data_sets": whole(len(groups(found, "dataset"))),
        "replicates": count(len(groups(found, "replicate"))),
    }
    return Content(texts, {"words": table})


@figure("response_curves.curves")
def excess(stored: Reported) -> Figure:
    """Excess error against each property."""
    curves = stored_curves(stored)[0]
    drawn = response_figure(curves, stored.study.subject, PANEL).figure
    for axes in drawn.axes:
        axes.set_ylabel("")
    drawn.supylabel(f"{SCORES[curves.score]} above Bayes", size=9)
    return drawn


@topic(ESTIMATES, "evaluation/error_estimates.csv")
def error_estimates(stored: Reported) -> Content:
    """Which estimate of the error to use when."""
    found = [{**row, "n_fit": int(row["n_fit"])} for row in stored.read("evaluation/error_estimates.csv")]
    sizes = sorted(groups(found, "n_fit"))
    ends = sizes[0], sizes[-1]
    means = pooled(of_all_sizes(found))
    table = [["estimate", *(f"{key}, {size:,} samples" for size in ends for key in ("bias", "RMSE")), "coverage"]]
    for estimate in SHOWN:
        scores = [row for size in ends for row in pick(means, n_fit=size, estimate=estimate)]
        cells = [text for row in scores for text in (decimals(row["bias"], sign=True), decimals(row["rmse"]))]
        coverage = percent(fmean(row["coverage"] for row in pick(means, estimate=estimate)))
        table.append([LABELS[estimate], *cells, coverage])
    texts = {
        "families": count(len({row["dataset"].rpartition("_")[0] for row in found})),
        "methods": count(len(groups(found, "method"))),
        "sizes": listed([f"{size:,}" for size in sizes]),
    }
    return Content(texts, {"ends": table})


@topic("", *(f"{report}/{layout.MANIFEST}" for report in REPORTS), command=OF_TRACK)
def computation(project: Path) -> Content:
    """How much all reports took."""
    fits, seconds = 0.0, 0.0
    for report in REPORTS:
        spent = cost_by_method(Reported(project / report).manifest).values()
        n_fits, cpu = (sum(cost[key] for cost in spent for key in keys) for keys in (("fits",), CPU))
        fits, seconds = fits + n_fits, seconds + cpu
    return Content({"fits": whole(fits), "hours": decimals(seconds / 3600, 1)})


@topic("", f"{DRAWS}/{layout.COMPARISON}", f"{STUDY}/{layout.COMPARISON}", command=ON_DRAWS)
def published_draws(project: Path) -> Content:
    """The study on the data and test parts of the published one, and the same scores of the study on its own."""
    on_draws, here = (read_rows(project / report / layout.COMPARISON, Agreement) for report in (DRAWS, STUDY))
    drawn = {cell.key for cell in on_draws if cell.ours is not None}
    same = [cell for cell in here if cell.key in drawn]
    all_drawn, all_same = summary(on_draws)[-1], summary(same)[-1]
    compared = groups(same, "dataset")
    texts = {
        "within": ratio(all_drawn.within, all_drawn.compared),
        "within_ours": ratio(all_same.within, all_same.compared),
        "without": listed([data_set for data_set in groups(here, "dataset") if data_set not in compared]),
    }
    return Content(texts)


@topic("", f"{STUDY}/{layout.COMPARISON}", f"{DRAWS}/{layout.COMPARISON}", command=ON_DRAWS)
def misses(project: Path) -> Content:
    """Published test scores that ours are not within the tolerance of, and how they are on the published draws."""
    ours, on_draws = (read_rows(project / report / layout.COMPARISON, Agreement) for report in (STUDY, DRAWS))
    redrawn = {cell.key: cell for cell in on_draws if cell.ours is not None}
    missed = misses_of(ours)
    again = [redrawn[cell.key].within for cell in missed if cell.key in redrawn]
    table = [["experiment", "data set", "score", "published", "ours", "replicates", "published draws"]]
    for cell in pick(missed, chance="no"):
        other = redrawn.get(cell.key)
        row = [" ".join(filter(None, (cell.experiment, cell.variant))), cell.dataset]
        row += [cell.quantity.replace("_", " "), f"{cell.published:.2f}", f"{cell.ours:.2f}"]
        row += [f"{cell.mean:.2f} ± {cell.standard_deviation:.2f}"]
        table.append([*row, "" if other is None else f"{other.ours:.2f}{' (agrees)' * (other.within == 'yes')}"])
    return Content({"agreeing": ratio(again.count("yes"), len(again))}, {"beyond": table})


@topic(STUDY, layout.ALL_SCORES, needs=("E9", "E12", "X1"), reads_published=True)
def boosting_on_xor(stored: Reported) -> Content:
    """XGBoost with and without a limit of depth, where a class is the sign of a product of features."""
    scores = ("log_loss", "roc_auc")
    keys = ("experiment", "dataset", "quantity")
    found = groups(pick(stored.rows_of(["E9", "E12", "X1"]), section="final", fit_seed=0), *keys)
    published = groups(read_table(stored.published), *keys)
    table = [["log-loss / ROC-AUC", "published", "E9, E12", "X1, no limit of depth"]]
    for data_set in stored.study.runs["X1"].data_sets:
        named = "E9" if ("E9", data_set, "log_loss") in found else "E12"
        cells = [[published[named, data_set, score][-1]["value"] for score in scores]]
        for experiment in (named, "X1"):
            cells.append([fmean(row.number for row in found[experiment, data_set, score]) for score in scores])
        table.append([data_set, *(f"{loss:.2f} / {area:.2f}" for loss, area in cells)])
    return Content(tables={"scores": table})


@topic("", *(f"{RESULTS}/{name}.csv" for name in ("same_parameters", "e1_on_cancer", "trees")), command=BENCH)
def explanations(project: Path) -> Content:
    """Experiments that take away one possible cause of a difference after the other."""
    same = read_table(project / RESULTS / "same_parameters.csv")
    fits = read_table(project / RESULTS / "e1_on_cancer.csv")
    outside = pick(same, in_interval="False")
    losses = groups(sorted(pick(same, score="log_loss"), key=lambda row: row["data_set"]), "data_set")
    mean = mean_difference([fmean(row["published"] - row["mean"] for row in group) for group in losses.values()])
    same_p = mean.equivalence(ROPE)
    by_implementation = groups(fits, "implementation")
    theirs = next(name for name in by_implementation if name != "ours")
    single = {name: len(pick(own, features=1)) for name, own in by_implementation.items()}
    of_single, several = ([f["log_loss"] for f in fits if (f["features"] > 1) == more] for more in (False, True))
    trees = {
        data_set: group
        for data_set, group in groups(read_table(project / RESULTS / "trees.csv"), "data_set").items()
        if max(row["log_loss"] for row in group) - min(row["log_loss"] for row in group) > ROPE
    }
    distances: Counter[str] = Counter()
    for group in trees.values():
        for row in group:
            distances[row["trees"]] += abs(row["log_loss"] - row["log_loss_published"])
    texts = {
        "trees_matter": listed(list(trees)),
        "nearest_trees": min(distances, key=lambda kind: distances[kind]),
        "same": ratio(len(same) - len(pick(same, within="False")), len(same)),
        "same_difference": difference(mean.value, *mean.interval(1 - 2 * ALPHA)),
        "same_p": p_of(same_p),
        "same_equivalent": equivalent(same_p),
        "inside": ratio(len(same) - len(outside), len(same)),
        "outside_where": listed(list(dict.fromkeys(f"{row['experiment']} on {row['data_set']}" for row in outside))),
        "fits": whole(len(by_implementation[theirs])),
        "single_ours": count(single["ours"]),
        "single_theirs": count(single[theirs]),
        "single_loss": decimals(max(of_single), 2) if of_single else "none",
        "several_loss": decimals(fmean(several), 2),
        "package": theirs,
        "zero_cost": decimals(-log(SMALLEST), 1),
    }
    return Content(texts)
