"""What the distance to a missing number may be: alternatives on development data, dense and by SciPy's solver.

Six families of numbers, of which 30 % are missing, at random or the large ones more. Each variant has the best of four
pairs of penalties on the test part, and histogram boosting of five settings: it is distances that are compared.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier

COLUMNS = ("family", "missing", "replicate", "variant", "log_loss")
N_TRAIN, N_TEST, SHARE = 500, 3000, 0.3
PENALTIES = ((1e-2, 1e-3), (3e-3, 1e-3), (1e-2, 1e-4), (3e-3, 1e-2))
BOOSTING = ((0.1, 30, 8), (0.1, 60, 8), (0.05, 50, 31), (0.1, 100, 4), (0.1, 100, 31))  # rate, iterations, leaves
# Exponent and its derivative by v of a missing and a known number u, on the scale of standard deviations.
VARIANTS: dict[str, Callable[[float, np.ndarray], tuple]] = {
    "kernel around the known number (used)": lambda v, u: (np.log1p(v**2), 2 * v / (1 + v**2)),
    "kernel of two random numbers": lambda v, u: (np.log1p(2 * v**2), 4 * v / (1 + 2 * v**2)),
    "kernel of a random number and the known one": lambda v, u: (
        np.log1p(v**2) + v**2 / (1 + v**2) * u**2,
        2 * v / (1 + v**2) + 2 * v / (1 + v**2) ** 2 * u**2,
    ),
    "mean square": lambda v, u: (v**2 * (1 + u**2), 2 * v * (1 + u**2)),
    "distance 0": lambda v, u: (0.0, 0.0),
    "distance 1": lambda v, u: (v**2, 2 * v),
    "distance sqrt(2)": lambda v, u: (2 * v**2, 4 * v),
}
IMPUTED = ("median and indicator", "median")


def family(name: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Numbers (n, D) and classes (n,)."""
    if name == "mixture":
        centres, of = np.random.default_rng(5).normal(0.0, 1.6, (9, 5)), rng.integers(0, 9, n)
        return np.hstack([centres[of] + rng.normal(size=(n, 5)), rng.normal(size=(n, 3))]), of % 3
    if name in ("checker", "xor"):
        X = rng.uniform(-1, 1, (n, 4 if name == "checker" else 6))
        cells = np.floor(2 * X[:, 0]) + np.floor(2 * X[:, 1])
        odd = cells % 2 == 1 if name == "checker" else X[:, 0] * X[:, 1] > 0
        return X, (rng.random(n) < np.where(odd, 0.91, 0.09)).astype(int)
    if name == "linear":
        X = rng.normal(size=(n, 8))
        logit = 1.5 * X[:, 0] - X[:, 1] + 0.7 * X[:, 2] + 0.5 * X[:, 3]
    elif name == "ring":
        X = rng.normal(size=(n, 6))
        logit = 2 * ((X[:, :3] ** 2).sum(axis=1) - 2.4)
    else:  # correlated
        factors = rng.normal(size=(n, 2))
        X = np.repeat(factors, 3, axis=1) + 0.5 * rng.normal(size=(n, 6))
        logit = 3 * np.sin(1.5 * factors[:, 0]) * np.sign(factors[:, 1])
    return X, (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)


FAMILIES = ("checker", "xor", "linear", "mixture", "ring", "correlated")


def run(families: tuple[str, ...], replicates: range) -> Iterator[dict]:
    """Rows with `COLUMNS`."""
    for name in families:
        for missing in ("at random", "by value"):
            for replicate in replicates:
                rng = np.random.default_rng([replicate, *map(ord, name + missing)])
                X, y = family(name, N_TRAIN + N_TEST, rng)
                rank = X.argsort(axis=0).argsort(axis=0) / len(X) if missing == "by value" else 0.5
                X[rng.random(X.shape) < 2 * SHARE * rank] = np.nan
                X = (X - np.nanmean(X[:N_TRAIN], axis=0)) / np.nanstd(X[:N_TRAIN], axis=0)
                for variant, log_loss in _losses(X, y):
                    yield dict(zip(COLUMNS, (name, missing, replicate, variant, round(log_loss, 5)), strict=True))


