"""All numbers of final models as tidy rows, named as in the published tables."""

import csv
import io
import lzma
from collections.abc import Iterable
from pathlib import Path

from proset.files import replacing
from proset.losses import error_rate
from proset_study import methods
from proset_study.base.records import damaged, is_number, read_json, read_text, write_text
from proset_study.base.scores import score_predictions
from proset_study.data.dataset import DataSet
from proset_study.fits.final import read_predictions
from proset_study.study import layout

LAST_QUANTITY = "balanced_accuracy"  # of every final model
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
DIGITS = 12  # of a number in a CSV file: what comes after them may depend on the order of a sum
XZ, MAX_TEXT = ".xz", 2**26  # of compressed files: the suffix, and bytes that are unpacked
REFIT = "refit_"  # begins the section of a final model with another fit seed, whose number comes after it
COLUMNS = ("replicate", "experiment", "method", "dataset", "variant", "section", "quantity", "value")


def case_rows(folder: Path, case: dict) -> list[dict]:
    """Rows of one final model and the searches that led to it.

    Parameters
    ----------
    folder : Path
        results/<study>.
    case : dict
        "replicate", "experiment", "method", "dataset", "variant", "run" and "stage1_run" (None without a stage 1).

    Returns
    -------
    list of dict
        With `COLUMNS` as keys; a value is None where a parameter was not searched for data with so few features.
    """
    method = methods.get(case["method"])
    data_folder = folder / f"replicate_{case['replicate']}" / case["dataset"]
    run_folder = data_folder / case["run"]
    data = DataSet.load(layout.file_in(data_folder, layout.DATA))
    selected = read_json(layout.file_in(run_folder, layout.COMPLEXITY))
    fitted = read_json(layout.file_in(run_folder, layout.FIT))
    parameters = read_json(layout.file_in(run_folder, layout.PARAMETERS)) if case["stage1_run"] else None
    y, weight, probabilities = read_predictions(layout.file_in(run_folder, layout.PREDICTIONS), fitted)

    numbers: list[tuple[str, str, float | None]] = [
        ("data", "classes", len(data.class_names)),
        ("data", "features", data.n_features),
        ("data", "samples", len(data.y)),
        ("data", "train_samples", fitted["n_fit"]),
        ("data", "test_samples", fitted["n_scored"]),
    ]
    candidates = (parameters or selected)["candidates"]
    if candidates is not None:
        numbers.append(("data", "candidates", candidates))
    if parameters is not None:
        not_searched = method.fixed(data.n_features)
        for name in method.parameters:  # in the published order
            if name in parameters["parameters"]:
                for role in _roles(parameters):
                    value = None if name in not_searched else parameters["settings"][parameters[role]][name]
                    numbers.append(("stage1", f"{role}_{name}", value))
        numbers += _losses("stage1", parameters)
    is_one_stage = method.one_stage or not method.parameters
    section = "cv" if is_one_stage else "stage2"  # the published names
    if len(selected["settings"]) > 1:  # else there is no path
        numbers += [
            (section, f"{role}_{method.complexity}", selected["settings"][selected[role]]) for role in _roles(selected)
        ]
    numbers += _losses(section, selected)
    for fit, predicted in zip((fitted, *fitted.get("refits", ())), probabilities, strict=True):
        part = f"{REFIT}{fit['fit_seed']}" if "fit_seed" in fit else "final"
        numbers += [(part, quantity, fit["summary"][quantity]) for quantity in method.quantities]
        if "prototypes" in method.quantities:
            numbers.append((part, "error", error_rate(predicted, y, weight)))
        numbers += [(part, name, value) for name, value in score_predictions(predicted, y, weight).items()]
    names = {key: case[key] for key in COLUMNS[:5]}
    return [{**names, "section": s, "quantity": q, "value": value} for s, q, value in numbers]


def _roles(selection):
    return ("optimal",) if selection["rule"] == "best" else ("optimal", "selected")


def _losses(section, selection):
    rows = [
        (section, f"optimal_{selection['criterion']}", selection["mean"][selection["optimal"]]),
        (section, "threshold", selection["threshold"]),
    ]
    if selection["rule"] != "best":
        rows.append((section, f"selected_{selection['criterion']}", selection["mean"][selection["selected"]]))
    return rows


def by_fit_seed(rows: Iterable[dict]) -> list[tuple[dict, list]]:
    """Rows without those of refits, each with its value for every fit seed; that of the row is the first one."""
    found: dict[tuple, tuple[dict, list]] = {}
    for row in rows:
        section = "final" if row["section"].startswith(REFIT) else row["section"]
        _, values = found.setdefault((*(row[key] for key in COLUMNS[:5]), section, row["quantity"]), (row, []))
        values.append(row["value"])
    return list(found.values())


def write_rows(path: str | Path, rows: list[dict], columns: tuple[str, ...] = COLUMNS) -> None:
    """Write rows as CSV, compressed if its name says so: numbers with `DIGITS` digits, text as `as_cell` gives it."""
    text, path = io.StringIO(), Path(path)
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({column: as_cell(value) for column, value in row.items()} for row in rows)
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


def read_rows(path: str | Path) -> list[dict]:
    """Read rows that `write_rows` wrote, or the published ones; values become numbers, empty ones None."""
    return rows_of(read_csv(path))


def rows_of(text: str) -> list[dict]:
    """The same from the text of the file."""
    rows = csv.DictReader(io.StringIO(text))
    return [{**row, "value": float(row["value"]) if row["value"] else None} for row in rows]


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


def read_scores(path: str | Path) -> list[dict]:
    """Read what `case_rows` gave of some final models; ValueError if the rows of one of them do not go to the end."""
    rows = read_rows(path)
    last = {tuple(row[key] for key in COLUMNS[:5]): row["quantity"] for row in rows}
    if set(last.values()) != {LAST_QUANTITY}:
        raise damaged(path, "rows are missing")
    return rows
