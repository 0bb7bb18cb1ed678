"""Response curves: a panel for each property that is varied, a line for each method."""

from statistics import fmean

from proset_study.methods import labels
from proset_study.methods.labels import method_name
from proset_study.report.analysis.paired import shown_interval
from proset_study.report.analysis.response_curves import SCORES, Curves, compared, crossings, response_curves, title
from proset_study.report.figures.registry import over_data_sets
from proset_study.report.figures.style import MAIN_COLOURS, ReportFigure, legend, method_style, panels
from proset_study.report.wording import span, wins

_COLUMNS = 3
_LINEAR = 0.01  # up to here the axis is linear
_LOGARITHMIC = ("samples", "classes", "clusters_per_class", "imbalance", "levels")


def response_figure(curves: Curves, subject: str, size: tuple[float, float] = (3.3, 2.5)) -> ReportFigure:
    """What the methods add to the score of the Bayes rule against each varied property, with intervals.

    The text in place of the picture says where the subject is ahead; `size` is that of a panel in inches.
    """
    score = SCORES[curves.score]
    figure, axes = panels(len(curves.points), _COLUMNS, size, sharey="all")
    replicates: set[int] = set()
    for panel, (varied, on_curve) in zip(axes, curves.points.items(), strict=True):
        for method in curves.methods:
            found = {v: curves.excess[method, d] for v, d in on_curve.items() if (method, d) in curves.excess}
            means = [fmean(values.values()) for values in found.values()]
            line = "-" if labels.place(method) < len(MAIN_COLOURS) else "--"  # others share a colour
            look = {**method_style(method), "linestyle": line, "markersize": 4}
            panel.plot(list(found), means, **look, label=method_name(method))
            for value, several in found.items():
                if ends := shown_interval(list(several.values())):
                    panel.vlines(value, *ends, color=method_style(method)["color"], linewidth=0.8)
            replicates |= {len(values) for values in found.values()}
        panel.set_xlabel(title(varied))
        panel.set_xscale("log" if varied.rpartition(" ")[2] in _LOGARITHMIC else "linear")
        panel.set_xticks(list(on_curve), [f"{value:g}" for value in on_curve])
        panel.minorticks_off()
    for panel in axes[::_COLUMNS]:
        panel.set_ylabel(f"{score} above Bayes")
    axes[0].set_yscale("symlog", linthresh=_LINEAR)
    axes[0].set_ylim(0.0, 1.5 * max(fmean(values.values()) for values in curves.excess.values()) or _LINEAR)
    legend(figure)
    words = [
        f"{title(v)}: {crossings(states, curves.points[v])}"
        for v, states in compared(curves, subject).items()
        if states
    ]
    ahead = f" {method_name(subject)} is, by {'; by '.join(words)}." if words and subject in curves.methods else ""
    n = span(replicates)
    means_of: dict[str, dict[str, float]] = {}
    for (method, data_set), values in curves.excess.items():
        means_of.setdefault(data_set, {})[method_name(method)] = fmean(values.values())
    return ReportFigure(
        title=f"Excess {score} as one property of generated data is varied",
        finding=f"{wins(means_of, f'excess {score}', units='problems')}.",
        caption=f"Means over {n} replicates, with 95 % intervals of single means; the axis is linear up to {_LINEAR}.",
        alt=f"Excess {score} of {', '.join(map(method_name, curves.methods))}.{ahead}",
        figure=figure,
    )


@over_data_sets("Response curves")
def _draw(overview):
    for curves in response_curves(overview.stored):
        yield f"response_{curves.score}", response_figure(curves, overview.stored.study.subject)
