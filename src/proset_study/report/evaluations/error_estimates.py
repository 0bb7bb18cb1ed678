"""Estimates of the error rate next to the true one: bias, deviation, coverage and cost, and when to use which."""

from math import sqrt
from operator import itemgetter
from statistics import fmean, stdev

from proset.plot.style import COLOURS, GREY
from proset_study.report.evaluations.base import NAMES, EvaluationReport, names_of, number, record_of
from proset_study.report.figures.style import ReportFigure, panels
from proset_study.report.rows import groups
from proset_study.report.wording import listed, span
from proset_study.store.stored import Final

COLUMNS = (
    *(*NAMES, "n_fit", "n_scored", "draws", "estimate", "possible", "true", "true_standard_error"),
    *("bias", "bias_standard_error", "deviation", "rmse", "coverage", "cpu_s"),
)
LABELS = {  # in the order of tables and figures
    "training": "training error",
    "bootstrap_naive": "bootstrap, naive",
    "holdout_10": "10 % held out",
    "holdout_20": "20 % held out",
    "holdout_50": "50 % held out",
    "leave_group_out": "leave group out (10 x 20 %)",
    "folds_5": "5 folds",
    "stratified_5": "5 folds, stratified",
    "repeated": "3 x 5 folds, stratified",
    "folds_10": "10 folds",
    "stratified_10": "10 folds, stratified",
    "leave_one_out": "leave one out",
    "out_of_bag": "out of bag (forest)",
    "bootstrap_left_out": "bootstrap, left out",
    "bootstrap_632": "bootstrap .632",
    "bootstrap_632_plus": "bootstrap .632+",
    "validation": "size selected on 20 % held out, same 20 %",
    "not_nested": "size selected by 5 folds, same folds",
    "nested": "size selected by 5 folds, nested",
}
OF_THE_SELECTED = ("validation", "not_nested", "nested")
NEVER = ("training", "bootstrap_naive")
_SPOKEN_OF = {*OF_THE_SELECTED, *NEVER, "bootstrap_632", "holdout_20", "stratified_10", "repeated"}
_SPECIAL = ("leave_one_out", "out_of_bag")  # not of every method and size
_COMPARED = [name for name in LABELS if name not in (*OF_THE_SELECTED, *NEVER, *_SPECIAL)]


def estimate_rows(finals: list[Final]) -> list[dict]:
    """Each estimate of each final model over the training sets, with `COLUMNS` as keys.

    "bias" and "rmse" are of estimate minus true error, "deviation" is that of the estimate alone, "coverage" the
    proportion of intervals with the true error, "cpu_s" what the estimate's fits take for one training set.
    """
    rows = []
    for final in finals:
        record = record_of(final, "error_estimates")
        draws = record["draws"]
        head = {**names_of(final), "n_fit": record["n_fit"], "n_scored": record["n_scored"], "draws": len(draws)}
        head["true_standard_error"] = sqrt(fmean(draw["standard_error"] ** 2 for draw in draws))
        for estimate in LABELS:
            found = [draw["estimates"][estimate] for draw in draws if estimate in draw["estimates"]]
            if len(found) < 2:
                continue
            off = [value - true for value, _, _, true in found]
            row = {
                "estimate": estimate,
                "possible": len(found),
                "true": fmean(true for *_, true in found),
                "bias": fmean(off),
                "bias_standard_error": stdev(off) / sqrt(len(off)),
                "deviation": stdev(value for value, *_ in found),
                "rmse": sqrt(fmean(o**2 for o in off)),
                "coverage": fmean(low <= true <= high for _, low, high, true in found),
                "cpu_s": record["resources"][f"{estimate}_cpu_s"] / len(found),
            }
            rows.append({**head, **row})
    return rows


