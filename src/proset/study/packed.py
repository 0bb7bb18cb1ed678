"""The records of a replicate as one small archive: what a second person needs to check a study.

Data sets and models are left out: the first can be made again from the seed, the second are refitted.
"""

import io
import tarfile
from pathlib import Path

from proset.files import replacing
from proset.study.evaluations import KINDS

RESULTS = ("*/split.csv", "*/*/stage1.json", "*/*/stage2.json", "*/*/fit.json", "*/*/predictions.csv")
EVALUATIONS = tuple(f"*/*/{kind}.json" for kind in KINDS)
SEARCHES = ("*/*/stage1/fold_*/trials_*.jsonl", "*/*/stage2/folds_*.jsonl")


def pack(folder: Path, output: Path, with_searches: bool = True) -> None:
    """Write the records below results/<study>/replicate_<replicate> as .tar.xz; same records, same bytes.

    Parameters
    ----------
    folder, output : Path
    with_searches : bool
        Whether to put in the record of every single fit of the searches; without them it takes half the space.
    """
    patterns = (*RESULTS, *EVALUATIONS, *(SEARCHES if with_searches else ()))
    files = sorted((p for pattern in patterns for p in folder.glob(pattern)), key=lambda p: (p.name, p))  # packs best
    output.parent.mkdir(parents=True, exist_ok=True)
    with replacing(output) as file, tarfile.open(fileobj=file, mode="w:xz", preset=9) as archive:
        for path in files:
            content = path.read_bytes()
            entry = tarfile.TarInfo(str(Path(folder.name) / path.relative_to(folder)))
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def unpack(archive: Path, folder: Path) -> None:
    """Write the records of an archive below results/<study>; names that would leave the folder are refused."""
    with tarfile.open(archive, "r:xz") as packed:
        packed.extractall(folder, filter="data")
