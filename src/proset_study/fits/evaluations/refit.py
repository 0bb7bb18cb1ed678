"""The refit of a chosen model on some rows."""

import numpy as np

from proset_study import methods
from proset_study.data.dataset import DataSet
from proset_study.data.splits import FoldData
from proset_study.fits.resampling import data_of_rows
from proset_study.fits.search import Case
from proset_study.methods.base import Fitted


def refit(
    data: DataSet, fitted: np.ndarray, scored: np.ndarray, final: dict, case: Case, seed: np.random.SeedSequence
) -> np.ndarray:
    """Fit with the parameters and size of a final model on some rows, predict others.

    Parameters
    ----------
    data : DataSet
    fitted, scored : ndarrays of int
        As in `resampling.data_of_rows`.
    final : dict
        Record of the final model.
    case : Case
    seed : SeedSequence

    Returns
    -------
    ndarray, shape (len(scored), K)
        Class probabilities.
    """
    model, fold_data = fit_rows(data, fitted, scored, final, case, seed)
    return model.predict_proba(fold_data.X_score)


def fit_rows(
    data: DataSet, fitted: np.ndarray, scored: np.ndarray, final: dict, case: Case, seed: np.random.SeedSequence
) -> tuple[Fitted, FoldData]:
    """The model that `refit` predicts with, and the rows as it takes them; parameters as there."""
    method = methods.get(case.method)
    fold_data = data_of_rows(data, fitted, scored, method)
    return method(fold_data).fit(final["parameters"], final["complexity"], seed), fold_data


def weights_of(data: DataSet, rows: np.ndarray) -> np.ndarray:
    """Sample weights of some rows, 1 if there are none."""
    return np.ones(len(rows)) if data.sample_weight is None else data.sample_weight[rows]
