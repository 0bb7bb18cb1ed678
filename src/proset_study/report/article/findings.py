"""Tables that only docs/findings.md has: they are too long for the article."""

from collections import Counter
from pathlib import Path
from statistics import fmean

from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import by_method
from proset_study.report.analysis.published import Agreement
from proset_study.report.article.leave_one_out import LEAVE_ONE_OUT, SPLIT, TRACK, TRACKED
from proset_study.report.article.methods import ALL_METHODS, COMPARISON, FIRST
from proset_study.report.article.records import Reported, rows
from proset_study.report.article.study import DRAWS, ON_DRAWS, PUBLISHED, STUDY, WHOLE
from proset_study.report.article.topics import Content, overlay, topic
from proset_study.report.article.wording import decimals, difference, ratio
from proset_study.report.claims.statements import statements_beside
from proset_study.report.wording import p_value
from proset_study.store.results import FINAL, read_published, read_rows
from proset_study.study import layout

AVERAGED = "proset_averaged"
FIRST_RANKS = 6
OFTEN = 6  # features of a data set that are named


@topic(f"{STUDY}/{layout.COMPARISON}", f"{DRAWS}/{layout.COMPARISON}", command=ON_DRAWS)
def misses(project: Path) -> Content:
    """Published test scores that ours are not within the tolerance of, and how they are on the published draws."""
    ours, on_draws = (read_rows(project / report / layout.COMPARISON, Agreement) for report in (STUDY, DRAWS))
    there = {number.key: number for number in on_draws if number.ours is not None}
    missed = [number for number in ours if number.is_test_score and number.within == "no"]
    again = [there[number.key].within for number in missed if number.key in there]
    table = [
        ["experiment", "data set", "score", "published", "ours", "replicates", "in the interval", "published draws"]
    ]
    for number in missed:
        other, spread = there.get(number.key), number.standard_deviation
        table.append(
            [
                " ".join(filter(None, (number.experiment, number.variant))),
                number.dataset,
                number.quantity.replace("_", " "),
                f"{number.published:.2f}",
                f"{number.ours:.2f}",
                "" if spread is None else f"{number.mean:.2f} ± {spread:.2f}",
                number.chance,
                "" if other is None else f"{other.ours:.2f}{' (agrees)' * (other.within == 'yes')}",
            ]
        )
    return Content({"agreeing": ratio(again.count("yes"), len(again))}, {"scores": table})


@topic(f"{STUDY}/{layout.MANIFEST}", f"{STUDY}/{layout.ALL_SCORES}", PUBLISHED, command=WHOLE)
def boosting_on_xor(project: Path) -> Content:
    """XGBoost with and without a limit of depth, where a class is the sign of a product of features."""
    stored = Reported(project / STUDY)
    scores = ("log_loss", "roc_auc")
    found: dict[tuple, list[float]] = {}
    for row in stored.rows_of(["E9", "E12", "X1"]):
        if row.section == FINAL and row.quantity in scores and row.fit_seed == 0 and row.value is not None:
            found.setdefault((row.experiment, row.dataset, row.quantity), []).append(row.value)
    published = {(r.experiment, r.dataset, r.name): r.value for r in read_published(project / PUBLISHED)}
    table = [["log-loss / ROC-AUC", "published", "E9, E12", "X1, no limit of depth"]]
    for data_set in stored.study.runs["X1"].data_sets:
        named = "E9" if ("E9", data_set, "log_loss") in found else "E12"
        cells = [[published[named, data_set, score] for score in scores]]
        cells += [[fmean(found[experiment, data_set, score]) for score in scores] for experiment in (named, "X1")]
        table.append([data_set, *(f"{loss:.2f} / {area:.2f}" for loss, area in cells)])
    return Content(tables={"scores": table})


@topic(f"{STUDY}/{layout.MANIFEST}", f"{STUDY}/{layout.RULES}", command=WHOLE)
def rules(project: Path) -> Content:
    """What each rule of selection gives up and saves, means over data sets and replicates."""
    stored = Reported(project / STUDY)
    methods = {e: stored.study.config["experiments"][e]["method"] for e in stored.experiments(COMPARISON)}
    groups: dict[tuple[str, str, str], list[dict]] = {}
    for row in stored.read(layout.RULES):
        if row["experiment"] in methods:
            groups.setdefault((methods[row["experiment"]], row["stage"], row["rule"]), []).append(row)
    table = [["method", "stage", "rule", "log-loss above the lowest", "features", "prototypes", "size"]]
    for (method, stage, rule), group in groups.items():
        sizes = [_mean(group, key) for key in ("active_features", "prototypes", "size")]
        excess = decimals(fmean(row["excess"] for row in group), 4)
        table.append([method_name(method), stage.replace("stage", "stage "), rule, excess, *sizes])
    return Content(tables={"cost": table})


@topic(f"{STUDY}/{layout.MANIFEST}", f"{STUDY}/findings/selected_features.csv", command=WHOLE)
def features(project: Path) -> Content:
    """How often the models of the compared experiments keep a feature."""
    stored = Reported(project / STUDY)
    own = stored.experiments(COMPARISON, FIRST)
    by_data_set: dict[str, list[dict]] = {}
    for row in stored.read("findings/selected_features.csv"):
        if row["experiment"] in own:
            by_data_set.setdefault(row["dataset"], []).append(row)
    table = [["data set", "replicates", "features", "in all of them", "in none", "most often, in how many"]]
    for data_set, found in by_data_set.items():
        first = sorted(found, key=lambda row: -row["selected"])[:OFTEN]
        often = ", ".join(f"{row['feature']} {row['selected']:.0f}" for row in first)
        kept = Counter(row["proportion"] for row in found)
        counts = (int(found[0]["replicates"]), len(found), kept[1.0], kept[0.0])
        table.append([data_set, *map(str, counts), often])
    return Content(tables={"selected": table})


