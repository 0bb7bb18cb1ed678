"""Whether the files of a report follow from its records: they are written again and compared."""

import json
import zipfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pyarrow

from proset_study.release.predictions import write_store
from proset_study.release.verify.differences import CANCELLED, brief, first, line_differences, same
from proset_study.release.verify.foreign import Refused
from proset_study.release.verify.records import Unpacked
from proset_study.report.rows import groups
from proset_study.report.write import write_report
from proset_study.store.metrics import SCORES
from proset_study.store.results import FINAL, Row, case_rows, rows_of, write_rows
from proset_study.study import layout

MAX_WORKBOOK = 2**26  # bytes of its parts
OF_SEARCHES = (layout.RULES, layout.PROTOTYPES, "evaluation/bootstrap.csv")
OF_REFITS = ("findings/response_curves.csv", "data_sets/")


def numbers(stored: Unpacked, published: Path, tolerance: float, say: Callable[[str], None]) -> Iterator[str]:
    """Write tables and numbers again below `stored.made`, compare all of them but the workbook.

    Rows of fits that have no records are those of the report, as the tables need them.
    """
    foreign, made = stored.foreign, stored.made
    theirs = rows_of(foreign.text(layout.ALL_SCORES), Row)
    cases = stored.study.cases(stored.recorded)
    ours = [row for case in cases for row in case_rows(stored.folder, case)]
    absent = SCORES.keys() - {row.quantity for row in theirs}
    if added := [s.name for q, s in SCORES.items() if q in absent and any(row.quantity == q for row in ours)]:
        say(f"the report was made before {', '.join(added)} was a score: not in its tables, not checked")
    ours = [row for row in ours if row.quantity not in absent]
    yield from _write_scores(stored, ours, theirs)
    write_report(stored, made, published, ["tables", "numbers"])
    for data_set in stored.study.data_sets:
        if (name := layout.DATA_SET_SCORES.format(data_set=data_set)) in foreign.files:  # made where it was asked for
            write_rows(made / name, [row for row in ours if row.dataset == data_set], Row)
    names = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    for name in names:
        if name != layout.WORKBOOK:
            yield from _compare(name, stored, tolerance)
    expected = {*names, *OF_SEARCHES}
    lost = [name for name in foreign.files if name.startswith(f"{layout.EVALUATIONS}/") and name not in expected]
    yield from (f"{name} does not follow from the records" for name in sorted(lost))


def _write_scores(stored: Unpacked, ours: list[Row], theirs: list[Row]) -> Iterator[str]:
    """Write the scores of each experiment: ours where there are records, else theirs."""
    computed, taken = groups(ours, "case"), groups(theirs, "case")
    files: dict[str, list[Row]] = {}
    for case in stored.study.cases(stored.replicates):
        key = (case["replicate"], case["experiment"], case["method"], case["dataset"], case["variant"])
        rows = taken.get(key, [])
        if case["replicate"] in stored.recorded:
            refits = [] if case["replicate"] in stored.refitted else [row for row in rows if row.fit_seed]
            rows = [*computed.get(key, []), *refits]
        numbers = [(row.fit_seed, row.name) for row in rows if row.section == FINAL]
        quantities, seeds = [name for seed, name in numbers if seed == 0], range(stored.study.final_fits(case["run"]))
        if not quantities or numbers != list(product(seeds, quantities)):  # each seed has what the first one has
            name = ", ".join(map(str, key))
            yield f"{layout.ALL_SCORES}: {name} has other rows than a final model and its refits"
        files.setdefault(layout.SCORES.format(**case), []).extend(rows)
    for name, rows in files.items():
        write_rows(stored.folder / name, rows, Row)


def _compare(name, stored, tolerance):
    try:
        ours, theirs = stored.text(name), stored.foreign.text(name)
    except Refused as error:
        yield str(error)
        return
    of_refits = name.startswith(OF_REFITS)
    there = stored.searched if name in OF_SEARCHES else stored.refitted if of_refits else stored.recorded
    unknown = () if name == layout.ALL_SCORES else {str(r) for r in stored.replicates if r not in there}
    absolute = 0.0 if name == layout.ALL_SCORES else CANCELLED
    our_lines, their_lines = (
        [line for line in text.split("\n") if not text.startswith("replicate,") or line.split(",", 1)[0] not in unknown]
        for text in (ours, theirs)
    )
    yield from line_differences(name, our_lines, their_lines, tolerance, absolute)


def workbook(stored: Unpacked, tolerance: float) -> Iterator[str]:
    """Compare every cell with what `numbers` computed; the rest of the file (dates, styles) is not compared."""
    ours, theirs = (_sheets(path) for path in (stored.made / layout.WORKBOOK, stored.foreign.path(layout.WORKBOOK)))
    absolute = CANCELLED if tolerance else 0.0
    if list(ours) != list(theirs):
        yield "tables.xlsx: sheets differ"
    for name in ours.keys() & theirs.keys():
        if (ours[name].max_row, ours[name].max_column) != (theirs[name].max_row, theirs[name].max_column):
            yield f"tables.xlsx, sheet {name}: the number of rows or columns differs"
            continue
        cells = zip(*(sheet.iter_rows() for sheet in (ours[name], theirs[name])), strict=True)
        differing = [
            f"tables.xlsx, sheet {name}, cell {a.coordinate}: {brief(b.value)}, computed again {brief(a.value)}"
            for both in cells
            for a, b in zip(*both, strict=True)
            if "f" in (a.data_type, b.data_type) or not same(a.value, b.value, tolerance, absolute)
        ]
        yield from first(differing, "cells differ", f"tables.xlsx, sheet {name}: ")


def predictions(stored: Unpacked, skip: Callable[[str], None]) -> Iterator[str]:
    """Write the store of predictions again and compare it byte for byte: nothing of a stranger's is parsed.

    What is not checked is said to `skip`.
    """
    foreign = stored.foreign
    if layout.STORE_INDEX not in foreign.files:
        skip(f"{layout.STORE}/, which is in the archive of a release")
        return
    index = json.loads(foreign.text(layout.STORE_INDEX))
    if lacking := [replicate for replicate in stored.replicates if replicate not in stored.refitted]:
        skip(f"{layout.STORE}/, not all records of replicate {lacking[0]} are here")
    elif index["pyarrow"] != pyarrow.__version__:
        skip(f"{layout.STORE}/, of pyarrow {index['pyarrow']}, here it is {pyarrow.__version__}")
    else:
        (commit,) = index["commits"]
        write_store(store := stored.made / layout.STORE, stored, commit)
        for name in sorted(f"{layout.STORE}/{path.name}" for path in store.iterdir()):
            if foreign.path(name).read_bytes() != (stored.made / name).read_bytes():
                yield f"{name} does not follow from the records"


def _sheets(path):
    from openpyxl import load_workbook

    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > MAX_WORKBOOK:
            raise Refused(f"{path.name}: its parts have more than {MAX_WORKBOOK:,} bytes")
        if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in archive.infolist()):
            raise Refused(f"{path.name}: its parts are compressed in an unusual way")
    return {sheet.title: sheet for sheet in load_workbook(path).worksheets}