def _losses(X: np.ndarray, y: np.ndarray) -> Iterator[tuple[str, float]]:
    gaps = np.isnan(X)
    imputed = np.where(gaps, np.nanmedian(X[:N_TRAIN], axis=0), X)
    tables = dict.fromkeys(VARIANTS, X) | {"median": imputed, "median and indicator": np.hstack([imputed, gaps])}
    for name, table in tables.items():
        if name in IMPUTED:
            table = (table - table[:N_TRAIN].mean(axis=0)) / table[:N_TRAIN].std(axis=0)
        exponent = VARIANTS.get(name, VARIANTS["distance 0"])
        yield name, min(_proset(table, y, exponent, *pair) for pair in PENALTIES)
    yield "histogram boosting", min(_boosting(X, y, *settings) for settings in BOOSTING)


def _boosting(X, y, rate, iterations, leaves):
    settings = {"learning_rate": rate, "max_iter": iterations, "max_leaf_nodes": leaves, "early_stopping": False}
    p = HistGradientBoostingClassifier(**settings).fit(X[:N_TRAIN], y[:N_TRAIN]).predict_proba(X[N_TRAIN:])
    return -np.log(p[np.arange(N_TEST), y[N_TRAIN:]]).mean()


def _pairs(A, B):
    """Of each column (x - c)^2 of two known numbers, where one is missing, and the known one there."""
    for a, b in zip(A.T[:, :, None], B.T[:, None], strict=True):
        one = np.isnan(a) != np.isnan(b)
        known = np.where(one, np.where(np.isnan(a), b, a), 0.0)
        yield tuple(part.astype(np.float32) for part in (np.nan_to_num((a - b) ** 2), one, known))


def _kernel(v, pairs, exponent):
    """exp(-1/2 sum_d e_d), and the derivatives of the e_d."""
    total, slopes = 0.0, []
    for weight, (square, one, known) in zip(v, pairs, strict=True):
        missing, slope = exponent(weight, known)
        total = total + weight**2 * square + missing * one
        slopes.append(2 * weight * square + slope * one)
    return np.exp(-0.5 * total), slopes


def _proset(X, y, exponent, lambda_v, lambda_w):
    """Test log-loss of one batch, all training samples as candidates, none of which sees itself."""
    A, labels, d = X[:N_TRAIN], y[:N_TRAIN], X.shape[1]
    prior, classes = np.bincount(labels) / N_TRAIN, np.eye(labels.max() + 1)[labels]
    pairs, scale = list(_pairs(A, A)), np.repeat([1.0, 30.0], [d, N_TRAIN])

    def objective(theta):
        v, w = np.split(theta * scale, [d])
        G, slopes = _kernel(v, pairs, exponent)
        np.fill_diagonal(G, 0.0)
        q = prior + G @ (classes * w[:, None])
        q_all, q_true = q.sum(axis=1), q[np.arange(N_TRAIN), labels]
        a = (1 / q_all[:, None] - classes / q_true[:, None]) / N_TRAIN
        contracted = (a @ classes.T) * G
        dv = np.array([-0.5 * ((contracted * w) * slope).sum() for slope in slopes])
        value = np.log(q_all / q_true).mean()
        for x, penalty in ((v, lambda_v), (w, lambda_w)):
            value += penalty * (0.475 * x @ x + 0.05 * x.sum())
        gradient = np.concatenate(
            [dv + lambda_v * (0.95 * v + 0.05), contracted.sum(axis=0) + lambda_w * (0.95 * w + 0.05)]
        )
        return value, gradient * scale

    start = np.concatenate([np.full(d, 10.0 / d), np.ones(N_TRAIN)]) / scale
    bounds = [(0.0, None)] * len(start)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 150})
    v, w = np.split(found.x * scale, [d])
    G, _ = _kernel(v, list(_pairs(X[N_TRAIN:], A[w > 0])), exponent)
    q = prior + G @ (classes[w > 0] * w[w > 0, None])
    return -np.log(q[np.arange(N_TEST), y[N_TRAIN:]] / q.sum(axis=1)).mean()
