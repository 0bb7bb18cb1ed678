"""k-means of each class, predicted by the nearest centre; its path is `nearest_prototype.PER_CLASS`.

References
----------
T. Hastie, R. Tibshirani and J. Friedman, The elements of statistical learning, 2nd ed. (2009), section 13.2.1.
D. Arthur and S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA (2007).
"""

from collections.abc import Iterator

import numpy as np

from proset_study.data.splits import FoldData
from proset_study.methods.costs import Cost
from proset_study.methods.nearest_prototype import (
    BY_CLASS_SIZE,
    PATH_NAME,
    PER_CLASS,
    FittedPrototypes,
    NearestPrototype,
    Sets,
    per_class,
)

STARTS = 3  # of which the one with the smallest sum of squares is taken


class KMeans(NearestPrototype):
    """k-means per class on the data of one fold; see `methods.base.Method`."""

    label = "k-means"
    place = 6
    names = (PATH_NAME,)
    cost = Cost(0.1, 2.2e-6, rows=1.25, complexity=1, tree=9e-3)
    parameters = BY_CLASS_SIZE
    one_stage = True
    draws = True
    complexity = "size"
    max_complexity = len(PER_CLASS)

    def __init__(self, data: FoldData):
        import sklearn.cluster  # noqa: F401 - here, so that the import is no part of a fit's time

        super().__init__(data)

    def fit(self, parameters, complexity, seed):
        return FittedPrototypes.of(centres(self.data, parameters, complexity, seed), self.data)


def centres(data: FoldData, parameters: dict, complexity: int, seed: np.random.SeedSequence) -> Sets:
    """Centres of each class for every size; arguments as of `Method.fit`."""
    from sklearn.cluster import KMeans

    def place(own: np.ndarray, numbers: list[int]) -> Iterator[np.ndarray]:
        for number in numbers:
            model = KMeans(number, n_init=STARTS, random_state=int(seed.generate_state(1)[0]))
            yield model.fit(data.X[own]).cluster_centers_

    return per_class(data, complexity, place, bool(parameters.get("by_class_size", 0)))


METHOD = KMeans
