"""Minimal consistent subset: the fewest training samples with which 1-NN makes no error on the training samples.

The problem is NP-hard. Up to `EXACT` samples it is solved as an integer program: a sample of another class may only be
kept where a nearer one of the own class is. Above, and where the program's search ends without any subset, condensed
nearest neighbours are thinned out: each of them in turn is taken away if the others stay consistent (Gates' reduced
nearest neighbour rule), which ends in a subset that has no consistent part, but need not be the smallest. Samples of
several classes that lie on each other ask for nothing, as no subset gets all of them right.

P. E. Hart, The condensed nearest neighbor rule, IEEE Trans. Inform. Theory 14 (1968).
G. W. Gates, The reduced nearest neighbor rule, IEEE Trans. Inform. Theory 18 (1972).
G. Wilfong, Nearest neighbor problems, Int. J. Computational Geometry and Applications 2 (1992).
"""

import numpy as np

from proset_study.data.distances import distances
from proset_study.methods.base import Cost
from proset_study.methods.condensed_nn import condensed
from proset_study.methods.nearest_prototype import NearestPrototype, OneSet

EXACT = 130  # samples; iris and wine are below
NODES = 20_000  # of the search tree, where it ends with the best subset it knows: a limit of time would be none of ours


class MinimalConsistentSubset(OneSet):
    label = "minimal consistent subset"
    place = 43
    cost = Cost(1.0, 2e-6, rows=2)
    metrics = "any"
    draws = True
    imports = (*NearestPrototype.imports, "scipy.optimize")

    def kept(self, seed):
        data = self.data
        between, rng = distances(data.X, data.points, data.metric), np.random.default_rng(seed)
        if len(data.y) <= EXACT and (subset := smallest(between, data.y)) is not None:
            return subset
        return thinned_out(between, data.y, condensed(lambda j: between[:, j], data.y, rng.permutation(len(data.y))))


def smallest(between: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Rows of the smallest consistent subset, ascending, None if `NODES` are too few to find one.

    `between` are the dissimilarities of all samples, (n, n).
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    rows = [(y == k).astype(float) for k in range(int(y.max()) + 1)]  # one of each class at least
    for i in _decided(between, y):
        own, foreign = np.flatnonzero(y == y[i]), np.flatnonzero(y != y[i])
        nearer = between[i, own] < between[i, foreign][:, None]
        for j, is_nearer in zip(foreign, nearer, strict=True):
            row = np.zeros(len(y))
            row[own[is_nearer]], row[j] = 1.0, -1.0
            rows.append(row)
    least = np.concatenate([np.ones(int(y.max()) + 1), np.zeros(len(rows) - int(y.max()) - 1)])
    program = LinearConstraint(csr_array(np.array(rows)), lb=least)
    options = {"node_limit": NODES}
    found = milp(np.ones(len(y)), integrality=1, bounds=Bounds(0, 1), constraints=program, options=options)
    return None if found.x is None else np.flatnonzero(found.x > 0.5)


def thinned_out(between: np.ndarray, y: np.ndarray, kept: list[int]) -> list[int]:
    """What is left of a consistent subset when no sample of it can be taken away; the last ones go first."""
    left, decided = list(kept), _decided(between, y)
    for j in reversed(kept):
        others = [i for i in left if i != j]
        if len(np.unique(y[others])) == len(np.unique(y[kept])) and _is_consistent(between, y, others, decided):
            left = others
    return left


def _decided(between, y):
    """Rows of the samples on which no sample of another class lies."""
    on_it = (between == 0) & (y[:, None] != y)
    return np.flatnonzero(~on_it.any(axis=1))


def _is_consistent(between, y, kept, decided):
    nearest = between[np.ix_(decided, kept)].argmin(axis=1)
    return bool((y[kept][nearest] == y[decided]).all())
