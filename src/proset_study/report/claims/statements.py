"""The ledger: what each source says and where, and how it is decided, by claims of this study or otherwise."""

import csv
from collections import defaultdict
from pathlib import Path

COLUMNS = (
    *("id", "claim", "dataset", "verdict", "cannot_fail", "first", "evidence", "published", "published_evidence"),
    *("replicates_holding", "replicates_decided"),
)  # of claims.csv
PUBLISHED = "published case study"  # the source of claims that are in no list
ELSEWHERE = "in another report"


def statements_beside(published: Path) -> list[dict]:
    """The statements of statements.csv, which is next to the published numbers.

    Returns
    -------
    list of dict
        With the keys "id", "source", "place", "statement", "decided_by" and "study". Decided by is "claim <id>" or
        "test <path>::<name>"; study are the configs, with spaces between them, that have what the claim asks for.
    """
    with published.with_name("statements.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ledger(claims: list[dict], statements: list[dict], whole: bool) -> list[dict]:
    """Rows of claims.csv with the source and the place of what they decide.

    Parameters
    ----------
    claims : list of dict
        With the keys of `COLUMNS`. A claim that no statement names is one of the published study.
    statements : list of dict
        As `statements_beside` gives them.
    whole : bool
        Whether statements are in it that this study does not decide: the verdict then says by what they are, and the
        evidence where.

    Returns
    -------
    list of dict
        With the keys "source" and "place" besides; where a statement is decided by the claim of another one, with its
        own id and words.
    """
    by_id = defaultdict(list)
    for row in claims:
        by_id[row["id"]].append(row)
    own = {statement["id"] for statement in statements}
    rows = [{**row, "source": PUBLISHED, "place": ""} for row in claims if row["id"] not in own]
    for statement in statements:
        how, what = statement["decided_by"].split(" ", 1)
        said = {key: statement[key] for key in ("id", "source", "place")} | {"claim": statement["statement"]}
        if found := by_id[what]:
            rows += [{**row, **said} for row in found]
        elif whole:
            verdict, evidence = (ELSEWHERE, statement["study"]) if how == "claim" else (f"shown by {how}", what)
            rows.append({**dict.fromkeys(COLUMNS, ""), **said, "verdict": verdict, "evidence": evidence})
    return rows
