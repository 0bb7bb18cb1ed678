"""The final model: refit on the training part with the chosen parameters, predict the test part."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proset.archive import read_archive, write_archive
from proset_study import methods
from proset_study.base.records import Resources, check_place, damaged, place, read_table, write_text
from proset_study.data.dataset import DataSet
from proset_study.data.encoding import Encoder, Recoder
from proset_study.data.metrics import EUCLIDEAN
from proset_study.data.splits import TEST, FoldData, select_fold
from proset_study.fits.search import Case
from proset_study.methods.base import Fitted, Method

DIGITS = 7  # of a probability that are kept: float32, in which proset and XGBoost predict, has no more


def fit_final(
    data: DataSet, folds: np.ndarray, parameters: dict, complexity: int, case: Case, model_path: Path
) -> tuple[dict, np.ndarray, np.ndarray]:
    """Fit on the training part, save the model, predict the test part.

    Gives the record, the test rows of the data set, shape (m,), and their `rounded` probabilities, shape (m, K).
    """
    method = methods.get(case.method)
    fold_data = select_fold(data, folds, TEST, method.scaled, method.takes_mixed)
    parameters = {**parameters, **method.fixed(data.n_features)}
    fitted, result, probabilities = _fit(method, fold_data, parameters, complexity, case)
    record = {
        **case.names(),
        "parameters": parameters,
        "complexity": complexity,
        "n_fit": len(fold_data.y),
        "n_scored": len(fold_data.y_score),
        "n_features": fold_data.n_features,
        **({} if data.metric == EUCLIDEAN else {"metric": data.metric}),
        **result,
    }
    arrays = {**fitted.arrays(), "scaler_centre": fold_data.centre, "scaler_scale": fold_data.scale}
    if fold_data.encoder is not None:
        arrays |= fold_data.encoder.arrays()
    header = {"content": "final model", "place": place(model_path), **case.names(), "parameters": parameters}
    header["metric"] = data.metric
    write_archive(model_path, header, arrays)
    return record, fold_data.rows_score, probabilities


def refit_final(
    data: DataSet, folds: np.ndarray, final: dict, case: Case, fit_seeds: range
) -> tuple[list[dict], list[np.ndarray]]:
    """Fit a final model again with other seeds (0 is the model itself): records, probabilities of shape (m, K)."""
    method = methods.get(case.method)
    fold_data = select_fold(data, folds, TEST, method.scaled, method.takes_mixed)
    records, probabilities = [], []
    for fit_seed in fit_seeds:
        _, result, predicted = _fit(method, fold_data, final["parameters"], final["complexity"], case, fit_seed)
        records.append({"fit_seed": fit_seed, **result})
        probabilities.append(predicted)
    return records, probabilities


def _fit(
    method: type[Method], fold_data: FoldData, parameters: dict, complexity: int, case: Case, *fit_seed: int
) -> tuple[Fitted, dict, np.ndarray]:
    """A fit with what its record says of it, and its predictions of the test part."""
    method(fold_data)  # it imports the libraries, which is no part of a fit's time
    resources = Resources()
    with resources.measure("fit"):
        fitted = method(fold_data).fit(parameters, complexity, case.fit_seed("final", *fit_seed))
    with resources.measure("score"):
        probabilities = fitted.predict_proba(fold_data.X_score)
    if not np.isfinite(probabilities).all():
        raise FloatingPointError(f"{case}: the final model predicts probabilities that are not finite")
    return fitted, {"summary": fitted.summary(), "resources": resources.record()}, rounded(probabilities)


def rounded(probabilities: np.ndarray) -> np.ndarray:
    """Probabilities with `DIGITS` significant digits, shape (m, K)."""
    return np.array([[float(f"{p:.{DIGITS}g}") for p in row] for row in probabilities.tolist()])


@dataclass(frozen=True)
class FinalModel:
    """A stored final model; it takes features in the units of the data set, or dissimilarities from the fitted rows."""

    fitted: Fitted
    centre: np.ndarray
    scale: np.ndarray
    encoder: Encoder | None = None
    metric: str = EUCLIDEAN

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities, shape (N, K), of rows as in `DataSet.X`, or of their dissimilarities."""
        return self.fitted.predict_proba(self.scaled(X))

    @property
    def is_mixed(self) -> bool:
        """Whether the model takes categories and missing values as they are."""
        return isinstance(self.encoder, Recoder)

    def encoded(self, X: np.ndarray) -> np.ndarray:
        """Features, shape (N, E): missing values filled in, categories as 0 and 1, or as in `Recoder.transform`."""
        return X if self.encoder is None else self.encoder.transform(X)

    def in_units(self, X: np.ndarray) -> np.ndarray:
        """Features of the model in the units of the data set, shape (N, E); objects if it `is_mixed`."""
        units: np.ndarray = X * self.scale + self.centre
        return self.encoder.decode(units) if isinstance(self.encoder, Recoder) else units

    def scaled(self, X: np.ndarray) -> np.ndarray:
        """Features as the model was fitted to them, shape (N, E)."""
        return (self.encoded(X) - self.centre) / self.scale


def read_model(path: str | Path) -> FinalModel:
    """Read the model that `fit_final` wrote; ValueError if the file is damaged or none of ours."""
    try:
        header, arrays = read_archive(path)
        check_place(path, header)
        centre, scale = arrays.pop("scaler_centre"), arrays.pop("scaler_scale")
        encoder = Encoder.pop_from(arrays)
        return FinalModel(methods.get(header["method"]).load(arrays), centre, scale, encoder, header["metric"])
    except (KeyError, ValueError) as error:
        raise damaged(path, error) from error


def write_predictions(path: Path, rows: np.ndarray, y: np.ndarray, probabilities: list[np.ndarray], weight) -> None:
    """Write a CSV file: row of the data set, its class index, its weight, the probability of every class.

    Columns of refits, which come after the final model in `probabilities`, end with the fit seed.
    """
    names = [f"p{k}_{i}" if i else f"p{k}" for i, p in enumerate(probabilities) for k in range(p.shape[1])]
    weight = np.ones(len(rows)) if weight is None else weight
    columns = (column.tolist() for column in (rows, y, weight, *np.hstack(probabilities).T))
    lines = [("row", "y", "weight", *names), *zip(*columns, strict=True)]
    write_text(path, "".join(",".join(map(str, line)) + "\n" for line in lines))


def read_predictions(path: Path, fit: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Class indices (m,), weights (m,), probabilities (fits, m, K) of `write_predictions`, next to the record `fit`."""
    table, n_fits = read_table(path, fit["n_scored"]), 1 + len(fit.get("refits", ()))
    if (table.shape[1] - 3) % n_fits:
        raise damaged(path, f"{table.shape[1] - 3} columns of probabilities, of {n_fits} fits")
    probabilities = table[:, 3:].reshape(len(table), n_fits, -1).swapaxes(0, 1)
    return table[:, 1].astype(int), table[:, 2], probabilities
