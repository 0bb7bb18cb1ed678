"""Fits of methods to a few samples."""

import numpy as np

from proset_study import methods
from proset_study.data.splits import FoldData

SEED = np.random.SeedSequence(3)


def make_part(X, y, weight=None):
    """Samples that are fitted as they are, and scored."""
    X, y = np.array(X, dtype=float), np.array(y)
    return FoldData(X, y, weight, X, y, weight, np.arange(len(y)), y.max() + 1, np.zeros(1), np.ones(1))


def classes_by_three_features(n_classes):
    """Samples of two or three classes in four features, of which the last one says nothing."""
    X = np.random.default_rng(n_classes).normal(size=(200, 4))
    return X, np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [0.0, 1.0][: n_classes - 1])


def fit(name, X, y, complexity=1, weight=None, **parameters):
    """A model of a method."""
    return methods.get(name)(make_part(X, y, weight)).fit(parameters, complexity, SEED)
