"""A report with all that belongs to it as one archive, which others can check without the repository."""

import subprocess
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from proset_study import layout
from proset_study.config.study import Study
from proset_study.records import read_json
from proset_study.report.crate import metadata
from proset_study.store.packed import write_files

MAX_COMMITTED = 10_000_000  # bytes


def release(report: Path, output: Path, root: Path) -> str:
    """Write the archive of a report.

    It has the files of the report, the `layout.SURROUNDINGS` (versions of all packages, licence, how to cite), metadata
    as an RO-Crate, and `layout.CHECKSUMS` of all of them, below a folder of the name of the report. Unpacked next to
    the report, it adds what git leaves out of it. The same files give the same archive.

    Parameters
    ----------
    report : Path
        reports/<study>.
    output : Path
        The archive, .tar.xz.
    root : Path
        The checkout.

    Returns
    -------
    str
        What was written, and what is left to commit, in words.

    Raises
    ------
    ValueError
        If the report was not computed from a commit, if there is nothing in it but what git keeps, or if that has more
        than `MAX_COMMITTED` bytes.
    """
    manifest = read_json(report / layout.MANIFEST)
    study, commit = Study.of(manifest["config"]), manifest["commit"]
    if commit is None or commit.endswith(layout.DIRTY):
        raise ValueError(
            f"{report} was computed from {commit or 'no checkout'}: only a report of a commit is released; commit the "
            "changes and run snakemake again"
        )
    names = sorted(str(path.relative_to(report)) for path in report.rglob("*") if path.is_file())
    names = [name for name in names if layout.belongs(study, name) and name not in layout.OF_RELEASES]
    committed = [name for name in names if not layout.archived(study, name)]
    size = sum((report / name).stat().st_size for name in committed)
    if len(committed) == len(names):
        raise ValueError(f"{report} has no pages of data sets and no searches, nothing is too large to commit")
    if size > MAX_COMMITTED:
        raise ValueError(f"{report}: {size:,} bytes are left to commit, at most {MAX_COMMITTED:,} are allowed")
    files = {name: (report / name).read_bytes() for name in (layout.MANIFEST, *names) if name in names}
    files |= {name: (root / file).read_bytes() for name, file in layout.SURROUNDINGS.items()}
    files[layout.CRATE] = metadata(files, _date(root, commit))
    files[layout.CHECKSUMS] = checksums(files.items())
    write_files(output, ((f"{report.name}/{name}", content) for name, content in files.items()))
    return (
        f"{output}: {len(files)} files, {output.stat().st_size:,} bytes; left to commit of {report}: "
        f"{len(committed)} files, {size:,} bytes"
    )


def checksums(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Lines for `sha256sum --check`."""
    return "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in files).encode()


def _date(root: Path, commit: str) -> str:
    """When a commit was made: part of what was run, so that an archive does not depend on when it is written."""
    command = ["git", "show", "--no-patch", "--format=%cI", commit]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if run.returncode:
        raise ValueError(f"commit {commit!r} of the report is not in {root}: {run.stderr.strip()}")
    return run.stdout.strip()
