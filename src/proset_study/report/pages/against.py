"""Tables of experiments and those that the config compares them with."""

from statistics import fmean

from proset_study.report.analysis.against import differences_of_pairs, score_of, tally
from proset_study.report.rows import groups
from proset_study.report.tables.grids import Cell, Grid, headed, number
from proset_study.store.stored import Stored


def against_grids(stored: Stored) -> list[Grid]:
    """A row for each pair, with both titles, and the differences on each data set; empty if the config has no pairs."""
    found = differences_of_pairs(stored)
    if not found:
        return []
    data_sets, score = list(groups(found, "dataset")), score_of(found)
    titles = {name: table["title"] for name, table in stored.study.tables.items()}
    rows, on_each = [], []
    for of_pair in groups(found, "name").values():
        first, second = of_pair[0].name, of_pair[0].against
        named = f"{first}: {titles[of_pair[0].experiment]}", f"{second}: {titles[second]}"
        ours, theirs = fmean(d.loss for d in of_pair), fmean(d.loss_against for d in of_pair)
        n = tally(of_pair)
        counts = ((n.lower, n.significantly_lower), (n.higher, n.significantly_higher))
        losses = number(ours), number(theirs), number(ours - theirs, 3, "+")
        on = (Cell(f"{some} of {len(of_pair)} ({significant})", some) for some, significant in counts)
        rows.append([*(Cell(text, wide=True) for text in named), *losses, *on])
        own = {d.dataset: d for d in of_pair}
        on_each.append([Cell(first), *(_difference(own.get(data_set)) for data_set in data_sets)])
    columns = headed("experiment", "compared with", text=True)
    columns += headed(score, "of the other", "difference", "lower on", "higher on")
    caption = f"Mean test {score} over the data sets of both, and on how many it is lower or higher (significantly)"
    each = f"Differences of the mean test {score}; bold: the 95 % interval is on one side of 0"
    return [
        Grid("against-table", caption, columns, rows, sort=False),
        Grid("against-each", each, [*headed("experiment", text=True), *headed(*data_sets)], on_each, sort=False),
    ]


def _difference(found):
    return Cell() if found is None else number(found.difference, 3, "+", "best" if found.is_significant else "")
