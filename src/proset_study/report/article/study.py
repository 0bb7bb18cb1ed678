"""The published study and ours: protocol, agreement, what explains the differences, claims."""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any

from matplotlib.figure import Figure

from proset.plot.style import log_axis
from proset_study.base.environment import DIRTY
from proset_study.base.records import read_text
from proset_study.base.scores import SMALLEST
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import ROPE
from proset_study.report.analysis.paired import mean_difference
from proset_study.report.analysis.published import (
    MIN_REPLICATES,
    TOLERANCE_NOTE,
    Agreement,
    prediction_half_width,
    summary,
)
from proset_study.report.analysis.reproduction import (
    DIFFERENCE,
    FEWER,
    FOIL,
    INSIDE,
    PROTOTYPES,
    TOLERATED,
    TOLERATED_OF_REPEATED,
    Finding,
)
from proset_study.report.analysis.statistics import ALPHA
from proset_study.report.article.records import Reported, rows
from proset_study.report.article.topics import Content, overlay, topic
from proset_study.report.article.wording import (
    count,
    decimals,
    difference,
    interval,
    p_of,
    percent,
    power,
    ratio,
    significant,
)
from proset_study.report.claims.registry import AGREEING, MIN_AGREEING
from proset_study.report.figures.style import (
    context,
    legend,
    method_style,
)
from proset_study.report.wording import (
    listed,
)
from proset_study.store.results import FINAL, read_published, read_rows
from proset_study.study import layout

STUDY, DRAWS = "reports/study", "reports/published_draws"  # with those of `beyond`, all reports that the article reads
PUBLISHED, RESULTS = "data/published/published.csv", "benchmarks/results"
RECOMMENDED = ("S1", "S2", "S3", "S4", "S5", "S7", "S14", "S15", "S21")  # claims behind the recommended parameters
WHOLE, ON_DRAWS, BENCH = overlay("replicates"), overlay("published_draws"), "make bench"


@topic(f"{STUDY}/{layout.MANIFEST}", f"{STUDY}/{layout.ALL_SCORES}", PUBLISHED, command=WHOLE)
def protocol(project: Path) -> Content:
    """Data sets, experiments, constants of the searches, and what the report was made with."""
    stored, cells = Reported(project / STUDY), read_published(project / PUBLISHED)
    config, manifest = stored.study.config, stored.manifest
    published = list(dict.fromkeys(cell.experiment for cell in cells))
    data_sets = list(dict.fromkeys(cell.dataset for cell in cells))
    real = [d for d in data_sets if "generator" not in config["data_sets"][d]]
    experiments, proset, boosting = config["experiments"], config["experiments"]["E3"], config["experiments"]["E9"]
    space, rounds = proset["stage1"]["space"], boosting["stage2"]
    runs = [(run, d) for run in stored.study.runs.values() if run.experiment in published for d in run.data_sets]
    neighbours = {run.stage("stage2", d)["complexity"] for run, d in runs if run.method == "knn"}
    depths = {run.stage("stage1", d)["space"]["max_depth"]["integers"][1] for run, d in runs if run.method == "xgboost"}
    replicates = Counter(
        (row.experiment, row.dataset, row.variant)
        for row in stored.rows_of(published)
        if (row.section, row.quantity, row.fit_seed) == (FINAL, "log_loss", 0)
    )
    seeds = config.get("fit_seeds", 1)
    share = boosting["stage1"]["space"]["colsample"]["uniform"]
    texts = {
        "experiments": count(len(published)),
        "data_sets": count(len(data_sets)),
        "real": count(len(real)),
        "generated": count(len(data_sets) - len(real)),
        "cells": f"{len(cells):,}",
        "repeated": ratio(sum(n > 1 for n in replicates.values()), len(replicates)),
        "further_replicates": count(len(stored.replicates) - 1),
        "folds": count(config["folds"]),
        "fit_seeds": f"{count(seeds)} seed{'s' if seeds > 1 else ''}",
        "training": percent(1 - config["test_fraction"]),
        "trials": count(proset["stage1"]["trials"]),
        "candidates": f"{proset['parameters']['n_candidates']:,}",
        "max_fraction": f"{proset['parameters']['max_fraction']:g}",
        "alphas": listed([f"{experiments[e]['parameters']['alpha_v']:g}" for e in ("E1", "E2", "E3")]),
        "alpha": f"{proset['parameters']['alpha_v']:g}",
        "lambda_v": _range(space["lambda_v"]["log_uniform"]),
        "lambda_w": _range(space["lambda_w"]["log_uniform"]),
        "batches": count(proset["stage2"]["complexity"]),
        "grid": count(experiments["E5"]["stage1"]["trials"]),
        "fixed_lambda_v": power(experiments["E6"]["parameters"]["lambda_v"]),
        "fixed_lambda_w": power(experiments["E6"]["parameters"]["lambda_w"]),
        "boosting_trials": count(boosting["stage1"]["trials"]),
        "boosting_rounds": count(boosting["stage1"]["complexity"]),
        "boosting_rate": f"{boosting['stage1']['parameters']['learning_rate']:g}",
        "boosting_share": f"{share[0]:g} to {share[1]:g}",
        "rounds": f"{rounds['complexity']:,}",
        "rate": f"{rounds['parameters']['learning_rate']:g}",
        "neighbours": " or ".join(str(k) for k in sorted(neighbours)),
        "depths": " or ".join(str(depth) for depth in sorted(depths)),
        "clip": power(SMALLEST),
        "commit": manifest["commit"].removesuffix(DIRTY),
        "tree": "with changes that were not committed" if manifest["commit"].endswith(DIRTY) else "clean",
        "cores": count(manifest["machine"]["cores"]),
        "versions": ", ".join(f"{k} {v}" for k, v in manifest["versions"].items()),
    }
    sizes = {(r.dataset, r.quantity): r.value for r in stored.rows_of(published) if r.section == "data"}
    keys = ("samples", "train_samples", "test_samples", "features", "classes")
    heading = ["data set", "samples", "training", "test", "features", "classes", "each replicate draws"]
    drawn = {True: "split, folds, searches", False: "samples, split, folds, searches"}
    table = [[d, *(f"{sizes[d, key]:,.0f}" for key in keys), drawn[d in real]] for d in data_sets]
    about = [["experiment", "what is fitted", "method", "data sets"]]
    about += [
        [e, experiments[e]["title"], method_name(experiments[e]["method"]), str(len(experiments[e]["data_sets"]))]
        for e in published
    ]
    return Content(texts, {"data_sets": [heading, *table], "experiments": about})


