"""The nearest neighbour alone (1-NN): every training sample is a prototype.

Unlike KNN with k = 1 it predicts classes and counts its prototypes.

T. M. Cover and P. E. Hart, Nearest neighbor pattern classification, IEEE Trans. Inform. Theory 13 (1967).
"""

import numpy as np

from proset_study.methods.base import Cost
from proset_study.methods.nearest_prototype import OneSet


class NearestNeighbour(OneSet):
    label = "1-NN"
    place = 8
    cost = Cost(0.06, 3.3e-9, rows=2)
    metrics = "any"

    def kept(self, seed):
        return np.arange(len(self.data.y))
