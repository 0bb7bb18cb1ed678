"""Stratified samples of a training part, and the refit of a chosen model on one of them."""

import numpy as np

from proset.study import methods
from proset.study.datasets import DataSet
from proset.study.search import Case
from proset.study.splits import TEST, part

ATTEMPTS = 1000  # to draw groups that have every class and leave something out


def nested_order(y: np.ndarray, rng: np.random.Generator, group: np.ndarray | None = None) -> np.ndarray:
    """A random order of the samples, every beginning of which is a stratified sample of them.

    Parameters
    ----------
    y : ndarray of int, shape (N,)
        Class indices; every class has a sample.
    rng : numpy.random.Generator
    group : ndarray, shape (N,), optional
        Related samples: whole groups are put in a random order, and classes are left to chance.

    Returns
    -------
    ndarray of int, shape (N,)
        Positions. Without groups the first m of them have m N_k / N samples of class k, give or take less than K - 1.
    """
    if group is not None:
        names, position = np.unique(group, return_inverse=True)
        return np.argsort(rng.permutation(len(names))[position], kind="stable")
    shuffled = rng.permutation(len(y))
    share = np.empty(len(y))  # of the own class that comes before a sample
    for k in range(y.max() + 1):
        own = shuffled[y[shuffled] == k]
        share[own] = np.arange(len(own)) / len(own)
    return shuffled[np.argsort(share[shuffled], kind="stable")]


def bootstrap_sample(y: np.ndarray, rng: np.random.Generator, group: np.ndarray | None = None) -> np.ndarray:
    """As many samples as there are of every class, drawn with replacement from those of the class.

    Parameters as in `nested_order`; with groups, whole groups are drawn with replacement.

    Returns
    -------
    ndarray of int
        Positions, sorted; of all classes.

    Raises
    ------
    ValueError
        If no draw of groups has every class and leaves a group out.
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


def refit(
    data: DataSet, fitted: np.ndarray, scored: np.ndarray, final: dict, case: Case, seed: np.random.SeedSequence
) -> np.ndarray:
    """Fit with the parameters and size of a final model on some rows, predict others.

    Parameters
    ----------
    data : DataSet
    fitted, scored : ndarrays of int
        Rows to fit on, which may be repeated, and rows to predict.
    final : dict
        Record of the final model.
    case : Case
    seed : SeedSequence

    Returns
    -------
    ndarray, shape (len(scored), K)
        Class probabilities.
    """
    method = methods.get(case.method)
    folds = np.repeat([0, TEST], [len(fitted), len(scored)])
    bound = part(data.take(np.concatenate([fitted, scored])), folds, TEST, method.scaled)
    model = method(bound).fit(final["parameters"], final["steps"], seed)
    return model.predict_proba(bound.X_score)


def weights_of(data: DataSet, rows: np.ndarray) -> np.ndarray:
    """Sample weights of some rows, 1 if there are none."""
    return np.ones(len(rows)) if data.sample_weight is None else data.sample_weight[rows]
