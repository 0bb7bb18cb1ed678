"""The refit of a chosen model on some rows."""

import numpy as np

from proset_study import methods
from proset_study.data.dataset import DataSet
from proset_study.fits.resampling import data_of_rows
from proset_study.fits.search import Case


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
    method = methods.get(case.method)
    fold_data = data_of_rows(data, fitted, scored, method)
    model = method(fold_data).fit(final["parameters"], final["complexity"], seed)
    return model.predict_proba(fold_data.X_score)


def weights_of(data: DataSet, rows: np.ndarray) -> np.ndarray:
    """Sample weights of some rows, 1 if there are none."""
    return np.ones(len(rows)) if data.sample_weight is None else data.sample_weight[rows]
