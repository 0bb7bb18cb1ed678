"""Checks of input, and fits that fail as a whole."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_class_weight


@contextmanager
def as_before_if_it_fails(estimator: Any) -> Iterator[None]:
    """What raises in this block, Ctrl-C included, leaves the fitted estimator as it was: no mixture of two fits."""
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise


def weights_with_classes(weight: np.ndarray, class_weight: dict[Any, float] | str, y: np.ndarray) -> np.ndarray:
    """Weights of samples times those of their classes.

    Parameters
    ----------
    weight : ndarray, shape (N,)
        Not negative.
    class_weight : dict or "balanced"
        By label, 1 for labels that are not in it. "balanced" gives the classes among samples of positive weight the
        same total weight, and all of them together the weight that they have.
    y : ndarray, shape (N,)

    Returns
    -------
    ndarray, shape (N,)

    Raises
    ------
    ValueError
        If the weight of a class is no number, negative or infinite, or some labels of `class_weight` are not in `y` and
        some of `y` not in it.

    Examples
    --------
    >>> weights_with_classes(np.ones(4), "balanced", np.array(["a", "b", "b", "b"])).round(3).tolist()
    [2.0, 0.667, 0.667, 0.667]
    """
    for label, given in class_weight.items() if isinstance(class_weight, Mapping) else ():
        if not isinstance(given, Real) or not 0 <= given < np.inf:
            raise ValueError(
                f"class_weight: {given!r} for class {label!r} is not allowed, must be at least 0 and finite"
            )
    used = weight > 0
    classes, codes = np.unique(y[used], return_inverse=True)
    of_class = compute_class_weight(class_weight, classes=classes, y=y[used], sample_weight=weight[used])
    weighted = weight.copy()
    weighted[used] *= of_class[codes]
    if used.any() and not weighted.any():
        raise ValueError(f"class_weight: {class_weight!r} is not allowed, leaves no sample with positive weight")
    return weighted


def class_codes(y: Any, classes: np.ndarray, n: int) -> np.ndarray:
    """Numbers of the classes of n samples; ValueError if they are more or fewer, or one is of no class."""
    labels = column_or_1d(y)
    if len(labels) != n:
        raise ValueError(f"y: {len(labels)} labels are not allowed, must be {n}, as many as samples in X")
    if not (known := np.isin(labels, classes)).all():
        raise ValueError(f"y: {labels[~known].tolist()[0]!r} is not allowed, must be one of {classes.tolist()}")
    return np.searchsorted(classes, labels)


def checked_count(number: Any, name: str = "top", least: int = 1) -> int:
    """How many are listed, shown or kept; ValueError unless that is a whole number of at least `least`."""
    if isinstance(number, bool) or not isinstance(number, Integral) or int(number) < least:
        raise ValueError(f"{name}: {number!r} is not allowed, must be a whole number of at least {least}")
    return int(number)


def check_proportion(value: Any, name: str, also_zero: bool = False) -> None:
    """ValueError unless a value is a number between 0 and 1, exclusive, or also 0."""
    if not isinstance(value, Real) or not (0.0 < float(value) < 1.0 or (also_zero and value == 0.0)):
        allowed = "at least 0 and below 1" if also_zero else "between 0 and 1"
        raise ValueError(f"{name}: {value!r} is not allowed, must be {allowed}")


def no_overflow() -> np.errstate:
    """No warning when scikit-learn sums up huge values to see whether all of them are finite."""
    return np.errstate(over="ignore", invalid="ignore")
