"""What was run: versions, commit, config, data, machine, and what it cost."""

import os
import platform
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from proset import __version__
from proset.archive import read_archive
from proset.kernel import is_compiled
from proset.study.config import Study
from proset.study.report.stored import Stored

PACKAGES = ("numpy", "scipy", "scikit-learn", "xgboost", "pandas", "kmedoids", "snakemake")


def manifest(folder: Path, config: dict, data: list[Path], stored: Stored | None = None) -> dict:
    """Everything a reader needs to judge or repeat a study.

    Parameters
    ----------
    folder : Path
        results/<study>.
    config : dict
    data : list of Path
        Files of the data sets.
    stored : Stored, optional
        The records, if they are not all that is in `folder`.

    Returns
    -------
    dict
        "versions", "commit", "kernel" ("compiled" or "NumPy"), "machine", "config" (with the seed), "data_sha256",
        "cost" and "not_converged" by replicate (see `fits_and_cost`), "missing" (the holes of a partial report; else
        empty).
    """
    stored = stored or Stored(folder, Study.of(config))
    costs = {str(replicate): fits_and_cost(stored, replicate) for replicate in stored.replicates}
    return {
        "versions": {"proset": __version__, "python": platform.python_version(), **dict(_versions())},
        "commit": _commit(),
        "kernel": "compiled" if is_compiled() else "NumPy",
        "machine": {"system": platform.platform(), "processor": processor(), "cores": os.cpu_count()},
        "config": config,
        "data_sha256": {str(path.relative_to(folder)): content_hash(path) for path in data},
        "cost": {replicate: cost for replicate, (cost, _) in costs.items()},
        "not_converged": {replicate: names for replicate, (_, names) in costs.items()},
        "missing": [asdict(hole) for hole in stored.holes],
    }


def fits_and_cost(stored: Stored, replicate: int) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Number and seconds of the fits by method, and the names of those that did not converge."""
    cost: dict[str, dict[str, float]] = {}
    not_converged = []
    for name, record in fit_records(stored, replicate):
        total = cost.setdefault(record["method"], {"fits": 0})
        total["fits"] += 1
        for quantity, seconds in record["resources"].items():
            if quantity.endswith("_s"):
                total[quantity] = round(total.get(quantity, 0.0) + seconds, 3)
        if not record["summary"].get("converged", True):
            which = "".join(f", {unit} {record[unit]}" for unit in ("fold", "trial") if unit in record)
            not_converged.append(f"{name}{which}")
    return cost, not_converged


def content_hash(path: Path) -> str:
    """SHA-256 of the arrays in an archive, whatever compressed them."""
    digest = sha256()
    for name, array in sorted(read_archive(path)[1].items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def fit_records(stored: Stored, replicate: int) -> Iterator[tuple[str, dict]]:
    """All records of fits behind the final models of a replicate, each once, with the folder they are in."""
    for final in stored.finals(replicate):
        own_stage1 = final.trials if final.stage1_folder == final.folder else []
        name = str(final.folder.relative_to(stored.folder))
        yield from ((name, record) for record in (*own_stage1, *final.paths, final.fit))


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