@topic(
    *(f"{STUDY}/{name}" for name in (layout.MANIFEST, layout.COMPARISON, "findings/reproduction.csv", layout.HEADLINE)),
    command=WHOLE,
)
def reproduction(project: Path) -> Content:
    """How close the published numbers are to ours."""
    stored = Reported(project / STUDY)
    cells = read_rows(project / STUDY / layout.COMPARISON, Agreement)
    found: dict[str, Any] = {row.what: row for row in read_rows(project / STUDY / "findings/reproduction.csv", Finding)}
    mean = found[DIFFERENCE]
    misses = [c for c in cells if c.is_test_score and c.within == "no"]
    real = [c for c in misses if "generator" not in stored.study.config["data_sets"][c.dataset]]
    beyond = [c for c in misses if c.chance == "no"]
    by_experiment = summary(cells)
    own = {row.experiment: row for row in by_experiment}
    heading = ["experiment", "within the tolerance", "among our replicates", "misses", "of these in the interval"]
    table = [
        [
            row.experiment,
            ratio(row.within, row.compared),
            "" if row.repeated is None else percent(row.repeated),
            str(row.compared - row.within),
            str(row.chance),
        ]
        for row in by_experiment
    ]

    def some(what):
        return ratio(found[what].found, found[what].of)

    repeated = found[TOLERATED_OF_REPEATED]
    texts = {
        "sentence": headline(project / STUDY).with_words(
            "Reproduced:", "Compatible:", "Not reproduced:", "Reproduced?"
        ),
        "within": some(TOLERATED),
        "inside": some(INSIDE),
        "repeated_ours": percent(repeated.found / repeated.of),
        "repeated": percent(repeated.value),
        "difference": decimals(mean.value, sign=True),
        "interval": interval(mean.low, mean.high),
        "equivalence_p": p_of(mean.p),
        "equivalent": _equivalent(mean.p),
        "margin": f"{ROPE:g}",
        "level": percent(1 - 2 * ALPHA),
        "least": count(MIN_REPLICATES),
        "tolerance": TOLERANCE_NOTE,
        "own_method": ratio(own["E3"].within, own["E3"].compared),
        "own_setting": ratio(own["E4"].within, own["E4"].compared),
        "other_method": some(FOIL.format(ours="E8", theirs="E3")),
        "other_setting": some(FOIL.format(ours="E1", theirs="E4")),
        "prototypes": some(PROTOTYPES),
        "fewer": some(FEWER),
        "misses": str(len(misses)),
        "misses_real": str(len(real)),
        "misses_beyond": count(len(beyond)),
        "where_beyond": listed(list(dict.fromkeys(f"{c.experiment} on {c.dataset}" for c in beyond))),
    }
    return Content(texts, {"by_experiment": [heading, *table]}, {"agreement": _agreement(cells)})


