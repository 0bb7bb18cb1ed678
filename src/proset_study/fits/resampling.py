"""Stratified samples of a training part, with and without replacement, and the part to fit and score of one of them.

Copies of a row deceive a method that judges some of its rows by others: proset's candidates would meet themselves among
the reference samples. So methods that know weights get every drawn row once, with how often it was drawn as a weight.
"""

from dataclasses import replace

import numpy as np

from proset_study.data.dataset import DataSet
from proset_study.data.splits import TEST, FoldData, select_fold
from proset_study.methods.base import Method

ATTEMPTS = 1000  # to draw groups that have every class and leave something out


def nested_order(y: np.ndarray, rng: np.random.Generator, group: np.ndarray | None = None) -> np.ndarray:
    """A random order of the samples, positions of shape (N,), every beginning of which is a stratified sample.

    Groups of related samples are put in a random order as wholes, and classes are left to chance.
    """
    if group is not None:
        names, position = np.unique(group, return_inverse=True)
        return np.argsort(rng.permutation(len(names))[position], kind="stable")
    shuffled = rng.permutation(len(y))
    before = np.empty(len(y))  # proportion of the true class that comes before a sample
    for k in range(y.max() + 1):
        own = shuffled[y[shuffled] == k]
        before[own] = np.arange(len(own)) / len(own)
    return shuffled[np.argsort(before[shuffled], kind="stable")]


def bootstrap_sample(y: np.ndarray, rng: np.random.Generator, group: np.ndarray | None = None) -> np.ndarray:
    """Sorted positions of as many samples of every class as it has, drawn with replacement.

    Groups are drawn as wholes; ValueError if no draw has every class and leaves a group out.
    """
    if group is None:
        classes = [np.flatnonzero(y == k) for k in range(y.max() + 1)]
        return np.sort(np.concatenate([rng.choice(own, len(own)) for own in classes]))
    members = [np.flatnonzero(group == name) for name in np.unique(group)]
    for _ in range(ATTEMPTS):
        drawn = rng.integers(0, len(members), len(members))
        rows = np.concatenate([members[g] for g in drawn])
        if len(np.unique(drawn)) < len(members) and len(np.unique(y[rows])) == y.max() + 1:
            return np.sort(rows)
    raise ValueError(f"bootstrap: none of {ATTEMPTS} draws of the {len(members)} groups has all classes")


def training_rows(data: DataSet, folds: np.ndarray) -> np.ndarray:
    """Rows of the training part; those of weight 0, which are never fitted, are left out."""
    train = folds != TEST
    return np.flatnonzero(train if data.sample_weight is None else train & (data.sample_weight > 0))


def data_of_rows(data: DataSet, fitted: np.ndarray, scored: np.ndarray, method: type[Method]) -> FoldData:
    """Fit on the sorted rows `fitted`, score on `scored`; a repeated row is as many copies, or has more weight."""
    times: np.ndarray = np.ones(len(fitted))
    if method.weights != "none":
        fitted, times = np.unique(fitted, return_counts=True)
    taken = data.take(np.concatenate([fitted, scored]))
    if (times > 1).any():
        times = np.append(times, np.ones(len(scored)))
        taken = replace(taken, sample_weight=times if taken.sample_weight is None else times * taken.sample_weight)
    folds = np.repeat([0, TEST], [len(fitted), len(scored)])
    selected = select_fold(taken, folds, TEST, method.scaled, method.takes_mixed)
    return replace(selected, rows_score=scored)


def bootstrap_data(data: DataSet, folds: np.ndarray, rng: np.random.Generator, method: type[Method]) -> FoldData:
    """Fit on a bootstrap sample of the training part, score on what it leaves out; ValueError if that is nothing."""
    train = training_rows(data, folds)
    drawn = bootstrap_sample(data.y[train], rng, None if data.group is None else data.group[train])
    held_out = np.setdiff1d(np.arange(len(train)), drawn)
    if len(held_out) == 0:
        raise ValueError(f"bootstrap: a draw of {len(train)} samples leaves out none of them")
    return data_of_rows(data, train[drawn], train[held_out], method)
