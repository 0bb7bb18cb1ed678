"""What final models cost, in seconds and in units that survive a change of machine."""

from dataclasses import dataclass

from proset_study import methods
from proset_study.store.stored import Stored


@dataclass(frozen=True)
class Cost:
    """What a final model and its predictions cost."""

    replicate: int
    experiment: str
    dataset: str
    variant: str
    method: str
    fit_cpu_s: float
    score_cpu_s: float
    matrix_products: float
    kernel_entries: int | None
    multiply_adds: int | None


def seconds_of(record: dict) -> float:
    """CPU time of a fit and of scoring it."""
    return record["resources"]["fit_cpu_s"] + record["resources"]["score_cpu_s"]


def matrix_products(record: dict) -> float:
    """The same as a multiple of one matrix product that was timed next to it."""
    return 1000 * seconds_of(record) / record["resources"]["matrix_product_ms"]


def operations(record: dict) -> tuple[int, int] | tuple[None, None]:
    """Kernel entries and multiply-adds of a fit and its scoring, at most, as far as the method knows them."""
    return methods.get(record["method"]).operations(record) or (None, None)


def costs(stored: Stored) -> list[Cost]:
    """Costs of every final model and its predictions."""
    rows = []
    for final in stored.one_by_one():
        record, run = final.fit, final.run
        seconds = (record["resources"]["fit_cpu_s"], record["resources"]["score_cpu_s"])
        names = (final.replicate, run.experiment, final.data_set, run.variant, run.method)
        rows.append(Cost(*names, *seconds, matrix_products(record), *operations(record)))
    return rows
