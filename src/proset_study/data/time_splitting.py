"""A split by time: the test part is the latest rows, and the folds are blocks of neighbouring times before it.

The cross-validation in blocks is that of C. Bergmeir and J. M. Benitez, On the use of cross-validation for time series
predictor evaluation, Information Sciences 191 (2012) 192-213: every fold is held out by models of all the others.
"""

import numpy as np

from proset_study.data.splits import TEST


def split_in_time(
    y: np.ndarray, n_folds: int, test_fraction: float, time: np.ndarray | None, class_names: np.ndarray
) -> np.ndarray:
    """Assign each row to the test part, `TEST`, or to the fold that holds it out; ValueError if that is not possible.

    `y` are indices of `class_names`. `time`, shape (N,), are numbers in the order of time, equal for rows of the same
    time, which are kept together: a border is where the time changes, nearest to where the number of rows would put it;
    of two as near it is the earlier one.

    >>> split_in_time(np.array([0, 1] * 4), 2, 0.25, np.arange(8), np.array(["no", "yes"])).tolist()
    [0, 0, 0, 1, 1, 1, -1, -1]
    """
    if time is None:
        raise ValueError("time: the data set has no times; make it again")
    time = np.unique(time, return_inverse=True)[1]  # without gaps where `rows` took none of a time
    ends = np.bincount(time).cumsum()  # rows up to the end of each time
    n_train = len(y) * (1 - test_fraction)
    aims = [*(n_train * fold / n_folds for fold in range(1, n_folds)), n_train]
    last = [int(np.argmin(np.abs(ends - aim))) for aim in aims]  # time of each part but the test part
    if (np.diff([-1, *last, len(ends) - 1]) < 1).any():
        raise ValueError(
            f"time: with test_fraction {test_fraction} and {n_folds} folds some part has no row, rows of the same time "
            f"are kept together and there are {len(ends)} times; fewer folds, or finer times"
        )
    part = np.searchsorted(last, time)
    folds = np.where(part == n_folds, TEST, part)
    for number in (TEST, *range(n_folds)):
        fitted, name = (folds != TEST) & (folds != number), "the test part" if number == TEST else f"fold {number}"
        if len(absent := np.setdiff1d(y, y[fitted])):
            raise ValueError(f"time: without {name} no row of class {str(class_names[absent[0]])!r} is left to fit on")
    if len(absent := np.setdiff1d(y, y[folds == TEST])):
        lost = str(class_names[absent[0]])
        raise ValueError(f"time: the test part, the latest rows, has none of class {lost!r}; a larger test_fraction")
    return folds
