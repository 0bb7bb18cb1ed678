"""All numbers of final models as tidy rows, CSV files of rows, and the commands that write them."""

import csv
import io
import lzma
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from proset.files import replacing
from proset_study import methods
from proset_study.base.records import damaged, is_number, read_json, read_text, write_text
from proset_study.data.dataset import DataSet
from proset_study.fits.final import read_predictions
from proset_study.store.metrics import score_predictions
from proset_study.study import layout

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
DIGITS = 12  # of a number in a CSV file: what comes after them may depend on the order of a sum
XZ, MAX_TEXT = ".xz", 2**26  # of compressed files: the suffix, and bytes that are unpacked
ROLES = ("optimal", "selected")  # of settings of a search; in files before the name of the quantity
FINAL, REFIT = "final", "refit_"  # section of final models; in files that of refits, before the fit seed
_CASE = ("replicate", "experiment", "method", "dataset", "variant")
_IN_OTHERS = ("role", "fit_seed")  # fields that are no columns: they are part of the quantity and of the section

T = TypeVar("T")
Case = tuple[int, str, str, str, str]  # replicate, experiment, method, data set, variant


@dataclass(frozen=True, slots=True)
class Row:
    """One number of a final model, or of the searches that led to it.

    `section` is "data", "stage1", "stage2" or "cv" (of methods with one stage), or `FINAL`. `value` is None where a
    parameter was not searched. `role` is one of `ROLES` for numbers of that setting of a search.
    """

    replicate: int
    experiment: str
    method: str
    dataset: str
    variant: str
    section: str
    quantity: str
    value: float | None
    role: str = ""
    fit_seed: int = 0

    @property
    def case(self) -> Case:
        """The final model, whatever its fit seed."""
        return self.replicate, self.experiment, self.method, self.dataset, self.variant

    @property
    def key(self) -> tuple[str, str, str, str, str, str, str]:
        """The number, whatever the replicate and fit seed."""
        return self.experiment, self.method, self.dataset, self.variant, self.section, self.role, self.quantity

    @property
    def number(self) -> float:
        """The value; ValueError if there is none."""
        if self.value is None:
            raise ValueError(f"{self.name} of {self.experiment} on {self.dataset} has no value")
        return self.value

    @property
    def name(self) -> str:
        """Role and quantity, as files and claims have it."""
        return with_role(self.quantity, self.role)


def with_role(quantity: str, role: str) -> str:
    """The name of a quantity in files."""
    return f"{role}_{quantity}" if role else quantity


def case_rows(folder: Path, case: dict) -> list[Row]:
    """Rows of one of `Study.cases`; `folder` is results/<study>."""
    method = methods.get(case["method"])
    data_folder = folder / f"replicate_{case['replicate']}" / case["dataset"]
    run_folder = data_folder / case["run"]
    data = DataSet.load(layout.file_in(data_folder, layout.DATA))
    selected = read_json(layout.file_in(run_folder, layout.COMPLEXITY))
    fitted = read_json(layout.file_in(run_folder, layout.FIT))
    parameters = read_json(layout.file_in(run_folder, layout.PARAMETERS)) if case["stage1_run"] else None
    y, weight, probabilities = read_predictions(layout.file_in(run_folder, layout.PREDICTIONS), fitted)
    names = (case["replicate"], case["experiment"], case["method"], case["dataset"], case["variant"])
    sizes = {
        "classes": len(data.class_names),
        "features": data.n_features,
        "samples": len(data.y),
        "train_samples": fitted["n_fit"],
        "test_samples": int((weight > 0).sum()),  # as many as count, as with those to fit on
        "candidates": (parameters or selected)["candidates"],
    }
    rows = [Row(*names, "data", quantity, value) for quantity, value in sizes.items() if value is not None]
    if parameters is not None:
        not_searched = method.fixed(data.n_features)
        for name in method.parameters:  # in the published order
            if name in parameters["parameters"]:
                for role in _roles(parameters):
                    value = None if name in not_searched else parameters["settings"][parameters[role]][name]
                    rows.append(Row(*names, "stage1", name, value, role))
        rows += _losses(names, "stage1", parameters)
    is_one_stage = method.one_stage or not method.parameters
    section = "cv" if is_one_stage else "stage2"  # the published names
    if len(selected["settings"]) > 1:  # else there is no path
        for role in _roles(selected):
            rows.append(Row(*names, section, method.complexity, selected["settings"][selected[role]], role))
    rows += _losses(names, section, selected)
    for fit, predicted in zip((fitted, *fitted.get("refits", ())), probabilities, strict=True):
        numbers = {quantity: fit["summary"][quantity] for quantity in method.quantities}
        numbers |= score_predictions(predicted, y, weight, method.quantities)
        seed = fit.get("fit_seed", 0)
        rows += [Row(*names, FINAL, quantity, value, fit_seed=seed) for quantity, value in numbers.items()]
    return rows


