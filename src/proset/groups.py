"""Groups of samples, by a column of their table or a function of it."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from proset.encoding import as_frame

Grouping = str | int | Callable[[Any], Any] | None


def group_labels(group_by: Grouping, X: Any, argument: str = "group_by") -> np.ndarray:
    """The group of each sample.

    Parameters
    ----------
    group_by : str, int or callable
        A column by its name or number, or what gives N labels for `X`.
    X : array-like, sparse matrix or frame, shape (N, D)
    argument : str
        Name of `group_by` in errors.

    Returns
    -------
    ndarray of objects, shape (N,)
        As Python has them, so that equal ones are found again whatever holds them; None where one is missing.

    Raises
    ------
    ValueError
        If there is no such column, or not one label for each sample.

    Examples
    --------
    >>> group_labels(1, [[0.5, "north"], [0.1, "south"]]).tolist()
    ['north', 'south']
    >>> group_labels(lambda X: [row[0] > 0.3 for row in X], [[0.5, "north"], [0.1, "south"]]).tolist()
    [True, False]
    """
    frame = as_frame(X)
    table: Any = X if frame is not None or hasattr(X, "dtype") else np.asarray(X, dtype=object)
    n, n_columns = table.shape if frame is None else frame.shape
    if callable(group_by):
        return plain_labels(group_by(X), n, argument)
    d = _position(group_by, None if frame is None else [str(name) for name in frame.columns], n_columns, argument)
    if frame is not None:
        return plain_labels(list(frame.iter_columns())[d].to_list(), n, argument)
    return plain_labels(table[:, [d]].toarray() if sparse.issparse(table) else table[:, d], n, argument)


def complete_groups(groups: Any, n: int) -> np.ndarray:
    """Groups of n samples for a splitter; ValueError if one is missing."""
    missing = [i for i, label in enumerate(plain_labels(groups, n, "groups").tolist()) if label is None]
    if missing:
        raise ValueError(f"groups: {len(missing)} of {n} are missing, the first in row {missing[0]}")
    return np.asarray(groups)


def plain_labels(labels: Any, n: int, argument: str) -> np.ndarray:
    """Labels of n samples as Python has them."""
    given = np.asarray(labels, dtype=object)
    if given.shape not in ((n,), (n, 1)):
        raise ValueError(f"{argument}: shape {given.shape} is not allowed, must be one label for each of {n} samples")
    found = np.empty(n, dtype=object)
    found[:] = [_plain(label) for label in given.ravel()]
    return found


def rows_by_group(labels: np.ndarray) -> dict[Any, np.ndarray]:
    """Numbers of the samples of each group, groups in their order, that of missing labels last."""
    rows: dict[Any, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    order = sorted(rows, key=lambda label: (label is None, isinstance(label, str), str(type(label)), label))
    return {label: np.array(rows[label]) for label in order}


def _position(group_by: Any, names: list[str] | None, n_columns: int, argument: str) -> int:
    """Number of a column."""
    if isinstance(group_by, Integral) and not isinstance(group_by, bool):
        if 0 <= int(group_by) < n_columns:
            return int(group_by)
        raise ValueError(f"{argument}: {group_by} is not allowed, columns of X are 0 to {n_columns - 1}")
    if names is None:
        raise ValueError(f"{argument}: {group_by!r} is not allowed, X has no names of columns, must be a number")
    if names.count(str(group_by)) != 1:
        shown = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
        raise ValueError(f"{argument}: {group_by!r} is not allowed, columns of X are {shown}")
    return names.index(str(group_by))


def _plain(label: Any) -> Any:
    label = label.item() if isinstance(label, np.generic) else label
    try:
        return label if label == label else None
    except TypeError:  # the missing value of pandas is neither
        return None
