"""Optimised learning vector quantisation (OLVQ1), started from k-means of each class; its path is that of k-means.

Every draw moves the nearest prototype: towards a sample of its true class, away from one of another. Each prototype has
a learning rate of its own, which falls while it is right and recovers while it is wrong. Our own short code: in
November 2026 sklvq 0.1.2 and sklearn-lvq 1.1.1 fail with scikit-learn 1.9 and SciPy 1.17.

T. Kohonen, Self-organizing maps, 3rd ed. (2001), section 6.3.
T. Kohonen et al., LVQ_PAK: The learning vector quantization program package, Helsinki University of Technology (1996).
"""

import numpy as np

from proset_study.methods.base import Cost
from proset_study.methods.k_means import KMeans

RATE = 0.3  # at the start, and at most
DRAWS = 40  # of training samples, for each prototype, as LVQ_PAK advises


class LVQ(KMeans):
    """OLVQ1 on the data of one fold; see `methods.base.Method`. The heavier a sample, the more often it is drawn."""

    label = "LVQ"
    place = 7
    cost = Cost(0.1, 2.2e-6, rows=1.25, complexity=1, tree=0.032)
    weights = "importance"

    def sets(self, parameters, complexity, seed):
        data, rng, moved = self.data, np.random.default_rng(seed), []
        weight = np.ones(len(data.y)) if data.weight is None else data.weight
        for prototypes, labels in super().sets(parameters, complexity, seed):
            draws = rng.choice(len(data.y), DRAWS * len(labels), p=weight / weight.sum())
            moved.append((olvq1(prototypes, labels, data.X[draws], data.y[draws]), labels))
        return moved


def olvq1(prototypes: np.ndarray, labels: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Prototypes after samples were shown to them, one after the other.

    With c the prototype nearest to x and s = 1 if it has the class of x, else -1:
    m_c <- m_c + s a_c (x - m_c), then a_c <- a_c / (1 + s a_c), at most `RATE`.

    Prototypes have shape (m, D), samples shape (n, D), in the order in which they are shown.
    """
    prototypes, rates = prototypes.copy(), np.full(len(labels), RATE)
    half_square = np.einsum("ij,ij->i", prototypes, prototypes) / 2
    for x, k in zip(X, y, strict=True):
        c = (half_square - prototypes @ x).argmin()  # half the squared distance, less that of x to 0
        step = rates[c] if labels[c] == k else -rates[c]
        prototypes[c] += step * (x - prototypes[c])
        half_square[c] = prototypes[c] @ prototypes[c] / 2
        rates[c] = min(RATE, rates[c] / (1 + step))
    return prototypes
