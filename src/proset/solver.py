"""Placeholder until the measured solver arrives: SciPy."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Solution:
    x: np.ndarray
    fun: float
    n_iter: int
    n_evaluations: int
    converged: bool
    message: str


def minimize(fun, x0, n_features, max_iter, tol):
    from scipy.optimize import minimize as m

    s = np.ones_like(x0)
    r1 = m(
        fun,
        x0,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(x0),
        options=dict(maxcor=10, maxiter=30, gtol=1e-5, ftol=2.2e-9),
    )
    s[n_features:] = 100.0

    def g(z):
        f, d = fun(z * s)
        return f, d * s

    r = m(
        g,
        r1.x / s,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(x0),
        options=dict(maxcor=50, maxiter=max_iter, gtol=tol, ftol=2.2e-9, maxfun=10**6),
    )
    return Solution(r.x * s, r.fun, r.nit + r1.nit, r.nfev + r1.nfev, r.status == 0, str(r.message))


MAX_ITER = 2000
TOL = 1e-5
