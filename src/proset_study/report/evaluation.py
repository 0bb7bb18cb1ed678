"""Scores per class of every final model, and the tables of learning curves, bootstrap, bias and variance."""

from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from proset_study.fits.bootstrap import LOSSES
from proset_study.report.class_scores import COUNTS, SCORES, class_scores, confusion
from proset_study.scores import error_rate
from proset_study.store.results import write_rows
from proset_study.store.stored import Final, Stored

NAMES = ("replicate", "experiment", "method", "dataset", "variant")
CLASS_COLUMNS = (*NAMES, "class", *COUNTS, *SCORES)
CONFUSION_COLUMNS = (*NAMES, "true", "predicted", "samples")
CURVE_COLUMNS = (
    *(*NAMES, "fraction", "n_fit", "fits", "not_fitted"),
    *("log_loss", "log_loss_deviation", "error", "error_deviation"),
)
ESTIMATES = ("training", "leave_one_out", "standard_error", "no_information", "632", "632_plus")
BOOTSTRAP_COLUMNS = (
    *(*NAMES, "samples", "score", "cross_validation", "cross_validation_standard_error"),
    *(*ESTIMATES, "test"),
)
PARTS = ("brier", "brier_deviation", "noise", "bias2", "variance", "error", "error_deviation")
VARIANCE_COLUMNS = (*NAMES, "n_fit", "draws", "n_scored", *PARTS)


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


def curve_rows(finals: list[Final]) -> list[dict]:
    """Mean and standard deviation of the test scores over the draws of each size, with `CURVE_COLUMNS` as keys."""
    rows = []
    for final in finals:
        points = final.evaluation("learning_curve")["points"]
        for fraction in dict.fromkeys(point["fraction"] for point in points):
            drawn = [point for point in points if point["fraction"] == fraction]
            fitted = [point for point in drawn if "not_fitted" not in point]
            row = {**names_of(final), "fraction": fraction, "n_fit": drawn[0]["n_fit"]}
            row |= {"fits": len(fitted), "not_fitted": len(drawn) - len(fitted)}
            for score in LOSSES:
                values = [point[score] for point in fitted]
                row[score] = fmean(values) if values else None
                row[f"{score}_deviation"] = stdev(values) if len(values) > 1 else None
            rows.append(row)
    return rows


def bootstrap_rows(finals: list[Final]) -> list[dict]:
    """Estimates of the loss of the chosen model beside its test loss, with `BOOTSTRAP_COLUMNS` as keys."""
    rows = []
    for final in finals:
        record, chosen = final.evaluation("bootstrap"), final.stage2["selected"]
        test = {
            "log_loss": final.scores["log_loss"],
            "error": error_rate(final.probabilities, final.y, final.weight),
        }
        for score in LOSSES:
            folds = [path[score][chosen] for path in final.paths]
            row = {**names_of(final), "samples": record["samples"], "score": score, **record[score]}
            row["cross_validation"] = fmean(folds)
            row["cross_validation_standard_error"] = stdev(folds) / sqrt(len(folds))
            rows.append({**row, "test": test[score]})
    return rows


def variance_rows(finals: list[Final]) -> list[dict]:
    """Parts of the Brier score, with `VARIANCE_COLUMNS` as keys."""
    return [
        {**names_of(final), **{key: final.evaluation("bias_variance")[key] for key in VARIANCE_COLUMNS[len(NAMES) :]}}
        for final in finals
    ]


def evaluation_tables(stored: Stored) -> dict[str, tuple[tuple[str, ...], list[dict]]]:
    """Columns and rows of every table by its name; without rows for what the config does not ask for."""
    replicates = stored.study.config["replicates"]  # further ones would only make the files large
    bootstrap = [final for final in stored.evaluated("bootstrap") if final.replicate in stored.searched]
    everything = [final for final in stored.all_finals() if final.replicate in replicates]
    return {
        "class_scores": (CLASS_COLUMNS, class_rows(everything)),
        "confusion": (CONFUSION_COLUMNS, confusion_rows(everything)),
        "learning_curve": (CURVE_COLUMNS, curve_rows(stored.evaluated("learning_curve"))),
        "bootstrap": (BOOTSTRAP_COLUMNS, bootstrap_rows(bootstrap)),
        "bias_variance": (VARIANCE_COLUMNS, variance_rows(stored.evaluated("bias_variance"))),
    }


def write_evaluation(folder: Path, stored: Stored) -> None:
    """Write the tables that have rows, as CSV."""
    for name, (columns, rows) in evaluation_tables(stored).items():
        if rows:
            write_rows(folder / f"{name}.csv", rows, columns)


def names_of(final: Final) -> dict:
    """What a row begins with."""
    values = (final.replicate, final.run.experiment, final.run.method, final.data_set, final.run.variant)
    return dict(zip(NAMES, values, strict=True))


def _whole(number):
    return int(number) if number == int(number) else number
