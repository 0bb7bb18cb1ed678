"""From a table as people have it to the array of numbers that the classifiers compute with, and back.

What a column is follows from its type: numbers are numbers; text, booleans and categorical types are categories;
ordered categorical types are ranks, whose difference counts. pandas, polars and Arrow come in through narwhals. How
values compare, missing ones among them, is in `proset.columns`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_X_y
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

NUMBER, ORDERED, CATEGORY = "number", "ordered", "category"
OTHER = "(not in the training data)"  # a category, where it is shown
ALLOWED = "allowed are numbers, text, booleans and categories"
MANY = 20  # distinct values of a column from which on it is worth a warning that it may be something else
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
        """That of some columns."""
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


def encode(
    estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, allow_nan: bool = True
) -> tuple[np.ndarray, Any, Encoding]:
    """An array of numbers for samples, checked as scikit-learn does, and what the columns are.

    Parameters
    ----------
    estimator : object
        Its `categorical_features` say what is a category; it gets `n_features_in_` and `feature_names_in_`.
    X : array-like or frame, shape (N, D)
    y : array-like, shape (N,), optional
    reset : bool
        Whether the columns are learned; else they are those of `estimator._encoding`.
    allow_nan : bool
        Whether numbers may be missing.

    Returns
    -------
    X : ndarray of float64, shape (N, D)
        Categories are their numbers among the levels, ordered ones their ranks; missing numbers are NaN.
    y : ndarray, or as it was given
    encoding : Encoding

    Raises
    ------
    TypeError
        If `X` is sparse.
    ValueError
        If a column holds something else, has another kind than in `fit`, or `X` or `y` is not what scikit-learn takes.

    Warns
    -----
    UserWarning
        With `reset`, if categories are probably numbers, or names of rows.
    """
    if not reset:
        check_is_fitted(estimator)
    _refuse_sparse(X)
    wanted = "from_dtype" if not hasattr(estimator, "categorical_features") else estimator.categorical_features
    known = None if reset else getattr(estimator, "_encoding", None)
    columns = _columns(X, wanted, known)
    finite = "allow-nan" if allow_nan else True
    checks = {"dtype": np.float64, "ensure_all_finite": finite, "reset": reset}
    if columns is None:
        checked = validate_data(estimator, X, y, **checks)
        array, y = (checked, y) if isinstance(y, str) else checked
        return array, y, known or Encoding((NUMBER,) * array.shape[1], (None,) * array.shape[1])
    validate_data(estimator, X, skip_check_array=True, reset=reset)
    names, values = columns
    if known is None:
        chosen = _chosen(wanted, names, len(values))
        found = [
            _learned(name, column, is_chosen) for name, column, is_chosen in zip(names, values, chosen, strict=True)
        ]
        known = Encoding(tuple(kind for kind, _ in found), tuple(levels for _, levels in found))
        _warn(names, values, known)
    described = zip(names, values, known.kinds, known.levels, strict=True)
    encoded = np.column_stack([_encoded(*column) for column in described]) if values else np.empty((_num_samples(X), 0))
    if isinstance(y, str):
        return check_array(encoded, ensure_all_finite=finite, estimator=estimator, input_name="X"), y, known
    return *check_X_y(encoded, y, ensure_all_finite=finite, estimator=estimator), known


def as_table(X: Any) -> np.ndarray:
    """Lists of rows as an array, whose text and numbers stay what they are."""
    array = np.asarray(X, dtype=object)
    return array if array.ndim == 2 and not _are_floats(array) else np.asarray(X)


@dataclass(frozen=True)
class _Column:
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
    def of(cls, kind: str, values: list[Any], levels: tuple[Category, ...] | None = None) -> "_Column":
        """Categories, None where one is missing."""
        numbers: dict[Any, int] = {}
        codes = [-1 if value is None else numbers.setdefault(value, len(numbers)) for value in values]
        return cls(kind, np.array(codes, dtype=int), [_plain(value) for value in numbers], levels)


def _columns(X: Any, wanted: Any, known: Encoding | None) -> tuple[list[str], list[_Column]] | None:
    """Names and columns; None where the table is numbers as scikit-learn takes them."""
    frame = as_frame(X)
    if frame is not None:
        kinds = [series.dtype for series in frame.iter_columns()]
        plain = known.are_numbers if known else _is_default(wanted)
        if plain and hasattr(X, "iloc") and all(kind.is_numeric() or kind == nw.Boolean for kind in kinds):
            return None
        named = zip(frame.columns, frame.iter_columns(), strict=True)
        return [str(name) for name in frame.columns], [_of_series(name, series) for name, series in named]
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


def _refuse_sparse(X: Any) -> None:
    if sparse.issparse(X):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required: every value is a part of the distance from a "
            "prototype; use X.toarray(), after a selection of features if it does not fit into memory"
        )


def as_frame(X: Any) -> Any:
    """As narwhals has it; None if it is no frame."""
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
        return not any(isinstance(value, str) for value in array.ravel())  # scikit-learn says what is wrong
    return True


def _of_series(name: Any, series: Any) -> _Column:
    kind = series.dtype
    if isinstance(kind, nw.Datetime | nw.Date | nw.Time):
        _refuse_dates(name)
    if isinstance(kind, nw.Duration):
        raise ValueError(f"X: column {name!r} has durations, make numbers of them: X[{name!r}].dt.total_seconds()")
    if kind.is_numeric():
        return _Column(NUMBER, np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64))
    missing = series.is_null().to_list()
    values = [None if gap else value for value, gap in zip(series.to_list(), missing, strict=True)]
    if isinstance(kind, nw.Enum):
        return _Column.of(ORDERED, values, tuple(_plain(level) for level in kind.categories))
    if kind in (nw.Boolean, nw.String, nw.Categorical):
        return _Column.of(CATEGORY, values)
    if kind == nw.Object:
        return _of_objects(name, values)
    raise ValueError(
        f"X: column {name!r} has values of type {kind}; allowed are numbers, text, booleans and categories"
    )


def _of_objects(name: Any, values: list[Any]) -> _Column:
    """A column without a type, by what it holds."""
    values = [None if _is_missing(value) else value for value in values]
    found: dict[str, int] = {}  # the first row of each kind
    for row, value in enumerate(values):
        if value is not None:
            found.setdefault(_kind_of(name, value), row)
    if len(found) > 1:
        (first, row), (second, other) = sorted(found.items(), key=lambda item: item[1])[:2]
        raise ValueError(
            f"X: column {name!r} has {first} ({values[row]!r} in row {row}) and {second} ({values[other]!r} in row "
            f"{other}); pd.to_numeric(X[{name!r}], errors='coerce') makes what is no number missing, "
            f"X[{name!r}].astype(str) makes all of it categories"
        )
    if "numbers" in found or not found:
        return _Column(NUMBER, np.array([np.nan if value is None else float(value) for value in values]))
    return _Column.of(CATEGORY, values)


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def _kind_of(name: Any, value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool | np.bool_):
        return "booleans"
    if isinstance(value, Real | Decimal):
        return "numbers"
    if hasattr(value, "isoformat"):
        _refuse_dates(name)
    raise ValueError(f"X: column {name!r} has a value of type {type(value).__name__}; {ALLOWED}")


def _refuse_dates(name: Any) -> None:
    raise ValueError(
        f"X: column {name!r} has dates, which have no distance of their own; make numbers of them first:\n"
        f"    X[{name!r}] = pd.to_datetime(X[{name!r}])\n"
        f"    X[{name!r}] = (X[{name!r}] - pd.Timestamp('2000-01-01')).dt.days / 365.25"
    )


def _chosen(wanted: Any, names: Sequence[str], n_columns: int) -> list[bool | None]:
    """Whether each column is to be a category; None: its type decides."""
    if isinstance(wanted, str):
        return [None] * n_columns
    listed = np.asarray([] if wanted is None else wanted)
    allowed = f"must be 'from_dtype', None, names among {names[:MANY]}, whole numbers below {n_columns}, or a mask"
    if listed.ndim != 1:
        raise ValueError(f"categorical_features: an array of shape {listed.shape} is not allowed, {allowed}")
    if listed.dtype == bool:
        if len(listed) != n_columns:
            raise ValueError(f"categorical_features: a mask of length {len(listed)} is not allowed, {allowed}")
        return [bool(value) for value in listed]
    numbers = {name: d for d, name in enumerate(names)}
    chosen = set()
    for value in listed.tolist():
        place = numbers.get(value) if isinstance(value, str) else value
        if not (isinstance(place, int) and -n_columns <= place < n_columns):
            raise ValueError(f"categorical_features: {value!r} is not allowed, {allowed}")
        chosen.add(place % n_columns)
    return [d in chosen for d in range(n_columns)]


def _learned(name: str, column: _Column, chosen: bool | None) -> tuple[str, tuple[Category, ...] | None]:
    """Kind and levels of a column."""
    if chosen is False and any(isinstance(value, str) for value in column.distinct) and column.kind == CATEGORY:
        raise ValueError(
            f"X: column {name!r} has text and is not among categorical_features; name it there, leave it out, or use "
            "categorical_features='from_dtype'"
        )
    if not chosen and column.kind != CATEGORY:
        return column.kind, column.levels
    column = _as_categories(column)
    if strange := next((value for value in column.distinct if not isinstance(value, str | bool | Real)), None):
        kind = type(strange).__name__
        raise ValueError(
            f"X: column {name!r} has categories of type {kind}; X[{name!r}].astype(str) makes text of them"
        )
    levels = sorted(column.distinct, key=lambda level: (type(level).__name__, level))
    has_gaps = bool((column.values < 0).any())
    return CATEGORY, (*levels, *([None] if has_gaps or not levels else []))


def _as_categories(column: _Column) -> _Column:
    """Numbers as categories."""
    if column.kind != NUMBER:
        return column
    return _Column.of(CATEGORY, [None if value != value else value for value in column.values.tolist()])


def _encoded(name: str, column: _Column, kind: str, levels: tuple[Category, ...] | None) -> Any:
    """Numbers of a column, shape (N,)."""
    if levels is None:
        if column.kind == NUMBER:
            return column.values
        if text := next((value for value in column.distinct if not isinstance(value, bool)), None):
            raise ValueError(f"X: column {name!r} had numbers in fit, now it has {text!r}")
        return np.array([*map(float, column.distinct), np.nan])[column.values]
    column = _as_categories(column)
    _refuse_other_type(name, column.distinct, levels)
    places = {level: float(number) for number, level in enumerate(levels)}
    beyond = np.nan if kind == ORDERED else float(len(levels))
    return np.array([places.get(value, beyond) for value in (*column.distinct, None)])[column.values]


def _refuse_other_type(name: str, values: list[Any], levels: tuple[Category, ...]) -> None:
    """Text and numbers that look alike are never equal: all would be categories that were not in the training data."""
    known = next((level for level in levels if level is not None), None)
    if values and known is not None and isinstance(values[0], str) != isinstance(known, str):
        kinds = ["text" if isinstance(value, str) else "numbers" for value in (known, values[0])]
        raise ValueError(
            f"X: column {name!r} had {kinds[0]} in fit, such as {known!r}, now it has {kinds[1]}, such as "
            f"{values[0]!r}; read it with the same type"
        )


def _plain(value: Any) -> Any:
    """A level as it can be stored; whole numbers are whole, however a column has them."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float | Decimal) and value == int(value):
        return int(value)
    return float(value) if isinstance(value, Decimal) else value


def _warn(names: Sequence[str], columns: Sequence[_Column], encoding: Encoding) -> None:
    """Of categories that are probably numbers, or names of rows."""
    import warnings

    for name, column, kind, levels in zip(names, columns, encoding.kinds, encoding.levels, strict=True):
        texts = [level for level in levels or () if isinstance(level, str)] if kind == CATEGORY else []
        if len(texts) <= MANY:
            continue
        if all(map(_is_numeric, texts)):
            warnings.warn(
                f"X: column {name!r} has {len(texts)} numbers as text, such as {texts[0]!r}, which are categories now; "
                f"pd.to_numeric(X[{name!r}]) makes numbers of them",
                stacklevel=6,
            )
        elif len(texts) > len(column.values) / 2:
            warnings.warn(
                f"X: column {name!r} has {len(texts)} categories in {len(column.values)} rows; if they name the rows, "
                "leave it out",
                stacklevel=6,
            )


def _is_numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
