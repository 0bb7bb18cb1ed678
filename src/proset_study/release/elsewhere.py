"""Predictions of a method that was fitted elsewhere: checked against the test rows of a report, and scored.

A table has the columns `COLUMNS` of a store (docs/predictions.md), and `OPTIONAL` ones if there are several fits;
others are not read. Labels and weights are those of data that are drawn again and held against the report.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from proset_study.base.records import fingerprint
from proset_study.data.sources import make
from proset_study.data.splits import TEST
from proset_study.data.table_file import listed
from proset_study.release.predictions import TYPES, fit_table, new_store, read_index
from proset_study.report.analysis.manifest import read_manifest
from proset_study.report.analysis.standing import GIVEN, check_data, differences, write_differences
from proset_study.store.metrics import score_predictions
from proset_study.store.results import FINAL, Case, Row
from proset_study.study import layout
from proset_study.study.config.study import Study
from proset_study.study.steps import split_of

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("dataset", "replicate", "method", "row", "class", "probability")
OPTIONAL = {"experiment": "", "variant": "", "fit_seed": 0}  # with what they are where they are left out
MAX_DEVIATION = 1e-5  # of the sum of probabilities from 1: seven significant digits are kept of each


@dataclass(frozen=True)
class Tested:
    """The test part of a data set in a replicate."""

    rows: np.ndarray  # (m,), of the data set
    y: np.ndarray  # (m,)
    weight: np.ndarray  # (m,)
    class_names: list[str]
    n_train: int


class Protocol:
    """The data sets and test parts of a report, drawn again from its seed and held against its checksums."""

    def __init__(self, report: Path, scratch: Path):
        if not (report / layout.MANIFEST).is_file() or not (report / layout.ALL_SCORES).is_file():
            raise ValueError(f"report: {str(report)!r} has no {layout.MANIFEST} and {layout.ALL_SCORES}, a report has")
        self.report, self.scratch = report, scratch
        self.manifest = read_manifest(report)
        self.study = Study.of(self.manifest["config"])
        self._tested: dict[tuple[str, int], Tested] = {}

    def checksum(self, data_set: str, replicate: int | str) -> str | None:
        """SHA-256 of a data set, if the report has it in this replicate."""
        name = layout.DATA.format(replicate=replicate, data_set=data_set)
        digest: str | None = self.manifest["data_sha256"].get(name)
        return digest

    def tested(self, data_set: str, replicate: int) -> Tested:
        """The test part that every method of the report has predicted; ValueError if other data are drawn here."""
        if (key := (data_set, replicate)) not in self._tested:
            name = layout.DATA.format(replicate=replicate, data_set=data_set)
            data = make(self.study.data_settings(data_set), self.study.config["seed"], data_set, replicate)
            (self.scratch / name).parent.mkdir(parents=True, exist_ok=True)
            data.save(self.scratch / name)
            check_data(self.scratch, name, self.report)
            folds = split_of(self.study, replicate, data_set, data)
            rows = np.flatnonzero(folds == TEST)
            weight = np.ones(len(folds)) if data.sample_weight is None else data.sample_weight
            n_train = int((weight[folds != TEST] > 0).sum())
            self._tested[key] = Tested(rows, data.y[rows], weight[rows], data.class_names.tolist(), n_train)
        return self._tested[key]


@dataclass(frozen=True)
class Predicted:
    """What one fit predicts for a test part."""

    experiment: str
    method: str
    data_set: str
    replicate: int
    fit_seed: int
    probabilities: np.ndarray  # (m, K)


def read_predictions(
    folder: Path, protocol: Protocol, data_sets: Iterable[str], experiment: str = ""
) -> list[Predicted]:
    """The predictions of a folder on these data sets, optionally of one experiment, without what is varied.

    A store with an index is checked as a whole before. ValueError if a data set is missing, or if predictions are not
    probabilities of all classes for all test rows.
    """
    if layout.file_in(folder, layout.STORE_INDEX).is_file():
        for data_set, digests in read_index(folder)["data"].items():
            for replicate, digest in digests.items():
                if (known := protocol.checksum(data_set, replicate)) not in (None, digest):
                    raise ValueError(
                        f"{folder}: data set {data_set}, replicate {replicate}, has the SHA-256 {digest[:12]}, "
                        f"that of {protocol.report} is {str(known)[:12]}"
                    )
    elif not folder.is_dir():
        raise ValueError(f"predictions: {str(folder)!r} is no folder")
    files = {name: layout.file_in(folder, layout.STORE_FILE.format(data_set=name)) for name in data_sets}
    if missing := [name for name, file in files.items() if not file.is_file()]:
        raise ValueError(f"{folder}: data set {listed(missing)} is missing; each needs a file <data set>.parquet")
    return [found for name, file in files.items() for found in _read(file, name, protocol, experiment)]


def _read(file: Path, data_set: str, protocol: Protocol, experiment: str) -> Iterator[Predicted]:
    table = _table(file)
    table = table[(table["dataset"] == data_set) & (table["variant"] == "")]
    if experiment:
        table = table[table["experiment"] == experiment]
    if not len(table):
        what = f"experiment {experiment!r}" if experiment else "predictions"
        raise ValueError(f"{file}: no {what} of data set {data_set!r}")
    names: Any
    for names, rows in table.groupby(["experiment", "method", "replicate", "fit_seed"], sort=True):
        of_experiment, method, replicate, fit_seed = names
        where = f"{file}: {f'{of_experiment}, ' if of_experiment else ''}replicate {replicate}"
        if protocol.checksum(data_set, replicate) is None:
            raise ValueError(f"{where} is not allowed, {protocol.report} has no such replicate of {data_set}")
        tested = protocol.tested(data_set, int(replicate))
        probabilities = _probabilities(where, rows, tested)
        yield Predicted(str(of_experiment), str(method), data_set, int(replicate), int(fit_seed), probabilities)


def _table(file: Path) -> "pd.DataFrame":
    """The columns that are read, in their types."""
    try:
        names = pq.read_schema(file).names
        if lacking := [name for name in COLUMNS if name not in names]:
            raise ValueError(f"column {listed(lacking)} is missing")
        table = pq.read_table(file, columns=[n for n in (*COLUMNS, *OPTIONAL) if n in names], partitioning=None)
        typed = table.cast(pa.schema([pa.field(name, TYPES[name]) for name in table.column_names]))
    except (ValueError, OSError, pa.ArrowException) as error:
        raise ValueError(f"{file}: {error}") from error
    if lacking := [name for name in typed.column_names if typed[name].null_count]:
        raise ValueError(f"{file}: column {listed(lacking)} has missing values")
    return typed.to_pandas().assign(**{k: v for k, v in OPTIONAL.items() if k not in names})


def _probabilities(where: str, table: "pd.DataFrame", tested: Tested) -> np.ndarray:
    """Probabilities of all classes for all test rows, shape (m, K)."""
    if unknown := sorted(set(table["class"]) - set(tested.class_names)):
        raise ValueError(f"{where}: class {unknown[0]!r} is not allowed, allowed are {listed(tested.class_names)}")
    if strange := sorted(set(table["row"]) - set(tested.rows.tolist())):
        raise ValueError(f"{where}: row {strange[0]} is not in the test part, which has {len(tested.rows)} rows")
    if len(absent := np.setdiff1d(tested.rows, table["row"])):
        number = f"{len(absent)} of the {len(tested.rows)} test rows"
        raise ValueError(f"{where}: {number} are missing, the first is row {absent[0]}")
    if (twice := table.duplicated(["row", "class"])).any():
        row = table["row"].to_numpy()[twice.to_numpy().argmax()]
        raise ValueError(f"{where}: row {row} has two probabilities of one class, or two methods have one name")
    wide = table.pivot(index="row", columns="class", values="probability")
    probabilities = wide.reindex(index=tested.rows, columns=tested.class_names).to_numpy()
    is_wrong = ~((probabilities >= 0) & (probabilities <= 1)).all(axis=1)
    if is_wrong.any():
        row = tested.rows[int(np.argmax(is_wrong))]
        raise ValueError(
            f"{where}: row {row} needs a probability from 0 to 1 of each class, {listed(tested.class_names)}"
        )
    sums = probabilities.sum(axis=1)
    if len(far := np.flatnonzero(np.abs(sums - 1) > MAX_DEVIATION)):
        raise ValueError(
            f"{where}: the probabilities of row {tested.rows[far[0]]} sum to {sums[far[0]]:.6g}, must be 1"
        )
    return probabilities


def scored(predicted: Predicted, protocol: Protocol) -> Iterator[Row]:
    """The numbers of predictions, as the results of a report have them."""
    tested = protocol.tested(predicted.data_set, predicted.replicate)
    names: Case = (predicted.replicate, predicted.experiment, predicted.method, predicted.data_set, "")
    yield Row(*names, "data", "train_samples", tested.n_train)
    yield Row(*names, "data", "test_samples", int((tested.weight > 0).sum()))
    for quantity, value in score_predictions(predicted.probabilities, tested.y, tested.weight).items():
        yield Row(*names, FINAL, quantity, value, fit_seed=predicted.fit_seed)


def are_probabilities(found: Iterable[Predicted]) -> bool:
    """Whether there is more than 0 and 1, by which methods say a label."""
    return any(((one.probabilities > 0) & (one.probabilities < 1)).any() for one in found)


def write_standing_of(predictions: Path, report: Path, output: Path, experiment: str, scratch: Path) -> None:
    """Where the method of some predictions stands among those of a report, in the files of `write_standing`."""
    protocol = Protocol(report, scratch)
    found = _of_one_method(predictions, protocol, experiment)
    rows = [row for one in found for row in scored(one, protocol)]
    write_differences(output, differences(protocol.study, rows, report, are_probabilities(found)), report, GIVEN)


def write_store_of(predictions: Path, report: Path, output: Path, name: str, experiment: str, scratch: Path) -> None:
    """Write a store of the predictions of one method, as an experiment of this name, which `merge` takes."""
    protocol = Protocol(report, scratch)
    found = _of_one_method(predictions, protocol, experiment)
    data: dict[str, dict[str, str]] = {}
    for one in found:
        data.setdefault(one.data_set, {})[str(one.replicate)] = str(protocol.checksum(one.data_set, one.replicate))
    settings = {name: fingerprint("elsewhere", name, found[0].method)}
    with new_store(output, settings, data) as add:
        for data_set in data:
            fits = {}
            for one in (one for one in found if one.data_set == data_set):
                tested = protocol.tested(data_set, one.replicate)
                sample = (tested.rows, tested.y, tested.weight, tested.class_names)
                model = (data_set, one.replicate, name, "", one.fit_seed)
                fits[model] = fit_table(model, one.method, *sample, one.probabilities)
            add(data_set, fits)


def _of_one_method(predictions: Path, protocol: Protocol, experiment: str) -> list[Predicted]:
    """The predictions of a folder on all data sets; ValueError if there are several methods."""
    found = read_predictions(predictions, protocol, protocol.study.data_sets, experiment)
    if len(names := sorted({(one.experiment, one.method) for one in found})) > 1:
        several = listed([name or method for name, method in names])
        raise ValueError(f"{predictions}: there are several methods; name one of {several} by --experiment")
    return found
