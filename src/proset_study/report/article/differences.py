"""What explains differences from the published numbers: other draws, single misses, possible causes one by one."""

from collections import Counter
from math import log
from pathlib import Path
from statistics import fmean

from proset.losses import SMALLEST
from proset_study.report.analysis.losses import ROPE
from proset_study.report.analysis.paired import mean_difference
from proset_study.report.analysis.published import Agreement, summary
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.article.study import BENCH, DRAWS, ON_DRAWS, RESULTS, STUDY, equivalent, misses_of
from proset_study.report.article.topics import Content, Reported, topic
from proset_study.report.article.wording import count, decimals, difference, p_of, ratio, whole
from proset_study.report.rows import groups, pick, read_table
from proset_study.report.wording import listed
from proset_study.store.results import read_rows
from proset_study.study import layout


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
