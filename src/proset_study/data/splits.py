"""A split into folds and test part as it is stored, and the rows that it gives a fit."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proset_study.base.records import read_table, write_text
from proset_study.data.dataset import DataSet
from proset_study.data.distances import distances, ranks
from proset_study.data.encoding import Encoder, Recoder
from proset_study.data.metrics import EUCLIDEAN, PRECOMPUTED, base_metric, is_ranked

TEST = -1  # in the array of folds: the row belongs to the test part


def write_split(path: str | Path, folds: np.ndarray) -> None:
    """Write a split as CSV: one row per sample, its fold or -1 for the test part."""
    write_text(path, "row,fold\n" + "".join(f"{row},{fold}\n" for row, fold in enumerate(folds.tolist())))


def read_split(path: str | Path, n_samples: int) -> np.ndarray:
    """Read what `write_split` wrote for that number of samples; ValueError if the file is damaged."""
    return read_table(path, n_samples)[:, 1].astype(int)


@dataclass(frozen=True)
class FoldData:
    """Rows to fit on and rows to score on, encoded if the data set asks for it, scaled if the method wants it.

    With the metric "precomputed", as in scikit-learn, `X` and `X_score` have no features, but dissimilarities from the
    rows to fit, shapes (n, n) and (m, n).

    `levels` is for methods that take tables as they are (`methods.base.Method.takes_mixed`), where the data set has
    categories or missing values. Then `X` and `X_score` have the numbers of categories, 0, 1, ..., and the next one for
    all that the rows to fit lack; a missing category is one of them, and missing numbers are NaN.
    """

    X: np.ndarray  # (n, D), to fit; no number is missing, but with `levels`
    y: np.ndarray  # (n,)
    weight: np.ndarray | None  # (n,)
    X_score: np.ndarray  # (m, D)
    y_score: np.ndarray  # (m,)
    weight_score: np.ndarray | None  # (m,)
    rows_score: np.ndarray  # (m,), rows of the data set that are scored
    n_classes: int
    centre: np.ndarray  # (D,), subtracted from all rows; a statistic of the rows to fit alone, as the next two
    scale: np.ndarray  # (D,), divided out of all rows
    encoder: Encoder | None = None  # from the columns of the data set to features
    metric: str = EUCLIDEAN  # how methods that ask for it compare rows: as SciPy does by that name
    levels: np.ndarray | None = None  # (D,), how many categories a column has in the rows to fit, 0 for numbers

    @property
    def points(self) -> np.ndarray:
        """What can become a prototype, as `distances` takes it: `X`; with "precomputed" numbers of rows, (n, 1)."""
        return np.arange(len(self.y))[:, None] if self.metric == PRECOMPUTED else self.X

    @property
    def n_features(self) -> int:
        """Number of features; 0 with "precomputed"."""
        return 0 if self.metric == PRECOMPUTED else self.X.shape[1]


def select_fold(data: DataSet, folds: np.ndarray, held_out: int, scaled: bool, mixed: bool = False) -> FoldData:
    """Fit on the training part without fold `held_out` (on all of it for `TEST`), score on what was left out.

    With `scaled` features are centred and scaled, constant ones only centred, categories not: a row of another category
    is as far away (squared: 2) as that of another number is on average. `mixed` says that the method takes categories
    and missing values as they are. ValueError if there is nothing to fit a class or a column on.
    """
    weight = data.sample_weight
    fitted, scored = (folds != TEST) & (folds != held_out), folds == held_out
    where = "training part" if held_out == TEST else f"fold {held_out}"
    if weight is not None:
        fitted &= weight > 0  # a sample of weight 0 is as good as none
    if len(np.unique(data.y[fitted])) < len(data.class_names):
        raise ValueError(
            f"{where}: class {str(np.delete(data.class_names, np.unique(data.y[fitted]))[0])!r} has no sample to fit on"
        )
    if data.matrix is None or data.row is None:
        X, X_score, centre, scale, encoder = _features(data, fitted, scored, scaled, mixed, where)
        metric = base_metric(data.metric)
    else:
        X, X_score = (data.matrix[np.ix_(data.row[part], data.row[fitted])] for part in (fitted, scored))
        metric = PRECOMPUTED
    if is_ranked(data.metric):
        if metric != PRECOMPUTED:
            X, X_score = distances(X, X, metric), distances(X_score, X, metric)
        X, X_score, metric = ranks(X, X), ranks(X_score, X), PRECOMPUTED
    if metric == PRECOMPUTED:
        centre, scale, encoder = np.zeros(len(X)), np.ones(len(X)), None
    return FoldData(
        X=X,
        y=data.y[fitted],
        weight=None if weight is None else weight[fitted],
        X_score=X_score,
        y_score=data.y[scored],
        weight_score=None if weight is None else weight[scored],
        rows_score=np.flatnonzero(scored),
        n_classes=len(data.class_names),
        centre=centre,
        scale=scale,
        encoder=encoder,
        metric=metric,
        levels=None if encoder is None else encoder.n_levels,
    )


def _features(data, fitted, scored, scaled, mixed, where):
    """Features of the rows to fit and to score, what was subtracted and divided out, and the encoder."""
    X, X_score, encoder = data.X[fitted], data.X[scored], None
    if mixed and data.is_mixed:
        recoder = Recoder.fit(X, data)
        X, X_score = recoder.transform(X), recoder.transform(X_score)
        centre, scale = _of_what_is_there(X, recoder.n_levels == 0) if scaled else _unscaled(X)
        return (X - centre) / scale, (X_score - centre) / scale, centre, scale, recoder
    if data.is_encoded:
        try:
            encoder = Encoder.fit(X, data)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        X, X_score = encoder.transform(X), encoder.transform(X_score)
    elif (missing := np.isnan(data.X).any(axis=0)).any():
        name = str(data.feature_names[missing][0])
        raise ValueError(f"column {name!r} has missing values, which need impute in the entry of the data set")
    centre, scale = _unscaled(X)
    if scaled:
        centre, scale = X.mean(axis=0), X.std(axis=0)
        scale[scale <= 1e-12 * np.abs(X).max(axis=0, initial=0.0)] = 1.0
        if encoder is not None:
            centre[~encoder.is_number], scale[~encoder.is_number] = 0.0, 1.0
    return (X - centre) / scale, (X_score - centre) / scale, centre, scale, encoder


def _unscaled(X):
    return np.zeros(X.shape[1]), np.ones(X.shape[1])


def _of_what_is_there(X, is_number):
    """Means and standard deviations of numbers that are not missing; 0 and 1 for categories."""
    there = ~np.isnan(X) & is_number
    number = np.maximum(there.sum(axis=0), 1)
    centre = np.where(there, X, 0.0).sum(axis=0) / number
    scale = np.sqrt(np.where(there, (X - centre) ** 2, 0.0).sum(axis=0) / number)
    scale[scale <= 1e-12 * np.abs(np.where(there, X, 0.0)).max(axis=0, initial=0.0)] = 1.0
    return centre, scale
