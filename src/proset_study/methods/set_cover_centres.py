"""Prototype selection by set cover, greedy, with centres of k-means of each class among the candidates.

Section 4.2 of the source of `set_cover`.
"""

import numpy as np

from proset_study.methods.base import Cost
from proset_study.methods.set_cover import SetCover

CENTRES = 10  # of each class


class SetCoverCentres(SetCover):
    label = "set cover (centres)"
    place = 19
    cost = Cost(0.1, 8e-6, rows=1.5)
    metrics = "vectors"
    draws = True
    imports = (*SetCover.imports, "sklearn.cluster")

    def candidates(self, parameters, seed):
        from sklearn.cluster import KMeans

        data, found = self.data, [self.data.X]
        for k in range(data.n_classes):
            own = data.y == k
            X, weight = data.X[own], None if data.weight is None else data.weight[own]
            number = min(CENTRES, len(np.unique(X, axis=0)))
            means = KMeans(number, n_init=1, random_state=int(seed.generate_state(1)[0]))
            found.append(means.fit(X, sample_weight=weight).cluster_centers_)
        return np.vstack(found)
