"""One stratified training-test split and its stratified folds per data set and replicate, shared by all methods."""

import numpy as np

from proset_study.data.splits import TEST

SHOWN = 12  # counts in a message
GROUP_DRAWS = 100  # of groups for the test part, of which the best stratified one is taken that can be cut into folds
FOLD_DRAWS = 10  # of these


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
    of those that leave every class in `n_folds` groups to train on, and no fold without which a class is missing.

    >>> folds = split(np.repeat([0, 1], 10), n_folds=2, test_fraction=0.3, seed=0)
    >>> [int((folds == fold).sum()) for fold in (TEST, 0, 1)]
    [6, 7, 7]
    """
    from sklearn.model_selection import train_test_split

    if test is not None:
        parts = [np.flatnonzero(~test)]
    elif group is not None:
        parts = _training_groups(y, n_folds, test_fraction, seed, group)
    else:
        try:
            parts = train_test_split(np.arange(len(y)), test_size=test_fraction, stratify=y, random_state=seed)[:1]
        except ValueError as error:  # fewer than two samples of a class, or a part without one
            counts = _listed(np.bincount(y))
            raise ValueError(
                f"test_fraction: {test_fraction} is not possible with classes of {counts} samples: {error}"
            ) from error
    for train in parts:
        smallest = np.bincount(y[train]).min()
        if smallest < n_folds:
            raise ValueError(f"folds: {n_folds} is more than the {smallest} training samples of the smallest class")
        if held_out := _folds(y[train], n_folds, seed, None if group is None else group[train]):
            folds = np.full(len(y), TEST)
            for fold, rows in enumerate(held_out):
                folds[train[rows]] = fold
            return folds
    raise ValueError(
        f"group: in all draws of {n_folds} folds one has all training samples of a class, so that the others have none "
        "to fit it on; another number of folds, or smaller groups"
    )


def _folds(y, n_folds, seed, group):
    """Rows of each fold, of the first of `FOLD_DRAWS` draws of groups that leaves every class to the other folds."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    if group is None:
        return [rows for _, rows in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(y, y)]
    for state in (seed, *np.random.SeedSequence(seed).generate_state(FOLD_DRAWS - 1).tolist()):
        draw = list(StratifiedGroupKFold(n_folds, shuffle=True, random_state=state).split(y, y, group))
        if all(len(np.unique(y[fitted])) == len(np.unique(y)) for fitted, _ in draw):
            return [rows for _, rows in draw]
    return []


def _training_groups(y, n_folds, test_fraction, seed, group):
    """Rows of training parts, the best of `GROUP_DRAWS` draws first: the groups that are left out of the test part."""
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
        ranked = sorted(draws, key=imbalance)
    except ValueError as error:  # nothing is left to train on
        raise ValueError(f"test_fraction: {test_fraction} is not possible with {n_groups} groups: {error}") from error
    if imbalance(ranked[0])[0]:
        raise ValueError(
            f"group: with test_fraction {test_fraction} of {n_groups} groups, no draw has every class in the test part "
            f"and in at least {n_folds} groups of the training part, one for each fold; fewer folds, or smaller groups"
        )
    return (np.flatnonzero(np.isin(group, draw[0])) for draw in ranked if not imbalance(draw)[0])


def _listed(counts):
    """The smallest ones, if there are many."""
    shown = ", ".join(map(str, counts if len(counts) <= SHOWN else np.sort(counts)[:SHOWN]))
    return shown if len(counts) <= SHOWN else f"{shown} and {len(counts) - SHOWN:,} more"
