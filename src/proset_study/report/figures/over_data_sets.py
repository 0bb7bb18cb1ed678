"""Methods over data sets: average ranks, and how probable it is that the first method is better than another."""

from matplotlib.figure import Figure

from proset.plot.style import plain
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import ROPE
from proset_study.report.analysis.over_data_sets import OverDataSets, over_data_sets
from proset_study.report.figures import registry
from proset_study.report.figures.style import OTHER_COLOURS, ReportFigure, method_style, slug
from proset_study.report.wording import leader
from proset_study.store.metrics import OF_ALL

SCORES = ("log-loss", OF_ALL)  # the others say much the same
MIN_METHODS = 4  # fewer are a line of text


def ranks_figure(scores: list[OverDataSets]) -> ReportFigure:
    """Ranks of the methods of one comparison, best first, and probabilities for the first one; two panels a score."""
    heights = [0.8 + 0.21 * len(c.methods) for c in scores]
    figure = Figure(figsize=(8.0, sum(heights)), layout="constrained")
    panels = figure.subplots(len(scores), 2, squeeze=False, gridspec_kw={"height_ratios": heights})
    texts = []
    for (left, right), c in zip(panels, scores, strict=True):
        rows = {row.method: (y, row.average_rank) for y, row in enumerate(c.ranks)}
        for method, (y, rank) in rows.items():
            left.plot(rank, y, linestyle="none", markersize=6, **method_style(method))
        critical = c.test.critical_difference or 0.0
        best = c.ranks[0].average_rank
        left.axvspan(best, best + critical, color="#EEEEEE", zorder=0)
        left.set(xlabel=f"average rank by {c.score}, {len(c.data_sets)} data sets", xlim=(0.5, len(rows) + 0.5))
        first = c.methods[0]
        for pair in (pair for pair in c.pairs if pair.first == first):
            y, start = rows[pair.second][0], 0.0
            for probability, colour in (
                (pair.first_better, method_style(first)["color"]),
                (pair.equivalent, "#DDDDDD"),
                (pair.second_better, OTHER_COLOURS[0]),
            ):
                assert probability is not None
                right.barh(y, probability, 0.7, start, color=colour)
                start += probability
        right.text(0.5, rows[first][0], plain(method_name(first)), ha="center", va="center", size=8)
        right.set(
            xlim=(0, 1), xlabel=f"probability: {plain(method_name(first))} better | within {ROPE:g} | other better"
        )
        for panel in (left, right):
            panel.set_ylim(len(rows) - 0.5, -0.5)
            panel.tick_params(axis="y", length=0)
        left.set_yticks(range(len(rows)), [plain(method_name(m)) for m in rows])
        right.set_yticks([])
        texts.append(f"{c.score}: {', '.join(f'{method_name(m)} {rank:.2f}' for m, (_, rank) in rows.items())}")
    name, shown = plain(method_name(scores[0].methods[0])), scores[0]
    ranks = {method_name(row.method): row.average_rank for row in shown.ranks}
    alike = sum(rank <= min(ranks.values()) + (shown.test.critical_difference or 0.0) for rank in ranks.values()) - 1
    return ReportFigure(
        title=f"Average ranks, and {name} against each other method",
        finding=f"By {shown.score} the best average rank is {leader(ranks, '{:.1f}')}; Nemenyi's test cannot tell"
        f" {alike} of {len(ranks) - 1} others from it.",
        caption="Grey field: ranks that Nemenyi's test cannot tell from the best at 0.05. Bars: Bayesian signed-rank"
        " test over data sets.",
        alt=f"Average ranks. {'; '.join(texts)}.",
        figure=figure,
    )


@registry.over_data_sets("Over data sets")
def _draw(overview):
    groups: dict[str, list[OverDataSets]] = {}
    for c in over_data_sets(overview.stored):
        if c.ranks and c.group == "all" and c.score in SCORES and len(c.methods) >= MIN_METHODS:
            groups.setdefault(c.comparison, []).append(c)
    for comparison, scores in groups.items():
        yield slug("ranks", comparison), ranks_figure(scores)
