"""Over all data sets: the verdict, average ranks and pairs, differences over replicates."""

from statistics import median

import numpy as np

from proset.plot.style import log_axis, plain
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import ROPE
from proset_study.report.analysis.over_data_sets import OverDataSets
from proset_study.report.analysis.over_data_sets import over_data_sets as compared_over_data_sets
from proset_study.report.analysis.over_replicates import subject_over_replicates
from proset_study.report.analysis.paired import MIN_REPLICATES
from proset_study.report.analysis.verdict import OTHERS, Verdict, verdict
from proset_study.report.figures.registry import over_data_sets
from proset_study.report.figures.style import (
    OTHER_COLOURS,
    SPREAD_NOTE,
    ReportFigure,
    canvas,
    legend,
    method_style,
    panels,
    row_axis,
    slug,
    spread_figure,
)
from proset_study.report.rows import groups, pick
from proset_study.report.wording import leader, span, wins
from proset_study.store.metrics import OF_ALL

SPREAD = 0.7  # of the methods of a data set in the headline, in rows
_SIZES = {"headline": (5.8, 0.9, 0.31), "headline_narrow": (3.85, 0.62, 0.13)}  # inches: width, margin, a row
ENTRY, LETTER, LINE = 0.25, 0.062, 0.14  # inches: of a legend's entry without its text, a letter, and a line of it
SCORES = ("log-loss", OF_ALL)  # of ranks; the others say much the same
MIN_METHODS = 4  # fewer are a line of text


def headline_figures(found: Verdict, is_large: bool = False) -> dict[str, ReportFigure]:
    """Mean test score of the methods by data set, with intervals and published values, if there are any.

    One for screens and one for phones.
    """
    if is_large:
        return dict.fromkeys(_SIZES, _headline_of_many(found)) if any(found.scores.values()) else {}
    if not any(found.means.values()):
        return {}
    once = ", with one split each" if found.is_of_one else ""
    lowest = _lowest(found, method_name(found.methods[0]))
    return {
        name: ReportFigure(
            title=f"Test {found.score} of the methods",
            finding=f"{lowest}{once}.",
            caption=_caption(found),
            alt=f"Mean test {found.score} by data set and method. {lowest}. The table has the numbers.",
            figure=_headline(found, *size),
        )
        for name, size in _SIZES.items()
    }


def _headline_of_many(found):
    values = {m: [scores[m].mean for scores in found.scores.values() if m in scores] for m in found.methods}
    values = {method: of_method for method, of_method in values.items() if of_method}
    medians = {method_name(method): median(of_method) for method, of_method in values.items()}
    return ReportFigure(
        title=f"Test {found.score} of the methods",
        finding=f"{_lowest(found)}.",
        caption=f"{SPREAD_NOTE} Left is better.",
        alt=f"Median test {found.score}: {'; '.join(f'{name} {value:.3f}' for name, value in medians.items())}.",
        figure=spread_figure(values, f"test {found.score}{' (nats)' if found.score == 'log-loss' else ''}"),
    )


def _lowest(found, named=""):
    """Sentence that says on how many data sets a method has the lowest score of all, shown or not."""
    means = {d: {method_name(m): v for m, v in of_set.items()} for d, of_set in found.means.items() if of_set}
    compared = {name for of_set in means.values() for name in of_set}
    of_all = f" of {len(compared)} methods" if len(compared) > len(found.methods) else ""
    return wins(means, f"{found.score}{of_all}", named)


