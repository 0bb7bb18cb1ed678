"""Generated tables with categories: five families to develop on, ten to judge by, named before anything was measured.

Each has informative numbers and categories, three columns of noise of both kinds, and classes that are drawn, so that
no model can be sure. Effects come from a generator of the family's own: all draws of a family have the same truth.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

Table = tuple[np.ndarray, np.ndarray, np.ndarray]  # numbers (n, 4), categories (n, 4), probabilities of classes (n, K)
DEVELOPMENT = ("additive, few levels", "two groups", "nearest of nine", "threshold by level", "three by level")
JUDGED = (
    *("additive", "pairs of levels", "slope by level", "nearest of fifteen", "rules", "forty levels", "rare levels"),
    *("checkerboard by level", "three classes", "waves"),
)
NOISE, NOISE_LEVELS = 3, 12


def draw(name: str, n: int, rng: np.random.Generator, missing: float = 0.0, by_value: bool = False) -> tuple:
    """A frame of n samples and their classes; numbers and categories are missing at random, or the large ones more."""
    truth = np.random.default_rng([ord(letter) for letter in name])
    numbers, categories, p = FAMILIES[name](n, rng, truth)
    y = (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1)
    numbers = np.hstack([numbers, rng.normal(size=(n, NOISE))])
    categories = np.hstack([categories, rng.integers(0, NOISE_LEVELS, (n, NOISE))])
    frame = {f"x{d}": column for d, column in enumerate(numbers.T)}
    frame |= {f"c{d}": np.char.add("level ", column.astype(str)) for d, column in enumerate(categories.T)}
    table = pd.DataFrame(frame)
    for values, (column, _) in zip((*numbers.T, *categories.T), frame.items(), strict=True):
        rank = values.argsort(kind="stable").argsort() / n if by_value else np.full(n, 0.5)
        table.loc[rng.random(n) < 2.0 * missing * rank, column] = np.nan
    return table, y


def _two(logit: np.ndarray) -> np.ndarray:
    p = 1.0 / (1.0 + np.exp(-logit))
    return np.column_stack([1.0 - p, p])


def _several(logits: np.ndarray) -> np.ndarray:
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def _parts(n: int, rng: np.random.Generator, levels: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(n, 4)), rng.integers(0, levels, (n, 4))


def _additive(levels: int, used: int) -> Callable[..., Table]:
    def family(n, rng, truth):
        x, c = _parts(n, rng, levels)
        effects = truth.normal(0.0, 1.0, (used, levels))
        return x, c, _two(sum(effects[d][c[:, d]] for d in range(used)) + x[:, 0] - 0.7 * x[:, 1])

    return family


def _two_groups(n, rng, truth):
    x, c = _parts(n, rng, 8)
    group = truth.permutation(8) < 4
    return x, c, _two(2.2 * np.where(group[c[:, 0]] ^ group[c[:, 1]], 1, -1))


def _nearest(count: int, levels: int, classes: int) -> Callable[..., Table]:
    def family(n, rng, truth):
        centres, preferred = truth.normal(0.0, 1.5, (count, 4)), truth.integers(0, levels, (count, 4))
        of = rng.integers(0, count, n)
        x = centres[of] + rng.normal(size=(n, 4))
        c = np.where(rng.random((n, 4)) < 0.7, preferred[of], rng.integers(0, levels, (n, 4)))
        return x, c, np.where(np.arange(classes) == (of % classes)[:, None], 0.94, 0.06 / (classes - 1))

    return family


def _threshold(n, rng, truth):
    x, c = _parts(n, rng, 6)
    return x, c, _two(2.5 * np.sign(x[:, 0] - truth.normal(0.0, 0.8, 6)[c[:, 0]]))


def _three(levels: int) -> Callable[..., Table]:
    def family(n, rng, truth):
        x, c = _parts(n, rng, levels)
        group = truth.integers(0, 3, levels)
        turned = (group[c[:, 0]] + (x[:, 0] > 0) + (x[:, 1] > 0.5)) % 3
        return x, c, _several(2.5 * (turned[:, None] == np.arange(3)))

    return family


def _pairs(n, rng, truth):
    x, c = _parts(n, rng, 6)
    table = truth.choice([-2.0, 2.0], (6, 6))
    return x, c, _two(table[c[:, 0], c[:, 1]] + 0.5 * x[:, 0])


def _slope(n, rng, truth):
    x, c = _parts(n, rng, 10)
    slope = truth.choice([-2.5, 2.5], 10)
    return x, c, _two(slope[c[:, 0]] * x[:, 0] + 0.8 * x[:, 1])


def _rules(n, rng, truth):
    x, c = _parts(n, rng, 8)
    among = truth.random((3, 8)) < 0.5
    first, second = among[0][c[:, 0]] & (x[:, 0] > -0.3), among[1][c[:, 1]] & among[2][c[:, 2]] & (x[:, 1] < 0.5)
    return x, c, _two(np.where(first | second, 2.0, -2.0))


def _forty(n, rng, truth):
    x, c = _parts(n, rng, 40)
    return x, c, _two(truth.normal(0.0, 1.5, 40)[c[:, 0]] + 2.0 * np.abs(x[:, 0]) - 1.6)


def _rare(n, rng, truth):
    x = rng.normal(size=(n, 4))
    c = np.minimum(rng.zipf(1.6, (n, 4)) - 1, 19)
    effects = truth.normal(0.0, 1.6, (2, 20))
    return x, c, _two(effects[0][c[:, 0]] * np.where(x[:, 0] > 0, 1, -1) + effects[1][c[:, 1]])


def _checkerboard(n, rng, truth):
    x, c = _parts(n, rng, 4)
    x[:, :2] = rng.uniform(-2.0, 2.0, (n, 2))
    phase = truth.permutation([0, 0, 1, 1])[c[:, 0]]
    return x, c, _two(2.5 * (2 * ((np.floor(x[:, 0] / 2) + np.floor(x[:, 1] / 2) + phase) % 2) - 1))


def _waves(n, rng, truth):
    x, c = _parts(n, rng, 9)
    return x, c, _two(2.5 * np.sin(2.0 * x[:, 0] + truth.uniform(0, 2 * np.pi, 9)[c[:, 0]]))


FAMILIES: dict[str, Callable[..., Table]] = {
    "additive, few levels": _additive(5, 3),
    "two groups": _two_groups,
    "nearest of nine": _nearest(9, 6, 3),
    "threshold by level": _threshold,
    "three by level": _three(4),
    "additive": _additive(8, 4),
    "pairs of levels": _pairs,
    "slope by level": _slope,
    "nearest of fifteen": _nearest(15, 8, 2),
    "rules": _rules,
    "forty levels": _forty,
    "rare levels": _rare,
    "checkerboard by level": _checkerboard,
    "three classes": _three(7),
    "waves": _waves,
}
