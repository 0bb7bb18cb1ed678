"""The figure of the first screen: what the verdict says, by data set."""

from matplotlib.figure import Figure

from proset.plot.style import log_axis, plain
from proset_study.report.figures.style import ReportFigure, legend, method_name, method_style
from proset_study.report.verdict import Verdict

SPREAD = 0.7  # of the methods of a data set, in rows


def headline_figure(found: Verdict) -> ReportFigure:
    """Mean test log-loss of the methods by data set, with intervals, and the published values."""
    figure = Figure(figsize=(5.6, 1.0 + 0.31 * len(found.scores)), layout="constrained")
    axes = figure.subplots()
    for row in range(1, len(found.scores)):
        axes.axhline(row - 0.5, color="#DDDDDD", linewidth=0.6, zorder=0)
    step = SPREAD / max(1, len(found.methods))
    for row, scores in enumerate(found.scores.values()):
        for i, method in enumerate(found.methods):
            if method not in scores:
                continue
            score, y = scores[method], row + step * (i - (len(found.methods) - 1) / 2)
            style = method_style(method)
            if score.interval is not None:
                axes.hlines(y, max(score.interval[0], _least(found) / 2), score.interval[1], color=style["color"], linewidth=1.4)
            axes.plot(score.mean, y, linestyle="none", label=method_name(method), **{**style, "markersize": 5})
            if score.published is not None:
                axes.plot(score.published, y, linestyle="none", marker="|", markersize=8, color="black", label="published", zorder=5)
    axes.set_yticks(range(len(found.scores)), [plain(d) for d in found.scores])
    axes.set(xlabel="test log-loss (nats)", ylim=(len(found.scores) - 0.5, -0.5))
    axes.tick_params(axis="y", length=0)
    log_axis(axes, "x", dense=True)
    axes.set_xlim(left=_least(found) / 1.5)
    legend(figure, widest=1.05)
    texts = [
        f"{data_set} {', '.join(f'{method_name(m)} {s.mean:.3f}' for m, s in scores.items())}"
        for data_set, scores in found.scores.items()
    ]
    return ReportFigure(
        name="headline",
        category="Verdict",
        title="Test log-loss of the methods",
        caption=_caption(found),
        alt=f"Mean test log-loss: {'; '.join(texts)}.",
        figure=figure,
    )


def _least(found):
    shown = [s for scores in found.scores.values() for s in scores.values()]
    return min(min(s.mean, s.mean if s.published is None else max(s.published, 1e-3)) for s in shown) or 1e-3


def _caption(found):
    if found.replicates == 1:
        return "One replicate; left is better."
    words = f"Means over up to {found.replicates} replicates with 95 % intervals; left is better."
    several = all(s.interval for scores in found.scores.values() for s in scores.values())
    return words if several else f"{words} Marks without a line have one replicate."
