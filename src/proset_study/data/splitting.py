"""One stratified training-test split and its stratified folds per data set and replicate, shared by all methods."""

import numpy as np

from proset_study.data.splits import TEST

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
    """Assign each row to the test part, `TEST`, or to the fold that holds it out; ValueError if that is not possible.

    `test` is the test part if the data come with one. With `group`, numbers of what is kept together, the test part is
    that of `GROUP_DRAWS` random draws of groups in which the proportion of every class is nearest to `test_fraction`,
    of those that leave every class in `n_folds` groups to train on.

    >>> folds = split(np.repeat([0, 1], 10), n_folds=2, test_fraction=0.3, seed=0)
    >>> [int((folds == fold).sum()) for fold in (TEST, 0, 1)]
    [6, 7, 7]
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
        tested_fraction = np.bincount(class_of[tested], weights=size[tested], minlength=len(samples)) / samples
        return (left < n_folds).any() or not tested_fraction.all(), np.abs(tested_fraction - test_fraction).max()

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
