"""A data set: what fits read, whatever it was made from."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from proset.archive import read_archive, write_archive
from proset_study.base.records import check_place, damaged, place
from proset_study.data.distances import read_matrix
from proset_study.data.metrics import EUCLIDEAN, matrix_file, stored_metric

MISSING = "(missing)"  # the category of a field without a value, unless the most frequent one is put there
_OF_A_RUN = ("metric", "matrix", "row")


class MissingValues(ValueError):
    """A table lacks values, and nothing is said of how they are filled in."""


@dataclass(frozen=True)
class Size:
    """Rows, features and classes of a data set."""

    rows: int
    features: int
    classes: int

    @property
    def values(self) -> int:
        """Numbers in the table of features."""
        return self.rows * self.features


@dataclass(frozen=True)
class DataSet:
    """Features, class indices and names, and how its samples are compared; the last three fields are not stored."""

    X: np.ndarray  # (N, D), with the codes of categories, and NaN where a value is missing; D may be 0: see `items`
    y: np.ndarray  # (N,), class indices 0..K-1
    feature_names: np.ndarray  # (D,)
    class_names: np.ndarray  # (K,)
    sample_weight: np.ndarray | None = None  # (N,)
    test: np.ndarray | None = None  # (N,), whether a sample is in the test part, if the data set comes with one
    group: np.ndarray | None = None  # (N,), numbers; rows of the same group are kept together by the split
    categories: np.ndarray | None = None  # (C,), the category of each code, if some columns hold categories
    category_column: np.ndarray | None = None  # (C,), the column of `X` that each code is from
    impute: str | None = None  # how missing values are filled in, a strategy of scikit-learn's SimpleImputer
    items: np.ndarray | None = None  # (N,), samples that are no vectors: strings
    metric: str = EUCLIDEAN  # by which the methods of a run compare samples; see `data.metrics`
    matrix: np.ndarray | None = None  # (M, M), dissimilarities, if they are those of a file
    row: np.ndarray | None = None  # (N,), row of each sample in `matrix`

    @property
    def is_encoded(self) -> bool:
        """Whether features are made of the columns in every fold."""
        return self.categories is not None or self.impute is not None

    @property
    def is_mixed(self) -> bool:
        """Whether there is more than numbers: categories, or gaps."""
        return self.categories is not None or bool(np.isnan(self.X).any())

    @property
    def n_features(self) -> int:
        """Number of features, all categories counted; some of the rows alone may have fewer of them."""
        if self.categories is None or self.category_column is None:
            return self.X.shape[1]
        return self.X.shape[1] - len(np.unique(self.category_column)) + len(self.categories)

    def save(self, path: str | Path) -> None:
        """Write as .npz, atomically."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _OF_A_RUN}
        header = {"content": "data set", "place": place(path)}
        write_archive(path, header, {k: np.asarray(v) for k, v in arrays.items() if v is not None})

    @classmethod
    def load(cls, path: str | Path, metric: str = EUCLIDEAN) -> "DataSet":
        """Read what `save` wrote, and the dissimilarities if `metric` needs them; ValueError if damaged."""
        try:
            header, arrays = read_archive(path)
            check_place(path, header)
            impute = str(arrays.pop("impute")) if "impute" in arrays else None
            data = cls(**arrays, impute=impute, metric=metric)
        except (TypeError, ValueError) as error:
            raise damaged(path, error) from error
        if (stored := stored_metric(metric)) is None:
            return data
        return replace(data, matrix=read_matrix(matrix_file(path, stored), len(data.y)), row=np.arange(len(data.y)))

    def take(self, rows: np.ndarray) -> "DataSet":
        """The data set of some rows, which may be repeated.

        >>> data = DataSet(np.eye(2), np.array([0, 1]), np.array(["a", "b"]), np.array(["no", "yes"]))
        >>> data.take(np.array([1, 1])).X.tolist()
        [[0.0, 1.0], [0.0, 1.0]]
        """
        names = ("X", "y", "sample_weight", "test", "group", "items", "row")
        by_row = {name: getattr(self, name) for name in names}
        taken: dict[str, Any] = {name: None if values is None else values[rows] for name, values in by_row.items()}
        return replace(self, **taken)


def joined(*parts: DataSet) -> DataSet:
    """The samples of all parts, one after the other: features, with the same categories in all, and classes alone."""
    first = parts[0]
    return DataSet(
        X=np.vstack([part.X for part in parts]),
        y=np.concatenate([part.y for part in parts]),
        feature_names=first.feature_names,
        class_names=first.class_names,
        categories=first.categories,
        category_column=first.category_column,
    )
