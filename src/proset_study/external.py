"""A method that is a program: of another Python, of R, or of any language that reads tables.

For each fit the program is called with a folder as its last argument. In it are

- `train`: the rows to fit, features `x1`, `x2`, ... and their class `y`, 0, 1, ...; `weight` if the data have weights
- `test`: the rows to predict, features only
- `settings.json`: `parameters`, `n_classes` and `seed`

and it leaves there `predictions`, a column for the probability of each class, a row for each one of `test`. Tables are
Parquet, Arrow or CSV, as the method says.
"""

import inspect
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import ClassVar

import numpy as np

from proset_study.data.splits import FoldData
from proset_study.methods.base import Fitted, FittedModel, Method

FORMATS = {"parquet": "pyarrow.parquet", "arrow": "pyarrow.feather", "csv": "numpy"}  # what reads and writes them
MAX_DEVIATION = 1e-3  # of the sum of probabilities from 1: a table of text may have few digits
LAST = 5  # lines of a program that failed, which the message has


@dataclass(frozen=True)
class FittedCommand(FittedModel):
    """What a program is called with: it fits again for all rows but those that `fit` had predicted at once.

    A model has no file of the program, because to read one can mean to run what is in it.
    """

    method: type["CommandMethod"]
    X: np.ndarray  # (n, D)
    y: np.ndarray  # (n,)
    weight: np.ndarray  # (n,), or empty
    settings: str  # JSON
    X_score: np.ndarray | None = None  # (m, D)
    predicted: np.ndarray | None = None  # (m, K)

    def staged_predict_proba(self, X):
        yield self.predicted if X is self.X_score and self.predicted is not None else self.called(X)

    def staged_summary(self):
        return {"active_features": [self.X.shape[1]]}

    def arrays(self):
        return {"X": self.X, "y": self.y, "weight": self.weight, "settings": np.array(self.settings)}

    def called(self, X: np.ndarray) -> np.ndarray:
        """What the program predicts of rows, shape (N, K); ValueError if it fails."""
        train = _columns(self.X) | {"y": self.y} | ({"weight": self.weight} if len(self.weight) else {})
        kind, shape = self.method.tables, (len(X), json.loads(self.settings)["n_classes"])
        with tempfile.TemporaryDirectory(prefix="proset-study-") as name:
            folder = Path(name)
            _write(folder / f"train.{kind}", train)
            _write(folder / f"test.{kind}", _columns(X))
            (folder / "settings.json").write_text(self.settings, encoding="utf-8")
            said = self.method.call(folder)
            try:
                predicted = _read(folder / f"predictions.{kind}")
            except (OSError, ValueError) as error:
                raise ValueError(f"{said}, its predictions.{kind} cannot be read: {error}") from error
        if predicted.shape != shape or not np.isfinite(predicted).all():
            values = "" if np.isfinite(predicted).all() else " with values that are not finite"
            raise ValueError(f"{said}, its predictions.{kind} has the shape {predicted.shape}{values}, must be {shape}")
        wrong = (predicted < 0).any(axis=1) | (np.abs(predicted.sum(axis=1) - 1) > MAX_DEVIATION)
        if wrong.any():
            row = int(np.argmax(wrong))
            has = f"row {row + 1} of its predictions.{kind} has {predicted[row].tolist()}"
            raise ValueError(f"{said}, {has}, must be probabilities whose sum is 1")
        return predicted


class CommandMethod(Method):
    """A program on the data of one fold; see `methods.base.Method`.

    Attributes
    ----------
    command : tuple of str
        Program and arguments. Names of files next to the module of the method become whole paths, and a change of one
        of these files makes the results of the method stale.
    tables : {"parquet", "arrow", "csv"}
        The form of tables.
    """

    model: ClassVar[type[Fitted]] = FittedCommand
    weights = "none"
    command: ClassVar[tuple[str, ...]]
    tables: ClassVar[str] = "parquet"

    def __init__(self, data: FoldData):
        super().__init__(data)
        if self.tables not in FORMATS:
            raise ValueError(f"tables: {self.tables!r} is not allowed, allowed are {', '.join(FORMATS)}")
        import_module(FORMATS[self.tables])

    def fit(self, parameters, complexity, seed):
        data = self.data
        settings = {"parameters": parameters, "n_classes": int(data.n_classes)}
        settings["seed"] = int(seed.generate_state(1)[0] >> 1)  # R has no larger integers
        weight = np.empty(0) if data.weight is None else data.weight
        fitted = FittedCommand(type(self), data.X, data.y, weight, json.dumps(settings))
        return replace(fitted, X_score=data.X_score, predicted=fitted.called(data.X_score))

    @classmethod
    def load(cls, arrays):
        return FittedCommand(cls, arrays["X"], arrays["y"], arrays["weight"], arrays["settings"].item())

    @classmethod
    def call(cls, folder: Path) -> str:
        """Run the program on a folder of tables; its name, for messages. ValueError if it fails."""
        home = Path(inspect.getfile(cls)).absolute().parent
        words = [str(home / word) if (home / word).is_file() else word for word in cls.command]
        name = " ".join(cls.command)
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
        try:
            ended = subprocess.run(
                [*words, str(folder)], env=environment, capture_output=True, text=True, errors="replace", check=False
            )
        except OSError as error:
            raise ValueError(f"{name} cannot be run: {error.strerror}") from error
        if ended.returncode:
            lines = [line.strip() for line in (ended.stderr or ended.stdout).splitlines() if line.strip()]
            last = " | ".join(lines[-LAST:]) or "it said nothing"
            raise ValueError(f"{name} ended with status {ended.returncode}: {last}")
        return name


def _columns(X: np.ndarray) -> dict[str, np.ndarray]:
    return {f"x{number}": column for number, column in enumerate(X.T, start=1)}


def _write(path: Path, columns: dict[str, np.ndarray]) -> None:
    if path.suffix == ".csv":
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        lines = [",".join(columns), *(",".join(map(repr, row)) for row in rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return
    import pyarrow

    table = pyarrow.table({name: np.ascontiguousarray(column) for name, column in columns.items()})
    if path.suffix == ".arrow":
        import_module("pyarrow.feather").write_feather(table, str(path), compression="uncompressed")
    else:
        import_module("pyarrow.parquet").write_table(table, path)


def _read(path: Path) -> np.ndarray:
    if path.suffix == ".csv":
        return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    if path.suffix == ".arrow":
        table = import_module("pyarrow.feather").read_table(str(path))
    else:
        table = import_module("pyarrow.parquet").read_table(path)
    return np.column_stack([np.asarray(column, dtype=float) for column in table.columns])
