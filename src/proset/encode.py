"""A table as the array of numbers that the classifiers compute with; what its columns are is in `proset.encoding`."""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_X_y
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from proset.encoding import CATEGORY, NUMBER, ORDERED, Category, Column, Encoding, columns_of, is_missing, refuse_sparse

MANY = 20  # distinct values of a column from which on it is worth a warning that it may be something else


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
        If a column holds something else or has another kind than in `fit`, a class is missing, or `X` or `y` is not
        what scikit-learn takes.

    Warns
    -----
    UserWarning
        With `reset`, if categories are probably numbers, or names of rows.
    """
    if not reset:
        check_is_fitted(estimator)
    refuse_sparse(X)
    if getattr(X, "ndim", 2) == 1:
        one = "Reshape your data: one sample is X[[i]], or X.iloc[[i]] of a frame"
        raise ValueError(f"Expected 2D array, got 1D array instead. {one}")
    y = plain_classes(y)
    wanted = "from_dtype" if not hasattr(estimator, "categorical_features") else estimator.categorical_features
    known = None if reset else getattr(estimator, "_encoding", None)
    columns = columns_of(X, wanted, known)
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


def plain_classes(y: Any) -> Any:
    """Labels of classes; members of a `str` Enum, whose `str()` is not their text, become their text.

    What scikit-learn says of None is a TypeError about '<', and of a table it names neither `y` nor a row.
    """
    is_list = isinstance(y, list | tuple)
    labels = np.asarray(y, dtype=object if is_list else None)  # else NaN in a list becomes text
    if labels.ndim != 1 or labels.dtype.kind not in "fO":
        return y
    missing = [i for i, label in enumerate(labels.tolist()) if is_missing(label)]
    if missing:
        words = f"y: {len(missing)} of {len(labels)} classes are missing, the first in row {missing[0]}"
        raise ValueError(f"{words}; leave out these rows")
    others = [label for label in labels.tolist() if isinstance(label, str) and str(label) != str.__str__(label)]
    if not others:
        return y
    if is_list:  # NumPy cuts what `str` gives to the length of the text, here and in scores
        words = f"y: {others[0]!r} is not allowed in a list, where NumPy reads {str(others[0])!r}"
        raise ValueError(f"{words}; must be plain text, or in an array of objects")
    return np.array([str.__str__(label) if isinstance(label, str) else label for label in labels], dtype=object)


def _chosen(wanted: Any, names: Sequence[str], n_columns: int) -> list[bool | None]:
    """Whether each column becomes a category; None: its type decides."""
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


def _learned(name: str, column: Column, chosen: bool | None) -> tuple[str, tuple[Category, ...] | None]:
    """Kind and levels of a column."""
    if chosen is False and any(isinstance(value, str) for value in column.distinct) and column.kind == CATEGORY:
        raise ValueError(
            f"X: column {name!r} has text and is not among categorical_features; name it there, leave it out, or use "
            "categorical_features='from_dtype'"
        )
    if not chosen and column.kind == NUMBER:
        return NUMBER, None
    column = _as_categories(name, column)
    _refuse_strange(name, column.distinct if column.levels is None else column.levels)
    if not chosen and column.kind == ORDERED:
        return ORDERED, column.levels
    levels = sorted(column.distinct, key=lambda level: (type(level).__name__, level))
    has_gaps = bool((column.values < 0).any())
    return CATEGORY, (*levels, *([None] if has_gaps or not levels else []))


def _refuse_strange(name: str, levels: Iterable[Any]) -> None:
    """What a file of the model cannot hold."""
    for level in levels:
        if not isinstance(level, str | bool | int | float):
            kind = f"has categories of type {type(level).__name__}"
            raise ValueError(
                f"X: column {name!r} {kind}; X[{name!r}].cat.rename_categories(str) makes text of them, in their order"
            )
        if isinstance(level, float) and not isfinite(level):
            raise ValueError(
                f"X: column {name!r} has the category {level}; allowed are text, booleans and finite numbers"
            )


def _as_categories(name: str, column: Column) -> Column:
    """Numbers as categories; they have become float64, in which large whole numbers equal others."""
    if column.kind != NUMBER:
        return column
    if (inexact := np.isfinite(column.values) & (np.abs(column.values) >= 2**53)).any():
        value = f"{column.values[inexact.argmax()]:.0f}"
        raise ValueError(
            f"X: column {name!r} has the category {value}; allowed are numbers up to 2^53, X[{name!r}].astype(str) "
            "makes text of them"
        )
    return Column.of(CATEGORY, [None if value != value else value for value in column.values.tolist()])


def _encoded(name: str, column: Column, kind: str, levels: tuple[Category, ...] | None) -> Any:
    """Numbers of a column, shape (N,)."""
    if levels is None:
        if column.kind == NUMBER:
            return column.values
        if others := [value for value in column.distinct if not isinstance(value, bool)]:
            raise ValueError(f"X: column {name!r} had numbers in fit, now it has {others[0]!r}")
        return np.array([*map(float, column.distinct), np.nan])[column.values]
    column = _as_categories(name, column)
    _refuse_other_type(name, column.distinct, levels)
    places = {level: float(number) for number, level in enumerate(levels)}
    beyond = np.nan if kind == ORDERED else float(len(levels))
    return np.array([places.get(value, beyond) for value in (*column.distinct, None)])[column.values]


def _refuse_other_type(name: str, values: list[Any], levels: tuple[Category, ...]) -> None:
    """Text and numbers that look alike are never equal: all would be categories that were not in the training data."""
    known = next((level for level in levels if level is not None), None)
    if values and known is not None and isinstance(values[0], str) != isinstance(known, str):
        kinds = [_name_of(value) for value in (known, values[0])]
        raise ValueError(
            f"X: column {name!r} had {kinds[0]} in fit, such as {known!r}, now it has {kinds[1]}, such as "
            f"{values[0]!r}; read it with the same type"
        )


def _name_of(value: Category) -> str:
    return "text" if isinstance(value, str) else "booleans" if isinstance(value, bool) else "numbers"


def _warn(names: Sequence[str], columns: Sequence[Column], encoding: Encoding) -> None:
    """Warn of categories that are probably numbers, or names of rows."""
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
