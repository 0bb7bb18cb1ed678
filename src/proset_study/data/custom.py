"""The data set of a custom table."""

from typing import Any

import numpy as np

from proset_study.data.categories import encode_categories
from proset_study.data.columns import proportional, read_columns
from proset_study.data.dataset import DataSet


def make(file: str, impute: str | None = None, gaps: bool = False, **settings: Any) -> DataSet:
    """The data set of a table: all columns but the named ones are features; settings as in `columns.read_columns`."""
    columns = read_columns(file, impute=impute, gaps=gaps, **settings)
    categories = category_column = None
    if columns.categorical:
        X, categories, category_column = encode_categories(columns.features, columns.categorical, impute)
    else:
        X = columns.features.to_numpy(dtype=np.float64, na_value=np.nan)
    class_names, y = np.unique(columns.labels, return_inverse=True)
    return DataSet(
        X=X,
        y=y.astype(int),
        feature_names=np.array(columns.features.columns, dtype=str),
        class_names=class_names.astype(str),
        sample_weight=None if columns.weights is None else proportional(columns.weights.to_numpy()),
        group=None if columns.groups is None else columns.groups.factorize(sort="time" in settings)[0].astype(int),
        categories=categories,
        category_column=category_column,
        impute=impute,
        items=None if columns.items is None else columns.items.to_numpy(dtype=str),
        test=columns.test,
    )
