"""The CSV files in evaluation/: scores per class of every final model, and a table of each kind of evaluation."""

from pathlib import Path

from proset_study.fits.evaluations import KINDS
from proset_study.report import evaluations
from proset_study.report.analysis.class_scores import COUNTS, SCORES, class_scores, confusion
from proset_study.report.evaluations.base import NAMES, names_of
from proset_study.store.results import write_rows
from proset_study.store.stored import Final, Stored
from proset_study.study import layout

CLASS_COLUMNS = (*NAMES, "class", *COUNTS, *SCORES)
CONFUSION_COLUMNS = (*NAMES, "true", "predicted", "samples")


def class_rows(finals: list[Final]) -> list[dict]:
    """Scores of each class against the rest on the test part, with `CLASS_COLUMNS` as keys; undefined ones are None."""
    rows = []
    for final in finals:
        scores = class_scores(final.probabilities, final.y, final.weight)
        for name, row in zip(final.data.class_names.tolist(), scores, strict=True):
            counts = {count: _whole(row[count]) for count in COUNTS}
            rows.append({**names_of(final), "class": name, **row, **counts})
    return rows


def confusion_rows(finals: list[Final]) -> list[dict]:
    """Test samples (their weight) by true and most probable class; rows have `CONFUSION_COLUMNS` as keys."""
    return [
        {**names_of(final), "true": true, "predicted": predicted, "samples": _whole(number)}
        for final in finals
        for true, numbers in zip(final.data.class_names.tolist(), confusion_of(final), strict=True)
        for predicted, number in zip(final.data.class_names.tolist(), numbers, strict=True)
    ]


def confusion_of(final: Final) -> list[list[float]]:
    """Confusion matrix of the test part, whole numbers unless samples have weights."""
    return [[_whole(n) for n in row] for row in confusion(final.probabilities, final.y, final.weight).tolist()]


def evaluation_tables(stored: Stored) -> dict[str, tuple[tuple[str, ...], list[dict]]]:
    """Columns and rows of every table by its name; without rows for what the config does not ask for.

    Of a large study there are no scores of classes; they follow from the stored predictions.
    """
    replicates = stored.study.config["replicates"]  # further ones would only make the files large
    everything = [] if stored.study.is_large else [f for f in stored.all_finals() if f.replicate in replicates]
    tables = {
        "class_scores": (CLASS_COLUMNS, class_rows(everything)),
        "confusion": (CONFUSION_COLUMNS, confusion_rows(everything)),
    }
    for kind in KINDS:
        shown = evaluations.get(kind)
        finals = [f for f in stored.evaluated(kind) if f.replicate in stored.searched or not shown.reads_searches]
        tables[kind] = (shown.columns, shown.rows(finals))
    return tables


def write_evaluation(folder: Path, stored: Stored) -> None:
    """Write the tables that have rows, as CSV, into the folder of a report."""
    (folder / layout.EVALUATIONS).mkdir(parents=True, exist_ok=True)
    for name, (columns, rows) in evaluation_tables(stored).items():
        if rows:
            write_rows(folder / layout.evaluation_file(name), rows, columns)


def _whole(number):
    return int(number) if number == int(number) else number
