"""The columns of a custom table by their roles, checked before all else; messages are as in `table_file`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from proset_study.base.records import is_number
from proset_study.data.categories import as_text
from proset_study.data.dataset import MissingValues
from proset_study.data.table_file import listed, name_hint, read_table, refuse_duplicates, refuse_large

if TYPE_CHECKING:
    import pandas as pd

LARGEST, SMALLEST = 1e30, 1e-30  # beyond, squares leave the range of the float32 numbers in XGBoost and the kernel
IMPUTE = "for features an imputer can be named in impute"
MAX_CLASSES = 20  # from which on there must be three rows of each, on average
MAX_CATEGORIES = 1000  # of a column: each of them is a feature
EXACT = 2**53  # whole numbers beyond it are not all different in float64


@dataclass(frozen=True)
class Columns:
    """The table by the roles of its columns."""

    features: "pd.DataFrame"  # (N, D); numbers within the limits above, categorical columns as they were read
    categorical: list[str]
    labels: "pd.Series"  # text; at least two classes, each with a row of positive weight
    weights: "pd.Series | None"  # 0 or more
    groups: "pd.Series | None"  # with `time` those of the same time: numbers or dates
    items: "pd.Series | None" = None  # text; with them there are no features
    test: np.ndarray | None = None  # whether a row is in the test part; both parts have all classes, but no same group


def read_columns(
    file: str,
    target: str | None = None,
    drop: Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
    categorical: Sequence[str] = (),
    impute: str | None = None,
    sep: str = ",",
    decimal: str = ".",
    threshold: float | Sequence[float] | None = None,
    items: str | None = None,
    test: str | None = None,
    gaps: bool = False,
    time: str | None = None,
) -> Columns:
    """The columns of a .csv or .parquet file by their roles, named as in the config.

    Without `target` it is the column that the table itself names, as those of OpenML do. In a .parquet file columns
    with the type of categories need not be in `categorical`. Values may be missing with `impute` or `gaps`, else
    MissingValues is raised.
    """
    texts = (None if threshold is not None else target, group, items, *categorical)
    as_written = [name for name in texts if name is not None]
    table = read_table(file, as_written, len(drop), sep, decimal)
    if not len(table):
        raise ValueError(f"{file} has a header and no rows")
    target = target or table.attrs.get("target")
    if target is None:
        raise ValueError(
            f"{file} names no target; name its column in target, the columns are {listed(table.columns.tolist())}"
        )
    single = {"weight": weight, "group": group, "items": items, "test": test, "time": time}
    roles = {"target": [target], "drop": drop, **{role: [name] for role, name in single.items() if name}}
    _check_roles(file, list(table.columns), {**roles, "categorical": categorical})
    _refuse_lists(file, table.drop(columns=list(drop)))
    features = table.drop(columns=[name for names in roles.values() for name in names])
    if items:
        refuse_missing(file, table[items], f"items column {items!r}", "every row needs one")
        features = features[[]]
    elif not features.shape[1]:
        raise ValueError(f"{file} has no feature left besides target, drop, weight, group, time and test")
    categorical = [
        name for name in features.columns.tolist() if name in categorical or features[name].dtype == "category"
    ]
    may_lack = gaps or impute is not None
    n_categories = _check_categories(file, features, categorical, may_lack) if categorical else 0
    refuse_large(file, len(features) * (features.shape[1] - len(categorical) + n_categories))
    _check_numbers(file, features.drop(columns=categorical) if categorical else features, may_lack)
    if weight:
        refuse_missing(file, table[weight], f"weight column {weight!r}", "give every row a weight")
        _check_numbers(file, table[[weight]])
        if (table[weight] < 0).any():
            row = int(np.argmax(table[weight] < 0))
            raise ValueError(f"{file}: weight column {weight!r}, row {row + 1}: {table[weight][row]} is negative")
    if group:
        refuse_missing(file, table[group], f"group column {group!r}", "give every row a group")
    classes = table[target] if threshold is None else _sides(file, table[target], threshold)
    labels = class_labels(file, classes, f"target column {target!r}", table[weight] if weight else None)
    weights, groups, strings = (table[name] if name else None for name in (weight, group, items))
    if time:
        groups = _times(file, table[time])
    tested = None
    if test:
        belongs = None if groups is None else groups.to_numpy()
        name = f"test column {test!r}"
        refuse_missing(file, table[test], name, "give every row 1, the test part, or 0")
        tested = test_part(file, name, table[test].to_numpy(), labels.to_numpy(), belongs)
    return Columns(features, categorical, labels, weights, groups, strings, tested)


def test_part(file: str, name: str, values: np.ndarray, labels: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Which rows are the test part, shape (N,), by a column or array of 0 and 1, whose name is for messages."""
    other = ~np.isin(values, [0, 1])
    if other.any():
        row = int(np.argmax(other))
        raise ValueError(
            f"{file}: {name}, row {row + 1} is {values.tolist()[row]!r}; allowed are 1, the test part, and 0"
        )
    tested = values.astype(float) == 1
    for part, rows in (("test part", tested), ("training part", ~tested)):
        if absent := sorted(set(labels) - set(labels[rows])):
            raise ValueError(f"{file}: {name}: the {part} has no row of class {absent[0]!r}; both need every class")
    if groups is not None and (both := sorted(set(groups[tested]) & set(groups[~tested]))):
        raise ValueError(f"{file}: {name}: group {str(both[0])!r} is in both parts; a group must be in one")
    return tested