@topic(f"{DRAWS}/{layout.COMPARISON}", f"{STUDY}/{layout.COMPARISON}", command=ON_DRAWS)
def published_draws(project: Path) -> Content:
    """The study on the data and test parts of the published one, and the same scores of the study on its own."""
    there, here = (read_rows(project / report / layout.COMPARISON, Agreement) for report in (DRAWS, STUDY))
    drawn = {cell.key for cell in there if cell.ours is not None}
    same = [cell for cell in here if cell.key in drawn]
    compared = {cell.dataset for cell in same}
    (*_, on_draws), (*_, on_ours) = summary(there), summary(same)
    texts = {
        "within": ratio(on_draws.within, on_draws.compared),
        "within_ours": ratio(on_ours.within, on_ours.compared),
        "without": listed(list(dict.fromkeys(c.dataset for c in here if c.dataset not in compared))),
    }
    return Content(texts)


@topic(*(f"{RESULTS}/{name}.csv" for name in ("same_parameters", "e1_on_cancer", "trees")), command=BENCH)
def explanations(project: Path) -> Content:
    """Experiments that take away one possible cause of a difference after the other."""
    same = rows(project / RESULTS / "same_parameters.csv")
    fits = rows(project / RESULTS / "e1_on_cancer.csv")
    trees = rows(project / RESULTS / "trees.csv")
    unlike, outside = ([row for row in same if row[key] == "False"] for key in ("within", "in_interval"))
    losses = sorted((row for row in same if row["score"] == "log_loss"), key=lambda row: row["data_set"])
    by_data_set = groupby(losses, key=lambda row: row["data_set"])
    mean = mean_difference([fmean(row["published"] - row["mean"] for row in group) for _, group in by_data_set])
    same_p = mean.equivalence(ROPE)
    by_implementation = {name: [f for f in fits if f["implementation"] == name] for name in _names(fits)}
    single = {name: sum(f["features"] == 1 for f in found) for name, found in by_implementation.items()}
    theirs = next(name for name in by_implementation if name != "ours")
    of_single, several = ([f["log_loss"] for f in fits if (f["features"] > 1) == more] for more in (False, True))
    heading = ["data set", "trees", "log-loss", "ROC-AUC", "balanced accuracy"]
    scores = ("log_loss", "roc_auc", "balanced_accuracy")
    table = []
    shown = [(d, list(group)) for d, group in groupby(trees, key=lambda row: row["data_set"]) if d in _farthest(trees)]
    for data_set, group in shown:
        table.append([data_set, "published", *(f"{group[0][f'{score}_published']:.2f}" for score in scores)])
        table += [
            ["", row["trees"], *(f"{row[score]:.3f} ± {row[f'{score}_deviation']:.3f}" for score in scores)]
            for row in group
        ]
    nearest = min(
        dict.fromkeys(row["trees"] for row in trees),
        key=lambda kind: sum(
            abs(row["log_loss"] - row["log_loss_published"])
            for _, group in shown
            for row in group
            if row["trees"] == kind
        ),
    )
    texts = {
        "nearest_trees": nearest,
        "same": ratio(len(same) - len(unlike), len(same)),
        "same_difference": difference(mean.value, *mean.interval(1 - 2 * ALPHA)),
        "same_p": p_of(same_p),
        "same_equivalent": _equivalent(same_p),
        "inside": ratio(len(same) - len(outside), len(same)),
        "outside_where": listed(list(dict.fromkeys(f"{row['experiment']} on {row['data_set']}" for row in outside))),
        "fits": str(len(by_implementation[theirs])),
        "single_ours": count(single["ours"]),
        "single_theirs": count(single[theirs]),
        "single_loss": decimals(max(of_single), 2) if of_single else "none",
        "several_loss": decimals(fmean(several), 2),
        "package": theirs,
        "zero_cost": decimals(-log(SMALLEST), 1),
    }
    return Content(texts, {"trees": [heading, *table]})


