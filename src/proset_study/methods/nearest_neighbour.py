"""The nearest neighbour alone (1-NN): every training sample is a prototype.

Unlike KNN with k = 1 it predicts classes and counts its prototypes.

References
----------
T. M. Cover and P. E. Hart, Nearest neighbor pattern classification, IEEE Trans. Inform. Theory 13 (1967).
"""

from proset_study.methods.nearest_prototype import FittedPrototypes, NearestPrototype, refuse_path


class NearestNeighbour(NearestPrototype):
    """1-NN on one part; see `methods.base.Method`."""

    def fit(self, parameters, steps, seed):
        refuse_path(steps)
        return FittedPrototypes.of([(self.part.X, self.part.y)], self.part.n_classes)


METHOD = NearestNeighbour
