"""Whether the data sets and splits of a report are those of its seeds."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from proset_study.base.seeds import integer_seed
from proset_study.data.matrix import write_matrix
from proset_study.data.metrics import matrix_file
from proset_study.data.sources import make
from proset_study.data.splits import read_split
from proset_study.data.splitting import split
from proset_study.release.verify.records import Unpacked
from proset_study.report.analysis.manifest import content_hash
from proset_study.study import layout


def data_and_splits(stored: Unpacked, manifest: dict) -> Iterator[str]:
    """Make the data sets and splits again; the records have no data sets."""
    study, config = stored.study, stored.study.config
    digests = dict(manifest["data_sha256"])
    for file in layout.data_files(study):
        path = stored.folder / (name := str(Path(file).relative_to(f"results/{study.name}")))
        replicate, data_set = int(path.parts[-3].removeprefix("replicate_")), path.parts[-2]
        data = make(study.data_settings(data_set), config["seed"], data_set, replicate)
        path.parent.mkdir(parents=True, exist_ok=True)
        data.save(path)
        if content_hash(path) != digests.pop(name, None):
            yield f"{name}: the data made again from the seed differ"
        for metric in study.stored_metrics(data_set):
            settings = study.metric_settings(metric, data_set)
            write_matrix(matrix_file(path, metric), data, settings, study.data_settings(data_set))
        if replicate not in stored.recorded:
            continue
        key = integer_seed(config["seed"], "split", data_set, replicate)
        folds = split(data.y, config["folds"], config["test_fraction"], key, data.test, data.group)
        if not np.array_equal(folds, read_split(path.with_name("split.csv"), len(data.y))):
            yield f"{path.with_name('split.csv').relative_to(stored.folder)}: the split made again differs"
    if digests:
        yield f"manifest.json: data_sha256 has {len(digests)} file(s) that the config does not make, {min(digests)!r}"
