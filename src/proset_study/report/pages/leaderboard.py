"""The page of a leaderboard, one HTML file without external assets."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from proset_study.methods import METHODS
from proset_study.methods.labels import method_name
from proset_study.report.analysis.leaderboard import CLAIMED, RECOMPUTED, VERIFIED, Entry, ranked
from proset_study.report.pages.rendering import write_page
from proset_study.report.tables.grids import Cell, Grid, count, headed, number

TONES = {VERIFIED: "good", RECOMPUTED: "", CLAIMED: "soft"}


def write_leaderboard_page(path: Path, study: str, entries: Sequence[Entry], data_sets: Sequence[str]) -> None:
    """Write the page; entries that lack some of the data sets have a table of their own, without a rank."""
    placed = ranked(entries, data_sets)
    others = [entry for entry in entries if not entry.is_ranked(data_sets)]
    losses = [[Cell(entry.name), *(number(entry.losses[d]) for d in data_sets)] for _, entry in placed]
    write_page(
        path,
        "leaderboard.html.j2",
        study=study,
        n_data_sets=len(data_sets),
        statuses=[VERIFIED, RECOMPUTED, CLAIMED],
        ranking=_ranking(placed),
        others=_others(others) if others else None,
        losses=Grid("losses", "Test log-loss", [*headed("entry", text=True), *headed(*data_sets)], losses),
    )


def _ranking(placed):
    columns = headed("entry", "method", "status", "from", text=True)
    columns += headed("mean rank", "mean log-loss", "mean balanced error", "fits", "recomputed", "refitted")
    rows = [
        [*_named(entry), number(rank, 1), number(fmean(entry.losses.values())), *_counts(entry)]
        for rank, entry in placed
    ]
    return Grid("ranking", "Ranking by test log-loss", columns, rows)


def _others(entries):
    columns = headed("entry", "method", "status", "from", text=True)
    columns += headed("data sets", "mean balanced error", "fits", "recomputed", "refitted")
    rows = [[*_named(entry), count(len(entry.errors)), *_counts(entry)] for entry in entries]
    return Grid("not-ranked", "Not ranked: without a log-loss on all data sets and in all replicates", columns, rows)


def _named(entry):
    method = method_name(entry.method) if entry.method in METHODS else entry.method
    return [Cell(entry.name), Cell(method, wide=True), Cell(entry.status, tone=TONES[entry.status]), Cell(entry.source)]


def _counts(entry):
    return [number(fmean(entry.errors.values())), *map(count, (entry.scored, entry.recomputed, entry.refitted))]
