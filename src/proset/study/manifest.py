"""What was run: versions, commit, config, data, machine, and what it cost."""

import os
import platform
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from proset import __version__
from proset.archive import read_archive
from proset.kernel import is_compiled
from proset.study.records import read_json, read_json_lines

PACKAGES = ("numpy", "scipy", "scikit-learn", "xgboost", "pandas", "snakemake")


def manifest(folder: Path, config: dict, data: list[Path]) -> dict:
    """Everything a reader needs to judge or repeat a study.

    Parameters
    ----------
    folder : Path
        results/<study>.
    config : dict
    data : list of Path
        Files of the data sets.

    Returns
    -------
    dict
        "versions", "commit", "kernel" ("compiled" or "NumPy"), "machine", "config" (with the seed), "data_sha256",
        "cost" (fits, CPU and wall seconds by method) and "not_converged" (names of the fits that stopped at their
        limit).
    """
    cost: dict[str, dict[str, float]] = {}
    not_converged = []
    for path, record in fit_records(folder):
        total = cost.setdefault(record["method"], {"fits": 0})
        total["fits"] += 1
        for name, seconds in record["resources"].items():
            if name.endswith("_s"):
                total[name] = round(total.get(name, 0.0) + seconds, 3)
        if not record["summary"].get("converged", True):
            trial = f", trial {record['trial']}" if "trial" in record else ""
            not_converged.append(f"{path.relative_to(folder)}{trial}")
    return {
        "versions": {"proset": __version__, "python": platform.python_version(), **dict(_versions())},
        "commit": _commit(),
        "kernel": "compiled" if is_compiled() else "NumPy",
        "machine": {"system": platform.platform(), "processor": processor(), "cores": os.cpu_count()},
        "config": config,
        "data_sha256": {str(path.relative_to(folder)): content_hash(path) for path in data},
        "cost": cost,
        "not_converged": not_converged,
    }


def content_hash(path: Path) -> str:
    """SHA-256 of the arrays in an archive, whatever compressed them."""
    digest = sha256()
    for name, array in sorted(read_archive(path)[1].items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def fit_records(folder: Path) -> Iterator[tuple[Path, dict]]:
    """All records of fits below results/<study>, with the files they are in."""
    for pattern in ("stage1/fold_*/trials_*.jsonl", "stage2/folds_*.jsonl"):
        for path in sorted(folder.glob(f"replicate_*/*/*/{pattern}")):
            yield from ((path, record) for record in read_json_lines(path))
    yield from ((path, read_json(path)) for path in sorted(folder.glob("replicate_*/*/*/fit.json")))


def _versions():
    for package in PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def _commit():
    try:
        run = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None  # not a checkout
    return run.stdout.strip()


def processor() -> str:
    """Name of the CPU."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