def proportional(weights: np.ndarray) -> np.ndarray:
    """Weights as methods take them, shape (N,): whole numbers count copies of a row, others have a mean of 1.

    Of those only the proportions count: settings such as the smallest weight of a leaf are in units of samples.

    >>> proportional(np.array([0.0, 0.25, 0.75])).tolist(), proportional(np.array([1, 3])).tolist()
    ([0.0, 0.5, 1.5], [1.0, 3.0])
    """
    weights = weights.astype(np.float64)
    if (weights == np.floor(weights)).all():
        return weights
    found: np.ndarray = weights / weights[weights > 0].mean()
    return found


def _times(file: str, column: "pd.Series") -> "pd.Series":
    """The column of times as numbers, or as dates in UTC."""
    from pandas import to_datetime
    from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

    name = f"time column {column.name!r}"
    refuse_missing(file, column, name, "give every row a time")
    if is_numeric_dtype(column.dtype):
        _check_numbers(file, column.to_frame())
        return column
    if is_datetime64_any_dtype(column.dtype):
        return column
    text = column.astype(str)
    text = text.where(text.str.match(r"\s*[+-]?\d"))  # else pandas takes now and today for dates
    dates = to_datetime(text, format="ISO8601", utc=True, errors="coerce")
    if (strange := dates.isna()).any():
        row, rule = int(np.argmax(strange)), "times are numbers, or dates as 2026-11-25 or 2026-11-25T21:45"
        raise ValueError(f"{file}: {name}, row {row + 1}: {str(column.iloc[row])!r} cannot be sorted; {rule}")
    return dates


def _check_roles(file, columns, roles):
    for role, names in roles.items():
        for name in names:
            if name not in columns:
                known = listed(columns) + name_hint(columns)
                raise ValueError(f"{file} has no column {name!r} ({role}); its columns are {known}")
            others = [other for other in roles if other != role and name in roles[other]]
            if others:
                raise ValueError(f"{file}: column {name!r} cannot be both {role} and {others[0]}")
    unnamed = [name for name in columns if str(name).startswith("Unnamed: ") and name not in roles["drop"]]
    if unnamed:
        raise ValueError(f"{file}: a column has no name; name it, or add {unnamed[0]!r} to drop")


def _refuse_lists(file, table):
    """Cells of .parquet files may hold lists, arrays and structures."""
    from pandas.api.types import is_list_like, is_object_dtype

    for name in filter(lambda name: is_object_dtype(table[name].dtype), table.columns):
        found = table[name].map(is_list_like)
        if found.any():
            row = int(np.argmax(found))
            value = f"{table[name].iloc[row]!r:.60}"
            raise ValueError(f"{file}: column {name!r}, row {row + 1}: {value} is not one value; name it in drop")


def _check_categories(file, features, categorical, may_lack):
    """The number of categories in all columns, a missing one counted."""
    found = {}
    for name in categorical:
        if not may_lack:
            refuse_missing(file, features[name], f"column {name!r}", IMPUTE, MissingValues)
        texts = as_text(features[name])
        found[name] = texts.unique()
        if features[name].isna().all():
            raise ValueError(f"{file}: column {name!r} has no value in any row; name it in drop")
        if (null := texts.str.contains("\0", regex=False, na=False)).any():
            row = int(np.argmax(null)) + 1
            raise ValueError(f"{file}: column {name!r}, row {row}: a category has a null character; remove it")
        if (n := len(found[name])) > MAX_CATEGORIES:
            raise ValueError(
                f"{file}: column {name!r} has {n:,} categories, at most {MAX_CATEGORIES:,} are allowed, each is a "
                "feature; name it in drop, or merge rare ones"
            )
    one_hot = [f"{name}={category}" for name in found for category in found[name]]
    refuse_duplicates(file, [*(name for name in features if name not in found), *one_hot])
    return sum(map(len, found.values()))


def _sides(file, column, threshold):
    """The interval between thresholds in which each number of the target is; each has its upper end."""
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    name = f"target column {column.name!r}"
    if not is_numeric_dtype(column.dtype):
        raise ValueError(f"{file}: {name}{_no_number(column)}; with threshold it must be")
    refuse_missing(file, column, name, "every row needs one")
    _refuse_infinite(file, column, name)
    limits = np.atleast_1d(threshold)
    ends = [f"{limit:g}" if len(limits) == 1 else f"{limit:.15g}" for limit in limits]
    between = [f"above {low} to {high}" for low, high in pairwise(ends)]
    names = np.array([f"up to {ends[0]}", *between, f"above {ends[-1]}"])
    return pd.Series(names[np.searchsorted(limits, column.to_numpy(dtype=float))])