def _roles(selection):
    return ROLES[:1] if selection["rule"] == "best" else ROLES


def _losses(names: Case, section: str, selection: dict) -> list[Row]:
    optimal, *others = (
        Row(*names, section, selection["criterion"], selection["mean"][selection[role]], role)
        for role in _roles(selection)
    )
    return [optimal, Row(*names, section, "threshold", selection["threshold"]), *others]


def by_fit_seed(rows: Iterable[Row]) -> Iterator[tuple[Row, list[float]]]:
    """Rows of the first fit seed, each with its value for every fit seed; those of a final model follow each other."""
    case, number = attrgetter(*_CASE), attrgetter("section", "role", "quantity")  # many times as fast as `Row.case`
    for _, of_case in groupby(rows, key=case):
        groups: dict[tuple, tuple[Row, list]] = {}
        for row in of_case:
            key = number(row)
            if key in groups:
                groups[key][1].append(row.value)
            else:
                groups[key] = (row, [row.value])
        yield from groups.values()


def write_rows(path: str | Path, rows: Iterable[Any], columns: type | tuple[str, ...]) -> None:
    """Write a CSV file, compressed if its name says so, of dataclasses of a type or of dicts with these keys."""
    if isinstance(columns, type):
        names = tuple(field.name for field in fields(columns) if field.name not in _IN_OTHERS)
        write_lines(path, names, ([_cell(row, name) for name in names] for row in rows))
    else:
        write_lines(path, columns, ([row.get(column) for column in columns] for row in rows))


def _cell(row, name):
    value = getattr(row, name)
    if name == "quantity" and (role := getattr(row, "role", "")):
        return with_role(value, role)
    if name == "section" and (seed := getattr(row, "fit_seed", 0)):
        return f"{REFIT}{seed}"
    return value


def write_lines(path: str | Path, columns: Iterable[str], lines: Iterable[Iterable[Any]]) -> None:
    """Write a CSV file, as `write_rows` does."""
    text, path = io.StringIO(), Path(path)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(as_cell, line) for line in lines)
    if path.suffix != XZ:
        write_text(path, text.getvalue())
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(lzma.compress(text.getvalue().encode("utf-8")))


def as_cell(value: object) -> object:
    """A value as it is put into a cell; text that a spreadsheet would take for a formula is put behind a "'"."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, str) and value.startswith(FORMULA_STARTS) and not is_number(value):
        return f"'{value}"
    return value


def read_rows(path: str | Path, kind: type[T], **known: Any) -> list[T]:
    """Rows of a CSV file as dataclasses; columns that are no fields are left out, other fields are `known`."""
    return rows_of(read_csv(path), kind, **known)


def rows_of(text: str, kind: type[T], **known: Any) -> list[T]:
    """The same from the text of the file."""
    hints = get_type_hints(kind)
    parse = {name: _PARSE[hint] for name, hint in hints.items() if name not in (*_IN_OTHERS, *known)}
    rows = []
    for cells in csv.DictReader(io.StringIO(text)):
        values = {**known, **{name: to(cells[name]) for name, to in parse.items()}}
        section, quantity = values.get("section", ""), values.get("quantity", "")
        if section.startswith(REFIT):
            values |= {"section": FINAL, "fit_seed": int(section.removeprefix(REFIT))}
        if (role := quantity.partition("_")[0]) in ROLES:
            values |= {"quantity": quantity.removeprefix(f"{role}_"), "role": role}
        rows.append(kind(**values))
    return rows


_PARSE: dict[Any, Callable[[str], Any]] = {
    str: str,
    int: lambda text: int(float(text)),
    int | None: lambda text: int(float(text)) if text else None,
    float: float,
    float | None: lambda text: float(text) if text else None,
}


@cache  # every table needs them
def read_published(path: str | Path) -> tuple[Row, ...]:
    """The published numbers, which have no replicate, as if they were those of replicate 0."""
    return tuple(read_rows(path, Row, replicate=0))


def read_csv(path: str | Path) -> str:
    """The text of a CSV file, which may be compressed; ValueError if it is damaged."""
    path = Path(path)
    if path.suffix != XZ:
        return read_text(path)
    try:
        return text_of(path.name, path.read_bytes())
    except ValueError as error:
        raise damaged(path, error) from error


def text_of(name: str, content: bytes) -> str:
    """The text of a file, compressed if its name says so; ValueError if it is damaged or larger than `MAX_TEXT`."""
    if not name.endswith(XZ):
        return content.decode("utf-8")
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=2 * MAX_TEXT)
    try:
        text = decompressor.decompress(content, MAX_TEXT)
    except lzma.LZMAError as error:
        raise ValueError(error) from error
    if decompressor.unused_data:
        raise ValueError("there is something behind its end")
    if not decompressor.eof:
        more = len(text) == MAX_TEXT
        raise ValueError(f"it has more than {MAX_TEXT:,} bytes" if more else "its end is missing")
    return text.decode("utf-8")