def pooled(rows: list[dict]) -> list[dict]:
    """The same over all methods and data sets of a size, by size and estimate.

    Methods on one data set share its draws: the standard error of the bias is one of data sets only.
    """
    found = []
    rows = sorted(rows, key=lambda row: (row["n_fit"], [*LABELS].index(row["estimate"])))
    for (size, estimate), group in groups(rows, "n_fit", "estimate").items():
        data_sets = {row["dataset"] for row in group}
        means = {key: fmean(row[key] for row in group) for key in ("true", "bias", "coverage", "cpu_s")}
        squares = {key: fmean(row[key] ** 2 for row in group) for key in ("deviation", "rmse", "bias_standard_error")}
        found.append(
            {
                **{"n_fit": size, "estimate": estimate, "models": len(group), **means},
                "not_possible": sum(row["draws"] - row["possible"] for row in group),
                "deviation": sqrt(squares["deviation"]),
                "rmse": sqrt(squares["rmse"]),
                "bias_standard_error": sqrt(squares["bias_standard_error"] / len(data_sets)),
            }
        )
    return found


def of_all_sizes(rows: list[dict]) -> list[dict]:
    """Rows of the methods that have every number of samples: means over them can be compared between sizes."""
    sizes = groups(rows, "n_fit").keys()
    return [row for own in groups(rows, "method").values() if groups(own, "n_fit").keys() == sizes for row in own]


def advice(rows: list[dict]) -> list[str]:
    """Which estimate to use when, in five sentences; of `estimate_rows`, none if these lack what they speak of.

    What is said of several sizes is of the methods that have all of them.
    """
    whole = of_all_sizes(rows)
    by_size, compared = _by_size(rows), _by_size(whole)
    ends = [compared[size] for size in sorted({min(compared), max(compared)})] if compared else []
    if not ends or any(not found.keys() >= _SPOKEN_OF for found in ends):
        return []

    def at_ends(name, key="bias", sign="+"):
        return " and ".join(f"{found[name][key]:{sign}.3f} ({found[name]['n_fit']:,.0f} samples)" for found in ends)

    def of_ten_folds(name, key="rmse"):
        return " and ".join(f"{found[name][key] / found['stratified_10'][key]:.2f}" for found in ends)

    best = [
        min((r for name, r in found.items() if name in _COMPARED), key=itemgetter("rmse")) for found in by_size.values()
    ]
    chosen = "; ".join(
        f"“{LABELS[row['estimate']]}” with {row['n_fit']:,.0f} samples ({row['rmse']:.3f})" for row in best
    )
    coverage = _coverage(compared)
    n_whole, n_methods = (len(groups(found, "method")) for found in (whole, rows))
    of = "" if n_whole == n_methods else f"; statements on several sizes cover the {n_whole} methods that have all"
    single = "With the fewest and the most samples, a single" if len(ends) > 1 else "A single"
    of_all = ""
    if n_whole != n_methods:
        sizes = [n for n, of_size in groups(rows, "n_fit").items() if len(groups(of_size, "method")) == n_methods]
        if sizes:
            nearest = _nearest(_coverage({n: by_size[n] for n in sizes}))
            of_all = f" and, of all {n_methods} methods with up to {max(sizes):,.0f} samples, for {nearest}"
    return [
        "Of the estimates that work for every method, these have the lowest root mean squared error at each number of"
        f" samples: {chosen}. That of 10 stratified folds is {at_ends('stratified_10', 'rmse', '')}{of}.",
        f"Never report the training error, whose bias is {at_ends('training')}, or the naive bootstrap, whose bias is"
        f" {at_ends('bootstrap_naive')}. Even the .632 bootstrap has a bias of {at_ends('bootstrap_632')}.",
        f"{single} hold-out of 20 % has {of_ten_folds('holdout_20')} times the root mean squared error of 10 folds, at"
        f" {of_ten_folds('holdout_20', 'cpu_s')} times their CPU time: use it for many samples or expensive fits. Three"
        f" repetitions of 5 folds have {of_ten_folds('repeated')} times the root mean squared error of 10 folds, at"
        f" {of_ten_folds('repeated', 'cpu_s')} times their CPU time.",
        "Do not report the score that selected a size, because it is too optimistic: its bias is"
        f" {at_ends('validation')} on one validation set and {at_ends('not_nested')} on 5 folds. Nested"
        f" cross-validation has a bias of {at_ends('nested')}.",
        f"The coverage of 95 % intervals is nearest to 95 % for {_nearest(coverage)}{of_all};"
        f" that of 10 stratified folds covers the true error in {coverage['stratified_10']:.0%} of all cases, that of"
        f" the training error in {coverage['training']:.0%}.",
    ]


