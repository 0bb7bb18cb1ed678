"""Commands that release reports, and that check those of others."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from proset_study.study import layout
from proset_study.study.config.study import Study


def count(text: str) -> int:
    """A number of 0 or more on the command line."""
    if (number := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"{text} is not allowed, must be 0 or more")
    return number


def table(text: str) -> Path:
    """A file that is there, on the command line."""
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text} is not allowed, must be a file")
    return Path(text)


def ends_with(suffix: str, text: str) -> Path:
    """The name of a file to write, on the command line."""
    if not text.endswith(suffix):
        raise argparse.ArgumentTypeError(f"{text} is not allowed, must end with {suffix}")
    return Path(text)


def predictions(study: Study) -> None:
    """Predictions of all final models as Parquet files."""
    from proset_study.base.environment import commit
    from proset_study.release.predictions import write_store
    from proset_study.store.stored import Stored
    from proset_study.study.finished import refuse_lost

    refuse_lost(study, study.replicates)
    write_store(Path(layout.report(study, layout.STORE)), Stored.of(study), commit() or "")


def merge(stores: Sequence[Path], output: Path) -> None:
    """Stores of predictions, of several machines, as one; refused if one is damaged or contradicts another."""
    from proset_study.release.predictions import merge_stores

    print(merge_stores(stores, output))


def standing_of(predictions: Path, report: Path, output: Path, experiment: str = "") -> None:
    """Where a method, whose predictions are given, stands among those of a report."""
    from proset_study.release.elsewhere import write_standing_of

    with TemporaryDirectory() as scratch:
        write_standing_of(predictions, report, output, experiment, Path(scratch))


def store_of(predictions: Path, report: Path, output: Path, name: str, experiment: str = "") -> None:
    """A store of predictions that are given, as an experiment of a new name, for `merge` and `leaderboard`."""
    from proset_study.release.elsewhere import write_store_of

    with TemporaryDirectory() as scratch:
        write_store_of(predictions, report, output, name, experiment, Path(scratch))


def leaderboard(
    report: Path,
    output: Annotated[Path, partial(ends_with, ".html")],
    stores: Sequence[Path] = (),
    data_sets: Sequence[str] = (),
    refits: Annotated[int, count] = 0,
    seed: Annotated[int, count] = 0,
) -> None:
    """A page with the methods of a report and of stores, ranked, that says how each number has been checked."""
    from proset_study.release.leaderboard import write_leaderboard

    with TemporaryDirectory() as scratch:
        write_leaderboard(report, stores, output, data_sets, refits, seed, Path(scratch))


def release(report: Path, output: Annotated[Path, partial(ends_with, ".tar.xz")]) -> None:
    """A report with all that belongs to it as one archive."""
    from proset_study.release.release import release

    print(release(report, output, Path()))


def verify(
    report: Path | None,
    published: Annotated[Path, table],
    refits: Annotated[int, count],
    seed: Annotated[int, count],
    archive: Path | None = None,
    files: Sequence[Path] = (),
    minutes: float = 120.0,
    pages: Annotated[int | None, count] = None,
) -> None:
    """Make all of a report again from its records, repeat some fits; status 1 if anything differs.

    Of `pages` data sets, by default of all, pages and figures are rendered again.
    """
    from proset_study.release.verify.foreign import bounded
    from proset_study.release.verify.report import verify

    differences = 0
    with TemporaryDirectory() as scratch, bounded(minutes, Path(scratch)):
        said = verify(report, published, refits, seed, Path(scratch), map(str, files), archive, n_pages=pages)
        for line in said:
            differences += 1
            print(line)
    checked = report or archive
    if differences:
        sys.exit(f"{differences} difference(s) in {checked}")
    print(f"{checked}: all that was checked is right")


def verify_release(
    release: Path,
    published: Annotated[Path, table],
    refits: Annotated[int, count],
    seed: Annotated[int, count],
    files: Sequence[Path] = (),
    minutes: float = 120.0,
    pages: Annotated[int | None, count] = None,
) -> None:
    """Check the archive of a release by what is in it alone; status 1 if anything differs."""
    verify(None, published, refits, seed, release, files, minutes, pages)


def restore(report: Path, archive: Path | None = None, files: Sequence[Path] = ()) -> None:
    """The searches of a report below results/, where a run of its study finds them."""
    from proset_study.release.verify.restore import restore

    with TemporaryDirectory() as scratch:
        n_records, replicates = restore(report, Path(scratch), map(str, files), archive)
    print(f"{n_records:,} records of searches are restored, of replicates {', '.join(map(str, replicates)) or 'none'}")
