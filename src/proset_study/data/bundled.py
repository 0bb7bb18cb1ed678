"""Data sets that ship with scikit-learn."""

import numpy as np

from proset_study.data.dataset import DataSet


def make(sklearn: str, features: list[int] | None = None) -> DataSet:
    """The data set `load_<sklearn>` of scikit-learn, of which some columns may be taken.

    A number as the target, as diabetes has it, becomes two classes: up to its median, and above.
    """
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{sklearn}")()
    columns = list(range(bunch.data.shape[1])) if features is None else features
    y, names = bunch.target, getattr(bunch, "target_names", None)
    if names is None:
        median = np.median(y)
        y, names = y > median, [f"up to {median:g}", f"above {median:g}"]
    return DataSet(
        X=np.ascontiguousarray(bunch.data[:, columns], dtype=np.float64),
        y=y.astype(int),
        feature_names=np.array(bunch.feature_names, dtype=str)[columns],
        class_names=np.array(names, dtype=str),
    )