def _coverage(by_size):
    """Mean coverage of the 95 % intervals over numbers of samples, by estimate."""
    return {
        name: fmean(found[name]["coverage"] for found in by_size.values() if name in found)
        for name in ("training", *_COMPARED)
        if any(name in found for found in by_size.values())
    }


def _nearest(coverage):
    distances = {name: round(abs(covered - 0.95), 9) for name, covered in coverage.items()}
    nearest = [name for name, distance in distances.items() if distance == min(distances.values())]
    return listed([f"{LABELS[name]} ({coverage[name]:.0%})" for name in nearest])


def _by_size(rows):
    """Pooled rows by number of samples and estimate."""
    return {n: {row["estimate"]: row for row in of_size} for n, of_size in groups(pooled(rows), "n_fit").items()}


def estimates_figure(finals: list[Final]) -> ReportFigure:
    """Bias and deviation of every estimate by size, over methods and data sets."""
    found = estimate_rows(finals)
    rows, n_methods = pooled(found), [len(groups(of_size, "method")) for of_size in groups(found, "n_fit").values()]
    sizes = sorted({row["n_fit"] for row in rows})
    shown = [name for name in LABELS if any(row["estimate"] == name for row in rows)]
    figure, axes = panels(len(sizes), 4, (2.6, 0.8 + 0.22 * len(shown)), margin=0.2, sharey=True)
    for panel, size in zip(axes, sizes, strict=True):
        panel.axvline(0.0, color=GREY, linewidth=0.8)
        for row in (row for row in rows if row["n_fit"] == size):
            colour = COLOURS[2 if row["estimate"] in OF_THE_SELECTED else 1 if row["estimate"] in NEVER else 0]
            spread = sqrt(max(0.0, row["rmse"] ** 2 - row["bias"] ** 2))
            y = shown.index(row["estimate"])
            panel.errorbar(row["bias"], y, xerr=spread, marker="o", color=colour, elinewidth=1.2, capsize=0)
        panel.set(title=f"{size:,} samples", ylim=(len(shown) - 0.5, -0.5))
    axes[0].set_yticks(range(len(shown)), [LABELS[name] for name in shown])
    figure.supxlabel("estimate minus true error rate", fontsize=9)
    first = {row["estimate"]: row for row in rows if row["n_fit"] == sizes[0]}
    best = min((row for name, row in first.items() if name in _COMPARED), key=itemgetter("rmse"))
    return ReportFigure(
        title="Estimates of the error: bias and variation",
        finding=f"With {sizes[0]:,} samples, “{LABELS[best['estimate']]}” has the lowest root mean squared error,"
        f" {best['rmse']:.3f}; the bias of the training error is {first['training']['bias']:+.3f}.",
        caption="Mean of estimate minus true error (dot) and its standard deviation over training sets (bar), for"
        f" {span(n_methods)} methods and all generated families. The last three estimate the error"
        " of a model that they helped to select.",
        alt=f"Estimates of the error; bias with {sizes[0]} samples: "
        + ", ".join(f"{LABELS[name]} {row['bias']:+.3f}" for name, row in first.items())
        + ".",
        figure=figure,
    )


REPORT = EvaluationReport(
    category="Estimates of the error",
    columns=COLUMNS,
    rows=estimate_rows,
    title="Estimates of the error rate (E18)",
    text="Estimates and the true error over new training sets, means over methods and families; coverage is the"
    " proportion of 95 % intervals that contain the true error.",
    cells={
        "samples": lambda row: str(row["n_fit"]),
        "estimate": lambda row: LABELS[row["estimate"]],
        "models": lambda row: str(row["models"]),
        "true error": number("true"),
        "bias": number("bias"),
        "± bias": number("bias_standard_error"),
        "deviation of the estimate": number("deviation"),
        "root mean squared error": number("rmse"),
        "coverage": number("coverage", 2),
        "CPU seconds": number("cpu_s", 4),
        "too few samples of a class": lambda row: str(row["not_possible"] or ""),
    },
    figure=estimates_figure,
    condensed=pooled,
    sentences=advice,
)
