"""Data sets that ship with scikit-learn."""

import numpy as np

from proset_study.data.dataset import DataSet


def make(rng: object, sklearn: str, features: list[int] | None = None, image: list[int] | None = None) -> DataSet:
    """A data set that ships with scikit-learn.

    Parameters
    ----------
    rng : object
        Not used: nothing is drawn.
    sklearn : {"iris", "wine", "breast_cancer", "digits"}
    features : list of int, optional
        The columns to keep; all without it.
    image : list of int, optional
        Not used: it is how figures show a row.
    """
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{sklearn}")()
    columns = list(range(bunch.data.shape[1])) if features is None else features
    return DataSet(
        X=np.ascontiguousarray(bunch.data[:, columns], dtype=np.float64),
        y=bunch.target.astype(int),
        feature_names=np.array(bunch.feature_names, dtype=str)[columns],
        class_names=np.array(bunch.target_names, dtype=str),
    )
