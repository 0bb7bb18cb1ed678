"""The figure of the first screen: what the verdict says, by data set."""

from matplotlib.figure import Figure

from proset.plot.style import log_axis, plain
from proset_study.methods.labels import method_name
from proset_study.report.analysis.verdict import Verdict, verdict
from proset_study.report.figures.registry import over_data_sets
from proset_study.report.figures.style import ReportFigure, method_style
from proset_study.report.wording import wins

SPREAD = 0.7  # of the methods of a data set, in rows
_SIZES = {"headline": (5.8, 0.9, 0.31), "headline_narrow": (3.85, 0.62, 0.13)}  # inches: width, margin, a row


def headline_figures(found: Verdict) -> dict[str, ReportFigure]:
    """Mean test score of the methods by data set, with intervals and published values, if there are any.

    One for screens and one for phones.
    """
    if not any(found.scores.values()):
        return {}
    drawn = {d: {m: scores[m] for m in found.shown if m in scores} for d, scores in found.scores.items()}
    texts = [
        f"{data_set} {', '.join(f'{method_name(m)} {s.mean:.3f}' for m, s in scores.items())}"
        for data_set, scores in drawn.items()
    ]
    means = {d: {method_name(m): s.mean for m, s in scores.items()} for d, scores in found.scores.items() if scores}
    of_all = f" of {len(found.methods)} methods" if len(found.methods) > len(found.shown) else ""
    once = ", by one split each" if found.replicates == 1 else ""
    return {
        name: ReportFigure(
            title=f"Test {found.score} of the methods",
            finding=f"Of {len(means)} data sets the {found.score} is lowest on {wins(means)}{of_all}{once}.",
            caption=_caption(drawn, found.replicates),
            alt=f"Mean test {found.score}: {'; '.join(texts)}.",
            figure=_drawn(found, drawn, *size),
        )
        for name, size in _SIZES.items()
    }


def _drawn(found, drawn, width, margin, row_height):
    figure = Figure(figsize=(width, margin + row_height * max(6, len(drawn))), layout="constrained")
    axes = figure.subplots()
    for row in range(1, len(drawn)):
        axes.axhline(row - 0.5, color="#DDDDDD", linewidth=0.6, zorder=0)
    nats = found.score == "log-loss"
    step, least = SPREAD / len(found.shown), _least(drawn) if nats else 0.0
    size = min(5.0, 26 * row_height)
    for row, scores in enumerate(drawn.values()):
        for method, score in scores.items():
            y = row + step * (found.shown.index(method) - (len(found.shown) - 1) / 2)
            style = {**method_style(method), "markersize": size}
            if score.interval is not None:
                low, high = score.interval
                axes.hlines(y, max(low, least / 2), high, color=style["color"], linewidth=1.2)
            axes.plot(score.mean, y, linestyle="none", label=method_name(method), **style)
    for row, scores in enumerate(drawn.values()):
        for method, score in scores.items():
            if score.published is not None:
                y = row + step * (found.shown.index(method) - (len(found.shown) - 1) / 2)
                axes.plot(score.published, y, "|", markersize=1.5 * size, color="black", label="published", zorder=5)
    axes.set_yticks(range(len(drawn)), [plain(d) for d in drawn])
    axes.set(xlabel=f"test {found.score}{' (nats)' if nats else ''}", ylim=(len(drawn) - 0.5, -0.5))
    axes.tick_params(axis="y", length=0)
    if nats:
        log_axis(axes, "x", dense=True)
    axes.set_xlim(left=least / 1.5)
    handles = {name: handle for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside upper center",
        ncols=len(handles),
        columnspacing=0.8,
        handletextpad=0.0,
    )
    return figure


def _least(drawn):
    shown = [s for scores in drawn.values() for s in scores.values()]
    return max(1e-3, min(min(s.mean, s.published or s.mean) for s in shown))


def _caption(drawn, replicates):
    if replicates == 1:
        return "One replicate; left is better."
    words = f"Means over up to {replicates} replicates with 95 % intervals; left is better."
    several = all(s.interval for scores in drawn.values() for s in scores.values())
    return words if several else f"{words} Marks without a line have one replicate."


@over_data_sets("Verdict")
def _draw(overview):
    if overview.compared:
        yield from headline_figures(verdict(overview.stored, overview.published)).items()
