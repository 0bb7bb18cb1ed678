"""A report with all that belongs to it as one archive, which others can check without the repository."""

import subprocess
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from proset_study.base.environment import DIRTY
from proset_study.base.records import read_json
from proset_study.release.crate import metadata
from proset_study.store.packed import write_files
from proset_study.study import layout
from proset_study.study.config.study import Study

MAX_COMMITTED = 15_000_000  # bytes; the largest report of this repository would have 12 million


def release(report: Path, output: Path, root: Path) -> str:
    """Write the archive (.tar.xz) of a report; gives what was written, and what is left to commit, in words.

    It has the files of the report, the `layout.SURROUNDINGS` of its commit in the checkout `root` (versions of all
    packages, licence, how to cite), metadata as an RO-Crate, and `layout.CHECKSUMS` of all of them, below a folder of
    the name of the report. Unpacked next to the report, it adds what git leaves out of it. The same files give the same
    archive.
    """
    manifest = read_json(report / layout.MANIFEST)
    study, commit = Study.of(manifest["config"]), manifest["commit"]
    if manifest["missing"]:
        raise ValueError(f"{report} is a partial report, {len(manifest['missing'])} final models are missing")
    names = sorted(str(path.relative_to(report)) for path in report.rglob("*") if path.is_file())
    if lacking := [name for name in layout.released(study) if name not in names]:
        raise ValueError(
            f"{report}: {len(lacking)} file(s) are missing, the first is {lacking[0]}; run snakemake again"
        )
    for made_from in (commit, *read_json(report / layout.STORE_INDEX)["commits"]):
        if not made_from or made_from.endswith(DIRTY):
            raise ValueError(
                f"{report} was computed from {made_from or 'no checkout'}: only a report of a commit is released; "
                "commit the changes and run snakemake again"
            )
    names = [name for name in names if layout.belongs(study, name) and name not in layout.OF_RELEASES]
    committed = [name for name in names if not layout.archived(study, name)]
    size = sum((report / name).stat().st_size for name in committed)
    if size > MAX_COMMITTED:
        raise ValueError(f"{report}: {size:,} bytes are left to commit, at most {MAX_COMMITTED:,} are allowed")
    files = {name: (report / name).read_bytes() for name in dict.fromkeys((layout.MANIFEST, *names))}
    files |= {name: _shown(root, f"{commit}:{file}") for name, file in layout.SURROUNDINGS.items()}
    files[layout.CRATE] = metadata(files, _shown(root, "--no-patch", "--format=%cI", commit).decode().strip())
    files[layout.CHECKSUMS] = checksums(files.items())
    write_files(output, ((f"{report.name}/{name}", content) for name, content in files.items()))
    return (
        f"{output}: {len(files)} files, {output.stat().st_size:,} bytes; left to commit of {report}: "
        f"{len(committed)} files, {size:,} bytes"
    )


def checksums(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Lines for `sha256sum --check`."""
    return "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in files).encode()


def _shown(root: Path, *what: str) -> bytes:
    """Something of a commit: an archive has what was run, whenever and from wherever it is written."""
    run = subprocess.run(["git", "show", *what], cwd=root, capture_output=True, check=False)
    if run.returncode:
        raise ValueError(f"{what[-1]!r}, from the report, is not in {root}: {run.stderr.decode().strip()}")
    return run.stdout
