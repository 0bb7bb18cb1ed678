"""Check a report from its own records: every number is computed again, some fits are repeated from their seeds."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from proset import arithmetic
from proset_study.release.verify.claims import claims_and_features
from proset_study.release.verify.derived import OF_REFITS, OF_SEARCHES, numbers, predictions, workbook
from proset_study.release.verify.differences import first
from proset_study.release.verify.foreign import ForeignReport, Refused, checked_study, extracted, one_line
from proset_study.release.verify.records import Unpacked, checksums, completeness, costs, data_and_splits, selections
from proset_study.release.verify.refits import refits
from proset_study.release.verify.shown import facts, pages
from proset_study.study import layout

OLDER = 1e-9  # relative, of numbers that an older arithmetic derived from records
UNSEEN = "commit, machine and seconds are what the report says of itself"


def verify(
    report: Path | None,
    published: Path,
    n_refits: int,
    seed: int,
    scratch: Path,
    files: Iterable[str] = (),
    archive: Path | None = None,
    say: Callable[[str], None] = print,
    n_pages: int | None = None,
) -> Iterator[str]:
    """Yield a line for everything that differs; nothing if all is right. `say` gets what has been checked and what not.

    The archive of a release is by default <report>-report.tar.xz next to the report, if it is there; without a report
    it is all that is checked. `n_refits` records of each kind (trial, fold, final model) are selected by `seed` and
    fitted again, pages of `n_pages` data sets are rendered again, by default of all. Of custom data, `files` may be
    read; nothing is written but below `scratch`.
    """
    is_release, unchecked = report is None, list[str]()
    try:
        if report is None:
            if archive is None:
                raise ValueError("report and archive: None is not allowed for both, one of them must be given")
            report, archive = extracted(archive, scratch / "report"), None
        elif archive is None and (neighbour := report.parent / archive_name(report)).is_file():
            archive = neighbour
        foreign = ForeignReport(report, is_release)
        manifest = foreign.manifest
        if manifest["missing"]:
            n_missing = len(manifest["missing"])
            yield f"{report} is a partial report, {n_missing} final models are missing: it has no records"
            return
        study = checked_study(manifest["config"], files)
        if (n_made := len(layout.data_files(study))) > (n_known := len(manifest["data_sha256"])):
            raise Refused(f"manifest.json: the config makes {n_made:,} data sets, data_sha256 has {n_known:,}")
        others = [] if archive is None else foreign.add(archive, study, scratch / "archive")
        stored = Unpacked(foreign, study, scratch / study.name)
    except (OSError, ValueError, MemoryError) as error:
        yield f"{report or archive} is refused: {one_line(error)}"
        return
    made_by = manifest["arithmetic"]["proset"]
    same = made_by == arithmetic.name()
    tolerance = 0.0 if same else OLDER
    say(f"data and splits are made again from their seeds, numbers from records of {_replicates(stored.recorded)}")
    if stored.searched:
        costs_too = " and costs" if stored.costed == stored.searched else ""
        say(f"selections{costs_too} follow from the searches of {_replicates(stored.searched)}")
    if others:
        yield f"{len(others)} file(s) in {archive} do not belong to the report, the first is {min(others)[:200]!r}"
    if stored.others:
        ignored = f"{len(stored.others)} file(s) in records/ are no records of the config"
        yield f"{ignored}, the first is {min(stored.others)[:200]!r}"
    incomplete = list(_guarded("records", completeness, stored))
    yield from incomplete
    yield from _guarded("data", data_and_splits, stored)
    yield from _guarded("selections", selections, stored)
    yield from _guarded("costs", costs, stored)
    yield from _guarded("records", checksums, stored)
    exactness = "to the byte" if same else f"text exactly, numbers to a relative difference of {tolerance:g}"
    derived = f"{layout.ALL_SCORES}, comparison.csv, tables/, tables.xlsx, evaluation/ and findings/"
    say(f"{derived} are computed again and compared {exactness}")
    if not same:
        here = f"here it is {arithmetic.name()}: fits of proset are not repeated"
        say(f"the arithmetic of the report is {made_by!r}, {here}")
    yield from _guarded("numbers", numbers, stored, published, tolerance, say)
    yield from _guarded("predictions", predictions, stored, unchecked.append)
    yield from _guarded("workbook", workbook, stored, tolerance)
    yield from _guarded("claims", claims_and_features, stored, published, unchecked.append)
    yield from _guarded("facts", facts, stored)
    drawn = np.random.default_rng(seed)
    yield from _guarded("pages", pages, stored, published, n_pages, drawn, say, unchecked.append)
    strange = sorted(name for name in foreign.files if not layout.belongs(study, name))
    yield from first([f"{name!r} does not belong to the report" for name in strange], "like the last one")
    wrong = list(_guarded("checksums", ForeignReport.wrong_checksums, foreign))
    yield from first(wrong, "like the last one")
    missing = [name for name in (*layout.released(study), layout.CRATE) if name not in foreign.files]
    if is_release and missing:
        yield f"{len(missing)} file(s) that a release has are missing, the first is {missing[0]}"
    if n_refits and not incomplete:
        rng = np.random.default_rng(seed)
        yield from _guarded("refits", refits, stored, same, n_refits, rng, scratch, say)
    else:
        say("no fit is repeated")
    additional = [r for r in study.replicates if r not in study.config["replicates"]]
    if additional:
        names = f"selections, costs and {layout.RULES} of {_replicates(additional)}"
        unchecked.append(f"{names} (their archives have no searches)")
    for what in unchecked:
        say(f"not checked: {what}")
    if not (lacking := _in_the_archive(stored)) and not unchecked:
        say(f"not checked: nothing ({UNSEEN})")
    if lacking:
        where = f"the records are in the archive {archive_name(report)} (make verify ARCHIVE=...)"
        say(f"not checked, because {where}: {lacking}")


def archive_name(report: Path) -> str:
    return f"{report.name}-report.tar.xz"


def _replicates(numbers):
    return f"replicate{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _in_the_archive(stored: Unpacked) -> str:
    """What could be checked if all records were there."""
    found = []
    if missing := [r for r in stored.replicates if r not in stored.recorded]:
        found.append(f"numbers of {_replicates(missing)}, which are taken from {layout.ALL_SCORES}")
    if missing := [r for r in stored.recorded if r not in stored.refitted]:
        refits = f"refits of {_replicates(missing)} with other seeds (numbers are taken from {layout.ALL_SCORES})"
        found.append(f"{refits}, and what they add to {', '.join(OF_REFITS)}")
    of_config = stored.study.config["replicates"]
    if missing := [r for r in of_config if r not in stored.searched]:
        found.append(f"selections, {', '.join(OF_SEARCHES)} of {_replicates(missing)}")
    if missing := [r for r in of_config if r not in stored.costed]:
        found.append(f"costs of {_replicates(missing)}")
    return "; ".join(found)


def _guarded(what, check, stored, *arguments):
    """The lines of a check; one line if the records are so wrong that it fails."""
    try:
        yield from check(stored, *arguments)
    except Refused as error:
        yield str(error)
    except Exception as error:  # a lie in a record can make anything fail
        said = one_line(error).replace(f"{stored.folder}/", "").replace("; remove it and run snakemake again", "")
        yield f"{what} cannot be checked from these records: {type(error).__name__}: {said}"
