"""Class cover catch digraphs: balls that reach to the nearest sample of another class, predicted by the nearest ball.

A sample is covered by the open ball around another of its class whose radius is the distance from that one to the
nearest sample of any other class, so that no ball covers a foreign sample. Balls are chosen greedily until every
sample is covered. Distances to a prototype are divided by its radius. A sample that lies on one of another class has a
ball without content: it is neither covered nor a prototype.

Along the path balls may hold more and more foreign samples (alpha of the source): they reach to the next one after
these. The parameter `uncovered` (beta) is the share of the samples of a class that may be left out.

C. E. Priebe, J. G. DeVinney, D. J. Marchette and D. A. Socolinsky, Classification using class cover catch digraphs,
Journal of Classification 20 (2003).
"""

import numpy as np

from proset_study.data.distances import distances, distances_by_rows
from proset_study.data.splits import FoldData
from proset_study.methods.base import Cost, Name, Range
from proset_study.methods.nearest_prototype import FittedPrototypes, NearestPrototype

FOREIGN = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50)


class CCCD(NearestPrototype):
    label = "CCCD"
    place = 10
    cost = Cost(0.1, 3e-9, rows=2, features=0.5)
    metrics = "symmetric"
    names = (
        Name("foreign", "size on the path of 0, 1, 2, 3, 5, 7, 10, 15, ... foreign samples in a ball"),
        Name("uncovered", "share of a class that is left out", number=".2f"),
    )
    complexity = "foreign"
    max_complexity = len(FOREIGN)
    larger_is_simpler = True
    parameters = {"uncovered": Range(0.0, 0.9)}  # noqa: RUF012
    one_stage = True

    @staticmethod
    def simplicity(parameters):
        return (parameters.get("uncovered", 0.0),)

    def fit(self, parameters, complexity, seed):
        self.refuse_long_path(complexity)
        self.refuse_large_classes()
        data, radii = self.data, np.zeros((complexity, len(self.data.y)))
        kept: list[list[int]] = [[] for _ in range(complexity)]
        for k in range(data.n_classes):
            own = np.flatnonzero(data.y == k)
            radii[:, own] = foreign_radii(data, own, np.flatnonzero(data.y != k), complexity)
            between = distances(data.X[own], data.points[own], data.metric)
            may_be_left = int(parameters.get("uncovered", 0.0) * len(own))
            for radius, found in zip(radii, kept, strict=True):
                found += own[dominating(between < radius[own, None], may_be_left)].tolist()
        if not all(kept):
            raise ValueError("cccd finds no ball: every training sample lies on one of another class")
        rows, size = np.concatenate(kept), np.repeat(np.arange(complexity), [len(found) for found in kept])
        return FittedPrototypes(
            data.points[rows], data.y[rows], radii[size, rows], size + 1, data.n_classes, data.metric
        )


def foreign_radii(data: FoldData, own: np.ndarray, others: np.ndarray, complexity: int) -> np.ndarray:
    """Radii of balls with at most `FOREIGN[0]`, `FOREIGN[1]`, ... samples of other classes, shape (complexity, n).

    `own` and `others` are rows; a ball that may hold all of the others reaches to the farthest.
    """
    allowed = np.minimum(FOREIGN[:complexity], len(others) - 1)
    radii = np.empty((complexity, len(own)))
    for rows, between in distances_by_rows(data.X[own], data.points[others], data.metric):
        radii[:, rows] = np.partition(between, np.unique(allowed), axis=1)[:, allowed].T
    return radii


def dominating(covers: np.ndarray, may_be_left: int = 0) -> list[int]:
    """Rows that cover together what all rows cover; each covers the most of what was left, the first among equals.

    `covers`, shape (n, n), says whether the ball of the row covers the sample of the column. As many samples as
    `may_be_left` says need not be covered, but one row is chosen if it covers any.
    """
    chosen: list[int] = []
    left, gain = np.asarray(covers.any(axis=0)), np.asarray(covers.sum(axis=1))
    while left.sum() > (may_be_left if chosen else 0):
        best = int(gain.argmax())
        new = np.flatnonzero(covers[best] & left)
        chosen.append(best)
        left[new] = False
        gain -= covers[:, new].sum(axis=1)
    return chosen
