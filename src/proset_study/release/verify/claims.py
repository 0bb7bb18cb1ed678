"""Whether claims and selected features follow from the records: both need models, which are fitted again."""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

from proset_study.release.verify.differences import brief, first, line_differences
from proset_study.release.verify.foreign import Refused
from proset_study.release.verify.records import Unpacked
from proset_study.release.verify.shown import other_code
from proset_study.report.analysis.selected_features import FEATURE_COLUMNS, selected_features
from proset_study.report.claims import COLUMNS, agreed, write_claims
from proset_study.store.results import as_cell, write_rows
from proset_study.store.stored import Missing
from proset_study.study import layout

OF_THE_FIRST = ("first", "evidence")  # replicate
OF_ALL = ("verdict", "replicates_holding", "replicates_decided")
COUNTED = ("replicates", "selected", "proportion")


def claims_and_features(stored: Unpacked, published: Path, skip: Callable[[str], None]) -> Iterator[str]:
    """Decide the claims and select the features again; what is not checked is said to `skip`."""
    if other := other_code(stored.foreign.manifest):
        skip(f"{layout.CLAIMS} and {layout.FEATURES}, {other}")
        return
    yield from _claims(stored, published, skip)
    yield from _features(stored, skip)


def _claims(stored, published, skip):
    """What needs records or models that are not here is left out."""
    write_claims(stored.made / layout.CLAIMS, stored, published)
    if stored.is_whole:
        yield from _lines(layout.CLAIMS, stored)
        return
    ours, theirs = (_rows(report.text(layout.CLAIMS), COLUMNS) for report in (stored, stored.foreign))
    if [_claim(row) for row in ours] != [_claim(row) for row in theirs]:
        yield f"{layout.CLAIMS} has other claims than the study decides"
        return
    skipped, differing = 0, []
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True), start=2):
        lacking = [*(OF_THE_FIRST if a["first"] == "not decidable" else ()), *(OF_ALL if _lacks(stored, a) else ())]
        skipped += bool(lacking)
        differing += [
            f"{layout.CLAIMS}, line {number}, {column}: {brief(b[column])}, decided again {brief(a[column])}"
            for column in COLUMNS
            if a[column] != b[column] and column not in lacking
        ]
        if b["replicates_holding"] and not _is_consistent(b, len(stored.replicates)):
            differing.append(f"{layout.CLAIMS}, line {number}: the verdict does not follow from the replicates")
    yield from first(differing, "differ", f"{layout.CLAIMS}: ")
    if skipped:
        skip(f"{skipped} of {len(ours)} claims, which need records or models that are not here")


def _lacks(stored, row):
    """Whether a verdict takes replicates or models that are not here."""
    if not row["replicates_holding"]:
        return row["verdict"] == "not decidable" or stored.recorded != stored.replicates
    return row["replicates_decided"] != str(len(stored.replicates))


def _is_consistent(row, n_replicates):
    held, decided = int(row["replicates_holding"]), int(row["replicates_decided"])
    is_possible = 0 <= held <= decided <= n_replicates
    return is_possible and row["verdict"] == agreed([*[True] * held, *[False] * (decided - held)])


def _claim(row):
    return [row[column] for column in ("id", "claim", "dataset", "cannot_fail", "published", "published_evidence")]


def _features(stored, skip):
    """Without the records of all replicates, counts can be as far off as the others are many."""
    try:
        write_rows(stored.made / layout.FEATURES, selected_features(stored), FEATURE_COLUMNS)
    except Missing as missing:
        skip(f"{layout.FEATURES}, which needs {missing}")
        return
    if stored.recorded == stored.replicates:
        yield from _lines(layout.FEATURES, stored)
        return
    absent = [replicate for replicate in stored.replicates if replicate not in stored.recorded]
    ours, theirs = (_rows(report.text(layout.FEATURES), FEATURE_COLUMNS) for report in (stored, stored.foreign))
    named = [column for column in FEATURE_COLUMNS if column not in COUNTED]
    if [[row[column] for column in named] for row in ours] != [[row[column] for column in named] for row in theirs]:
        yield f"{layout.FEATURES} has other features than the models"
        return
    differing = [
        f"{layout.FEATURES}, line {number}: {brief(','.join(b.values()))} cannot be, the records have {a['selected']}"
        for number, (a, b) in enumerate(zip(ours, theirs, strict=True), start=2)
        if not _is_possible(a, b, len(absent))
    ]
    yield from first(differing, "are like it", f"{layout.FEATURES}: ")
    skip(f"{layout.FEATURES} of replicates {', '.join(map(str, absent))}")


def _is_possible(ours, theirs, n_absent):
    """Whether the other replicates can make the difference."""
    mine, selected, n = int(ours["selected"]), int(theirs["selected"]), int(theirs["replicates"])
    others = n - int(ours["replicates"])
    is_possible = 0 <= others <= n_absent and mine <= selected <= mine + others
    return is_possible and theirs["proportion"] == str(as_cell(selected / n))


def _rows(text, columns):
    reader = csv.DictReader(io.StringIO(text), strict=True)
    rows = list(reader)
    if tuple(reader.fieldnames or ()) != tuple(columns) or any(None in row or None in row.values() for row in rows):
        raise Refused(f"columns must be {', '.join(columns)}")
    return rows


def _lines(name, stored):
    ours, theirs = (report.text(name).split("\n") for report in (stored, stored.foreign))
    yield from line_differences(name, ours, theirs, 0.0, 0.0)
