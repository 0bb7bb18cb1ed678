"""Methods over data sets: critical difference diagrams, and probabilities that one method is better than another."""

import numpy as np
from matplotlib.figure import Figure

from proset.plot.style import GREY, plain
from proset_study.report.figures.style import ReportFigure, method_name, slug
from proset_study.report.losses import ROPE
from proset_study.report.over_data_sets import OverDataSets
from proset_study.report.statistics import ALPHA

_LINE = 0.2  # inches for the line of a method
_BAR = 1.8  # height of the bar of the critical difference above the axis, in lines


def ranks_figure(scores: list[OverDataSets]) -> ReportFigure:
    """Critical difference diagrams of one comparison, one below the other for each of its scores."""
    from scikit_posthocs import critical_difference_diagram, posthoc_nemenyi_friedman

    heights = [1.1 + _LINE * (len(c.methods) // 2 + 4) for c in scores]
    figure = Figure(figsize=(8.0, sum(heights)), layout="constrained")
    texts = []
    for axes, c in zip(_stacked(figure, heights), scores, strict=True):
        names = {method: plain(method_name(method)) for method in c.methods}
        ranks = {names[row["method"]]: row["average_rank"] for row in c.ranks}
        nemenyi = posthoc_nemenyi_friedman(c.losses)
        nemenyi.index = nemenyi.columns = list(names.values())
        critical = c.test["critical_difference"]
        critical_difference_diagram(
            ranks,
            nemenyi,
            alpha=ALPHA,
            ax=axes,
            label_fmt_left="{label} ({rank:.2f})",
            label_fmt_right="({rank:.2f}) {label}",
            label_props={"size": 8},
            elbow_props={"color": "black", "linewidth": 1.0},
            crossbar_props={"color": GREY, "linewidth": 4.0},
            text_h_margin=0.02 * (len(names) - 1),
        )
        low, high = 1, len(names)
        axes.set_xlim(low - 0.35 * (high - low), high + 0.35 * (high - low))
        axes.spines["top"].set(visible=True, bounds=(low, high))
        axes.set_xticks(range(low, high + 1))
        axes.plot([low, low + critical], [_BAR, _BAR], color="black", linewidth=1.0, marker="|")
        axes.text(low + critical / 2, _BAR + 0.2, f"critical difference {critical:.2f}", size=8, ha="center")
        axes.set_title(f"{c.score}, {len(c.data_sets)} data sets", pad=20)
        listed = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items())
        texts.append(f"{c.score}: {listed} (critical difference {critical:.2f})")
    return ReportFigure(
        name=slug("ranks", scores[0].comparison),
        category="Over data sets",
        title=f"Average ranks of the methods, {scores[0].comparison}",
        caption="1 would be the best method on every data set. A bar joins methods that Nemenyi's test does not tell"
        f" apart at {ALPHA:g}: their average ranks differ by less than the critical difference. What a bar joins need"
        " not be equal: with so few data sets the test finds large differences only.",
        alt=f"Average ranks. {'; '.join(texts)}.",
        figure=figure,
    )


def pairs_figure(scores: list[OverDataSets]) -> ReportFigure:
    """Probabilities of the Bayesian comparison, a matrix for each score; methods are in the order of their ranks."""
    sizes = [0.8 + 0.34 * len(c.methods) for c in scores]
    figure = Figure(figsize=(8.0, sum(sizes)), layout="constrained")
    texts = []
    for axes, c in zip(_stacked(figure, sizes), scores, strict=True):
        order = [row["method"] for row in c.ranks] or c.methods
        names = [plain(method_name(method)) for method in order]
        better = np.full((len(order), len(order)), np.nan)
        for row in c.pairs:
            i, j = order.index(row["first"]), order.index(row["second"])
            better[i, j], better[j, i] = row["first_better"], row["second_better"]
        axes.imshow(better, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for (i, j), value in np.ndenumerate(better):
            if not np.isnan(value):
                axes.text(
                    j, i, f"{value:.2f}", ha="center", va="center", size=6.5, color="white" if value > 0.6 else "black"
                )
        axes.set_xticks(range(len(order)), names, rotation=45, ha="left", rotation_mode="anchor")
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(order)), names)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(f"{c.score}: probability that the row is better than the column by more than {ROPE:g}")
        sure = [
            f"{better_one} over {other}"
            for row in c.pairs
            for better_one, other, p in (
                (row["first"], row["second"], row["first_better"]),
                (row["second"], row["first"], row["second_better"]),
            )
            if p >= 1 - ALPHA
        ]
        texts.append(f"{c.score}: {', '.join(sure) or 'none'}")
    return ReportFigure(
        name=slug("pairs", scores[0].comparison),
        category="Over data sets",
        title=f"Probabilities that one method is better than another, {scores[0].comparison}",
        caption=f"Bayesian signed-rank test with a region of practical equivalence of {ROPE:g} (nats; proportion of the"
        " balanced error). Two opposite fields and the probability that there is no practical difference sum to 1. It"
        " takes the data sets for a sample of independent ones, which they are not.",
        alt=f"Pairs with a probability of at least {1 - ALPHA:g}. {'; '.join(texts)}.",
        figure=figure,
    )


def _stacked(figure, heights):
    return figure.subplots(len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
