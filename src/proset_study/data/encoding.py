"""From the columns of a data set to the features of a method: missing values filled, categories one-hot.

What is filled in, and which categories become features, is learned from the rows that a model is fitted to, in every
fold anew. Data sets without categories and without an imputer are their own features and need none of this. Methods
that take tables as they are have a feature for each column instead, see `Recoder`.
"""

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from proset_study.data.dataset import MISSING, DataSet

OTHER = "(not in the fitted rows)"  # a category, where it is shown
NUMBER, UNKNOWN = -1, -1  # in place of the code of a category: the feature is a number, the fitted rows lack it
GAP = -2  # the same: a missing value, which is no category of the data set


@dataclass(frozen=True)
class Encoder:
    """What has been learned from the fitted rows."""

    prefix: ClassVar[str] = "encoder_"  # of the arrays in a model file

    names: np.ndarray  # (D,), columns of the data set
    fill: np.ndarray  # (D,), put in the place of missing values; NaN if nothing is imputed
    column: np.ndarray  # (E,), the column behind each feature
    code: np.ndarray  # (E,), of the category that a feature stands for, `NUMBER` for a number
    category: np.ndarray  # (E,), that category; empty for a number

    @classmethod
    def fit(cls, X: np.ndarray, data: DataSet) -> "Encoder":
        """Learn from some rows of a data set, as in `DataSet.X`; ValueError if a column has no value to impute from.

        >>> names = np.array(["size"])
        >>> data = DataSet(np.array([[1.0], [np.nan], [3.0]]), np.array([0, 1, 1]), names, names, impute="mean")
        >>> Encoder.fit(data.X, data).transform(data.X).ravel().tolist()
        [1.0, 2.0, 3.0]
        """
        categories = np.array([], dtype=str) if data.categories is None else data.categories
        of_code = np.array([], dtype=int) if data.category_column is None else data.category_column
        fill = _fill(X, np.unique(of_code), _codes_of_missing(categories, of_code, X.shape[1]), data.impute)
        column, code = [], []
        for d in range(X.shape[1]):
            codes = [NUMBER]
            if d in of_code:
                seen = np.unique(np.where(np.isnan(X[:, d]), fill[d], X[:, d]))
                codes = seen[seen >= 0].astype(int).tolist()
            column += [d] * len(codes)
            code += codes
        category = ["" if k == NUMBER else categories[k] for k in code]
        encoder = cls(data.feature_names, fill, np.array(column), np.array(code), np.array(category, dtype=str))
        if data.impute is not None and np.isnan(fill).any():
            name = str(data.feature_names[np.isnan(fill)][0])
            raise ValueError(f"column {name!r} has no value in the rows to fit on, from which impute could take one")
        return encoder

    @property
    def is_number(self) -> np.ndarray:
        """Whether a feature is a number of the data set, shape (E,); the others are 0 or 1."""
        return self.code == NUMBER

    @property
    def n_levels(self) -> np.ndarray | None:
        """How many categories each feature has, 0 for numbers; None where all are numbers, as they are here."""
        return None

    @property
    def feature_names(self) -> np.ndarray:
        """Names such as "weight" and "colour=red", shape (E,)."""
        names = zip(self.names[self.column], self.category, self.is_number, strict=True)
        return np.array([name if number else f"{name}={category}" for name, category, number in names])

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Features of rows as in `DataSet.X`, shape (N, E); ValueError if a value is missing and nothing is imputed.

        A category that the fitted rows lack is 0 in all features of its column.
        """
        filled = np.where(np.isnan(X), self.fill, X)
        if (missing := np.isnan(filled)).any():
            row, d = np.argwhere(missing)[0]
            raise ValueError(f"column {str(self.names[d])!r}, row {row + 1} has no value, and nothing is imputed")
        encoded = filled[:, self.column]
        one_hot = ~self.is_number
        encoded[:, one_hot] = encoded[:, one_hot] == self.code[one_hot]
        return encoded

    def arrays(self) -> dict[str, np.ndarray]:
        """Arrays for a model file."""
        return {self.prefix + field.name: getattr(self, field.name) for field in fields(self)}

    @staticmethod
    def pop_from(arrays: dict[str, np.ndarray]) -> "Encoder | None":
        """Take what `arrays` gave out of those of a model file; None if there is nothing."""
        for kind in (Encoder, Recoder):
            if kind.prefix + "names" in arrays:
                return kind(**{field.name: arrays.pop(kind.prefix + field.name) for field in fields(kind)})
        return None


@dataclass(frozen=True)
class Recoder(Encoder):
    """What methods that take tables as they are need: the categories of each column by number, gaps left as they are.

    Attributes as in `Encoder`, but `column`, `code` and `category` have an entry for each category of the fitted rows,
    in the order of their numbers, and `fill` is the code of a missing category, NaN for numbers.
    """

    prefix: ClassVar[str] = "recoder_"

    @classmethod
    def fit(cls, X: np.ndarray, data: DataSet) -> "Recoder":
        """Learn from some rows of a data set.

        >>> names, colours = np.array(["size", "colour"]), np.array(["blue", "red"])
        >>> X = np.array([[1.5, 1.0], [np.nan, np.nan], [3.0, 0.0]])
        >>> data = DataSet(X, np.arange(3), names, np.arange(3), categories=colours, category_column=np.array([1, 1]))
        >>> recoder = Recoder.fit(X[:2], data)
        >>> recoder.transform(X).tolist()  # in the rows to fit, the first two, colours are red and missing
        [[1.5, 0.0], [nan, 1.0], [3.0, 2.0]]
        >>> recoder.decode(recoder.transform(X))[:, 1].tolist()
        ['red', '(missing)', '(not in the fitted rows)']
        """
        categories = np.array([], dtype=str) if data.categories is None else data.categories
        of_code = np.array([], dtype=int) if data.category_column is None else data.category_column
        missing = _codes_of_missing(categories, of_code, X.shape[1])
        fill = np.full(X.shape[1], np.nan)
        column, code = [], []
        for d in range(X.shape[1]):
            codes = [NUMBER]
            if d in of_code:
                fill[d] = GAP if missing[d] == UNKNOWN else missing[d]
                seen = np.unique(np.where(np.isnan(X[:, d]), fill[d], X[:, d])).astype(int).tolist()
                codes = [known for known in seen if known != fill[d]] + [known for known in seen if known == fill[d]]
            column += [d] * len(codes)
            code += codes
        named = {NUMBER: "", GAP: MISSING}
        category = [named[known] if known < 0 else str(categories[known]) for known in code]
        return cls(data.feature_names, fill, np.array(column), np.array(code), np.array(category, dtype=str))

    @property
    def n_levels(self) -> np.ndarray:
        """How many categories each column has in the fitted rows, a missing one counted; 0 for numbers, shape (D,)."""
        return np.bincount(self.column[self.code != NUMBER], minlength=len(self.names))

    @property
    def feature_names(self) -> np.ndarray:
        """Names of the columns, shape (D,)."""
        return self.names

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Numbers and numbers of categories, shape (N, D); one that the fitted rows lack has the next number.

        A missing category is a category; missing numbers are NaN.
        """
        recoded = np.array(X, dtype=float)
        for d in np.flatnonzero(self.n_levels):
            codes, values = self.code[self.column == d], np.where(np.isnan(X[:, d]), self.fill[d], X[:, d])
            order = np.argsort(codes)
            place = order[np.searchsorted(codes, values, sorter=order).clip(max=len(codes) - 1)]
            recoded[:, d] = np.where(codes[place] == values, place, len(codes))
        return recoded

    def decode(self, X: np.ndarray) -> np.ndarray:
        """Undo `transform`: from its result, shape (N, D), to numbers and names of categories, as objects."""
        decoded = X.astype(object)
        for d in np.flatnonzero(self.n_levels):
            names = [*self.category[self.column == d].tolist(), OTHER]
            decoded[:, d] = [names[min(int(number), len(names) - 1)] for number in X[:, d]]
        return decoded


def _codes_of_missing(categories, of_code, n_columns):
    """The code of `MISSING` by column; `UNKNOWN` where it is no category."""
    codes = np.full(n_columns, UNKNOWN)
    missing = np.flatnonzero(categories == MISSING)
    codes[of_code[missing]] = missing
    return codes


def _fill(X, categorical, codes_of_missing, strategy):
    """What is put in the place of missing values, shape (D,)."""
    fill = np.full(X.shape[1], np.nan)
    if strategy is None:
        return fill
    from sklearn.impute import SimpleImputer

    numbers = np.setdiff1d(np.arange(X.shape[1]), categorical)
    fill[categorical] = codes_of_missing[categorical]
    for columns in (numbers, categorical if strategy == "most_frequent" else []):
        if len(columns):
            fill[columns] = SimpleImputer(strategy=strategy).fit(X[:, columns]).statistics_
    return fill
