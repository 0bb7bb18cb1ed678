"""What goes beyond the study besides the open track: response curves, estimates of the error, pairs of experiments."""

from dataclasses import asdict
from pathlib import Path
from statistics import fmean

from matplotlib.figure import Figure

from proset_study.report.analysis.against import Difference, tally
from proset_study.report.analysis.losses import generated
from proset_study.report.analysis.manifest import cost_by_method, read_manifest
from proset_study.report.analysis.response_curves import SCORES, Curves, curves_of, points, response_section
from proset_study.report.analysis.verdict import LEAVE_ONE_OUT
from proset_study.report.article.installed import DEVELOPMENT, SEALED
from proset_study.report.article.open_track import INSTALLED, OF_TRACK, TRACK
from proset_study.report.article.study import DRAWS, STUDY
from proset_study.report.article.topics import Content, Reported, figure, topic
from proset_study.report.article.wording import count, decimals, percent, whole
from proset_study.report.evaluations.error_estimates import LABELS, NEVER, OF_THE_SELECTED, of_all_sizes, pooled
from proset_study.report.figures.response_curves import response_figure
from proset_study.report.rows import groups, pick
from proset_study.report.wording import listed
from proset_study.store.results import read_rows
from proset_study.study import layout

CURVES, ESTIMATES = "reports/response_curves", "reports/error_estimates"
CORRECTED = "reports/base_models"
REFERENCES, NETWORKS = "reports/references", "reports/neural_network"
REPORTS = {  # that are committed, with their titles on the site
    STUDY: "The published study, done again",
    DRAWS: "The same with the data and splits of the published scripts",
    TRACK: "The tables of the study and three more, with a search for every method",
    CURVES: "Generated tables of which one property is varied at a time",
    ESTIMATES: "Estimates of the error, compared with the error itself",
    CORRECTED: "Other models, alone and corrected by prototypes",
    REFERENCES: "Forms of the classifier",
    NETWORKS: "A neural network, the SVM and proset",
    "reports/prototype_variants": "Set cover and other prototype methods in their variants",
    "reports/chapter_claims": "Two claims of the published study, tested",
    "reports/set_cover": "Other prototype methods on real tables",
    DEVELOPMENT: "Tables on which choices were allowed",
    SEALED: "Tables held back for the final test",
}
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


@topic(REFERENCES, layout.AGAINST, needs=("E3", LEAVE_ONE_OUT), subject=LEAVE_ONE_OUT)
def references(stored: Reported) -> Content:
    """Other references against the split, on how many data sets."""
    found = _differences(stored)
    texts = {**_replicates(stored), **_counts("", found, "cases", "significantly_higher")}
    for name, of_form in groups(found, "experiment").items():
        real = [d for d in of_form if not generated(stored, d.dataset)]
        texts |= _counts(f"{name}_", of_form, "cases", "significantly_lower")
        texts |= _counts(f"{name}_real_", real, "significantly_lower")
    return Content(texts)


@topic(CORRECTED, layout.AGAINST, needs=("proset_on_logistic", "base_logistic"), subject="proset_on_logistic")
def corrected(stored: Reported) -> Content:
    """Models with prototypes against those without, in how many cases: pairs on real and on generated data sets."""
    found = _differences(stored)
    texts = {**_replicates(stored), **_counts("", found, "cases", "lower", "significantly_higher")}
    for kind, prefix in ((False, "real_"), (True, "generated_")):
        of_kind = [d for d in found if generated(stored, d.dataset) == kind]
        texts |= _counts(prefix, of_kind, "cases", "significantly_lower")
    return Content(texts)


@topic(NETWORKS, layout.AGAINST, needs=("E3", "proset_few", "neural_network"), subject=INSTALLED)
def neural_network(stored: Reported) -> Content:
    """Proset against the neural network, on how many data sets."""
    by_experiment = groups(_differences(stored), "experiment")
    published, few = (by_experiment.get(name, []) for name in ("E3", "proset_few"))
    texts = {
        **_replicates(stored),
        **_counts("published_", published, "cases", "lower", "significantly_lower", "significantly_higher"),
        **_counts("few_", few, "significantly_lower", "significantly_higher"),
    }
    return Content(texts)


def _differences(stored):
    return read_rows(stored.folder / layout.AGAINST, Difference)


def _replicates(stored):
    return {"replicates": count(len(stored.replicates))}


def _counts(prefix, found, *names):
    """How many differences there are, or are lower, higher, or significantly so, by name."""
    numbers = {"cases": len(found), **asdict(tally(found))}
    return {f"{prefix}{name}": count(numbers[name]) for name in names}


@topic("", *(f"{report}/{layout.MANIFEST}" for report in REPORTS), command=OF_TRACK)
def computation(project: Path) -> Content:
    """How much all reports took."""
    spent = [cost for report in REPORTS for cost in cost_by_method(read_manifest(project / report)).values()]
    seconds = sum(cost["fit_cpu_s"] + cost["score_cpu_s"] for cost in spent)
    return Content({"fits": whole(sum(cost["fits"] for cost in spent)), "hours": decimals(seconds / 3600, 1)})
