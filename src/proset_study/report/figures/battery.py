"""Batteries: on what differences depend, ratings, and loss against the size of models with prototypes."""

from proset.plot.style import GREY, plain
from proset_study.methods.labels import method_name
from proset_study.report.analysis.battery import PROPERTIES, rival_name
from proset_study.report.analysis.dependence import UNCLEAR, Effect
from proset_study.report.analysis.over_data_sets import OverDataSets
from proset_study.report.analysis.pareto import Point
from proset_study.report.analysis.pays import BatteryFindings, battery_findings
from proset_study.report.analysis.ratings import Rating
from proset_study.report.figures.registry import over_data_sets
from proset_study.report.figures.style import ReportFigure, canvas, legend, method_style, panels, row_axis, slug
from proset_study.report.rows import groups
from proset_study.report.wording import counted, leader

_COLUMNS, _ROW = 3, 0.17  # panels in a row; height of a method in inches
_LINEAR = 0.01  # up to here the axis of the excess loss is linear


def dependence_figure(found: list[Effect]) -> ReportFigure:
    """Rank correlations of the differences to all rivals with each property, with intervals that hold together."""
    properties, rivals = (list(dict.fromkeys(getattr(e, key) for e in found)) for key in ("property", "rival"))
    rows = {rival: y for y, rival in enumerate(rivals)}
    figure, axes = panels(len(properties), _COLUMNS, (3.3, 0.7 + _ROW * len(rivals)), 0.2, sharey="all", sharex="all")
    sure = [effect for effect in found if effect.state != UNCLEAR]
    control = plain(method_name(found[0].control))
    for panel, name in zip(axes, properties, strict=True):
        panel.axvline(0.0, color=GREY, linestyle=":", linewidth=1.0)
        for effect in (e for e in found if e.property == name):
            y, colour = rows[effect.rival], GREY if effect.state == UNCLEAR else "black"
            panel.hlines(y, effect.low, effect.high, color=colour, linewidth=1.2)
            panel.plot(effect.correlation, y, "o", color=colour, markersize=4)
        panel.set(xlabel=f"more {PROPERTIES[name].title}", xlim=(-1.0, 1.0))
        panel.tick_params(axis="y", length=0)
    row_axis(axes[0], [rival_name(rival) for rival in rivals])
    texts = [f"{rival_name(e.rival)}, {PROPERTIES[e.property].title}: {e.correlation:.2f}, {e.state}" for e in sure]
    return ReportFigure(
        title=f"When {control} has the lower log-loss, and when other methods do",
        finding=f"Of {counted(len(found), 'rank correlation')} between differences and properties of the tables,"
        f" {len(sure)} {'is' if len(sure) == 1 else 'are'} significant.",
        caption=f"Left of 0, {control} gets better relative to the method of the row as the property increases."
        " Intervals of the first row hold jointly with 95 %, and so do all others; black: without 0.",
        alt=f"Rank correlations with intervals. Significant: {'; '.join(texts) or 'none'}.",
        figure=figure,
    )


def ratings_figure(found: list[Rating]) -> ReportFigure:
    """Elo and normalised score of the methods, the highest Elo first."""
    figure, (left, right) = canvas(8.0, 0.8 + 0.21 * len(found), 1, 2, sharey=True)
    for y, rating in enumerate(found):
        style = {**method_style(rating.method), "linestyle": "none", "markersize": 6}
        left.hlines(y, rating.elo_low, rating.elo_high, color=style["color"], linewidth=1.2)
        left.plot(rating.elo, y, **style)
        right.hlines(y, rating.normalised_low, rating.normalised_high, color=style["color"], linewidth=1.2)
        right.plot(rating.normalised, y, **style)
    left.set_xlabel("Elo")
    row_axis(left, [method_name(rating.method) for rating in found])
    right.set(xlabel="normalised score", xlim=(-0.02, 1.02))
    right.tick_params(axis="y", length=0)
    by_name = {method_name(rating.method): rating for rating in found}
    best = leader({name: rating.normalised for name, rating in by_name.items()}, "{:.2f}", max)
    highest = leader({name: rating.elo for name, rating in by_name.items()}, "{:.0f}", max)
    return ReportFigure(
        title="Elo and normalised score",
        finding=f"The highest Elo is {highest}, the highest normalised score {best}.",
        caption="95 % intervals by a bootstrap of the sources. 400 points of Elo are odds of 10 to 1 for the lower"
        " log-loss on a data set; a normalised score of 1 is the best method of each data set, 0 the median one.",
        alt="; ".join(f"{name}: Elo {r.elo:.0f}, normalised score {r.normalised:.2f}" for name, r in by_name.items()),
        figure=figure,
    )


def sizes_figure(found: list[Point], compared: OverDataSets) -> ReportFigure | None:
    """Log-loss above that of the best method against prototypes and active features; None without prototypes.

    The best one is that of all that are compared, whether or not its size is known.
    """
    least = dict(zip(compared.data_sets, compared.losses.min(axis=1).tolist(), strict=True))
    shown = [point for point in found if point.prototypes is not None]
    if not shown:
        return None
    figure, axes = panels(2, 2, (4.0, 3.2), sharey="all")
    largest = _LINEAR
    for method, own in groups(shown, "method").items():
        excess = [point.log_loss - least[point.dataset] for point in own]
        largest = max(largest, *excess)
        style = {**method_style(method), "linestyle": "none", "alpha": 0.7}
        axes[0].plot([p.prototypes or 0.0 for p in own], excess, label=method_name(method), **style)
        axes[1].plot([p.active_features for p in own], excess, **style)
    for panel, title in zip(axes, ("prototypes", "active features"), strict=True):
        panel.set_xlabel(title)
        panel.set_xscale("symlog", linthresh=1.0)  # a model without prototypes is the class prior
        panel.set_xlim(left=-0.2)
    axes[0].set_yscale("symlog", linthresh=_LINEAR)
    axes[0].set_ylim(-_LINEAR / 10, 1.5 * largest)
    axes[0].set_ylabel("log-loss above the best method")
    legend(figure)
    on_best = sum(point.log_loss == least[point.dataset] for point in shown)
    return ReportFigure(
        title="Log-loss against the size of models with prototypes",
        finding=f"Of {counted(len(shown), 'model')} with prototypes, {on_best} have the lowest log-loss of all methods"
        " on their data set.",
        caption="A point is a method on a data set, in means over replicates; the vertical axis is linear up to"
        f" {_LINEAR}.",
        alt=f"Log-loss above the best method against prototypes and active features of {len(shown)} models.",
        figure=figure,
    )


def battery_figures(found: BatteryFindings) -> dict[str, ReportFigure | None]:
    """Figures by the beginning of their name; None where there is nothing to show."""
    return {
        "pays": dependence_figure(found.effects) if found.effects else None,
        "ratings": ratings_figure(found.ratings),
        "sizes": sizes_figure(found.points, found.battery.compared),
    }


@over_data_sets("When does it pay?")
def _draw(overview):
    for found in battery_findings(overview.stored):
        for name, figure in battery_figures(found).items():
            if figure is not None:
                yield slug(name, found.battery.name), figure
