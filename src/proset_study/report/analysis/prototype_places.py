"""Where prototypes lie: inside the region of a class, near its boundary, or among samples of others."""

import numpy as np

from proset_study.data.distances import distances
from proset_study.methods.prototypes import PrototypeModel
from proset_study.store.stored import Final

NEIGHBOURS = 10


def of_prototypes(final: Final) -> np.ndarray:
    """Share of other classes among the training samples nearest to each prototype, shape (P,)."""
    fitted = final.model.fitted
    assert isinstance(fitted, PrototypeModel), "only methods with prototypes are asked"
    prototypes = fitted.prototypes()
    return disagreement(final, prototypes.X, prototypes.labels)


def of_samples(final: Final) -> np.ndarray:
    """The same around each training sample, shape (n,)."""
    return disagreement(final, final.part.points, final.part.y)


def disagreement(final: Final, points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Share of other classes than `labels` among the nearest training samples of each point, shape (m,).

    There are `NEIGHBOURS` of them; a sample is none of its own. For samples it is the measure of hardness called k
    disagreeing neighbours (Smith, Martinez and Giraud-Carrier, Machine Learning 95, 2014).
    """
    part = final.part
    between = distances(part.X, points, part.metric)
    elsewhere = (between == 0) & (part.y[:, None] != labels)  # equal to a sample, and of another class: not itself
    nearest = np.lexsort((elsewhere, between), axis=0)[: NEIGHBOURS + 1]
    itself = between.min(axis=0, initial=np.inf) == 0
    chosen = np.where(itself, nearest[1:], nearest[:-1])
    return (part.y[chosen] != labels).mean(axis=0)