def refuse_missing(file: str, column: "pd.Series", name: str, remedy: str, kind: type[ValueError] = ValueError) -> None:
    """An error that names the first row without a value."""
    missing = column.isna()
    if missing.any():
        raise kind(f"{file}: {name}, row {int(np.argmax(missing)) + 1} has no value; {remedy}")


def _refuse_infinite(file, column, name):
    infinite = np.isinf(column.to_numpy(dtype=float))
    if infinite.any():
        row = int(np.argmax(infinite))
        raise ValueError(f"{file}: {name}, row {row + 1} is {column.iloc[row]}; numbers must be finite")


def _check_numbers(file, columns, may_lack=False):
    from pandas.api.types import is_numeric_dtype

    for name, dtype in columns.dtypes.items():
        if dtype.kind in "iuO":
            _refuse_digits(file, columns[name])
        if not is_numeric_dtype(dtype) or dtype.kind == "c":
            raise ValueError(
                f"{file}: column {name!r}{_no_number(columns[name])}; features and weights must be numbers; "
                "name any other feature in categorical or in drop"
            )
    values = columns.to_numpy(dtype=float, na_value=np.nan)
    bad = np.isinf(values) if may_lack else ~np.isfinite(values)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        where = f"{file}: column {columns.columns[column]!r}, row {row + 1}"
        if np.isnan(values[row, column]):
            raise MissingValues(f"{where} has no value; numbers must be finite; {IMPUTE}")
        raise ValueError(f"{where} is infinite; numbers must be finite")
    if may_lack:
        empty = np.isnan(values).all(axis=0)
        if empty.any():
            name = columns.columns[int(np.argmax(empty))]
            raise ValueError(f"{file}: column {name!r} has no value in any row; name it in drop")
    largest = np.fmax.reduce(np.abs(values), axis=0)  # NaN only where all are
    bad = (largest > LARGEST) | ((largest < SMALLEST) & (largest > 0))
    if bad.any():
        column = int(np.argmax(bad))
        raise ValueError(
            f"{file}: column {columns.columns[column]!r} reaches {largest[column]:g} in absolute value, allowed are "
            f"0 and {SMALLEST:g} to {LARGEST:g}; take another unit"
        )


def _refuse_digits(file, column):
    """Whole numbers that would not be the same as float64; pandas keeps those beyond 64 bits as objects."""
    whole = column.map(lambda value: isinstance(value, int)) if column.dtype.kind == "O" else column.notna()
    if not whole.any():
        return
    large = whole & (column.where(whole, 0).abs() > EXACT)
    if large.any():
        row = int(np.argmax(large))
        raise ValueError(
            f"{file}: column {column.name!r}, row {row + 1}: {column.iloc[row]} has more digits than a number can keep"
            "; name an identifier in drop or categorical, or take another unit"
        )


def _no_number(column):
    """The first value that is none, or the type if the values are not text."""
    from pandas import to_numeric
    from pandas.api.types import is_string_dtype

    if is_string_dtype(column.dtype):
        texts = column[column.notna() & to_numeric(column, errors="coerce").isna()]
        if len(texts):
            comma = (
                "; is its decimal mark a comma? name it in decimal"
                if is_number(str(texts.iloc[0]).replace(",", "."))
                else ""
            )
            return f", row {texts.index[0] + 1}: {texts.iloc[0]!r} is not a number{comma}"
    there = column[column.notna()].head(1)
    return f" is {column.dtype}" + "".join(f", row {row + 1}: {str(value)!r}" for row, value in there.items())


def class_labels(file: str, column: "pd.Series", name: str, weights: "pd.Series | None") -> "pd.Series":
    """The classes of all rows as text, from a column or array whose name is for messages."""
    refuse_missing(file, column, name, "empty, NA, NaN, None and null count as such")
    if column.dtype.kind == "f":
        _refuse_infinite(file, column, name)
    labels = column.astype(str)
    if labels.str.contains("\0", regex=False).any():
        raise ValueError(f"{file}: {name} has a class with a null character; remove it")
    present = labels if weights is None else labels[weights > 0]
    if weights is not None and (lost := sorted(set(labels) - set(present))):
        raise ValueError(f"{file}: class {listed(lost)} of {name} has no row of positive weight")
    if (n := present.nunique()) > max(MAX_CLASSES, len(present) / 3):
        raise ValueError(
            f"{file}: {name} has {n:,} different values in {len(present):,} rows; this looks like a "
            "measurement or an identifier, classes are needed"
        )
    if n < 2:
        raise ValueError(f"{file}: {name} has one class, {labels.iloc[0]!r}; at least 2 are needed")
    return labels
