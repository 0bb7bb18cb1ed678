"""A report with all that belongs to it as one archive, which others can check without the repository.

Its metadata are those of an RO-Crate: P. Sefton et al., RO-Crate Metadata Specification 1.3,
https://w3id.org/ro/crate/1.3.
"""

import json
import subprocess
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import yaml
from rocrate.model import ContextEntity
from rocrate.rocrate import ROCrate

from proset_study.base.environment import DIRTY
from proset_study.base.records import read_json
from proset_study.report.analysis.manifest import read_manifest
from proset_study.store.packed import write_files
from proset_study.study import layout
from proset_study.study.config.study import Study

MAX_COMMITTED = 25_000_000  # bytes; the largest report of this repository, the battery, would have 21 million
LICENSE = "https://spdx.org/licenses/{}"
MEDIA_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "js": "text/javascript",
    "json": "application/json",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "svg": "image/svg+xml",
    "tex": "application/x-tex",
    "toml": "application/toml",
    "txt": "text/plain",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xz": "application/x-xz",
    "yml": "application/yaml",
}
ABOUT = {  # by the folder, or by the name where that says more
    "": "report",
    "data_sets": "scores and page of a data set",
    "environment": "packages and versions the study was run with",
    "evaluation": "scores by class, and what the evaluations found",
    "figures": "figure",
    "findings": "findings over data sets and replicates",
    layout.STORE: "predicted probabilities of all test rows",
    "records": "records of fits of a replicate: parameters, losses, predictions, resources",
    "tables": "table of scores",
    layout.MANIFEST: "config with its seed, commit, versions, processor, arithmetic, checksums, costs",
    layout.CITATION: "how to cite",
    layout.LICENSE: "licence",
}


def release(report: Path, output: Path, root: Path) -> str:
    """Write the archive (.tar.xz) of a report; gives what was written, and what is left to commit, in words.

    It has the report, the `layout.SURROUNDINGS` of its commit in the checkout `root`, an RO-Crate, and
    `layout.CHECKSUMS`, below a folder of the name of the report. The same files give the same archive.
    """
    manifest = read_manifest(report)
    study, commit = Study.of(manifest["config"]), manifest["commit"]
    if manifest["missing"]:
        raise ValueError(f"{report} is a partial report, {len(manifest['missing'])} final models are missing")
    names = sorted(str(path.relative_to(report)) for path in report.rglob("*") if path.is_file())
    if lacking := [name for name in layout.released(study) if name not in names]:
        lost = f"{len(lacking)} file(s) are missing, the first is {lacking[0]}"
        raise ValueError(f"{report}: {lost}; run snakemake again")
    for made_from in (commit, *read_json(report / layout.STORE_INDEX)["commits"]):
        if not made_from or made_from.endswith(DIRTY):
            remedy = "only a report of a commit is released; commit the changes and run snakemake again"
            raise ValueError(f"{report} was computed from {made_from or 'no checkout'}: {remedy}")
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
    left = f"left to commit of {report}: {len(committed)} files, {size:,} bytes"
    return f"{output}: {len(files)} files, {output.stat().st_size:,} bytes; {left}"


def checksums(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Lines for `sha256sum --check`."""
    return "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in files).encode()


def _shown(root: Path, *what: str) -> bytes:
    """Something of a commit: an archive has what was run, whenever and from wherever it is written."""
    run = subprocess.run(["git", "show", *what], cwd=root, capture_output=True, check=False)
    if run.returncode:
        raise ValueError(f"{what[-1]!r}, from the report, is not in {root}: {run.stderr.decode().strip()}")
    return run.stdout


def metadata(files: Mapping[str, bytes], published: str) -> bytes:
    """The metadata of a release as JSON-LD; the same files, by name, and date (ISO 8601) give the same bytes."""
    manifest, citation = json.loads(files[layout.MANIFEST]), yaml.safe_load(files[layout.CITATION])
    crate = ROCrate()
    root = crate.root_dataset

    def add(identifier: str, kind: str, **properties: str) -> ContextEntity:
        return crate.add(ContextEntity(crate, identifier, {"@type": kind, **properties}))

    name = citation["license"]
    root["license"] = add(LICENSE.format(name), "CreativeWork", name=name, description=f"{name} licence")
    name = citation["authors"][0]["name"]
    root["author"] = root["publisher"] = add(f"#{name}", "Organization", name=name)
    root["name"], root["description"] = citation["title"], citation["abstract"]
    root["datePublished"] = published
    root["keywords"] = ", ".join(citation["keywords"])
    entries = [
        crate.add_file(
            name,
            name,
            properties={
                "name": name,
                "description": ABOUT.get(name) or ABOUT[name.partition("/")[0] if "/" in name else ""],
                "contentSize": str(len(content)),
                "encodingFormat": MEDIA_TYPES.get(name.rpartition(".")[2], "text/plain"),
                "sha256": sha256(content).hexdigest(),
            },
        )
        for name, content in files.items()
    ]
    version = f"{manifest['versions']['proset']}, commit {manifest['commit']}"
    where = f"{manifest['machine']['processor']}, {manifest['machine']['system']}"
    root["mentions"] = crate.add_action(
        add("#software", "CreativeWork", name="proset_study", version=version),
        "#run",
        result=entries,
        properties={
            "name": "Computation of the study",
            "description": f"on {where}; arithmetic {manifest['arithmetic']['proset']}",
            "endTime": published,
        },
    )
    return (json.dumps(crate.metadata.generate(), indent=1, sort_keys=True) + "\n").encode()
