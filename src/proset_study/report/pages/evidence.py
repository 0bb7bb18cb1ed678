"""The evidence on the front page: published numbers and claims, as grids and as tables that can be searched."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path

from proset_study.report.analysis.published import Agreement, summary
from proset_study.report.claims.registry import MIN_AGREEING
from proset_study.report.claims.statements import ledger
from proset_study.report.tables.grids import Cell, Column, Grid, count
from proset_study.report.wording import SECTIONS, format_number, quantity_label

MARKS = {
    "holds": ("✓", "good"),
    "fails": ("✗", "bad"),
    "undetermined": ("?", ""),
    "not decidable": ("\N{EN DASH}", "soft"),
}
VACUOUS = ("○", "soft")


def check_grid(cells: list[Agreement], n_replicates: int) -> Grid:
    """How many published scores are within the tolerance, by experiment; cells as `published.agreement` gives them."""
    columns = [Column("experiment", text=True), *map(Column, ("within", "of", "proportion"))]
    columns += (
        [*map(Column, ("two runs of ours", "outside, in the prediction interval", "outside of both"))]
        if n_replicates > 1
        else []
    )
    rows = []
    for row in summary(cells):
        share = row.within / row.compared if row.compared else None
        line = [Cell(row.experiment, link="" if row.experiment == "all" else f"tables.html#{row.experiment}")]
        line += [count(row.within), count(row.compared), _percent(share)]
        line += [_percent(row.repeated), count(row.chance), count(row.unexplained)] if n_replicates > 1 else []
        rows.append(line)
    return Grid("check-table", "Published test scores within the tolerance, by experiment", columns, rows, sort=False)


def _percent(share):
    return Cell() if share is None else Cell(f"{100 * share:.0f} %", share)


def published_ledger(cells: list[Agreement]) -> dict:
    """Every published number next to ours."""
    kinds = {"yes": "within", "no": "outside", "missing": "missing", "": "not judged"}
    rows = []
    for c in cells:
        shown = (c.published, c.ours, c.difference)
        numbers = ["" if number is None else format_number(c.quantity, number) for number in shown]
        section = SECTIONS[c.section].partition(",")[0]
        names = f"{c.experiment} {c.variant}".strip(), c.dataset, section, quantity_label(c.quantity, c.role)
        rows.append([*names, *numbers, kinds[c.within]])
    headings = ["experiment", "data set", "section", "quantity", "published", "ours", "difference", "tolerance"]
    return _ledger(
        headings, rows, {"experiment": "Experiment", "data set": "Data set", "tolerance": "Tolerance"}, "outside"
    )


def claims_section(path: Path, n_replicates: int, statements: list[dict], is_published: bool) -> dict:
    """The claims as a grid by claim and data set, as a ledger with their evidence, and how many hold."""
    with path.open(encoding="utf-8", newline="") as file:
        claims = list(csv.DictReader(file))
    shown = "verdict" if n_replicates >= MIN_AGREEING else "first"
    supported = [
        c
        for c in claims
        if c["published"] == "holds" and c[shown] in ("holds", "fails", "undetermined") and not c["cannot_fail"]
    ]
    data_sets = sorted(dict.fromkeys(c["dataset"] for c in claims), key=lambda d: d == "")
    rows = []
    for (claim_id, text), group in grouped(claims, "id", "claim").items():
        verdicts = {c["dataset"]: VACUOUS if c["cannot_fail"] else MARKS[c[shown]] for c in group}
        marks = [Cell(verdicts[d][0], tone=verdicts[d][1]) if d in verdicts else Cell() for d in data_sets]
        rows.append([Cell(claim_id), Cell(text, wide=True), *marks])
    columns = [Column("id", text=True), Column("claim", text=True), *(Column(d or "together") for d in data_sets)]
    headings = ["id", "statement", "data set", "verdict", "evidence", "replicates", "published", "source", "place"]
    lines = [
        [
            *(c["id"], c["claim"], c["dataset"] or ("together" if c["first"] else "")),
            "cannot fail" if c["cannot_fail"] else c[shown] or c["verdict"],
            c["cannot_fail"] or c["evidence"],
            f"{c['replicates_holding']} of {c['replicates_decided']}" if c["replicates_decided"] else "",
            *(c["published"], c["source"], c["place"]),
        ]
        for c in ledger(claims, statements, is_published)
    ]
    return {
        "claims": Grid(
            "claims-table",
            f"Claims by data set: verdicts of {'the replicates' if shown == 'verdict' else 'the first replicate'}",
            columns,
            rows,
        ),
        "statements": _ledger(headings, lines, {"source": "Source", "data set": "Data set", "verdict": "Verdict"}, ""),
        "shown": shown,
        "claims_needed": MIN_AGREEING,
        "supported": len(supported),
        "supported_by": {verdict: sum(c[shown] == verdict for c in supported) for verdict in MARKS},
    }


def _ledger(headings: list[str], rows: list[list[str]], filters: dict[str, str], first: str) -> dict:
    """What `page.js` makes a table of that can be searched; `filters` are columns with a choice of their values."""
    places = {name: headings.index(name) for name in filters}
    choices = [
        (name, title, [value for value in dict.fromkeys(row[places[name]] for row in rows) if value])
        for name, title in filters.items()
    ]
    packed = json.dumps(
        {"headings": headings, "rows": rows, "filters": places}, separators=(",", ":"), ensure_ascii=False
    )
    return {"filters": choices, "first": first, "json": packed.replace("</", "<\\/")}


def grouped(rows: Iterable[dict], *keys: str) -> dict[tuple, list[dict]]:
    """Rows by the values of some keys."""
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups
