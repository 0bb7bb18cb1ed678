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
    """The table and the figure of a kind of evaluation.

    Attributes
    ----------
    columns : tuple of str
    rows : callable
        From evaluated final models to rows with these columns as keys.
    title, text : str
        Of the table on a page.
    cells : dict of str to callable
        Heading of a column of that table to what a row has there.
    figure : callable
        From evaluated final models of the first replicate to a `ReportFigure`.
    by_data_set : bool
        Whether each data set has a figure of its own; else there is one over all of them.
    reads_searches : bool
        Whether the rows need records of searches, which not every replicate of a report has.
    condensed : callable
        From rows to those of the table on a page, if there are too many of them.
    sentences : callable
        From rows to what they say, in words.
    """

    columns: tuple[str, ...]
    rows: Callable[[list[Final]], list[dict]]
    title: str
    text: str
    cells: dict[str, Callable[[dict], str]]
    figure: Callable[[list[Final]], ReportFigure]
    by_data_set: bool = False
    reads_searches: bool = False
    condensed: Callable[[list[dict]], list[dict]] = list
    sentences: Callable[[list[dict]], list[str]] = lambda rows: []


def number(key: str, digits: int = 3) -> Callable[[dict], str]:
    """The cell of a number; empty if there is none."""
    return lambda row: "" if row[key] is None else f"{row[key]:.{digits}f}"


def model_name(row: dict) -> str:
    """The cell of a final model."""
    return f"{row['experiment']} {row['variant']}".strip() + f", {method_name(row['method'])}"


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