@topic(f"{STUDY}/{layout.MANIFEST}", f"{STUDY}/findings/methods.csv", command=WHOLE)
def over_replicates(project: Path) -> Content:
    """Paired differences of test log-loss on each data set."""
    found = [
        row
        for row in Reported(project / STUDY).read("findings/methods.csv")
        if (row["score"], row["first"]) == ("log-loss", FIRST)
    ]
    others = list(dict.fromkeys(row["second"] for row in found))
    cells: dict[str, dict[str, list[str]]] = {}
    for row in found:
        words = difference(row["difference"], row["low"], row["high"])
        cells.setdefault(row["dataset"], {})[row["second"]] = [words, p_value(row["p"])]
    heading = [text for other in others for text in (f"{method_name(FIRST)} minus {method_name(other)}", "p")]
    table = [
        [d, *(text for other in others for text in by_method.get(other, ["", ""]))] for d, by_method in cells.items()
    ]
    return Content(tables={"differences": [["data set", *heading], *table]})


@topic(f"{STUDY}/findings/ranks.csv", command=WHOLE)
def ranks(project: Path) -> Content:
    """The methods with the best average ranks among all."""
    found = [
        row
        for row in rows(project / STUDY / "findings/ranks.csv")
        if (row["comparison"], row["group"]) == (ALL_METHODS, "all")
    ]
    table = [["score", "methods", "critical difference", "first, with average ranks"]]
    for score in dict.fromkeys(row["score"] for row in found):
        ranked = sorted((row for row in found if row["score"] == score), key=lambda row: row["average_rank"])
        first = ", ".join(f"{method_name(row['method'])} {row['average_rank']:.1f}" for row in ranked[:FIRST_RANKS])
        table.append([score, str(len(ranked)), f"{ranked[0]['critical_difference']:.1f}", first])
    return Content(tables={"first": table})


@topic(
    *(f"{TRACK}/{name}" for name in (layout.MANIFEST, layout.ALL_SCORES)),
    *(f"{TRACK}/findings/{name}.csv" for name in ("variance", "costs", "pairs")),
    command=overlay("open_track"),
)
def references(project: Path) -> Content:
    """Split and leave-one-out references and the mean of several draws, tuned alike, by more scores; rivals."""
    stored = Reported(project / TRACK)
    kinds = [m for m in (SPLIT, AVERAGED, LEAVE_ONE_OUT) if stored.experiments(TRACKED, m)]
    own = stored.experiments(TRACKED, *kinds)
    variance = {
        (row["method"], row["dataset"], row["score"]): row
        for row in stored.read("findings/variance.csv")
        if row["experiment"] in own
    }
    seconds: dict[tuple[str, str], list[float]] = {}
    for row in stored.read("findings/costs.csv"):
        if row["experiment"] in own:
            seconds.setdefault((row["method"], row["dataset"]), []).append(row["fit_cpu_s"])
    kept = by_method(stored, own, "prototypes")
    scores = ("log-loss", "Brier score", "balanced error")
    table = [["data set", *scores, "log-loss between draws", "prototypes, mean", "CPU seconds of a fit"]]
    for data_set in stored.study.data_sets:
        found = [[variance[m, data_set, score]["mean"] for m in kinds] for score in scores]
        draws = [variance[m, data_set, scores[0]]["between_seeds"] for m in kinds]
        cells = [[decimals(value) for value in values] for values in found]
        cells.append(["none" if value is None else decimals(value) for value in draws])
        cells.append([f"{fmean(kept[m][data_set].values()):,.0f}" for m in kinds])
        cells.append([f"{fmean(seconds[m, data_set]):.2g}" for m in kinds])
        table.append([data_set, *(" / ".join(cell) for cell in cells)])
    rivals = [["leave-one-out references against", "better on", "mean difference", "signed ranks"]]
    of_log_loss = (TRACKED, "log-loss", "all", LEAVE_ONE_OUT)
    pairs = stored.read("findings/pairs.csv")
    against = [r for r in pairs if (r["comparison"], r["score"], r["group"], r["first"]) == of_log_loss]
    for row in against:
        wins = ratio(row["first_wins"], row["data_sets"])
        words = difference(row["mean_difference"], row["low"], row["high"])
        rivals.append([method_name(row["second"]), wins, words, p_value(row["wilcoxon_p"])])
    (averaged,) = (row for row in against if row["second"] == AVERAGED)
    texts = {
        "kinds": " / ".join(map(method_name, kinds)),
        "averaged_better": ratio(averaged["second_wins"], averaged["data_sets"]),
        "against_averaged": difference(averaged["mean_difference"], averaged["low"], averaged["high"]),
    }
    return Content(texts, {"scores": table, "rivals": rivals})


@topic("data/published/statements.csv", command=WHOLE)
def statements(project: Path) -> Content:
    """The statements of all sources by what decides them."""
    found = statements_beside(project / PUBLISHED)
    by_study = Counter(row["study"].split()[0] for row in found if row["study"])
    table = [["decided by", "statements"]]
    table += [[f"a claim, from the records of `{name}`", str(n)] for name, n in by_study.most_common()]
    table.append(["a test: theorems, examples by hand, simulations", str(len(found) - by_study.total())])
    return Content({"all": str(len(found))}, {"deciding": table})


def _mean(group, key):
    values = [row[key] for row in group if row[key] is not None]
    return f"{fmean(values):,.1f}" if values else ""
