"""What the columns of a table are, and what their values are as numbers.

What a column is follows from its type: numbers are numbers; text, booleans and categorical types are categories;
ordered categorical types are ranks, whose difference counts. pandas, polars and Arrow come in through narwhals. How
values compare, missing ones among them, is in `proset.columns`.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

NUMBER, ORDERED, CATEGORY = "number", "ordered", "category"
OTHER = "(not in the training data)"  # a category, where it is shown
ALLOWED = "allowed are numbers, text, booleans and categories"
Category = str | bool | int | float | None


@dataclass(frozen=True)
class Encoding:
    """What the columns of the training data were.

    Attributes
    ----------
    kinds : tuple of {"number", "ordered", "category"}, length D
    levels : tuple, length D
        None for numbers; of ordered categories all that the type has, in their order; of categories those in the
        training data, sorted, the last one None if one was missing.
    """

    kinds: tuple[str, ...]
    levels: tuple[tuple[Category, ...] | None, ...]

    @property
    def are_numbers(self) -> bool:
        """Whether arrays are the tables themselves."""
        return all(kind == NUMBER for kind in self.kinds)

    @property
    def n_levels(self) -> np.ndarray:
        """`levels` of `proset.columns.Columns`, shape (D,)."""
        pairs = zip(self.kinds, self.levels, strict=True)
        return np.array([len(levels or ()) if kind == CATEGORY else 0 for kind, levels in pairs])

    def take(self, features: np.ndarray) -> "Encoding":
        """Encoding of some columns."""
        return Encoding(tuple(self.kinds[d] for d in features), tuple(self.levels[d] for d in features))

    def decode(self, X: np.ndarray) -> np.ndarray:
        """Values as in the table, of an array (N, D); of objects unless all are numbers."""
        if self.are_numbers:
            return X
        return np.column_stack([self.decode_column(d, column) for d, column in enumerate(X.T)])

    def decode_column(self, d: int, values: np.ndarray) -> np.ndarray:
        """The same for one column, shape (N,)."""
        levels = self.levels[d]
        if levels is None:
            return values.astype(object)
        named = {float(number): level for number, level in enumerate(levels)}
        found = np.empty(len(values), dtype=object)
        found[:] = [None if np.isnan(value) else named.get(value, OTHER) for value in values.tolist()]
        return found


def as_table(X: Any) -> np.ndarray:
    """Lists of rows as an array, whose text and numbers stay what they are."""
    array = np.asarray(X, dtype=object)
    return array if array.ndim == 2 and not _are_floats(array) else np.asarray(X)


@dataclass(frozen=True)
class Column:
    """One of a table.

    Attributes
    ----------
    kind : str
        Of its type.
    values : ndarray, shape (N,)
        Numbers, NaN where one is missing; or which of `distinct` each value is, -1 where one is missing.
    distinct : list
        The values, as Python has them.
    levels : tuple, optional
        Of an ordered type.
    """

    kind: str
    values: np.ndarray
    distinct: list[Any] = field(default_factory=list)
    levels: tuple[Category, ...] | None = None

    @classmethod
    def of(cls, kind: str, values: list[Any], levels: tuple[Category, ...] | None = None) -> "Column":
        """Categories, None where one is missing."""
        numbers: dict[Any, int] = {}
        codes = [-1 if value is None else numbers.setdefault(value, len(numbers)) for value in values]
        return cls(kind, np.array(codes, dtype=int), [plain_value(value) for value in numbers], levels)


def columns_of(X: Any, wanted: Any, known: Encoding | None) -> tuple[list[str], list[Column]] | None:
    """Names and columns; None where the table is numbers as scikit-learn takes them."""
    frame = as_frame(X)
    if frame is not None:
        kinds = [series.dtype for series in frame.iter_columns()]
        plain = known.are_numbers if known else _is_default(wanted)
        if plain and hasattr(X, "iloc") and all(kind.is_numeric() or kind == nw.Boolean for kind in kinds):
            return None
        named = zip(frame.columns, frame.iter_columns(), strict=True)
        return [str(name) for name in frame.columns], [_of_series(name, series) for name, series in named]
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":  # scikit-learn counts their units since 1970
        refuse_dates(0) if X.dtype.kind == "M" else refuse_durations(0)
    if known.are_numbers if known else _is_default(wanted):
        if isinstance(X, list | tuple | np.ndarray):
            array = np.asarray(X, dtype=object) if isinstance(X, list | tuple) else X
            if array.ndim != 2 or array.dtype.kind not in "OUS" or _are_floats(array):
                return None
        else:
            return None
    array = np.asarray(X, dtype=object)
    if array.ndim != 2:
        return None
    names = [str(d) for d in range(array.shape[1])]
    return names, [_of_objects(name, list(column)) for name, column in zip(names, array.T, strict=True)]


def _is_default(wanted: Any) -> bool:
    return wanted is None or (isinstance(wanted, str) and wanted == "from_dtype")


def refuse_sparse(X: Any) -> None:
    if sparse.issparse(X):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required: every value is a part of the distance from a "
            "prototype; use X.toarray(), after a selection of features if it does not fit into memory"
        )


def as_frame(X: Any) -> Any:
    """The table as a frame of narwhals; None if it is no frame."""
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X: a LazyFrame is not allowed, must be a table; use X.collect()")
    try:
        found = nw.from_native(X, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in getattr(X, "columns", X)]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X: there are {names.count(twice)} columns {twice!r}; give each a name of its own") from None
    return found if isinstance(found, nw.DataFrame) else None


def _are_floats(array: np.ndarray) -> bool:
    """Whether scikit-learn makes numbers of it; a TypeError where nothing can be made of a value."""
    try:
        array.astype(np.float64)
    except ValueError:
        return False
    except TypeError:
        return not any(isinstance(value, str) or _is_time(value) for value in array.ravel())  # scikit-learn says why
    return True


def _of_series(name: Any, series: Any) -> Column:
    kind = series.dtype
    if isinstance(kind, nw.Datetime | nw.Date):
        refuse_dates(name)
    if isinstance(kind, nw.Time):
        refuse_times(name)
    if isinstance(kind, nw.Duration):
        refuse_durations(name)
    if kind.is_numeric():
        return Column(NUMBER, np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64))
    missing = series.is_null().to_list()
    values = [None if gap else value for value, gap in zip(series.to_list(), missing, strict=True)]
    if (ordered := _ordered_levels(series)) is not None:
        return Column.of(ORDERED, values, tuple(plain_value(level) for level in ordered))
    if kind in (nw.Boolean, nw.String, nw.Categorical):
        return Column.of(CATEGORY, values)
    if kind == nw.Object or all(missing):
        return _of_objects(name, values)
    kind = getattr(series.to_native(), "dtype", kind)
    raise ValueError(f"X: column {name!r} has values of type {kind}; {ALLOWED}")


def _ordered_levels(series: Any) -> Any:
    """Levels of an ordered type, in their order; None for another type."""
    if isinstance(series.dtype, nw.Enum):
        return series.dtype.categories
    native = series.to_native()
    if getattr(getattr(native, "dtype", None), "pyarrow_dtype", None) is not None:  # Arrow in a frame of pandas
        native = native.array.__arrow_array__()
    if getattr(getattr(native, "type", None), "ordered", False):
        return native.unify_dictionaries().chunk(0).dictionary.to_pylist()
    return None


def _of_objects(name: Any, values: list[Any]) -> Column:
    """A column without a type, by what it holds."""
    values = [None if is_missing(value) else value for value in values]
    found: dict[str, int] = {}  # the first row of each kind
    for row, value in enumerate(values):
        if value is not None:
            found.setdefault(_kind_of(name, value), row)
    if len(found) > 1:
        (first, row), (second, other) = sorted(found.items(), key=lambda item: item[1])[:2]
        raise ValueError(
            f"X: column {name!r} has {first} ({values[row]!r} in row {row}) and {second} ({values[other]!r} in row "
            f"{other}); pd.to_numeric(X[{name!r}], errors='coerce') makes all other values missing, "
            f"X[{name!r}].astype(str) makes all of it categories"
        )
    if "numbers" in found or not found:
        return Column(NUMBER, np.array([np.nan if value is None else float(value) for value in values]))
    return Column.of(CATEGORY, values)


def is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def _is_time(value: Any) -> bool:
    return hasattr(value, "isoformat") or hasattr(value, "total_seconds")


def _kind_of(name: Any, value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool | np.bool_):
        return "booleans"
    if isinstance(value, Real | Decimal):
        return "numbers"
    if hasattr(value, "total_seconds"):
        refuse_durations(name)
    if hasattr(value, "isoformat"):
        refuse_dates(name) if hasattr(value, "year") else refuse_times(name)
    raise ValueError(f"X: column {name!r} has a value of type {type(value).__name__}; {ALLOWED}")


def refuse_dates(name: Any) -> None:
    raise ValueError(
        f"X: column {name!r} has dates, which have no distance; convert them to numbers first, in pandas:\n"
        f"    X[{name!r}] = pd.to_datetime(X[{name!r}], utc=True) - pd.Timestamp('2000-01-01', tz='UTC')\n"
        f"    X[{name!r}] = X[{name!r}].dt.days / 365.25"
    )


def refuse_durations(name: Any) -> None:
    raise ValueError(f"X: column {name!r} has durations; convert them to numbers: X[{name!r}].dt.total_seconds()")


def refuse_times(name: Any) -> None:
    raise ValueError(
        f"X: column {name!r} has times of day; convert them to numbers, in pandas: "
        f"X[{name!r}].map(lambda time: time.hour + time.minute / 60)"
    )


def plain_value(value: Any) -> Any:
    """A level as it can be stored: whole numbers are whole, however a column has them, and intervals are text."""
    value = value.item() if isinstance(value, np.generic) else value
    if type(value).__name__ == "Interval":  # of pandas.cut
        return str(value)
    if isinstance(value, float | Decimal) and isfinite(value) and value == int(value):
        return int(value)
    return float(value) if isinstance(value, Decimal) else value


def text_of(level: Category) -> str:
    """Text of a level; booleans in lower case, as in C."""
    return str(level).lower() if isinstance(level, bool) else str(level)
