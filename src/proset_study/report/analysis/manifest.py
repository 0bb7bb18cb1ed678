"""What was run: versions, commit, config, data, machine, arithmetic, and what it cost."""

import os
import platform
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from importlib.metadata import Distribution, version
from pathlib import Path
from typing import Any

from proset import __version__, arithmetic
from proset_study.base.environment import commit, library_arithmetic, pins
from proset_study.base.records import content_hash, read_json
from proset_study.data.cards import card
from proset_study.data.openml import description, table_of
from proset_study.report.analysis.costs import matrix_products
from proset_study.store.packed import records_sha256
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config.study import Study
from proset_study.study.fingerprints import LIBRARIES, key, uses_kernel

PACKAGES = (*LIBRARIES.values(), "snakemake")
_UNITS = {"fold": "fold", "trial": "trial", "fit_seed": "seed"}  # what tells fits in one folder apart
DOCS = "../../docs/"  # where links of a report in the repository lead


def manifest(stored: Stored) -> dict:
    """Everything a reader needs to judge or repeat a study, see docs/study.md; ValueError as `arithmetics`."""
    folder, study = stored.folder, stored.study
    data = dict.fromkeys(layout.file_in(final.folder.parent, layout.DATA) for final in stored.all_finals())
    costs = {str(replicate): fits_and_cost(stored, replicate) for replicate in stored.replicates}
    installed = {package: version(package) for package in PACKAGES if any(Distribution.discover(name=package))}
    return {
        "versions": {"proset": __version__, "python": platform.python_version(), **installed},
        "commit": commit(),
        "arithmetic": arithmetics(stored),
        "machine": {"system": platform.platform(), "processor": processor(), "cores": os.cpu_count()},
        "config": study.config,
        "openml": downloaded(study),
        "cards": {name: card(study.config["data_sets"][name]) for name in study.data_sets},
        "records_sha256": {
            archive: records_sha256(folder, layout.record_names(study, archive), archive.endswith(layout.FIRST_FITS))
            for archive in layout.record_archives(study)
        },
        "data_sha256": {str(path.relative_to(folder)): content_hash(path) for path in data},
        "cost": {replicate: cost for replicate, (cost, _) in costs.items()},
        "not_converged": {replicate: names for replicate, (_, names) in costs.items()},
        "missing": [asdict(model) for model in stored.missing_models],
    }


def read_manifest(report: Path) -> dict:
    """The manifest of a report; a ValueError if the file is that of something else."""
    found = read_json(path := report / layout.MANIFEST)
    if not isinstance(found.get("config"), dict):
        raise ValueError(f"{path}: config is missing or of the wrong kind, so it is not the manifest of a report")
    return found


def rendered(options: list[str], docs: str) -> dict:
    """What pages and figures are made with besides records and manifest: the same code, here, gives the same bytes.

    `options` are those of the commands in pages, `docs` is where their links to the documentation lead, "" without any.
    """
    return {**made_with(), "options": options, "docs": docs}


def made_with() -> dict[str, str]:
    """The keys of the code that writes pages and figures, which count the versions of libraries, and the processor."""
    return {"report": key("report"), "page": key("page"), "arithmetic": library_arithmetic()}


def downloaded(study: Study) -> dict[str, dict]:
    """What was downloaded from OpenML, by name of the data set; see `data.openml.description`."""
    entries = {name: study.config["data_sets"][name].get("openml") for name in study.data_sets}
    return {name: description(table_of(entry)) for name, entry in entries.items() if entry is not None}


def fits_and_cost(stored: Stored, replicate: int) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Number, seconds and `matrix_products` of the fits by method, and the names of those that did not converge."""
    return _summary(stored, replicate)[:2]


@cache
def _summary(stored: Stored, replicate: int) -> tuple[dict[str, dict[str, float]], list[str], dict[bool, dict]]:
    """What is asked of all records of fits of a replicate, in one pass: `fits_and_cost`, and what made their bits."""
    cost: defaultdict[str, Any] = defaultdict(Counter)
    not_converged = []
    made_by: dict[bool, dict[str, str]] = {True: {}, False: {}}  # an example of each, of proset and of libraries
    for name, record in _fit_records(stored, replicate):
        seconds = {quantity: number for quantity, number in record["resources"].items() if quantity.endswith("_s")}
        cost[record["method"]].update({"fits": 1, **seconds, "matrix_products": matrix_products(record)})
        if not record["summary"].get("converged", True):
            which = "".join(f", {unit} {record[key]}" for key, unit in _UNITS.items() if key in record)
            not_converged.append(f"{name}{which}")
        made_by[uses_kernel(record["method"])].setdefault(record["arithmetic"], name)
    rounded = {  # at the end: many a fit takes less than what is rounded
        method: {name: round(number, 1 if name == "matrix_products" else 3) for name, number in total.items()}
        for method, total in cost.items()
    }
    return rounded, not_converged, made_by


def cost_by_method(manifest: dict) -> dict[str, dict[str, float]]:
    """What the manifest says of cost, added up over the replicates."""
    totals: defaultdict[str, Any] = defaultdict(Counter)
    for by_method in manifest["cost"].values():
        for method, cost in by_method.items():
            totals[method].update(cost)
    return dict(totals)


def arithmetics(stored: Stored) -> dict:
    """What made the bits of the fits: the arithmetic of proset, and the processors and pins behind other libraries.

    "level" are the instructions it runs on here, which do not matter; "libraries" are several on a cluster of several
    kinds. ValueError, with an example of each, if fits of proset were made by several arithmetics.
    """
    found: dict[bool, dict[str, str]] = {True: {arithmetic.name(): "here"}, False: {}}
    for replicate in stored.replicates:
        for is_ours, first in _summary(stored, replicate)[2].items():
            for made_by, where in first.items():
                found[is_ours].setdefault(made_by, where)
    if len(found[True]) > 1:
        examples = ", ".join(f"{made_by} ({where})" for made_by, where in found[True].items())
        raise ValueError(
            f"fits of proset are by several arithmetics: {examples}; see that the compiled library can be loaded on all"
            " machines, or on none, remove the folders of the others and run snakemake again"
        )
    return {
        "proset": arithmetic.name(),
        "level": arithmetic.level(),
        "libraries": sorted(found[False]) or [library_arithmetic()],
        "pinned": pins(),
    }


def _fit_records(stored: Stored, replicate: int) -> Iterator[tuple[str, dict]]:
    """All records of fits behind the final models of a replicate, each once, with the folder they are in."""
    for final in stored.one_by_one([replicate]):
        own_stage1 = final.trials if final.stage1_folder == final.folder else []
        name = str(final.folder.relative_to(stored.folder))
        yield from ((name, record) for record in (*own_stage1, *final.paths, *final.fits))


def processor() -> str:
    """Name of the CPU."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
