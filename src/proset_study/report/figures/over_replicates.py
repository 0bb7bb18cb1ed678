"""Over replicates and rules: differences of methods, and what the selection rule costs."""

from itertools import product
from statistics import fmean

import numpy as np
from matplotlib.figure import Figure

from proset.plot.style import log_axis, plain
from proset_study.methods import METHODS
from proset_study.methods.labels import method_name
from proset_study.report.analysis import findings
from proset_study.report.figures.registry import is_weighted, over_data_sets
from proset_study.report.figures.style import ReportFigure, legend, method_style
from proset_study.report.wording import counted, span

SPREAD = 0.3
_RULE_STYLES = (  # no colours of methods or classes
    {"color": "black", "marker": "|"},
    {"color": "#777777", "marker": "x"},
    {"color": "black", "marker": "o", "markerfacecolor": "white"},
)


def methods_figure(rows: list[dict]) -> ReportFigure:
    """Mean difference of test log-loss between proset and others; rows of `methods_over_replicates` with it first."""
    data_sets = list(dict.fromkeys(row["dataset"] for row in rows))
    others = list(dict.fromkeys(row["second"] for row in rows))
    figure = Figure(figsize=(5.8, 0.9 + 0.31 * len(data_sets)), layout="constrained")
    axes = figure.subplots()
    texts = []
    for row in rows:
        i = others.index(row["second"])
        y = data_sets.index(row["dataset"]) + SPREAD * (i - (len(others) - 1) / 2)
        half = row["difference"] - row["low"]
        style, name = method_style(row["second"]), method_name(row["second"])
        axes.errorbar(row["difference"], y, xerr=half, label=f"proset - {name}", **style, linestyle="")
        texts.append(f"{row['dataset']} {name} {row['difference']:+.2g} (p = {row['p']:.2g})")
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(data_sets)), [plain(d) for d in data_sets])
    axes.invert_yaxis()
    axes.set_xlabel("difference of test log-loss (nats; left of 0: proset is better)")
    legend(figure, 2.0)
    better, worse = sum(row["high"] < 0 for row in rows), sum(row["low"] > 0 for row in rows)
    n = span(*(str(end(row["replicates"] for row in rows)) for end in (min, max)))
    return ReportFigure(
        title="Differences between the methods over replicates",
        finding=f"{better} of {len(rows)} intervals are below 0, where proset is better, {worse} above; 0 is"
        f" inside the other {len(rows) - better - worse}.",
        caption=f"Means over {n} replicates with 95 % intervals, wider by Nadeau and Bengio's correction where"
        " replicates share real data.",
        alt=f"Mean differences of test log-loss, proset minus: {'; '.join(texts)}.",
        figure=figure,
    )


def rules_figure(rows: list[dict]) -> ReportFigure:
    """What each rule gives up in cross-validation, and the prototypes it keeps; rows of `findings.rules`."""
    rows = [row for row in rows if row["prototypes"] is not None]
    data_sets = list(dict.fromkeys(row["dataset"] for row in rows))
    stages = list(dict.fromkeys(row["stage"] for row in rows))
    figure = Figure(figsize=(5.0 * len(stages), 1.0 + 0.24 * len(data_sets)), layout="constrained")
    axes = np.ravel(figure.subplots(1, 2 * len(stages), sharey=True))
    texts = []
    for i, (rule, style) in enumerate(zip(findings.RULES, _RULE_STYLES, strict=True)):
        for panel, (stage, quantity) in zip(axes, product(stages, ("excess", "prototypes")), strict=True):
            shown = {
                d: [r[quantity] for r in rows if (r["dataset"], r["rule"], r["stage"]) == (d, rule, stage)]
                for d in data_sets
            }
            y = [data_sets.index(d) + SPREAD * (i - 1) for d, values in shown.items() if values]
            means = [fmean(values) for values in shown.values() if values]
            panel.plot(means, y, linestyle="", markersize=6, label=rule, **style)
            if quantity == "excess":
                texts.append(f"{rule}, {stage}: {fmean(means):.3f}")
    for panel, (stage, quantity) in zip(axes, product(stages, ("excess", "prototypes")), strict=True):
        panel.set_title(stage.replace("stage", "stage "))
        if quantity == "prototypes":
            panel.set_xlabel("prototypes kept")
            log_axis(panel, "x", dense=True)
        else:
            panel.set_xlabel("log-loss above the lowest (nats)")
            panel.set_xlim(left=min(0.0, panel.get_xlim()[0]))
    axes[0].set_yticks(range(len(data_sets)), [plain(d) for d in data_sets])
    axes[0].invert_yaxis()
    widest = max(panel.get_xlim()[1] for panel in axes[::2])
    for panel in axes[::2]:
        panel.set_xlim(0.0, widest)
    for panel in axes[3::2]:
        panel.sharex(axes[1])
    legend(figure, 2.0)
    best, *_, published = findings.RULES
    given_up, kept, most = (
        fmean(row[quantity] for row in rows if (row["rule"], row["stage"]) == (rule, stages[-1]))
        for rule, quantity in ((published, "excess"), (published, "prototypes"), (best, "prototypes"))
    )
    replicates = counted(len({row["replicate"] for row in rows}), "replicate")
    experiments = " or ".join(dict.fromkeys(row["experiment"] for row in rows))
    return ReportFigure(
        title="What the selection rule gives up in cross-validation, and what it saves",
        finding=f"In {stages[-1].replace('stage', 'stage ')} the rule of {published} gives up {given_up:.3f} nats on"
        f" average, and keeps {kept:.1f} prototypes instead of {most:.1f}.",
        caption=f"From the cross-validation of {experiments}, {replicates}: the lowest mean log-loss, and the simplest"
        " setting within one standard error or deviation of it, the published rule.",
        alt=f"Mean log-loss above the lowest: {'; '.join(texts)}.",
        figure=figure,
    )


@over_data_sets("Over replicates")
def _draw_methods(overview):
    rows = findings.methods_over_replicates(overview.stored)
    if differences := [row for row in rows if (row["score"], row["first"]) == ("log-loss", METHODS[0])]:
        yield "methods_over_replicates", methods_figure(differences)


@over_data_sets("Choice")
def _draw_rules(overview):
    finals = [final for group in overview.compared.values() for final in group if is_weighted(final.run)]
    if experiments := {final.data_set: final.run.experiment for final in finals}:
        rows = findings.rules(overview.stored)
        yield "rules", rules_figure([row for row in rows if row["experiment"] == experiments.get(row["dataset"])])
