"""Prototype selection by set cover, greedy; the radii are equally spaced quantiles, from the smallest distance on.

The grid of `set_cover` is fine where balls are small and coarse where they are large; this one is as fine everywhere.
The source takes it from the smallest distance to the median, which are 21 radii at the default `step`.

Section 6.3 of the source of `set_cover`.
"""

import numpy as np

from proset.cover import balls_of_path, default_cost, greedy
from proset_study.data.distances import distances
from proset_study.data.splits import FoldData
from proset_study.methods.base import Cost, Name, Range
from proset_study.methods.set_cover import ROWS, FittedSetCover, SetCover, weights

STEP = 0.025  # proportion of the distances between samples from one radius to the next


class SetCoverQuantiles(SetCover):
    label = "set cover (quantiles)"
    place = 44
    names = (*SetCover.names, Name("step", "step of the quantiles", number=".3g"))
    cost = Cost(0.1, 8e-6, rows=1.5)
    parameters = {  # noqa: RUF012
        **{name: SetCover.parameters[name] for name in ("cost", "balanced")},
        "step": Range(1e-4, 1.0),
    }

    def fit(self, parameters, complexity, seed):
        data = self.data
        y, weight = data.y, weights(data, np.arange(len(data.y)), parameters)
        cost = parameters.get("cost", default_cost(weight))
        radii = equally_spaced(data, parameters.get("step", STEP), complexity)
        balls = balls_of_path(lambda part: distances(data.X[part], data.points, data.metric), len(y), len(y), radii)
        covers = [greedy(bits, y, weight, cost) for bits in balls]
        majority = int(np.bincount(y, weights=weight).argmax())
        return FittedSetCover(data.points, radii, covers, majority, data.n_classes, data.metric)


def equally_spaced(data: FoldData, step: float, complexity: int) -> np.ndarray:
    """Radii of the path, shape (complexity,): quantiles 0, step, 2 step, ... of the positive distances; 1 without any.

    As for `set_cover.find_radii`, at most `ROWS` rows are looked at.
    """
    some = slice(None, None, -(-len(data.y) // ROWS))
    between = distances(data.X[some], data.points[some], data.metric)
    apart = between[np.triu_indices(len(between), 1)]
    positive = apart[apart > 0]
    if not len(positive):
        return np.ones(complexity)
    return np.asarray(np.quantile(positive, np.minimum(1.0, step * np.arange(complexity))))
