"""One stratified training-test split and its stratified folds per data set and replicate, shared by all methods.

Rows of one group, where the data have groups, are all in the test part or all in one fold.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proset_study.data.datasets import DataSet
from proset_study.data.encoding import Encoder
from proset_study.records import read_table, write_text

TEST = -1  # in the array of folds: the row belongs to the test part
SHOWN = 12  # counts in a message
GROUP_DRAWS = 100  # of groups for the test part, of which the best stratified one is taken


def split(
    y: np.ndarray,
    n_folds: int,
    test_fraction: float,
    seed: int,
    test: np.ndarray | None = None,
    group: np.ndarray | None = None,
) -> np.ndarray:
    """Assign each row to the test part or to the fold of the training part that leaves it out.

    Parameters
    ----------
    y : ndarray of int, shape (N,)
    n_folds : int >= 2
    test_fraction : float in (0, 1)
        Of the rows; of the groups, if there are groups.
    seed : int
    test : ndarray of bool, shape (N,), optional
        The test part, if it is given and not to be drawn.
    group : ndarray of int, shape (N,), optional
        Rows of the same group are kept together. The test part is that of `GROUP_DRAWS` random draws of groups in which
        the share of every class is nearest to `test_fraction`, of those that leave every class in `n_folds` groups to
        train on; folds are those of scikit-learn's StratifiedGroupKFold.

    Returns
    -------
    ndarray of int, shape (N,)
        `TEST` or the number of the fold, 0..n_folds - 1.

    Raises
    ------
    ValueError
        If the split is not possible, a class has fewer training samples than there are folds, or is in too few groups.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, train_test_split

    if test is not None:
        train = np.flatnonzero(~test)
    elif group is not None:
        train = _training_groups(y, n_folds, test_fraction, seed, group)
    else:
        try:
            train, _ = train_test_split(np.arange(len(y)), test_size=test_fraction, stratify=y, random_state=seed)
        except ValueError as error:  # fewer than two samples of a class, or a part without one
            counts = _listed(np.bincount(y))
            raise ValueError(
                f"test_fraction: {test_fraction} is not possible with classes of {counts} samples: {error}"
            ) from error
    smallest = np.bincount(y[train]).min()
    if smallest < n_folds:
        raise ValueError(f"folds: {n_folds} is more than the {smallest} training samples of the smallest class")
    folds = np.full(len(y), TEST)
    splitter = (StratifiedKFold if group is None else StratifiedGroupKFold)(n_folds, shuffle=True, random_state=seed)
    for fold, (_, held_out) in enumerate(splitter.split(train, y[train], None if group is None else group[train])):
        folds[train[held_out]] = fold
    return folds


def _training_groups(y, n_folds, test_fraction, seed, group):
    """Rows of the training part: the groups that the best of `GROUP_DRAWS` draws leaves out of the test part."""
    from sklearn.model_selection import ShuffleSplit

    n_groups, samples = group.max() + 1, np.bincount(y)
    pairs, size = np.unique(group * len(samples) + y, return_counts=True)  # of each class in each group
    group_of, class_of = np.divmod(pairs, len(samples))
    groups = np.bincount(class_of)
    if groups.min() <= n_folds:
        raise ValueError(
            f"group: classes are in {_listed(groups)} groups, each must be in at least {n_folds + 1}: one "
            f"for the test part and one for each of the {n_folds} folds; fewer folds, or smaller groups"
        )

    def imbalance(draw):
        tested = np.isin(group_of, draw[1])
        left = np.bincount(class_of[~tested], minlength=len(samples))
        share = np.bincount(class_of[tested], weights=size[tested], minlength=len(samples)) / samples
        return (left < n_folds).any() or not share.all(), np.abs(share - test_fraction).max()

    try:
        draws = ShuffleSplit(GROUP_DRAWS, test_size=test_fraction, random_state=seed).split(np.arange(n_groups))
        best = min(draws, key=imbalance)
    except ValueError as error:  # nothing is left to train on
        raise ValueError(f"test_fraction: {test_fraction} is not possible with {n_groups} groups: {error}") from error
    if imbalance(best)[0]:
        raise ValueError(
            f"group: with test_fraction {test_fraction} of {n_groups} groups, no draw has every class in the test part "
            f"and in at least {n_folds} groups of the training part, one for each fold; fewer folds, or smaller groups"
        )
    return np.flatnonzero(np.isin(group, best[0]))


def _listed(counts):
    """The smallest ones, if there are many."""
    shown = ", ".join(map(str, counts if len(counts) <= SHOWN else np.sort(counts)[:SHOWN]))
    return shown if len(counts) <= SHOWN else f"{shown} and {len(counts) - SHOWN:,} more"


def write_split(path: str | Path, folds: np.ndarray) -> None:
    """Write a split as CSV: one row per sample, its fold or -1 for the test part."""
    write_text(path, "row,fold\n" + "".join(f"{row},{fold}\n" for row, fold in enumerate(folds.tolist())))


def read_split(path: str | Path, n_samples: int) -> np.ndarray:
    """Read what `write_split` wrote for so many samples; ValueError if the file is damaged."""
    return read_table(path, n_samples)[:, 1].astype(int)


@dataclass(frozen=True)
class FoldData:
    """Rows to fit on and rows to score on, encoded if the data set asks for it, scaled if the method wants it.

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
    encoder : Encoder or None
        From the columns of the data set to features; learned from the fitted part alone.
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
    encoder: Encoder | None = None


def select_fold(data: DataSet, folds: np.ndarray, held_out: int, scaled: bool) -> FoldData:
    """Fit on the training part without fold `held_out` (on all of it for `TEST`), score on what was left out.

    Parameters
    ----------
    data : DataSet
    folds : ndarray of int, shape (N,)
        From `split`.
    held_out : int
        A fold, or `TEST`.
    scaled : bool
        Whether to centre and scale; a constant feature is only centred. Categories stay 0 and 1: a row of another
        category is then as far away (squared: 2) as that of another number is on average.

    Raises
    ------
    ValueError
        If a class has no sample left to fit on, or a column no value to impute others from.
    """
    weight = data.sample_weight
    fitted, scored = (folds != TEST) & (folds != held_out), folds == held_out
    where = "training part" if held_out == TEST else f"fold {held_out}"
    if weight is not None:
        fitted &= weight > 0  # a sample of weight 0 is as good as none
    if len(np.unique(data.y[fitted])) < len(data.class_names):
        raise ValueError(f"{where}: some class of {', '.join(data.class_names)} has no sample to fit on")
    X, X_score, encoder = data.X[fitted], data.X[scored], None
    if data.is_encoded:
        try:
            encoder = Encoder.fit(X, data)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        X, X_score = encoder.transform(X), encoder.transform(X_score)
    centre, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
    if scaled:
        centre, scale = X.mean(axis=0), X.std(axis=0)
        scale[scale <= 1e-12 * np.abs(X).max(axis=0, initial=0.0)] = 1.0
        if encoder is not None:
            centre[~encoder.is_number], scale[~encoder.is_number] = 0.0, 1.0
    return FoldData(
        X=(X - centre) / scale,
        y=data.y[fitted],
        weight=None if weight is None else weight[fitted],
        X_score=(X_score - centre) / scale,
        y_score=data.y[scored],
        weight_score=None if weight is None else weight[scored],
        rows_score=np.flatnonzero(scored),
        n_classes=len(data.class_names),
        centre=centre,
        scale=scale,
        encoder=encoder,
    )
