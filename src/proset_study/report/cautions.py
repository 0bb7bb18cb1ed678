"""Final models to be careful with."""

import numpy as np

from proset_study import methods
from proset_study.report.figures.complexity import true_class_probability
from proset_study.scores import SMALLEST
from proset_study.store.stored import Final, Stored

CONSTANT = 1e-6  # largest spread of a predicted probability over the test points of a constant model


def constant_models(stored: Stored) -> list[Final]:
    """Final models that predict the same for every test point, other than the class prior."""
    finals = [f for f in stored.finals() if f.run.method != "class_prior"]
    return [f for f in finals if np.ptp(f.probabilities, axis=0).max() < CONSTANT]


def zero_probability_samples(stored: Stored) -> list[tuple[Final, int, float]]:
    """Final models that gave some test samples' class probability 0, how many, and the log-loss of all others.

    Methods that predict no probabilities are left out.
    """
    found = []
    for final in (f for f in stored.finals() if methods.get(f.run.method).probabilistic):
        own = true_class_probability(final)
        zero = own <= SMALLEST
        if zero.any() and not zero.all():
            others = np.average(-np.log(own[~zero]), weights=final.weight[~zero])
            found.append((final, int(zero.sum()), float(others)))
    return found
