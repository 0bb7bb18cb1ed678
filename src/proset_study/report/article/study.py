"""The published study and ours: protocol, agreement, claims; `differences` has what explains the rest."""

from collections import Counter
from pathlib import Path
from statistics import fmean

from matplotlib.figure import Figure

from proset.losses import SMALLEST
from proset.plot.style import log_axis
from proset_study.base.environment import DIRTY
from proset_study.base.records import read_text
from proset_study.methods.labels import method_name
from proset_study.report.analysis import reproduction as findings
from proset_study.report.analysis.losses import ROPE, generated
from proset_study.report.analysis.paired import mean_difference
from proset_study.report.analysis.published import (
    MIN_FOR_PREDICTION,
    TOLERANCE_NOTE,
    Agreement,
    prediction_half_width,
    summary,
)
from proset_study.report.analysis.statistics import ALPHA, POWER
from proset_study.report.article.topics import PUBLISHED, Content, Reported, command_of, figure, topic
from proset_study.report.article.wording import (
    Printed,
    count,
    counted,
    decimals,
    difference,
    general,
    interval,
    p_of,
    percent,
    power,
    ratio,
    significant,
    whole,
)
from proset_study.report.claims.registry import AGREEING, MIN_AGREEING
from proset_study.report.claims.statements import statements_beside
from proset_study.report.figures.style import canvas, legend, method_style
from proset_study.report.rows import groups, pick, read_table
from proset_study.report.wording import listed
from proset_study.store.results import read_rows
from proset_study.store.stored import Missing
from proset_study.study import layout

STUDY, DRAWS = "reports/study", "reports/published_draws"  # with those of `beyond`, all reports that the article reads
RESULTS = "benchmarks/results"
RECOMMENDED = ("S1", "S2", "S3", "S4", "S5", "S7", "S14", "S15", "S21")  # claims behind the recommended parameters
WHOLE, ON_DRAWS, BENCH = command_of("replicates"), command_of("published_draws"), "make bench"


@topic(STUDY, layout.ALL_SCORES, needs=("E1", "E2", "E3", "E5", "E6", "E9", "E10"), reads_published=True)
def protocol(stored: Reported) -> Content:
    """Data sets, experiments, constants of the searches, and what the report was made with."""
    cells, manifest, config = read_table(stored.published), stored.manifest, stored.study.config
    published = list(groups(cells, "experiment"))
    data_sets = list(groups(cells, "dataset"))
    real = [d for d in data_sets if not generated(stored, d)]
    experiments, proset, boosting = config["experiments"], config["experiments"]["E3"], config["experiments"]["E9"]
    space, rounds = proset["stage1"]["space"], boosting["stage2"]
    runs = [(run, d) for run in stored.study.runs.values() if run.experiment in published for d in run.data_sets]
    neighbours = {run.stage("stage2", d)["complexity"] for run, d in runs if run.method == "knn"}
    depths = {run.stage("stage1", d)["space"]["max_depth"]["integers"][1] for run, d in runs if run.method == "xgboost"}
    losses = pick(stored.rows_of(published), section="final", quantity="log_loss", fit_seed=0)
    replicates = [len(group) for group in groups(losses, "experiment", "dataset", "variant").values()]
    share = boosting["stage1"]["space"]["colsample"]["uniform"]
    texts = {
        "experiments": count(len(published)),
        "data_sets": count(len(data_sets)),
        "real": count(len(real)),
        "generated": count(len(data_sets) - len(real)),
        "cells": whole(len(cells)),
        "repeated": ratio(sum(n > 1 for n in replicates), len(replicates)),
        "further_replicates": count(len(stored.replicates) - 1),
        "folds": count(config["folds"]),
        "fit_seeds": counted(config.get("fit_seeds", 1), "seed"),
        "training": percent(1 - config["test_fraction"]),
        "trials": count(proset["stage1"]["trials"]),
        "candidates": whole(proset["parameters"]["n_candidates"]),
        "max_fraction": general(proset["parameters"]["max_fraction"]),
        "alphas": listed([f"{experiments[e]['parameters']['alpha_v']:g}" for e in ("E1", "E2", "E3")]),
        "alpha": general(proset["parameters"]["alpha_v"]),
        "lambda_v": " to ".join(map(power, space["lambda_v"]["log_uniform"])),
        "lambda_w": " to ".join(map(power, space["lambda_w"]["log_uniform"])),
        "batches": count(proset["stage2"]["complexity"]),
        "grid": count(experiments["E5"]["stage1"]["trials"]),
        "fixed_lambda_v": power(experiments["E6"]["parameters"]["lambda_v"]),
        "fixed_lambda_w": power(experiments["E6"]["parameters"]["lambda_w"]),
        "boosting_trials": count(boosting["stage1"]["trials"]),
        "boosting_rounds": count(boosting["stage1"]["complexity"]),
        "boosting_rate": general(boosting["stage1"]["parameters"]["learning_rate"]),
        "boosting_share": f"{share[0]:g} to {share[1]:g}",
        "rounds": whole(rounds["complexity"]),
        "rate": general(rounds["parameters"]["learning_rate"]),
        "neighbours": " or ".join(str(k) for k in sorted(neighbours)),
        "depths": " or ".join(str(depth) for depth in sorted(depths)),
        "clip": power(SMALLEST),
        "commit": manifest["commit"].removesuffix(DIRTY),
        "tree": "with changes that were not committed" if manifest["commit"].endswith(DIRTY) else "clean",
        "cores": count(manifest["machine"]["cores"]),
    }
    sizes = {(r.dataset, r.quantity): r.number for r in pick(stored.rows_of(published), section="data")}
    keys = ("samples", "train_samples", "test_samples", "features", "classes")
    table = [["data set", "samples", "training", "test", "features", "classes", "each replicate draws"]]
    drawn = {True: "split, folds, searches", False: "samples, split, folds, searches"}
    table += [[d, *(whole(sizes[d, key]) for key in keys), drawn[d in real]] for d in data_sets]
    about = [["experiment", "what is fitted", "method", "data sets"]]
    for name in published:
        entry = experiments[name]
        about.append([name, entry["title"], method_name(entry["method"]), str(len(entry["data_sets"]))])
    return Content(texts, {"data_sets": table, "experiments": about})


