"""Fits of methods to a few samples."""

import numpy as np

from proset_study import methods
from proset_study.data.splits import FoldData

SEED = np.random.SeedSequence(3)


def make_part(X, y, weight=None):
    """Samples that are fitted as they are, and scored."""
    X, y = np.array(X, dtype=float), np.array(y)
    return FoldData(X, y, weight, X, y, weight, np.arange(len(y)), y.max() + 1, np.zeros(1), np.ones(1))


def fit(name, X, y, complexity=1, weight=None, **parameters):
    """A model of a method."""
    return methods.get(name)(make_part(X, y, weight)).fit(parameters, complexity, SEED)
