"""What the selection rules cost in cross-validation, and how many prototypes they save."""

from itertools import product
from statistics import fmean

from proset.plot.style import log_axis, plain
from proset_study.report.analysis.selection_rules import RULES, rules
from proset_study.report.figures.registry import is_weighted, over_data_sets
from proset_study.report.figures.search import WORDS
from proset_study.report.figures.style import ReportFigure, canvas, legend
from proset_study.report.rows import groups
from proset_study.report.wording import counted

STEP = 0.3  # between marks of a data set, in rows
_STYLES = (  # no colours of methods or classes
    {"color": "black", "marker": "|"},
    {"color": "#777777", "marker": "x"},
    {"color": "black", "marker": "o", "markerfacecolor": "white"},
)


def rules_figure(rows: list[dict], criterion: str = "log_loss") -> ReportFigure:
    """What each rule gives up in cross-validation, and the prototypes it keeps; rows of `selection_rules.rules`.

    `criterion` is what their searches selected by.
    """
    loss, unit = WORDS[criterion], " nats" if criterion == "log_loss" else ""
    rows = [row for row in rows if row["prototypes"] is not None]
    data_sets = list(dict.fromkeys(row["dataset"] for row in rows))
    stages = list(dict.fromkeys(row["stage"] for row in rows))
    by_case = groups(rows, "dataset", "rule", "stage")
    figure, axes = canvas(5.0 * len(stages), 1.0 + 0.24 * len(data_sets), 1, 2 * len(stages), sharey=True)
    averages, texts = {}, []
    for i, (rule, style) in enumerate(zip(RULES, _STYLES, strict=True)):
        for panel, (stage, quantity) in zip(axes, product(stages, ("excess", "prototypes")), strict=True):
            shown = {d: [r[quantity] for r in by_case.get((d, rule, stage), [])] for d in data_sets}
            y = [data_sets.index(d) + STEP * (i - 1) for d, values in shown.items() if values]
            means = [fmean(values) for values in shown.values() if values]
            panel.plot(means, y, linestyle="", markersize=6, label=rule, **style)
            averages[rule, stage, quantity] = fmean(means)
            if quantity == "excess":
                texts.append(f"{rule}, {stage}: {fmean(means):.3f}")
    for panel, (stage, quantity) in zip(axes, product(stages, ("excess", "prototypes")), strict=True):
        panel.set_title(stage.replace("stage", "stage "))
        if quantity == "prototypes":
            panel.set_xlabel("prototypes kept")
            log_axis(panel, "x", dense=True)
        else:
            panel.set_xlabel(f"{loss} above the lowest{unit and ' (nats)'}")
            panel.set_xlim(left=min(0.0, panel.get_xlim()[0]))
    axes[0].set_yticks(range(len(data_sets)), [plain(d) for d in data_sets])
    axes[0].invert_yaxis()
    widest = max(panel.get_xlim()[1] for panel in axes[::2])
    for panel in axes[::2]:
        panel.set_xlim(0.0, widest)
    for panel in axes[3::2]:
        panel.sharex(axes[1])
    legend(figure, 2.0)
    best, *_, published = RULES
    given_up = averages[published, stages[-1], "excess"]
    kept, most = (averages[rule, stages[-1], "prototypes"] for rule in (published, best))
    replicates = counted(len({row["replicate"] for row in rows}), "replicate")
    experiments = " or ".join(dict.fromkeys(row["experiment"] for row in rows))
    return ReportFigure(
        title=f"How much {loss.removesuffix(' rate')} the selection rule costs in cross-validation,"
        " and how many prototypes it saves",
        finding=f"In {stages[-1].replace('stage', 'stage ')}, the rule of {published} costs {given_up:.3f}{unit} on"
        f" average and keeps {kept:.1f} prototypes instead of {most:.1f}.",
        caption=f"The rules select the setting with the lowest mean {loss}, or the simplest one within a standard"
        f" error or (as published) a standard deviation of it. Cross-validation of {experiments}, {replicates}.",
        alt=f"Mean {loss} above the lowest: {'; '.join(texts)}.",
        figure=figure,
    )


@over_data_sets("Choice")
def _draw_rules(overview):
    finals = [final for group in overview.compared.values() for final in group if is_weighted(final.run)]
    by_criterion = groups(finals, lambda final: final.run.criterion)  # different losses have no common axis
    criterion, finals = next(iter(by_criterion.items()), ("", []))
    if experiments := {final.data_set: final.run.experiment for final in finals}:
        rows = [r for r in rules(overview.stored) if r["experiment"] == experiments.get(r["dataset"])]
        if overview.stored.study.is_large:
            rows = [{**row, "dataset": counted(len(experiments), "data set")} for row in rows]
        yield "rules", rules_figure(rows, criterion)