@topic(STUDY, *(layout.COMPARISON, "findings/reproduction.csv", layout.HEADLINE), needs=("E1", "E3", "E4", "E8"))
def reproduction(stored: Reported) -> Content:
    """How close the published numbers are to ours."""
    cells = read_rows(stored.folder / layout.COMPARISON, Agreement)
    found = {row["what"]: row for row in stored.read("findings/reproduction.csv")}
    if findings.DIFFERENCE not in found:
        raise Missing("a mean difference from published log-losses, which needs replicates")
    mean = found[findings.DIFFERENCE]
    misses = misses_of(cells)
    beyond = pick(misses, chance="no")
    by_experiment = {row.experiment: row for row in summary(cells)}
    table = [["experiment", "within the tolerance", "among our replicates", "misses", "of these in the interval"]]
    for name, row in by_experiment.items():
        again = "" if row.repeated is None else percent(row.repeated)
        outside = str(row.compared - row.within)
        table.append([name, ratio(row.within, row.compared), again, outside, str(row.chance)])

    def some(what):
        return ratio(found[what]["found"], found[what]["of"])

    def own(experiment):
        return ratio(by_experiment[experiment].within, by_experiment[experiment].compared)

    inside = {}
    for theirs, ours, _ in findings.INSIDE_FOILS:
        what = findings.OTHERS_INSIDE.format(theirs=theirs, ours=ours)
        inside[f"inside_{theirs}"] = some(what)
        if ours == "proset":
            inside[f"inside_{theirs}_real"] = some(f"{what}, {findings.KINDS[False]}")
    repeated = found[findings.TOLERATED_OF_REPEATED]
    first_words = ("Reproduced:", "Compatible:", "Not reproduced:", "Reproduced?")
    texts = {
        "sentence": Headline(stored.folder).with_words(*first_words),
        "within": some(findings.TOLERATED),
        "inside": some(findings.INSIDE),
        "repeated_ours": percent(repeated["found"] / repeated["of"]),
        "repeated": percent(repeated["value"]),
        "difference": decimals(mean["value"], sign=True),
        "interval": interval(mean["low"], mean["high"]),
        "by_method": _differences_by_method(cells),
        "equivalence_p": p_of(mean["p"]),
        "equivalent": equivalent(mean["p"]),
        "power": percent(found[findings.PASSING]["value"]),
        "full_power": percent(POWER),
        "enough": Printed(findings.enough_in_words(found[findings.ENOUGH]["found"]), found[findings.ENOUGH]["found"]),
        "margin": general(ROPE),
        "level": percent(1 - 2 * ALPHA),
        "least": count(MIN_FOR_PREDICTION),
        "tolerance": TOLERANCE_NOTE,
        "own_method": own("E3"),
        "own_setting": own("E4"),
        "other_method": some(findings.FOIL.format(ours="E8", theirs="E3")),
        "other_setting": some(findings.FOIL.format(ours="E1", theirs="E4")),
        **inside,
        "prototypes": some(findings.PROTOTYPES),
        "fewer": some(findings.FEWER),
        "misses": whole(len(misses)),
        "misses_real": whole(sum(not generated(stored, cell.dataset) for cell in misses)),
        "misses_beyond": count(len(beyond)),
        "where_beyond": listed(list(dict.fromkeys(f"{c.experiment} on {c.dataset}" for c in beyond))),
    }
    return Content(texts, {"by_experiment": table})


