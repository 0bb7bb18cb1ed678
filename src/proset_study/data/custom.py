"""The data set of a custom table."""

import numpy as np

from proset_study.data.categories import encode_categories
from proset_study.data.columns import read_columns
from proset_study.data.dataset import DataSet


def make(
    file: str,
    target: str | None = None,
    drop: list[str] | None = None,
    weight: str | None = None,
    group: str | None = None,
    categorical: list[str] | None = None,
    impute: str | None = None,
    sep: str = ",",
    decimal: str = ".",
    threshold: float | None = None,
    items: str | None = None,
    test: str | None = None,
    gaps: bool = False,
) -> DataSet:
    """The data set of a table: all columns but the named ones are features.

    Parameters
    ----------
    file : str
        A .csv or .parquet file.
    target : str, optional
        Column with the class labels; without it the one that the table itself names, as those of OpenML do.
    drop : list of str, optional
        Columns to leave out.
    weight : str, optional
        Column with non-negative sample weights.
    group : str, optional
        Column that is the same in rows which belong together.
    categorical : list of str, optional
        Features that are categories, besides those of that type in a .parquet file.
    impute : {"median", "mean", "most_frequent"}, optional
        How missing values of features are filled in; without it and without `gaps` they are refused.
    sep, decimal : str, optional
        What is between the fields of a .csv file, and its decimal mark.
    threshold : float, optional
        The target is a number, and the classes are up to this number and above it.
    items : str, optional
        Column with a string for each sample; then there are no features.
    test : str, optional
        Column that is 1 in the rows of the test part and 0 in the others; without it the test part is drawn.
    gaps : bool
        Whether values of features may be missing without being filled in.

    Raises
    ------
    ValueError
        Says what is wrong with the file; see `columns.read_columns`.
    """
    columns = read_columns(
        file, target, drop or [], weight, group, categorical or [], impute, sep, decimal, threshold, items, test, gaps
    )
    categories = category_column = None
    if columns.categorical:
        X, categories, category_column = encode_categories(columns.features, columns.categorical, impute)
    elif impute or gaps:
        X = columns.features.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        X = columns.features.to_numpy(dtype=np.float64)
    class_names, y = np.unique(columns.labels, return_inverse=True)
    return DataSet(
        X=X,
        y=y.astype(int),
        feature_names=np.array(columns.features.columns, dtype=str),
        class_names=class_names.astype(str),
        sample_weight=None if columns.weights is None else columns.weights.to_numpy(dtype=np.float64),
        group=None if columns.groups is None else columns.groups.factorize()[0].astype(int),
        categories=categories,
        category_column=category_column,
        impute=impute,
        items=None if columns.items is None else columns.items.to_numpy(dtype=str),
        test=columns.test,
    )
