"""What is in the archive of a release, said to machines: metadata in the form of RO-Crate.

References
----------
P. Sefton et al.: RO-Crate Metadata Specification 1.3, https://w3id.org/ro/crate/1.3.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePosixPath

import yaml
from rocrate.model import ContextEntity
from rocrate.rocrate import ROCrate

from proset_study.study import layout

LICENSE = "https://spdx.org/licenses/{}"
MEDIA_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "png": "image/png",
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
                "description": _about(name),
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


def _about(name: str) -> str:
    return ABOUT.get(name) or ABOUT[PurePosixPath(name).parts[0] if "/" in name else ""]