def _differences_by_method(cells):
    """Published minus our log-losses, means over the data sets of each method that has several."""
    words = []
    for method, own in groups(cells, "method").items():
        means = [fmean(values) for values in findings.differences_by_data_set(own).values()]
        if len(means) < 2:
            continue
        mean = mean_difference(means)
        words.append(f"{difference(mean.value, *mean.interval(1 - 2 * ALPHA))} for {method_name(method)}")
    return listed(words)


@figure("reproduction.agreement")
def agreement(stored: Reported) -> Figure:
    """Published test log-losses against the means over our replicates, with 95 % prediction intervals."""
    cells = pick(read_rows(stored.folder / layout.COMPARISON, Agreement), section="final", quantity="log_loss")
    by_method = groups([cell for cell in cells if cell.published], "method")
    figure, axes = canvas(6.4, 2.3, 1, 3, sharex=True, sharey=True)
    for panel, (method, of_method) in zip(axes, by_method.items(), strict=True):
        look = {"linestyle": "", "markersize": 4, **method_style(method), "label": method_name(method)}
        for cell in of_method:
            mean = cell.ours if cell.mean is None else cell.mean
            if cell.standard_deviation is not None and mean is not None:
                half = prediction_half_width(cell.standard_deviation, cell.replicates)
                panel.vlines(cell.published, max(mean - half, 0.01), mean + half, color="#BBBBBB", linewidth=1.0)
            panel.plot(cell.published, mean, **look)
        panel.axline((0.1, 0.1), (1.0, 1.0), color="black", linewidth=0.7, zorder=0)
        for direction in ("x", "y"):
            log_axis(panel, direction, dense=True)
        panel.set(xlabel="published test log-loss", xlim=(0.052, 1.1), ylim=(0.04, 1.3))
    axes[0].set_ylabel("ours, mean")
    legend(figure)
    return figure


@topic(STUDY, layout.CLAIMS)
def claims(stored: Reported) -> Content:
    """The statements of the published text, decided by our numbers."""
    statements = stored.read(layout.CLAIMS)
    tested = [s for s in statements if not s["cannot_fail"] and (s["replicates_decided"] or 0) >= MIN_AGREEING]
    supported = pick(tested, published="holds")
    recommended = [s for s in tested if s["id"] in RECOMMENDED]
    verdicts, of_supported, of_recommended = (
        Counter(s["verdict"] for s in part) for part in (tested, supported, recommended)
    )
    failing = [["claim", "what is claimed", "data sets", "holds in replicates"]]
    for (name, words), group in groups(pick(supported, verdict="fails"), "id", "claim").items():
        holding = dict.fromkeys(ratio(s["replicates_holding"], s["replicates_decided"]) for s in group)
        failing.append([name, words, ", ".join(s["dataset"] or "all" for s in group), ", ".join(holding)])
    refuted = groups(pick(recommended, verdict="fails"), "claim")
    where = [f'"{words}" ({", ".join(s["dataset"] or "all" for s in found)})' for words, found in refuted.items()]
    texts = {
        "enough": count(MIN_AGREEING),
        "agreeing": percent(AGREEING),
        "claims": whole(len(groups(statements, "id"))),
        "statements": whole(len(statements)),
        "tested": whole(len(tested)),
        "hold": whole(verdicts["holds"]),
        "fail": whole(verdicts["fails"]),
        "undetermined": whole(verdicts["undetermined"]),
        "supported_tested": whole(len(supported)),
        "supported_hold": whole(of_supported["holds"]),
        "supported_fail": count(of_supported["fails"]),
        "supported_undetermined": count(of_supported["undetermined"]),
        "recommended_all": whole(of_recommended.total()),
        "recommended_hold": whole(of_recommended["holds"]),
        "recommended_fail": count(of_recommended["fails"]),
        "recommended_failing": listed(where) or "none",
    }
    return Content(texts, {"failing": failing})


@topic("", "data/published/statements.csv", command=WHOLE)
def statements(project: Path) -> Content:
    """The statements of all sources."""
    found = statements_beside(project / PUBLISHED)
    return Content({"all": whole(len(found))})


class Headline:
    """What a report begins with: sentences by their first words, and the table of test losses."""

    def __init__(self, report: Path):
        lines = read_text(report / layout.HEADLINE).splitlines()
        self.sentences = dict(line[4:].split("** ", 1) for line in lines if line.startswith("- **"))
        self.table = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if line.startswith("| ")]

    def with_words(self, *first_words: str) -> str:
        """The sentence that begins with one of these words, which are in bold; `Missing` if there is none."""
        for words in first_words:
            if words in self.sentences:
                return f"**{words}** {self.sentences[words]}"
        raise Missing(f"{layout.HEADLINE} has {listed(list(self.sentences))}, needed is {listed(list(first_words))}")


def misses_of(cells: list[Agreement]) -> list[Agreement]:
    """Published test scores that ours are not within the tolerance of."""
    return [cell for cell in pick(cells, within="no") if cell.is_test_score]


def equivalent(p: float) -> str:
    """What a test of equivalence says, in words."""
    return "equivalent" if significant(p) else "not shown to be equivalent"
