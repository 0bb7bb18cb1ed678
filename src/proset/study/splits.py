"""One stratified training-test split and its stratified folds per data set and replicate, shared by all methods."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proset.study.datasets import DataSet
from proset.study.records import read_table, write_text

TEST = -1  # in the array of folds: the row belongs to the test part


def split(y: np.ndarray, n_folds: int, test_fraction: float, seed: int, test: np.ndarray | None = None) -> np.ndarray:
    """Assign each row to the test part or to the fold of the training part that leaves it out.

    Parameters
    ----------
    y : ndarray of int, shape (N,)
    n_folds : int >= 2
    test_fraction : float in (0, 1)
    seed : int
    test : ndarray of bool, shape (N,), optional
        The test part, if it is given and not to be drawn.

    Returns
    -------
    ndarray of int, shape (N,)
        `TEST` or the number of the fold, 0..n_folds - 1.

    Raises
    ------
    ValueError
        If the split is not possible, or a class has fewer training samples than there are folds.
    """
    from sklearn.model_selection import StratifiedKFold, train_test_split

    if test is not None:
        train = np.flatnonzero(~test)
    else:
        try:
            train, _ = train_test_split(np.arange(len(y)), test_size=test_fraction, stratify=y, random_state=seed)
        except ValueError as error:  # fewer than two samples of a class, or a part without one
            counts = ", ".join(map(str, np.bincount(y)))
            raise ValueError(
                f"test_fraction: {test_fraction} is not possible with classes of {counts} samples: {error}"
            ) from error
    smallest = np.bincount(y[train]).min()
    if smallest < n_folds:
        raise ValueError(f"folds: {n_folds} is more than the {smallest} training samples of the smallest class")
    folds = np.full(len(y), TEST)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for fold, (_, left_out) in enumerate(splitter.split(train, y[train])):
        folds[train[left_out]] = fold
    return folds


def write_split(path: str | Path, folds: np.ndarray) -> None:
    """Write a split as CSV: one row per sample, its fold or -1 for the test part."""
    write_text(path, "row,fold\n" + "".join(f"{row},{fold}\n" for row, fold in enumerate(folds.tolist())))


def read_split(path: str | Path, n_samples: int) -> np.ndarray:
    """Read what `write_split` wrote for so many samples; ValueError if the file is damaged."""
    return read_table(path, n_samples)[:, 1].astype(int)


@dataclass(frozen=True)
class Part:
    """Rows to fit on and rows to score on, scaled if the method wants it.

    Attributes
    ----------
    X, y, weight : ndarrays, shapes (n, D), (n,), (n,) or None
        To fit.
    X_score, y_score, weight_score : ndarrays, shapes (m, D), (m,), (m,) or None
        To score.
    rows_score : ndarray of int, shape (m,)
        Rows of the data set that are scored.
    n_classes : int
    centre, scale : ndarrays, shape (D,)
        Subtracted from and divided out of both parts; statistics of the fitted part alone.
    """

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    X_score: np.ndarray
    y_score: np.ndarray
    weight_score: np.ndarray | None
    rows_score: np.ndarray
    n_classes: int
    centre: np.ndarray
    scale: np.ndarray


def part(data: DataSet, folds: np.ndarray, left_out: int, scaled: bool) -> Part:
    """Fit on the training part without fold `left_out` (on all of it for `TEST`), score on what was left out.

    Parameters
    ----------
    data : DataSet
    folds : ndarray of int, shape (N,)
        From `split`.
    left_out : int
        A fold, or `TEST`.
    scaled : bool
        Whether to centre and scale; a constant feature is only centred.

    Raises
    ------
    ValueError
        If a class has no sample left to fit on.
    """
    weight = data.sample_weight
    fitted, scored = (folds != TEST) & (folds != left_out), folds == left_out
    if weight is not None:
        fitted &= weight > 0  # a sample of weight 0 is as good as none
    if len(np.unique(data.y[fitted])) < len(data.class_names):
        raise ValueError(f"fold {left_out}: some class of {', '.join(data.class_names)} has no sample to fit on")
    X = data.X[fitted]
    centre, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
    if scaled:
        centre, scale = X.mean(axis=0), X.std(axis=0)
        scale[scale <= 1e-12 * np.abs(X).max(axis=0, initial=0.0)] = 1.0
    return Part(
        X=(X - centre) / scale,
        y=data.y[fitted],
        weight=None if weight is None else weight[fitted],
        X_score=(data.X[scored] - centre) / scale,
        y_score=data.y[scored],
        weight_score=None if weight is None else weight[scored],
        rows_score=np.flatnonzero(scored),
        n_classes=len(data.class_names),
        centre=centre,
        scale=scale,
    )
