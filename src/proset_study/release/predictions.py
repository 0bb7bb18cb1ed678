"""The predictions of all final models as Parquet files for other programs, and stores of several machines as one.

A store is a folder with a file for each data set and an index, see docs/predictions.md. It is written whole or not at
all, and the same predictions give the same bytes, whichever machines they come from.
"""

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from proset_study.base.records import content_hash, fingerprint, read_json, write_json
from proset_study.data.dataset import DataSet
from proset_study.data.splits import TEST, read_split
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config.study import Study

VERSION = 1  # to be raised when a column changes its name, type or meaning
TYPES = {
    "dataset": pa.string(),
    "replicate": pa.int32(),
    "experiment": pa.string(),
    "variant": pa.string(),
    "method": pa.string(),
    "fit_seed": pa.int32(),
    "row": pa.int32(),
    "weight": pa.float64(),
    "label": pa.string(),
    "class": pa.string(),
    "probability": pa.float64(),
    "arithmetic": pa.string(),
    "commit": pa.string(),
}
_FIELDS = [pa.field(name, kind, nullable=False) for name, kind in TYPES.items()]
SCHEMA = pa.schema(_FIELDS, metadata={"proset_study.predictions": str(VERSION)})
MODEL = ("dataset", "replicate", "experiment", "variant", "fit_seed")  # columns that name a fit
SAMPLE = ("row", "weight", "label", "class")  # columns that are the same in all fits of a data set and replicate
ORIGIN = ("arithmetic", "commit")  # columns that may differ between machines
LEVEL = 9  # of the compression
Model = tuple[str, int, str, str, int]


def write_store(folder: Path, stored: Stored, commit: str) -> None:
    """Write the predictions of all final models, their refits included, to a folder that must not exist."""
    data: dict[str, dict[str, str]] = {}
    with new_store(folder, _settings(stored.study), data) as add:
        for data_set in stored.study.data_sets:
            if fits := dict(_fits(stored, data_set, commit, data)):
                add(data_set, fits)


def _fits(stored, data_set, commit, checksums) -> Iterator[tuple[Model, pa.Table]]:
    """The table of each fit on a data set; adds that of the data of every replicate to `checksums`."""
    for replicate in stored.replicates:
        if not (finals := stored.finals(replicate, data_set)):
            continue
        path = layout.file_in(finals[0].folder.parent, layout.DATA)
        data, checksums.setdefault(data_set, {})[str(replicate)] = DataSet.load(path), content_hash(path)
        rows = np.flatnonzero(read_split(layout.file_in(path.parent, layout.SPLIT), len(data.y)) == TEST)
        names = data.class_names.tolist()
        for final in finals:
            for fit_seed, probabilities in enumerate(final.probabilities_of_fits):
                model = (data_set, replicate, final.run.experiment, final.run.variant, fit_seed)
                tested = (rows, final.y, final.weight, names)
                yield model, fit_table(model, final.run.method, *tested, probabilities, final.fit["arithmetic"], commit)


def fit_table(
    model: Model,
    method: str,
    rows: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    class_names: list[str],
    probabilities: np.ndarray,
    arithmetic: str = "",
    commit: str = "",
) -> pa.Table:
    """The rows of a store for one fit, whose `probabilities`, shape (m, K), are of test rows with classes `y`."""
    n_samples, n_classes = probabilities.shape
    names = pa.array(class_names, pa.string())
    values = {
        **dict(zip(MODEL, model, strict=True)),
        "method": method,
        "row": np.repeat(rows, n_classes),
        "weight": np.repeat(weight, n_classes),
        "label": names.take(pa.array(np.repeat(y, n_classes))),
        "class": names.take(pa.array(np.tile(np.arange(n_classes), n_samples))),
        "probability": probabilities.ravel(),
        "arithmetic": arithmetic,
        "commit": commit,
    }
    return pa.table([_column(values[name], kind, probabilities.size) for name, kind in TYPES.items()], SCHEMA)


def _column(value, kind, length):
    return pa.repeat(pa.scalar(value, kind), length) if isinstance(value, str | int) else pa.array(value, kind)


def _settings(study: Study) -> dict[str, str]:
    """What the predictions of an experiment depend on besides the data set, as a fingerprint."""
    protocol = [study.config[key] for key in ("seed", "folds", "test_fraction")]
    return {
        name: fingerprint({k: v for k, v in entry.items() if k not in ("title", "data_sets")}, *protocol)
        for name, entry in study.config["experiments"].items()
    }


def merge_stores(stores: Iterable[Path], output: Path) -> str:
    """Write one store with the predictions of several; what is in more than one of them must be the same.

    The origin (arithmetic, commit) of such a prediction is that in the first of them. A ValueError names what is
    damaged, or what differs between two stores; then nothing is written.
    """
    stores = list(stores)
    indices = {store: read_index(store) for store in stores}
    settings = _agreed({store: index["experiments"] for store, index in indices.items()}, "experiment {} has settings")
    data: dict[str, dict[str, str]] = {}
    for name in sorted({name for index in indices.values() for name in index["data"]}):
        digests = {store: index["data"].get(name, {}) for store, index in indices.items()}
        data[name] = _agreed(digests, f"data set {name}, replicate {{}}, has data")
    n_fits = 0
    with new_store(output, settings, data) as add:
        for name in data:
            there = [store for store, index in indices.items() if name in index["data"]]
            fits = _merged(
                {store: _read_fits(store / _file(name), name, indices[store]["data"][name]) for store in there}
            )
            n_fits += len(fits)
            add(name, fits)
    return f"{output}: {n_fits:,} fits on {len(data)} data sets, from {len(stores)} stores"