@topic(f"{STUDY}/{layout.CLAIMS}", command=WHOLE)
def claims(project: Path) -> Content:
    """The statements of the published text, decided by our numbers."""
    statements = rows(project / STUDY / layout.CLAIMS)
    tested = [s for s in statements if not s["cannot_fail"] and (s["replicates_decided"] or 0) >= MIN_AGREEING]
    verdicts = Counter(s["verdict"] for s in tested)
    supported = [s for s in tested if s["published"] == "holds"]
    of_supported = Counter(s["verdict"] for s in supported)
    failing = [s for s in supported if s["verdict"] == "fails"]
    of_recommended = Counter(s["verdict"] for s in tested if s["id"] in RECOMMENDED)
    heading = ["claim", "what is claimed", "data sets", "holds in replicates"]
    table = []
    for (name, words), group in groupby(failing, key=lambda s: (s["id"], s["claim"])):
        found = list(group)
        holding = [ratio(s["replicates_holding"], s["replicates_decided"]) for s in found]
        table.append([name, words, ", ".join(s["dataset"] or "all" for s in found), ", ".join(dict.fromkeys(holding))])
    texts = {
        "enough": count(MIN_AGREEING),
        "agreeing": percent(AGREEING),
        "claims": str(len({s["id"] for s in statements})),
        "statements": str(len(statements)),
        "tested": str(len(tested)),
        "hold": str(verdicts["holds"]),
        "fail": str(verdicts["fails"]),
        "undetermined": str(verdicts["undetermined"]),
        "supported_tested": str(len(supported)),
        "supported_hold": str(of_supported["holds"]),
        "supported_fail": count(of_supported["fails"]),
        "supported_undetermined": count(of_supported["undetermined"]),
        "recommended_all": str(of_recommended.total()),
        "recommended_hold": str(of_recommended["holds"]),
        "recommended_fail": count(of_recommended["fails"]),
    }
    recommended = [["claim", "what is claimed", "holds", "fails", "undetermined"]]
    for name in RECOMMENDED:
        found = [s for s in tested if s["id"] == name]
        where = [
            [s["dataset"] or "all" for s in found if s["verdict"] == v] for v in ("holds", "fails", "undetermined")
        ]
        if found:
            recommended.append([name, found[0]["claim"], *map(_few, where)])
    return Content(texts, {"failing": [heading, *table], "recommended": recommended})


@dataclass(frozen=True)
class Headline:
    """What a report begins with: sentences by their first words, and the table of test losses."""

    sentences: dict[str, str]
    table: list[list[str]]

    def with_words(self, *first_words: str) -> str:
        """The sentence that begins with one of these words, and the words in bold; ValueError if there is none."""
        for words in first_words:
            if words in self.sentences:
                return f"**{words}** {self.sentences[words]}"
        raise ValueError(f"{layout.HEADLINE} has {listed(list(self.sentences))}, needed is {listed(list(first_words))}")


def headline(report: Path) -> Headline:
    """Read the first page of a report."""
    lines = read_text(report / layout.HEADLINE).splitlines()
    sentences = dict(line[4:].split("** ", 1) for line in lines if line.startswith("- **"))
    table = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if line.startswith("| ")]
    return Headline(sentences, table)


def _range(ends):
    return " to ".join(map(power, ends))


def _few(data_sets):
    """Their names, or how many they are."""
    return ", ".join(data_sets) if len(data_sets) <= 2 else f"{len(data_sets)} data sets"


def _names(fits):
    return list(dict.fromkeys(f["implementation"] for f in fits))


def _farthest(trees):
    """Data sets on which the kinds of trees differ by more than the margin."""
    losses: dict[str, list[float]] = {}
    for row in trees:
        losses.setdefault(row["data_set"], []).append(row["log_loss"])
    return [data_set for data_set, found in losses.items() if max(found) - min(found) > ROPE]


def _agreement(cells):
    """Published test log-losses against the means over our replicates, with 95 % prediction intervals."""
    with context():
        figure = Figure(figsize=(6.4, 2.7), layout="constrained")
        axes = list(figure.subplots(1, 3, sharex=True, sharey=True))
        losses = [c for c in cells if (c.section, c.quantity) == (FINAL, "log_loss") and c.published]
        for panel, method in zip(axes, dict.fromkeys(c.method for c in losses), strict=True):
            shown = [c for c in losses if c.method == method]
            style = method_style(method)
            for cell in shown:
                mean = cell.ours if cell.mean is None else cell.mean
                if cell.standard_deviation is not None:
                    half = prediction_half_width(cell.standard_deviation, cell.replicates)
                    panel.vlines(cell.published, max(mean - half, 0.01), mean + half, color="#BBBBBB", linewidth=1.0)
                panel.plot(cell.published, mean, linestyle="", markersize=4, **style, label=method_name(method))
            panel.axline((0.1, 0.1), (1.0, 1.0), color="black", linewidth=0.7, zorder=0)
            for direction in ("x", "y"):
                log_axis(panel, direction, dense=True)
            panel.set(xlabel="published test log-loss", xlim=(0.052, 1.1), ylim=(0.04, 1.3))
        axes[0].set_ylabel("ours, mean")
        legend(figure)
    return figure


def _equivalent(p):
    return "equivalent" if significant(p) else "not shown to be equivalent"
