"""Minimisation of a smooth, not necessarily convex function of non-negative variables.

Two phases, because the first steps choose the local minimum and the later ones cost the time:

1. *Path*: some iterations of L-BFGS-B in the variables as they are. Directions are those of the published algorithm,
   the line search is a simpler one; in the cases tried, this led to the minimum the published algorithm finds.
2. *Descent*: projected L-BFGS in rescaled variables. The quasi-Newton step is taken in the variables that are free
   and projected to the bounds. It is cheaper per iteration and needs far fewer of them. Variables that are held at
   their bound are left out of evaluations; all derivatives are looked at every ten steps, and before the end.

It has converged if the maximum norm of the projected gradient in the rescaled variables is at most the tolerance, or if
the last ten iterations of the second phase together lowered the value by at most ten times that, times max(1, |value|).

The solver is C, compiled/solver.h; tests/reference/solver.py is the same in NumPy.

References
----------
R. H. Byrd, P. Lu, J. Nocedal, C. Zhu: A limited memory algorithm for bound constrained optimization. SIAM J. Sci.
Comput. 16 (1995). Compact representation, generalised Cauchy point, subspace minimisation.

J. L. Morales, J. Nocedal: Remark on "Algorithm 778". ACM Trans. Math. Softw. 38 (2011). Projected subspace step.

J. Nocedal: Updating quasi-Newton matrices with limited storage. Math. Comp. 35 (1980). Two-loop recursion, used in the
second phase.

D. P. Bertsekas: Projected Newton methods for optimization problems with simple constraints. SIAM J. Control Optim. 20
(1982). Free variables and search along the projected path, used in the second phase.
"""

from dataclasses import dataclass

import numpy as np

MAX_ITER = 2000
TOL = 1e-5
PATH_ITERATIONS = 30  # fewer lead to other minima: with 20, digits keeps two features more than the published path


@dataclass(frozen=True)
class Solution:
    """Where the solver ended.

    Attributes
    ----------
    x : ndarray, shape (n,)
        Last and, up to the accuracy of the function values, best point. Variables at their bound are exactly 0.
    fun : float
        Value at `x`.
    n_iter, n_evaluations : int
        Iterations of both phases together; calls of the function.
    converged : bool
        Whether one of the two stopping criteria was met.
    message : str
        Why the iterations ended.
    """

    x: np.ndarray
    fun: float
    n_iter: int
    n_evaluations: int
    converged: bool
    message: str
