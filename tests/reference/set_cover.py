"""Prototype selection by set cover straight from its definition: slow and readable, the measure of the fast code."""

from itertools import combinations

import numpy as np


def objective(
    inside: np.ndarray, y: np.ndarray, weight: np.ndarray, cost: float, chosen: dict[int, list[int]]
) -> float:
    """Value of the objective (eq. 3 of Bien and Tibshirani 2011, slack variables eliminated).

    `inside`, shape (N, M), is whether point i is in the ball of candidate j; `chosen` has the prototypes of a class.
    """
    value = 0.0
    for i, (label, w) in enumerate(zip(y, weight, strict=True)):
        value += w * (not any(inside[i, j] for j in chosen.get(int(label), [])))
        value += w * sum(inside[i, j] for k, prototypes in chosen.items() if k != label for j in prototypes)
    return value + cost * sum(len(prototypes) for prototypes in chosen.values())


def greedy(
    inside: np.ndarray, y: np.ndarray, weight: np.ndarray, cost: float, foreign: float = 1.0, ratio: bool = False
) -> tuple[list[tuple[int, int]], list]:
    """Pairs (candidate, class) in order of choice, and the objective after 0, 1, ... of them.

    Every step looks at all pairs; equal gains (to nine decimals) go to the lowest candidate, then the lowest class.
    With `ratio`, the pair that covers most for its cost is taken, of those that have a gain.
    """
    pairs, path = [], [float(weight.sum())]
    uncovered = np.ones(len(y), dtype=bool)
    while True:
        new, costs = np.empty((2, inside.shape[1], max(y) + 1))
        for j, ball in enumerate(inside.T):
            for k in range(new.shape[1]):
                new[j, k] = weight[ball & uncovered & (y == k)].sum()
                costs[j, k] = foreign * weight[ball & (y != k)].sum() + cost
        gains = new - costs
        scores = new / costs if ratio else gains
        j, k = np.unravel_index(scores.round(9).argmax(), gains.shape)
        if gains[j, k] <= 1e-9:
            return pairs, path
        pairs.append((int(j), int(k)))
        path.append(path[-1] - gains[j, k])
        uncovered &= ~(inside[:, j] & (y == k))


def optimum(inside: np.ndarray, y: np.ndarray, weight: np.ndarray, cost: float) -> float:
    """The smallest value of the objective, by trying all sets of candidates for each class."""
    total, candidates = 0.0, range(inside.shape[1])
    for k in range(max(y) + 1):
        sets = (chosen for size in range(len(candidates) + 1) for chosen in combinations(candidates, size))
        of_class, of_others = weight * (y == k), weight * (y != k)
        total += min(
            of_class @ ~inside[:, list(chosen)].any(axis=1) + sum(of_others @ inside[:, j] + cost for j in chosen)
            for chosen in sets
        )
    return total
