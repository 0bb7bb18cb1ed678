"""From the columns of the user's own file to the features of a method: missing values filled, categories one-hot.

What is filled in, and which categories become features, is learned from the rows that a model is fitted to, in every
fold anew. Data sets without categories and without an imputer are their own features and need none of this.
"""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from proset_study.data.datasets import DataSet

MISSING = "(missing)"  # the category of a field without a value, unless the most frequent one is put there
NUMBER, UNKNOWN = -1, -1  # in place of the code of a category: the feature is a number, the fitted rows lack it
PREFIX = "encoder_"  # of the arrays in a model file


def is_number(text: str) -> bool:
    """Whether Python reads a text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_text(column: "pd.Series") -> "pd.Series":
    """Categories as text, whether they are text, numbers or booleans; missing ones stay missing.

    Whole numbers have no decimal point, even if pandas has made them floats for the sake of missing ones; what a number
    becomes does not depend on the others.
    """
    return column.astype(object).map(_text, na_action="ignore").astype("string")


def with_codes(
    features: "pd.DataFrame", categorical: list[str], impute: str | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers for all columns, in which categories have codes.

    Parameters
    ----------
    features : DataFrame, shape (N, D)
        Checked by `own_file.read_columns`.
    categorical : list of str
    impute : str or None
        With "median" and "mean", which categories do not have, a missing one is the category `MISSING`.

    Returns
    -------
    X : ndarray of float64, shape (N, D)
        Codes in the categorical columns; NaN where a value is missing.
    categories : ndarray of str, shape (C,)
        The category of each code, sorted within a column.
    category_column : ndarray of int, shape (C,)
        The column of each code.
    """
    import pandas as pd

    X, categories, category_column = np.empty(features.shape), [], []
    for d, name in enumerate(features.columns):
        if name not in categorical:
            X[:, d] = features[name].to_numpy(dtype=np.float64, na_value=np.nan)
            continue
        found = pd.Categorical(as_text(features[name]))
        X[:, d] = np.where(found.codes < 0, np.nan, found.codes + len(categories))
        categories += found.categories.tolist()
        if impute in ("median", "mean") and (found.codes < 0).any() and MISSING not in found.categories:
            categories.append(MISSING)
        category_column += [d] * (len(categories) - len(category_column))
    return X, np.array(categories, dtype=str), np.array(category_column, dtype=int)


@dataclass(frozen=True)
class Encoder:
    """What has been learned from the fitted rows.

    Attributes
    ----------
    names : ndarray of str, shape (D,)
        Columns of the data set.
    fill : ndarray, shape (D,)
        Put in the place of missing values; NaN if nothing is imputed.
    column : ndarray of int, shape (E,)
        The column behind each feature.
    code : ndarray of int, shape (E,)
        The code of the category that a feature stands for, `NUMBER` for a number.
    category : ndarray of str, shape (E,)
        That category; empty for a number.
    """

    names: np.ndarray
    fill: np.ndarray
    column: np.ndarray
    code: np.ndarray
    category: np.ndarray

    @classmethod
    def fit(cls, X: np.ndarray, data: "DataSet") -> "Encoder":
        """Learn from rows of a data set; ValueError if there is nothing to impute a column from."""
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
    def feature_names(self) -> np.ndarray:
        """Names such as "weight" and "colour=red", shape (E,)."""
        names = zip(self.names[self.column], self.category, self.is_number, strict=True)
        return np.array([name if number else f"{name}={category}" for name, category, number in names])

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Features of rows of the data set; a category that the fitted rows lack is 0 in all features of its column.

        Parameters
        ----------
        X : ndarray, shape (N, D)
            As in `DataSet.X`.

        Returns
        -------
        ndarray, shape (N, E)

        Raises
        ------
        ValueError
            If a value is missing and nothing is imputed.
        """
        filled = np.where(np.isnan(X), self.fill, X)
        if (missing := np.isnan(filled)).any():
            row, d = np.argwhere(missing)[0]
            raise ValueError(f"column {str(self.names[d])!r}, row {row + 1} has no value, and nothing is imputed")
        encoded = filled[:, self.column]
        one_hot = ~self.is_number
        encoded[:, one_hot] = encoded[:, one_hot] == self.code[one_hot]
        return encoded

    def read(self, table: "pd.DataFrame") -> np.ndarray:
        """Rows as in `DataSet.X` from a table with the columns of the file, in any order; others are left out.

        Raises
        ------
        ValueError
            If a column is missing, or has been read as numbers although its categories are written in another way.
        """
        if lacking := [str(name) for name in self.names if name not in table.columns]:
            missing, needed = (", ".join(map(repr, names)) for names in (lacking, self.names.tolist()))
            raise ValueError(f"X: column {missing} is missing; needed are {needed}")
        X = np.empty((len(table), len(self.names)))
        for d, name in enumerate(self.names):
            one_hot = (self.column == d) & ~self.is_number
            if one_hot.any():
                _refuse_parsed(table[name], self.category[one_hot].tolist())
                texts = as_text(table[name])
                codes = texts.map(dict(zip(self.category[one_hot], self.code[one_hot].astype(float), strict=True)))
                X[:, d] = codes.fillna(UNKNOWN).where(texts.notna()).to_numpy(dtype=np.float64, na_value=np.nan)
            else:
                X[:, d] = table[name].to_numpy(dtype=np.float64, na_value=np.nan)
        return X

    def arrays(self) -> dict[str, np.ndarray]:
        """For a model file."""
        return {PREFIX + field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def pop_from(cls, arrays: dict[str, np.ndarray]) -> "Encoder | None":
        """Take what `arrays` gave out of those of a model file; None if there is nothing."""
        if PREFIX + "names" not in arrays:
            return None
        return cls(**{field.name: arrays.pop(PREFIX + field.name) for field in fields(cls)})


def _text(value):
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _refuse_parsed(column, categories):
    """Numbers and booleans cannot be told from categories that are written in another way: 1 may be '1' or '01'."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if not is_numeric_dtype(column.dtype) or column.isna().all():
        return
    if changed := [text for text in categories if _parsed(text) != text]:
        read = "booleans" if is_bool_dtype(column.dtype) else "numbers"
        raise ValueError(
            f"X: column {column.name!r} was read as {read}, its categories are text such as {changed[0]!r}; "
            "read it with dtype=str"
        )


def _parsed(text):
    """The text of the number or boolean that a reader may take this for."""
    if text.lower() in ("true", "false"):
        return text.capitalize()
    for parse in (int, float):
        try:
            return _text(parse(text))
        except ValueError:
            pass
    return text


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
