"""What the report asks of a kind of evaluation, and what several kinds have in common."""

from collections.abc import Callable
from dataclasses import dataclass

from proset.plot.style import plain
from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.figures.style import ReportFigure
from proset_study.store.stored import Final, Missing

NAMES = ("replicate", "experiment", "method", "dataset", "variant")
SCORES = {"log_loss": "log-loss (nats)", "error": "error rate"}


@dataclass(frozen=True)
class EvaluationReport:
    """The table and the figure of a kind of evaluation."""

    category: str  # of the figure
    columns: tuple[str, ...]
    rows: Callable[[list[Final]], list[dict]]  # of evaluated final models, with these columns as keys
    title: str  # of the table on a page
    text: str  # below that title
    cells: dict[str, Callable[[dict], str]]  # heading of a column of the table on a page: its cell of a row
    figure: Callable[[list[Final]], ReportFigure]  # of the evaluated final models of the first replicate
    by_data_set: bool = False  # whether each data set has a figure of its own, else one shows all of them
    reads_searches: bool = False  # whether rows need records of searches, which not every replicate of a report has
    condensed: Callable[[list[dict]], list[dict]] = list  # rows of the table on a page, if there are too many
    sentences: Callable[[list[dict]], list[str]] = lambda rows: []  # what the rows say in words


def number(key: str, digits: int = 3) -> Callable[[dict], str]:
    """The cell of a number; empty if there is none."""
    return lambda row: "" if row[key] is None else f"{row[key]:.{digits}f}"


def model_name(row: dict) -> str:
    """The cell of a final model."""
    return f"{row['experiment']} {row['variant']}".strip() + f", {method_name(row['method'])}"


MODEL = {"data set": lambda row: row["dataset"], "experiment": model_name}  # the first cells of most tables


def names_of(final: Final) -> dict:
    """What a row begins with: `NAMES`."""
    values = (final.replicate, final.run.experiment, final.run.method, final.data_set, final.run.variant)
    return dict(zip(NAMES, values, strict=True))


def record_of(final: Final, kind: str) -> dict:
    """The record of an evaluation; `Missing` if there is none."""
    if (record := final.evaluation(kind)) is None:
        raise Missing(f"{kind} of {final.label} on {final.data_set}")
    return record


def has_score(method: str, score: str) -> bool:
    """Whether a method has a score of `SCORES`: those that only predict labels have no log-loss worth a look."""
    return score != "log_loss" or methods.get(method).probabilistic


def short_name(row: dict) -> str:
    """Data set, method and experiment of a row, for an axis."""
    label = f"{row['experiment']} {row['variant']}".strip()
    named = "" if label == row["method"] else f" ({label})"  # some experiments are named after their method
    return plain(f"{row['dataset']}, {method_name(row['method'])}{named}", 48)
