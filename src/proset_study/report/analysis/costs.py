"""What final models cost, in seconds and in units that survive a change of machine."""

from pathlib import Path

from proset_study import methods
from proset_study.store.results import write_rows
from proset_study.store.stored import Stored

COLUMNS = (
    *("replicate", "experiment", "dataset", "variant", "method", "fit_cpu_s", "score_cpu_s", "matrix_products"),
    *("kernel_entries", "multiply_adds"),
)


def seconds_of(record: dict) -> float:
    """CPU time of a fit and of scoring it."""
    return record["resources"]["fit_cpu_s"] + record["resources"]["score_cpu_s"]


def matrix_products(record: dict) -> float | None:
    """The same as a multiple of one matrix product that was timed next to it; None in records of former versions."""
    unit = record["resources"].get("matrix_product_ms")
    return None if unit is None else 1000 * seconds_of(record) / unit


def operations(record: dict) -> tuple[int, int] | tuple[None, None]:
    """Kernel entries and multiply-adds of a fit and its scoring, at most, as far as the method knows them."""
    counted = methods.get(record["method"]).operations(record) if "n_features" in record else None
    return counted or (None, None)


def costs(stored: Stored) -> list[dict]:
    """Of every final model and its predictions; with `COLUMNS` as keys."""
    rows = []
    for final in stored.all_finals():
        record, names = final.fit, (final.replicate, final.run.experiment, final.data_set, final.run.variant)
        seconds = (record["resources"]["fit_cpu_s"], record["resources"]["score_cpu_s"])
        values = (*names, final.run.method, *seconds, matrix_products(record), *operations(record))
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def write_costs(path: Path, stored: Stored) -> None:
    """Write `costs` as CSV."""
    write_rows(path, costs(stored), COLUMNS)