def _agreed(by_store: Mapping[Path, Mapping[str, str]], what: str) -> dict[str, str]:
    """The entries of all stores by name; ValueError if two stores have others."""
    found: dict[str, tuple[str, Path]] = {}
    for store, entries in by_store.items():
        for name, value in entries.items():
            known, first = found.setdefault(name, (value, store))
            if value != known:
                raise ValueError(f"{store}: {what.format(name)} that differ from those in {first}")
    return {name: value for name, (value, _) in found.items()}


def _merged(by_store: Mapping[Path, Mapping[Model, pa.Table]]) -> dict[Model, pa.Table]:
    found: dict[Model, tuple[pa.Table, Path]] = {}
    samples: dict[int, tuple[pa.Table, Model, Path]] = {}
    conflicts = []
    for store, fits in by_store.items():
        for model, table in fits.items():
            tested, other, where = samples.setdefault(model[1], (table.select(SAMPLE), model, store))
            if not table.select(SAMPLE).equals(tested):
                raise ValueError(f"{store}: {_name(model)} has other test rows than {_name(other)} in {where}")
            known, first = found.setdefault(model, (table, store))
            if not table.drop_columns(list(ORIGIN)).equals(known.drop_columns(list(ORIGIN))):
                conflicts.append(f"{store}: {_name(model)} has other predictions than in {first}")
    if conflicts:
        more = f"; and {len(conflicts) - 1} more on this data set" if len(conflicts) > 1 else ""
        raise ValueError(conflicts[0] + more)
    return {model: table for model, (table, _) in found.items()}


def _name(model: Model) -> str:
    data_set, replicate, experiment, variant, fit_seed = model
    return f"{' '.join(filter(None, (experiment, variant)))} on {data_set}, replicate {replicate}, fit seed {fit_seed}"


def read_index(store: Path) -> dict:
    """The index of a store, whose files are all there and have the checksums in it; otherwise a ValueError."""
    if not (path := layout.file_in(store, layout.STORE_INDEX)).is_file():
        raise ValueError(f"{store} is not allowed, must be a store of predictions with {path.name}")
    if (version := (index := read_json(path)).get("version")) != VERSION:
        raise ValueError(f"{store}: version {version!r} of the store is not allowed, must be {VERSION}")
    for key in ("files", "experiments", "data"):
        if not isinstance(index.get(key), dict):
            raise ValueError(f"{path}: {key} is missing or of the wrong kind")
    for name, digests in index["data"].items():
        if not isinstance(digests, dict):
            raise ValueError(f"{path}: data of {name} is {digests!r:.50}, must have a checksum for each replicate")
    if index["files"].keys() != {_file(name) for name in index["data"] if re.fullmatch(r"\w+", name)}:
        raise ValueError(f"{path}: its files are not those of its data sets")
    for name, digest in index["files"].items():
        if not (store / name).is_file():
            raise ValueError(f"{store / name} is missing")
        if _checksum(store / name) != digest:
            raise ValueError(f"{store / name} is not the file that was written, its checksum is wrong")
    if others := {file.name for file in store.glob("*.parquet")} - index["files"].keys():
        raise ValueError(f"{store / min(others)} does not belong to the store")
    return index


def _read_fits(path: Path, data_set: str, replicates: Iterable[str]) -> dict[Model, pa.Table]:
    """The table of each fit in a file, which must have this data set and these replicates."""
    table = pq.read_table(path, partitioning=None)
    if not table.schema.equals(SCHEMA, check_metadata=True):
        raise ValueError(f"{path}: its columns are not those of version {VERSION}")
    if not np.isfinite(table["probability"]).all():
        raise ValueError(f"{path}: a probability is not finite")
    place = pa.array(np.arange(len(table)))
    groups = table.select(MODEL).append_column("place", place).group_by(list(MODEL))
    found = {}
    for group in groups.aggregate([("place", "min"), ("place", "max"), ("place", "count")]).to_pylist():
        first, length = group["place_min"], group["place_count"]
        if group["place_max"] != first + length - 1:
            raise ValueError(f"{path}: the rows of a fit are not together")
        found[tuple(group[name] for name in MODEL)] = table.slice(first, length)
    if {(model[0], str(model[1])) for model in found} != {(data_set, replicate) for replicate in replicates}:
        raise ValueError(f"{path}: its data sets and replicates are not those of the index")
    return found


def _file(data_set: str) -> str:
    return Path(layout.STORE_FILE.format(data_set=data_set)).name


def _checksum(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


@contextmanager
def new_store(
    folder: Path, settings: Mapping[str, str], data: Mapping[str, Mapping[str, str]]
) -> Iterator[Callable[[str, Mapping[Model, pa.Table]], None]]:
    """A function that adds the fits on a data set; at the end of the block the store gets its index and its name."""
    if folder.exists():
        raise ValueError(f"{folder} exists, must be a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", suffix=".tmp", dir=folder.parent) as scratch:
        (hidden := Path(scratch, folder.name)).mkdir()
        files: dict[str, str] = {}
        commits: set[str] = set()

        def add(data_set, fits):
            table = pa.concat_tables(fits[model] for model in sorted(fits)).combine_chunks()
            keys, path = [name for name in TYPES if name != "probability"], hidden / _file(data_set)
            pq.write_table(table, path, compression="zstd", compression_level=LEVEL, use_dictionary=keys)
            files[path.name] = _checksum(path)
            commits.update(table["commit"].unique().to_pylist())

        yield add
        index = {"version": VERSION, "pyarrow": pa.__version__, "commits": sorted(commits), "files": files}
        write_json(layout.file_in(hidden, layout.STORE_INDEX), {**index, "experiments": settings, "data": data})
        hidden.rename(folder)
