"""The ledger: what each source says and where, and how it is decided, by claims of this study or otherwise."""

from pathlib import Path

from proset_study.report.rows import groups, read_cells

COLUMNS = (
    *("id", "claim", "dataset", "verdict", "cannot_fail", "first", "evidence", "published", "published_evidence"),
    *("replicates_holding", "replicates_decided"),
)  # of claims.csv
PUBLISHED = "published case study"  # the source of claims that are in no list
ELSEWHERE = "in another report"


def statements_beside(published: Path) -> list[dict]:
    """The statements of statements.csv, which is next to the published numbers.

    "decided_by" is "claim <id>" or "test <path>::<name>"; "study" are the configs, with spaces between them, that have
    what the claim asks for.
    """
    return read_cells(published.with_name("statements.csv"))


def ledger(claims: list[dict], statements: list[dict], whole: bool) -> list[dict]:
    """Rows of claims.csv with the "source" and "place" of the statement that they decide, its id and its words.

    A claim that no statement names is one of the published study. With `whole`, statements that this study does not
    decide are in it too: the verdict then says what decides them, and the evidence where.
    """
    by_id = groups(claims, "id")
    own = {statement["id"] for statement in statements}
    rows = [{**row, "source": PUBLISHED, "place": ""} for row in claims if row["id"] not in own]
    for statement in statements:
        how, what = statement["decided_by"].split(" ", 1)
        said = {key: statement[key] for key in ("id", "source", "place")} | {"claim": statement["statement"]}
        if deciding := by_id.get(what):
            rows += [{**row, **said} for row in deciding]
        elif whole:
            verdict, evidence = (ELSEWHERE, statement["study"]) if how == "claim" else (f"shown by {how}", what)
            rows.append({**dict.fromkeys(COLUMNS, ""), **said, "verdict": verdict, "evidence": evidence})
    return rows
