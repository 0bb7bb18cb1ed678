"""Prototype selection by set cover: relaxation to a linear program, and randomised rounding."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from proset.cover import Cover, chunks, greedy

ROUNDINGS = 20  # the best of them is kept
Rng = np.random.Generator | np.random.RandomState


@dataclass(frozen=True)
class Relaxation:
    """The relaxed problem of one class and its solution.

    Attributes
    ----------
    candidates : ndarray of int, shape (m,)
        Those that can lower the objective.
    inside : csr_array, shape (n, m)
        1 where a point of the class is in the ball of a candidate.
    costs : ndarray, shape (m,)
        Of a candidate, with the weight of points of other classes in its ball.
    weight : ndarray, shape (n,)
        Of the points of the class.
    chosen : ndarray, shape (m,)
        alpha: to which degree a candidate is chosen, in [0, 1].
    uncovered : ndarray, shape (n,)
        xi: to which degree a point is left out, in [0, 1].
    value : float
        Of the relaxed problem: a lower bound.
    """

    candidates: np.ndarray
    inside: csr_array
    costs: np.ndarray
    weight: np.ndarray
    chosen: np.ndarray
    uncovered: np.ndarray
    value: float


def round_relaxed(
    bits: np.ndarray, y: np.ndarray, weight: np.ndarray, cost: float, n_candidates: int, rng: Rng
) -> Cover:
    """Solve the relaxation of each class, round it, and let `greedy` choose among what the rounding has chosen.

    That puts the prototypes in order and leaves out those that do not lower the objective, which the source does not.

    Parameters
    ----------
    bits, y, weight, cost
        As in `cover.greedy`.
    n_candidates : int
    rng : numpy.random.Generator or RandomState

    Returns
    -------
    Cover
        With its `lower_bound`.

    Examples
    --------
    Balls {0, 1, 2}, {3, 4, 5} and {1, 2, 3, 4}: the largest one, which the greedy algorithm takes first, is not needed.

    >>> inside = np.array([[1, 0, 0], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1], [0, 1, 0]])
    >>> bits, y, weight = np.packbits(inside, axis=1), np.zeros(6, dtype=int), np.ones(6)
    >>> greedy(bits, y, weight, cost=0.25).objective
    0.75
    >>> rounded = round_relaxed(bits, y, weight, 0.25, n_candidates=3, rng=np.random.default_rng(0))
    >>> round(rounded.objective, 6), round(rounded.lower_bound, 6)
    (0.5, 0.5)
    """
    relaxed = [relax(bits, y, weight, cost, n_candidates, k) for k in range(y.max() + 1)]
    cover = greedy(bits, y, weight, cost, only=[r.candidates[best_rounding(r, rng)] for r in relaxed])
    # The solver's tolerance may put the bound above an optimum that it meets.
    return replace(cover, lower_bound=min(cover.objective, sum(r.value for r in relaxed)))


def relax(bits: np.ndarray, y: np.ndarray, weight: np.ndarray, cost: float, n_candidates: int, k: int) -> Relaxation:
    """Solve the relaxed problem of class `k` by HiGHS; parameters as in `round_relaxed`.

    minimise    sum_j cost_j alpha_j + sum_i weight_i xi_i
    subject to  sum_(j with i in ball j) alpha_j + xi_i >= 1 for every point i of the class, alpha, xi >= 0

    Raises
    ------
    RuntimeError
        If the solver fails.
    """
    of_class = y == k
    covered, miscovered, pairs = np.zeros(n_candidates), np.zeros(n_candidates), []
    for rows in chunks(len(y), n_candidates):
        inside = np.unpackbits(bits[rows], axis=1, count=n_candidates)
        here = of_class[rows]
        covered += weight[rows][here] @ inside[here]
        miscovered += weight[rows][~here] @ inside[~here]
        pairs.append(csr_array(inside[here], dtype=np.float64))
    costs = miscovered + cost
    # Leaving its points uncovered costs no more than choosing any other candidate.
    candidates = np.flatnonzero(covered > costs)
    inside, w = vstack(pairs, format="csr")[:, candidates], weight[of_class]
    unit = w.mean()  # the solver's tolerances are absolute
    solved = linprog(
        c=np.concatenate([costs[candidates], w]) / unit,
        A_ub=-hstack([inside, eye_array(len(w))], format="csr"),
        b_ub=-np.ones(len(w)),
        bounds=(0, None),
        method="highs-ds",
        options={"presolve": False},  # it takes nine tenths of the time of large balls, and finds next to nothing
    )
    if solved.status != 0:
        raise RuntimeError(f"the linear program of class {k} was not solved: {solved.message}")
    x = np.clip(solved.x, 0.0, 1.0)
    m = len(candidates)
    return Relaxation(candidates, inside, costs[candidates], w, x[:m], x[m:], unit * float(solved.fun))


def best_rounding(relaxed: Relaxation, rng: Rng) -> np.ndarray:
    """Which candidates are chosen, shape (m,): the best of some roundings.

    A rounding takes each candidate and leaves out each point with the probabilities of the relaxed solution, and adds
    further draws until every point is covered or left out. (Bien and Tibshirani repeat a rounding that ends above
    2 log(n) times the bound; the best of `ROUNDINGS` is below it but for a probability of 4^-`ROUNDINGS`.)
    """
    best, smallest = np.zeros(len(relaxed.candidates), dtype=bool), np.inf
    for _ in range(ROUNDINGS):
        chosen, held_out = np.zeros(len(best), dtype=bool), np.zeros(len(relaxed.weight), dtype=bool)
        covered = held_out
        while not (covered | held_out).all():
            chosen |= rng.random(len(chosen)) < relaxed.chosen
            held_out |= rng.random(len(held_out)) < relaxed.uncovered
            covered = relaxed.inside @ chosen > 0
        value = relaxed.costs @ chosen + relaxed.weight @ ~covered
        if value < smallest:
            best, smallest = chosen, value
    return best
