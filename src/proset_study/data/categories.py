"""Categories as they are written in a table, and their codes in a data set."""

from typing import TYPE_CHECKING

import numpy as np

from proset_study.data.dataset import MISSING
from proset_study.data.encoding import UNKNOWN, Encoder

if TYPE_CHECKING:
    import pandas as pd


def as_text(column: "pd.Series") -> "pd.Series":
    """Categories as text, whether they are text, numbers or booleans; missing ones stay missing.

    Whole numbers have no decimal point, even if pandas has made them floats for the sake of missing ones.
    """
    return column.astype(object).map(_text, na_action="ignore").astype("string")


def encode_categories(
    features: "pd.DataFrame", categorical: list[str], impute: str | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`X`, `categories`, sorted within a column, and `category_column` of a `DataSet` from a table of `read_columns`.

    With "median" and "mean", which categories do not have, a missing one is the category `MISSING`.
    """
    import pandas as pd

    X = np.empty(features.shape)
    categories: list[str] = []
    category_column: list[int] = []
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


def read_rows(encoder: Encoder, table: "pd.DataFrame") -> np.ndarray:
    """Rows as in `DataSet.X` from a table with the columns of the file, in any order; others are left out.

    ValueError if a column is missing, or has been read as numbers although its categories are written in another way.
    """
    if lacking := [str(name) for name in encoder.names if name not in table.columns]:
        missing, needed = (", ".join(map(repr, names)) for names in (lacking, encoder.names.tolist()))
        raise ValueError(f"X: column {missing} is missing; needed are {needed}")
    X = np.empty((len(table), len(encoder.names)))
    for d, name in enumerate(encoder.names):
        one_hot = (encoder.column == d) & ~encoder.is_number
        if one_hot.any():
            _refuse_parsed(table[name], encoder.category[one_hot].tolist())
            texts = as_text(table[name])
            codes = texts.map(dict(zip(encoder.category[one_hot], encoder.code[one_hot].astype(float), strict=True)))
            X[:, d] = codes.fillna(UNKNOWN).where(texts.notna()).to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            X[:, d] = table[name].to_numpy(dtype=np.float64, na_value=np.nan)
    return X


def _text(value):
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _refuse_parsed(column, categories):
    """Numbers and booleans may be categories that are written in another way: 1 may be '1' or '01'."""
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
