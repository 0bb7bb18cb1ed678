"""Multiedit: nearest neighbours that are left when samples which others get wrong are thrown away, again and again.

A round divides the samples at random into `PARTS` parts, classifies each part by the nearest neighbours in the next
part, and throws away what is wrong. It ends when `QUIET` rounds in succession threw nothing away. Where a class has no
sample left, it is never predicted.

P. A. Devijver and J. Kittler, Pattern recognition: a statistical approach, Prentice Hall (1982), section 3.11.
"""

import numpy as np

from proset_study.data.splits import FoldData
from proset_study.methods.base import Cost
from proset_study.methods.nearest_prototype import OneSet, nearest

PARTS = 3
QUIET = 5


class Multiedit(OneSet):
    label = "multiedit"
    place = 24
    cost = Cost(0.01, 5e-9, rows=2)
    draws = True
    metrics = "any"

    def kept(self, seed):
        return edited(self.data, np.random.default_rng(seed))


def edited(data: FoldData, rng: np.random.Generator) -> np.ndarray:
    """Rows that are left, in their order; the last `PARTS` are never divided."""
    kept, quiet = np.arange(len(data.y)), 0
    while quiet < QUIET and len(kept) > PARTS:
        parts = np.array_split(rng.permutation(kept), PARTS)
        right = [
            part[_is_right(data, part, teachers)] for part, teachers in zip(parts, parts[1:] + parts[:1], strict=True)
        ]
        left = np.sort(np.concatenate(right))
        quiet = quiet + 1 if len(left) == len(kept) else 0
        if not len(left):
            break
        kept = left
    return kept


def _is_right(data, part, teachers):
    chosen, _ = nearest(data.X[part], data.points[teachers], np.ones(len(teachers)), data.metric)
    return data.y[teachers[chosen]] == data.y[part]