def _headline(found, width, margin, row_height):
    figure, axes = canvas(width, margin + row_height * max(6, len(found.scores)))
    for row in range(1, len(found.scores)):
        axes.axhline(row - 0.5, color="#DDDDDD", linewidth=0.6, zorder=0)
    nats = found.score == "log-loss"
    slots = [*found.methods, *([OTHERS] if found.rest else [])]
    step, least = SPREAD / len(slots), _least(found) if nats else 0.0
    offsets = {slot: step * (i - (len(slots) - 1) / 2) for i, slot in enumerate(slots)}
    size = min(5.0, 26 * row_height)
    for row, scores in enumerate(found.scores.values()):
        for method, score in scores.items():
            y = row + offsets[method]
            style = {**method_style(method), "markersize": size}
            if score.interval is not None:
                low, high = score.interval
                axes.hlines(y, max(low, least / 2), high, color=style["color"], linewidth=1.2)
            axes.plot(score.mean, y, linestyle="none", label=method_name(method), **style)
    for row, scores in enumerate(found.scores.values()):
        for method, score in scores.items():
            if score.published is not None:
                look = {"markersize": 1.5 * size, "color": "black", "label": "published", "zorder": 5}
                axes.plot(score.published, row + offsets[method], "|", **look)
    hollow = {"marker": "o", "color": "black", "markerfacecolor": "white", "markersize": size}
    for row, data_set in enumerate(found.scores):
        if data_set in found.rest:
            _, score = found.rest[data_set]
            axes.plot(score.mean, row + offsets[OTHERS], linestyle="none", label=OTHERS, **hollow)
    row_axis(axes, list(found.scores))
    axes.set_xlabel(f"test {found.score}{' (nats)' if nats else ''}")
    if nats:
        log_axis(axes, "x", dense=True)
    axes.set_xlim(left=least / 1.5)
    labels = dict.fromkeys(axes.get_legend_handles_labels()[1])
    columns = _columns(labels, width)
    figure.set_figheight(figure.get_figheight() + LINE * ((len(labels) - 1) // columns))
    legend(figure, widest=0.99 * width / columns, columnspacing=0.8, handletextpad=0.0)
    return figure


def _columns(labels, width):
    """The most columns of a legend that fit into a width in inches; labels go down them, the first ones are longer."""
    widths = [ENTRY + LETTER * len(label) for label in labels]
    for columns in range(len(widths), 1, -1):
        if sum(max(column) for column in np.array_split(widths, columns)) <= width:
            return columns
    return 1


def _least(found):
    shown = [*(s for scores in found.scores.values() for s in scores.values()), *(s for _, s in found.rest.values())]
    return max(1e-3, min(min(s.mean, s.published or s.mean) for s in shown))


def _caption(found):
    if found.replicates == 1:
        return "Scores of one replicate; left is better."
    intervals = [s.interval for scores in found.scores.values() for s in scores.values()]
    if not any(intervals):
        return f"Means over up to {found.replicates} replicates, without intervals; left is better."
    words = f"Means over up to {found.replicates} replicates with 95 % intervals; left is better."
    few = f"Marks without a line have fewer than {MIN_REPLICATES} replicates, or one test part."
    return words if all(intervals) else f"{words} {few}"


@over_data_sets("Verdict")
def _draw_verdict(overview):
    found = verdict(overview.stored, overview.published)
    yield from headline_figures(found, overview.stored.study.is_large).items()


def ranks_figure(scores: list[OverDataSets]) -> ReportFigure:
    """Ranks of the methods of one comparison, best first, and probabilities for the first one; two panels a score."""
    heights = [0.8 + 0.21 * len(c.methods) for c in scores]
    figure, grid = canvas(8.0, sum(heights), len(scores), 2, squeeze=False, height_ratios=heights)
    texts = []
    for (left, right), c in zip(grid, scores, strict=True):
        rows = {row.method: (y, row.average_rank) for y, row in enumerate(c.ranks)}
        for method, (y, rank) in rows.items():
            left.plot(rank, y, linestyle="none", markersize=6, **method_style(method))
        critical = c.test.critical_difference or 0.0
        best = c.ranks[0].average_rank
        left.axvspan(best, best + critical, color="#EEEEEE", zorder=0)
        left.set(xlabel=f"average rank by {c.score}, {len(c.data_sets)} data sets", xlim=(0.5, len(rows) + 0.5))
        first = c.methods[0]
        for pair in (pair for pair in c.pairs if pair.first == first):
            _bar(right, rows[pair.second][0], (pair.first_better, pair.equivalent, pair.second_better), first)
        right.text(0.5, rows[first][0], plain(method_name(first)), ha="center", va="center", size=8)
        right.set(
            xlim=(0, 1), xlabel=f"probability: {plain(method_name(first))} better |\nwithin {ROPE:g} | other better"
        )
        row_axis(left, [method_name(method) for method in rows])
        right.set(ylim=left.get_ylim(), yticks=[])
        texts.append(f"{c.score}: {', '.join(f'{method_name(m)} {rank:.2f}' for m, (_, rank) in rows.items())}")
    name, shown = plain(method_name(scores[0].methods[0])), scores[0]
    ranks = {method_name(row.method): row.average_rank for row in shown.ranks}
    alike = sum(rank <= min(ranks.values()) + (shown.test.critical_difference or 0.0) for rank in ranks.values()) - 1
    return ReportFigure(
        title=f"Average ranks, and {name} against each other method",
        finding=f"By {shown.score}, the best average rank is {leader(ranks, '{:.1f}')}; {alike} of {len(ranks) - 1}"
        " others are not significantly different from it.",
        caption="Ranks in the grey area are not significantly different from the best (Nemenyi's test at 0.05). Bars"
        " are probabilities by the Bayesian signed-rank test over data sets.",
        alt=f"Average ranks. {'; '.join(texts)}.",
        figure=figure,
    )


def _bar(axes, y, parts, method):
    """A bar of three parts: the method is better, no difference, another one is better."""
    start = 0.0
    for part, colour in zip(parts, (method_style(method)["color"], "#DDDDDD", OTHER_COLOURS[0]), strict=True):
        axes.barh(y, part, 0.7, start, color=colour)
        start += part


@over_data_sets("Over data sets")
def _draw_ranks(overview):
    shown = [c for c in pick(compared_over_data_sets(overview.stored), group="all") if c.ranks and c.score in SCORES]
    for comparison, scores in groups((c for c in shown if len(c.methods) >= MIN_METHODS), "comparison").items():
        yield slug("ranks", comparison), ranks_figure(scores)


def methods_figure(rows: list[dict]) -> ReportFigure:
    """Mean difference of a test score between a method and others; rows of `methods_over_replicates` with it first."""
    score, subject = rows[0]["score"], method_name(rows[0]["first"])
    data_sets = list(dict.fromkeys(row["dataset"] for row in rows))
    by_other = groups(rows, "second")
    figure, axes = panels(len(by_other), 4, (2.5, 0.4 + 0.19 * len(data_sets)), margin=0.2, sharey="all")
    row_axis(axes[0], data_sets)
    for panel, (other, group) in zip(axes, by_other.items(), strict=True):
        for row in group:
            half = row["difference"] - row["low"]
            panel.errorbar(row["difference"], data_sets.index(row["dataset"]), xerr=half, **method_style(other))
        panel.axvline(0.0, color="black", linewidth=0.8)
        panel.set_title(f"minus {method_name(other)}")
    unit = "nats; " if score == "log-loss" else ""
    figure.supxlabel(f"{plain(subject)}: difference of test {score} ({unit}left of 0 it is better)", fontsize=9)
    counts = _counts_by_method(rows)
    better, unclear, worse = map(sum, zip(*counts.values(), strict=True))
    n = span({row["replicates"] for row in rows})
    return ReportFigure(
        title=f"Differences between {subject} and other methods over replicates",
        finding=f"{better} of {len(rows)} intervals are below 0 ({subject} is better) and {worse} above; the other"
        f" {unclear} contain 0.",
        caption=f"Means over {n} replicates with unadjusted 95 % intervals. Where replicates share real data, Nadeau"
        " and Bengio's correction widens the intervals.",
        alt=_counts_in_words(subject, counts),
        figure=figure,
    )


def counts_over_data_sets(rows: list[dict]) -> ReportFigure:
    """Number of data sets on which a method is significantly better or worse than others, as in `methods_figure`."""
    score, subject = rows[0]["score"], method_name(rows[0]["first"])
    counts = _counts_by_method(rows)
    ahead, unclear, behind = map(sum, zip(*counts.values(), strict=True))
    figure, axes = canvas(6.0, 0.9 + 0.24 * max(3, len(counts)))
    for y, numbers in enumerate(counts.values()):
        _bar(axes, y, numbers, rows[0]["first"])
    row_axis(axes, [method_name(method) for method in counts])
    axes.set_xlabel(f"data sets: {plain(subject)} better | not significant | other better")
    return ReportFigure(
        title=f"{subject} against each other method, by data sets",
        finding=f"{ahead:,} of {len(rows):,} intervals are below 0 ({subject} is better) and {behind:,} above; the"
        f" other {unclear:,} contain 0.",
        caption=f"Data sets are counted by the 95 % interval of the mean difference of test {score} over replicates."
        " The intervals are not corrected for their number.",
        alt=_counts_in_words(subject, counts),
        figure=figure,
    )


def _counts_by_method(rows):
    """Numbers of data sets with an interval below 0, around 0 and above, by the other method."""
    counts = {}
    for other, group in groups(rows, "second").items():
        better, worse = sum(row["high"] < 0 for row in group), sum(row["low"] > 0 for row in group)
        counts[other] = (better, len(group) - better - worse, worse)
    return counts


def _counts_in_words(subject, counts):
    texts = (f"{method_name(other)} {better} and {worse}" for other, (better, _, worse) in counts.items())
    return f"Data sets on which {subject} is better, and worse, than others: {'; '.join(texts)}."


@over_data_sets("Over replicates")
def _draw_methods(overview):
    if rows := subject_over_replicates(overview.stored):
        draw = counts_over_data_sets if overview.stored.study.is_large else methods_figure
        yield "methods_over_replicates", draw(rows)
