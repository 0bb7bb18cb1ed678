"""The records of a replicate as one small archive: what a second person needs to check a study.

Data sets and models are left out: the first can be made again from the seed, the second are refitted.
"""

import io
import tarfile
from pathlib import Path

from proset.files import replacing

PATTERNS = (
    *("*/split.csv", "*/*/stage1/fold_*/trials_*.jsonl", "*/*/stage1.json", "*/*/stage2/folds_*.jsonl"),
    *("*/*/stage2.json", "*/*/fit.json", "*/*/predictions.csv"),
)


def pack(folder: Path, output: Path) -> None:
    """Write the records below results/<study>/replicate_<replicate> as .tar.xz; same records, same bytes."""
    files = sorted(path for pattern in PATTERNS for path in folder.glob(pattern))
    output.parent.mkdir(parents=True, exist_ok=True)
    with replacing(output) as file, tarfile.open(fileobj=file, mode="w:xz") as archive:
        for path in files:
            content = path.read_bytes()
            entry = tarfile.TarInfo(str(Path(folder.name) / path.relative_to(folder)))
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def unpack(archive: Path, folder: Path) -> None:
    """Write the records of an archive below results/<study>; names that would leave the folder are refused."""
    with tarfile.open(archive, "r:xz") as packed:
        packed.extractall(folder, filter="data")
