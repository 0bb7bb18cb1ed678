"""Prototype selection by prize-collecting set cover: balls as bits, and the greedy algorithm.

The problem (Bien and Tibshirani 2011, eq. 4): for each class l choose prototypes P_l among the candidates so that

    sum_l [ sum_(j in P_l) (cost + miscovered_l(j)) + weight of the points of class l outside all balls of P_l ]

is smallest, where the ball of candidate j holds the points closer than its radius, and miscovered_l(j) is the weight of
the points in it that are not of class l. It falls into one problem per class, so that a step of the greedy algorithm
for one class leaves the gains of all others as they are: each class has its own sequence of steps, and the greedy
algorithm over all classes merges them.

Conventions
-----------
N points, M candidates, K classes. `bits` has shape (N, ceil(M / 8)): bit j of row i says whether point i is in the ball
of candidate j. That is N M / 8 bytes, and every pair of a point and a candidate is unpacked twice at most, because a
point is covered for the first time only once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

CHUNK = 2**22  # pairs of a point and a candidate that are looked at together
CACHED = 2**18  # pairs whose values stay in the processor's cache
MEMORY = 2**28  # bytes of balls that are kept at once
SMALLEST = 1e-4  # proportion of the distances between samples that are below the first radius of a path
RATIO = 5 / 3  # of these proportions from one radius to the next
ROUNDING = 1e-12  # gains that differ by less, relative to the weight of all points, are equal
_Step = tuple[float, int, float]  # score, candidate, weight of the points newly covered


@dataclass(frozen=True)
class Cover:
    """Chosen prototypes, in order of choice.

    Attributes
    ----------
    index : ndarray of int, shape (P,)
        Candidates.
    labels : ndarray of int, shape (P,)
        The class that each is a prototype of.
    covered, newly_covered, miscovered : ndarray, shape (P,)
        Weight of the points in its ball: of its class, of its class and in no earlier ball of it, of other classes.
    objective_path : ndarray, shape (P + 1,)
        Value of the objective with the first 0, 1, ..., P prototypes.
    lower_bound : float or None
        No choice has a smaller objective; None where it was not computed.
    """

    index: np.ndarray
    labels: np.ndarray
    covered: np.ndarray
    newly_covered: np.ndarray
    miscovered: np.ndarray
    objective_path: np.ndarray
    lower_bound: float | None = None

    @property
    def objective(self) -> float:
        """Value of the objective."""
        return float(self.objective_path[-1])


def ball_bits(
    distances: Callable[[slice], np.ndarray], n_points: int, n_candidates: int, radii: list[float | np.ndarray]
) -> list[np.ndarray]:
    """Who is in which ball, for several radii from one pass over the distances.

    Parameters
    ----------
    distances : callable
        From a slice of the points to their distances from all candidates, shape (rows, M).
    n_points, n_candidates : int
    radii : list of float or of ndarray, shape (M,)
        A ball holds the points closer than its radius; an array has one for each candidate.

    Returns
    -------
    list of ndarray of uint8, shape (N, ceil(M / 8))
        One for each of `radii`.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 10.0])
    >>> (bits,) = ball_bits(lambda rows: np.abs(x[rows, None] - x), 4, 4, [1.5])
    >>> np.unpackbits(bits, axis=1, count=4).tolist()
    [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
    """
    bits = [np.empty((n_points, -(-n_candidates // 8)), dtype=np.uint8) for _ in radii]
    for rows in chunks(n_points, n_candidates):
        near = distances(rows)
        for radius, packed in zip(radii, bits, strict=True):
            packed[rows] = np.packbits(near < radius, axis=1)
    return bits


def euclidean_ball_bits(points: np.ndarray, centres: np.ndarray, radius: float | np.ndarray) -> np.ndarray:
    """`ball_bits` of Euclidean distances and one radius (of each ball), in a quarter of the time.

    One matrix product gives |x|^2 - 2 x.z + |z|^2 - r^2 of all pairs. Only points with a value that its rounding could
    turn to the other side of 0 are compared with all centres as `scipy.spatial.distance.cdist` does, so that the result
    is the same on every processor.

    Parameters
    ----------
    points : ndarray, shape (N, D)
    centres : ndarray, shape (M, D)
    radius : float or ndarray, shape (M,)

    Returns
    -------
    ndarray of uint8, shape (N, ceil(M / 8))

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> np.unpackbits(euclidean_ball_bits(x, x, 1.5), axis=1, count=4).tolist()
    [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
    """
    from scipy.spatial.distance import cdist
    from threadpoolctl import threadpool_limits

    n, m = len(points), len(centres)
    bits = np.empty((n, -(-m // 8)), dtype=np.uint8)
    # Values too large for squares are compared exactly. Small products take longer on several cores, if these are busy.
    with np.errstate(over="ignore", invalid="ignore"), threadpool_limits(1, "blas"):
        norms, squares = (points**2).sum(axis=1), (centres**2).sum(axis=1)
        left = np.column_stack([points, norms, np.ones(n)])
        right = np.ascontiguousarray(np.column_stack([-2 * centres, np.ones(m), squares - np.square(radius)]).T)
        # Of sums of D + 2 products the relative error is below (D + 2) times half the spacing at 1; with room to spare.
        sure = 16 * np.finfo(float).eps * len(right) * (norms.max() + squares.max() + np.square(radius).max())
        for rows in chunks(n, m, CACHED):
            gap = left[rows] @ right
            near = gap < 0
            unsure = ~(np.abs(gap, out=gap).min(axis=1) > sure)  # also if it is not a number
            near[unsure] = cdist(points[rows][unsure], centres) < radius
            bits[rows] = np.packbits(near, axis=1)
    return bits


def balls_of_path(
    distances: Callable[[slice], np.ndarray], n_points: int, n_candidates: int, radii: np.ndarray
) -> Iterator[np.ndarray]:
    """`ball_bits` of one radius after the other, from as few passes over the distances as `MEMORY` allows."""
    at_once = max(1, 8 * MEMORY // (n_points * n_candidates))
    for first in range(0, len(radii), at_once):
        yield from ball_bits(distances, n_points, n_candidates, list(radii[first : first + at_once]))


def path_radii(distances: np.ndarray, number: int) -> np.ndarray:
    """Radii from balls of single samples to large ones: quantiles of distances, shape (number,).

    The proportion of positive distances below the first one is `SMALLEST`, and it grows by `RATIO` from radius to
    radius; all are 1 if no distance is positive.
    """
    positive = distances[distances > 0]
    if not len(positive):
        return np.ones(number)
    radii: np.ndarray = np.quantile(positive, np.minimum(1.0, SMALLEST * RATIO ** np.arange(number)))
    return radii


def rank_radii(
    distances: Callable[[slice], np.ndarray], n_points: int, n_candidates: int, n_neighbors: int
) -> np.ndarray:
    """Radius of each candidate's ball so that the ball holds the `n_neighbors` points nearest to the candidate.

    That is the distance to the next point after them. The rank of a point counts all points that are as near or nearer,
    so that points which are equally far at the edge stay out together.

    Parameters
    ----------
    distances : callable
        From a slice of the *candidates* to the distances of all points from them, shape (N, columns).
    n_points, n_candidates : int
    n_neighbors : int in 1..N

    Returns
    -------
    ndarray, shape (M,)
    """
    if n_neighbors == n_points:
        return np.full(n_candidates, np.inf)
    radii = np.empty(n_candidates)
    for columns in chunks(n_candidates, n_points):
        radii[columns] = np.partition(distances(columns).T, n_neighbors, axis=1)[:, n_neighbors]
    return radii


def greedy(
    bits: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    cost: float,
    only: list[np.ndarray] | None = None,
    *,
    foreign: float = 1.0,
    ratio: bool = False,
) -> Cover:
    """Add the prototype that lowers the objective most, until none does.

    Equal gains go to the candidate with the lowest index, then to the class with the lowest.

    Parameters
    ----------
    bits : ndarray of uint8, shape (N, ceil(M / 8))
        From `ball_bits`.
    y : ndarray of int, shape (N,)
        Class indices 0..K-1, every class present.
    weight : ndarray of float64, shape (N,)
        Positive.
    cost : float >= 0
        Of one prototype.
    only : list of K arrays of int, optional
        Candidates of each class, if not all.
    foreign : float >= 0
        What the weight of points of other classes is multiplied by; 0 gives the plain set cover of each class.
    ratio : bool
        Whether to add the prototype that covers most in proportion to its cost, as long as that lowers the objective:
        the greedy algorithm of weighted set cover, with leaving a point out as a set of its weight.

    Returns
    -------
    Cover

    References
    ----------
    V. Chvatal, A greedy heuristic for the set-covering problem, Mathematics of Operations Research 4 (1979), 233-235.

    Examples
    --------
    Points of class 0 at 0, 1 and 2, one of class 1 at 10; the ball at 1 holds the first three:

    >>> x = np.array([0.0, 1.0, 2.0, 10.0])
    >>> (bits,) = ball_bits(lambda rows: np.abs(x[rows, None] - x), 4, 4, [1.5])
    >>> cover = greedy(bits, np.array([0, 0, 0, 1]), np.ones(4), cost=0.25)
    >>> cover.index.tolist(), cover.labels.tolist(), cover.objective_path.tolist()
    ([1, 3], [0, 1], [4.0, 1.25, 0.5])
    """
    rows = [np.flatnonzero(y == k) for k in range(y.max() + 1)]
    covered = np.array([_weight_in_balls(bits, r, weight) for r in rows])  # (K, 8 ceil(M / 8))
    miscovered = covered.sum(axis=0) - covered
    costs = foreign * miscovered + cost
    tolerance = ROUNDING * weight.sum()
    sequences = [
        _class_steps(bits, r, weight, covered[k], costs[k], tolerance, None if only is None else only[k], ratio)
        for k, r in enumerate(rows)
    ]
    steps = list(_merged(sequences, tolerance))
    index = np.array([j for _, j, _, _ in steps], dtype=int)
    labels = np.array([k for _, _, k, _ in steps], dtype=int)
    new = np.array([new for *_, new in steps], dtype=np.float64)
    gains = new - costs[labels, index]
    return Cover(
        index=index,
        labels=labels,
        covered=covered[labels, index],
        newly_covered=new,
        miscovered=miscovered[labels, index],
        objective_path=weight.sum() - np.concatenate([[0.0], np.cumsum(gains)]),
    )


def default_cost(weight: np.ndarray) -> float:
    """1 / n, so that the number of prototypes only breaks ties; for small weights that times their mean."""
    total = float(weight.sum())
    return min(1.0 / total, total / len(weight) ** 2)


def chunks(number: int, width: int, most: int | None = None) -> Iterator[slice]:
    """Slices of `number` rows of `width` values that have at most about `most` (`CHUNK`) values each."""
    size = max(1, (most or CHUNK) // max(1, width))
    return (slice(first, min(first + size, number)) for first in range(0, number, size))


def _class_steps(
    bits: np.ndarray,
    rows: np.ndarray,
    weight: np.ndarray,
    covered: np.ndarray,
    costs: np.ndarray,
    tolerance: float,
    only: np.ndarray | None,
    ratio: bool,
) -> Iterator[_Step]:
    """Yield (score, candidate, weight of the points newly covered) of each step of the greedy algorithm in one class.

    The score is the gain or its ratio to the cost, which is by 1 smaller than that of what is newly covered.
    """
    gain = covered - costs
    unit = np.maximum(costs, tolerance) if ratio else None
    if only is not None:
        taken = np.ones(len(gain), dtype=bool)
        taken[only] = False
        gain[taken] = -np.inf
    while len(gain):
        score = gain if unit is None else gain / unit
        j = int(np.flatnonzero(score >= score.max() - tolerance)[0])
        if gain[j] <= tolerance:
            return
        hit = (bits[rows, j >> 3] & (128 >> (j & 7))).astype(bool)
        new, rows = rows[hit], rows[~hit]
        yield float(score[j]), j, float(weight[new].sum())
        gain -= _weight_in_balls(bits, new, weight)
        gain[j] = -np.inf


def _merged(sequences: list[Iterator[_Step]], tolerance: float) -> Iterator[tuple[float, int, int, float]]:
    """Yield (score, candidate, class, newly covered) of all classes, the largest score first."""
    heads = [next(s, None) for s in sequences]
    while steps := {k: head for k, head in enumerate(heads) if head is not None}:
        best = max(score for score, _, _ in steps.values())
        j, k = min((j, k) for k, (score, j, _) in steps.items() if score >= best - tolerance)
        score, _, new = steps[k]
        yield score, j, k, new
        heads[k] = next(sequences[k], None)


def _weight_in_balls(bits: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weight of some points in each ball, shape (8 ceil(M / 8),)."""
    total = np.zeros(8 * bits.shape[1])
    same = len(rows) and weight[rows].min() == weight[rows].max()
    for part in chunks(len(rows), len(total)):
        these = rows[part]
        inside = np.unpackbits(bits[these], axis=1)
        # Whole numbers are added ten times as fast.
        total += weight[these[0]] * inside.sum(axis=0, dtype=np.int32) if same else weight[these] @ inside
    return total
