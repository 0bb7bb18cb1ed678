"""Prototype selection by set cover, greedy, of data with few labels: samples without one can become prototypes, too.

Of each class a share of the samples keeps its label, drawn at random; these must be covered. With
`unlabelled` = 0, the others are left out altogether, for comparison.

Section 4.2 of the source of `set_cover`.
"""

import numpy as np

from proset_study.methods.base import Cost, Name, Range
from proset_study.methods.set_cover import SetCover


class SetCoverUnlabelled(SetCover):
    label = "set cover (few labels)"
    place = 25
    names = (*SetCover.names, Name("labelled", "share with a label", number=".2f"))
    cost = Cost(0.02, 2.2e-6, rows=1.5)
    draws = True
    parameters = {  # noqa: RUF012
        **SetCover.parameters,
        "labelled": Range(0.001, 1.0),
        "unlabelled": Range(0, 1, integer=True),  # 1: samples without a label are candidates
    }
    required = ("labelled",)

    def labelled(self, parameters, seed):
        order = np.random.default_rng(seed).permutation(len(self.data.y))
        y, kept = self.data.y[order], []
        for k, size in enumerate(np.bincount(y)):
            kept.append(order[y == k][: max(1, round(parameters["labelled"] * size))])
        return np.sort(np.concatenate(kept))

    def candidates(self, parameters, seed):
        points = self.data.points
        return points if parameters.get("unlabelled", 1) else points[self.labelled(parameters, seed)]
