"""The refit of a chosen model on some rows."""

import numpy as np

from proset_study import methods
from proset_study.data.dataset import DataSet, joined
from proset_study.data.splits import FoldData
from proset_study.fits.resampling import data_of_rows
from proset_study.fits.search import Case
from proset_study.methods.base import Fitted


def fit_rows(
    data: DataSet, fitted: np.ndarray, scored: np.ndarray, final: dict, case: Case, seed: np.random.SeedSequence
) -> tuple[Fitted, FoldData]:
    """Fit with the parameters and size of a final model to some rows; the model, and the rows as it takes them."""
    method = methods.get(case.method)
    fold_data = data_of_rows(data, fitted, scored, method)
    return method(fold_data).fit(final["parameters"], final["complexity"], seed), fold_data


def fit_drawn(
    train: DataSet, test: DataSet, final: dict, case: Case, seed: np.random.SeedSequence
) -> tuple[Fitted, FoldData]:
    """The same of data drawn anew, which are fitted and scored as a whole."""
    fitted, scored = np.split(np.arange(len(train.y) + len(test.y)), [len(train.y)])
    return fit_rows(joined(train, test), fitted, scored, final, case, seed)


def refit(
    data: DataSet, fitted: np.ndarray, scored: np.ndarray, final: dict, case: Case, seed: np.random.SeedSequence
) -> np.ndarray:
    """Class probabilities of the scored rows by the model that `fit_rows` gives, shape (len(scored), K)."""
    model, fold_data = fit_rows(data, fitted, scored, final, case, seed)
    return model.predict_proba(fold_data.X_score)


def weights_of(data: DataSet, rows: np.ndarray) -> np.ndarray:
    """Sample weights of some rows, 1 if there are none."""
    return np.ones(len(rows)) if data.sample_weight is None else data.sample_weight[rows]
