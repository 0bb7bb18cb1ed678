"""k-means of each class, predicted by the nearest centre; its path is `nearest_prototype.PER_CLASS`.

T. Hastie, R. Tibshirani and J. Friedman, The elements of statistical learning, 2nd ed. (2009), section 13.2.1.
D. Arthur and S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA (2007).
"""

from proset_study.methods.base import Cost
from proset_study.methods.nearest_prototype import NearestPrototype, PerClass

STARTS = 3  # of which the one with the smallest sum of squares is taken


class KMeans(PerClass):
    label = "k-means"
    place = 36
    cost = Cost(0.1, 2.2e-6, rows=1.25, complexity=1, tree=9e-3)
    imports = (*NearestPrototype.imports, "sklearn.cluster")

    def choose(self, own, numbers, seed):
        from sklearn.cluster import KMeans

        for number in numbers:
            model = KMeans(number, n_init=STARTS, random_state=int(seed.generate_state(1)[0]))
            yield model.fit(self.data.X[own]).cluster_centers_
