"""What is too large to commit of a report: one archive, with a list of checksums."""

from hashlib import sha256
from itertools import chain
from pathlib import Path

from proset_study.config.study import Study
from proset_study.layout import CHECKSUMS, MANIFEST, archived, belongs
from proset_study.records import read_json
from proset_study.store.packed import write_files

MAX_COMMITTED = 10_000_000  # bytes


def release(report: Path, output: Path) -> str:
    """Write the archive of a report.

    It has the files that `layout.archived` names, below a folder of the name of the report, and `CHECKSUMS` of
    them, which names manifest.json, too: that of the report they belong to. Unpacked next to the report, it completes
    it. The same files give the same archive.

    Parameters
    ----------
    report : Path
        reports/<study>.
    output : Path
        The archive, .tar.xz.

    Returns
    -------
    str
        What was written, and what is left to commit, in words.

    Raises
    ------
    ValueError
        If there is nothing to archive, or if what is left has more than `MAX_COMMITTED` bytes.
    """
    study = Study.of(read_json(report / MANIFEST)["config"])
    names = sorted(str(path.relative_to(report)) for path in report.rglob("*") if path.is_file())
    names = [name for name in names if belongs(study, name) and name != CHECKSUMS]
    packed = [name for name in names if archived(study, name)]
    size = sum((report / name).stat().st_size for name in names if name not in packed)
    if not packed:
        raise ValueError(f"{report} has no pages of data sets and no searches, nothing is too large to commit")
    if size > MAX_COMMITTED:
        raise ValueError(f"{report}: {size:,} bytes are left to commit, at most {MAX_COMMITTED:,} are allowed")
    sums = [f"{sha256((report / name).read_bytes()).hexdigest()}  {name}\n" for name in (MANIFEST, *packed)]
    contents = chain([(CHECKSUMS, "".join(sums).encode())], ((name, (report / name).read_bytes()) for name in packed))
    write_files(output, ((f"{report.name}/{name}", content) for name, content in contents))
    return (
        f"{output}: {len(packed)} files, {output.stat().st_size:,} bytes; left to commit of {report}: "
        f"{len(names) - len(packed)} files, {size:,} bytes"
    )
