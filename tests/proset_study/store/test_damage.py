"""Random damage to results: every reader refuses the file by name, or gives what was written."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from proset_study.base.records import read_json, read_json_lines
from proset_study.data.dataset import DataSet
from proset_study.data.splits import read_split
from proset_study.fits.final import read_model, read_predictions
from proset_study.fits.search import _finished
from proset_study.store.results import Row, read_rows
from proset_study.study import layout

CHANGES = 300  # 2,000 were tried once: docs/faults.md


def plain(value):
    """Something that can be compared."""
    if isinstance(value, DataSet):
        return plain(vars(value))
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def read(path: Path, folder: Path):
    """What the jobs of the workflow read of a result; None if it is computed again."""
    data = folder / path.relative_to(folder).parts[0] / path.relative_to(folder).parts[1]
    if path.name == "data.npz":
        return plain(DataSet.load(path))
    if path.name == "model.npz":
        model = read_model(path)
        return plain({"arrays": model.fitted.arrays(), "centre": model.centre, "scale": model.scale})
    if path.name == "split.csv":
        return plain(read_split(path, len(DataSet.load(data / "data.npz").y)))
    if path.name == "predictions.csv":
        return plain(list(read_predictions(path, read_json(path.with_name("fit.json")))))
    if path.suffix == ".csv":
        return read_rows(path, Row)
    if path.suffix == ".jsonl":
        return read_json_lines(path)
    return _finished(path, KEYS[path]) if is_kept(path) else read_json(path)


def is_kept(path: Path) -> bool:
    """Whether it is the record of a single fit, which a job that starts again does not compute again."""
    return path.parent.name in {Path(template).parent.name for template in (layout.TRIAL, layout.PATH)}


KEYS: dict[Path, str] = {}  # of these records


def damaged(content: bytes, other: bytes, rng: np.random.Generator) -> tuple[str, bytes]:
    """The name of a change and what it makes of a file; `other` is a file of the same kind."""
    at = int(rng.integers(len(content)))
    digits = [m.start() for m in re.finditer(rb"[0-9]", content)]
    digit = digits[int(rng.integers(len(digits)))]
    lines = content.splitlines(keepends=True)
    line = int(rng.integers(len(lines)))
    changes = {
        "digit": content[:digit] + bytes([48 + (content[digit] - 47) % 10]) + content[digit + 1 :],
        "byte": content[:at] + bytes([content[at] ^ (1 << int(rng.integers(8)))]) + content[at + 1 :],
        "cut": content[:at],
        "empty": b"",
        "zeros": bytes(len(content)),
        "line lost": b"".join(lines[:line] + lines[line + 1 :]),
        "line twice": b"".join(lines[: line + 1] + lines[line:]),
        "lines lost": b"".join(lines[:line]),
        "other": other,
        "null": b"null\n",
        "list": b"[]\n",
        "number": b"3\n",
        "appended": content + content[-20:],
    }
    what = str(rng.choice(sorted(changes)))
    return what, changes[what]


def try_changes(folder: Path, n: int) -> dict[str, int]:
    """Damage one file after the other: how often it was refused, computed again, harmless."""
    rng, counts = np.random.default_rng(3), {"refused": 0, "computed again": 0, "the same": 0}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in files:
        if is_kept(path):
            KEYS[path] = json.loads(path.read_text(encoding="utf-8"))["fingerprint"]
    honest = {path: read(path, folder) for path in files}
    by_kind: dict[str, list[Path]] = {}
    for path in files:
        kind = path.name if path.name in ("split.csv", "predictions.csv") else path.suffix
        by_kind.setdefault("kept" if is_kept(path) else kind, []).append(path)
    for _ in range(n):
        group = by_kind[str(rng.choice(sorted(by_kind)))]
        path, other = (group[int(rng.integers(len(group)))] for _ in range(2))
        content = path.read_bytes()
        what, changed = damaged(content, other.read_bytes(), rng)
        path.write_bytes(changed)
        try:
            found = read(path, folder)
        except ValueError as error:
            said = str(error)
            assert re.fullmatch(
                rf"{re.escape(str(path))} is damaged \(.*\); remove it and run snakemake again", said
            ), what
            counts["refused"] += 1
        else:
            assert found is None or found == honest[path], (what, path)
            counts["computed again" if found is None else "the same"] += 1
        path.write_bytes(content)
    return counts


@pytest.fixture
def folder(stored, tmp_path):
    return shutil.copytree(stored.folder, tmp_path / stored.study.name)


def test_damaged_and_foreign_results_are_never_used(folder):
    counts = try_changes(folder, CHANGES)
    assert counts["refused"] > CHANGES / 2
    assert counts["computed again"]
    assert counts["the same"] < CHANGES / 10  # for example the other file was the same one
