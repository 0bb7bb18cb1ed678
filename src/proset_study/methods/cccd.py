"""Class cover catch digraphs: balls that reach to the nearest sample of another class, predicted by the nearest ball.

A sample is covered by the open ball around another of its class whose radius is the distance from that one to the
nearest sample of any other class, so that no ball covers a foreign sample. Balls are chosen greedily until every
sample is covered. Distances to a prototype are divided by its radius. A sample that lies on one of another class has a
ball without content: it is neither covered nor a prototype.

References
----------
C. E. Priebe, J. G. DeVinney, D. J. Marchette and D. A. Socolinsky, Classification using class cover catch digraphs,
Journal of Classification 20 (2003).
"""

import numpy as np

from proset_study.data.metrics import distances
from proset_study.methods.costs import Cost
from proset_study.methods.nearest_prototype import (
    FittedPrototypes,
    NearestPrototype,
    nearest,
    refuse_large_classes,
    refuse_path,
)


class CCCD(NearestPrototype):
    """Class cover catch digraphs on the data of one fold; see `methods.base.Method`."""

    label = "CCCD"
    place = 10
    cost = Cost(0.1, 3e-9, rows=2, features=0.5)
    metrics = "symmetric"

    def fit(self, parameters, complexity, seed):
        refuse_path(complexity)
        refuse_large_classes(self.data)
        X, y, points, metric = self.data.X, self.data.y, self.data.points, self.data.metric
        radius, kept = np.zeros(len(y)), []
        for k in range(self.data.n_classes):
            own = np.flatnonzero(y == k)
            foreign = points[y != k]
            _, radius[own] = nearest(X[own], foreign, np.ones(len(foreign)), metric)
            covers = distances(X[own], points[own], metric) < radius[own, None]
            kept += own[dominating(covers)].tolist()
        if not kept:
            raise ValueError("cccd finds no ball: every training sample lies on one of another class")
        size = np.ones(len(kept), dtype=int)
        return FittedPrototypes(points[kept], y[kept], radius[kept], size, self.data.n_classes, metric)


def dominating(covers: np.ndarray) -> list[int]:
    """Rows that cover together what all rows cover; each covers the most of what was left, the first among equals.

    Parameters
    ----------
    covers : ndarray of bool, shape (n, n)
        Whether the ball of the row covers the sample of the column.
    """
    chosen = []
    left, gain = np.asarray(covers.any(axis=0)), np.asarray(covers.sum(axis=1))
    while left.any():
        best = int(gain.argmax())
        new = np.flatnonzero(covers[best] & left)
        chosen.append(best)
        left[new] = False
        gain -= covers[:, new].sum(axis=1)
    return chosen


METHOD = CCCD
