"""The solver that `proset.solver` describes, in NumPy: the measure of compiled/solver.h, which is the same in C."""

from collections import deque
from collections.abc import Callable

import numpy as np

from proset.solver import MAX_ITER, PATH_ITERATIONS, TOL, Solution

PATH_MEMORY = 10  # pairs of steps and gradient changes kept in the first phase, as published
MEMORY = 30  # ... and in the second
WINDOW = 10  # iterations over which the decrease is judged
REFRESH = 10  # steps of the second phase after which the held variables are looked at again
NOISE = 1e-7  # relative accuracy of the values: rises below it do not count as such
_EPS = float(np.finfo(float).eps)
_Function = Callable[[np.ndarray], tuple[float, np.ndarray]]  # value and gradient at a point
_Pairs = deque[tuple[np.ndarray, np.ndarray]]  # steps and gradient changes, oldest first


def _between(low: tuple[float, float, float], high: tuple[float, float, float]) -> float:
    """Minimum of the cubic with the values and slopes of two steps, kept within 0.1 and 0.9 of the way between."""
    (a, fa, ga), (b, fb, gb) = low, high
    ratio = 0.1
    if np.isfinite(fb) and np.isfinite(gb):
        m = ga + gb - 3 * (fb - fa) / (b - a)
        root = np.sqrt(max(m * m - ga * gb, 0.0))
        if gb - ga + 2 * root > 0:
            ratio = 1 - (gb + root - m) / (gb - ga + 2 * root)
    return a + min(max(ratio, 0.1), 0.9) * (b - a)


class _Point:
    """A point ``x`` (in units of `unit`) with value and gradient there, and the counted function behind it."""

    x: np.ndarray
    value: float
    gradient: np.ndarray

    def __init__(self, fun: _Function, x: np.ndarray, unit: np.ndarray):
        self.fun, self.unit, self.n_evaluations = fun, unit, 0
        self.active = x > 0  # False: held at the bound, its derivative is an older one
        self.gradient = np.ones(len(x))  # as if it pushed the held ones to their bound
        self.x = x
        self.value, self.gradient = self.evaluate(x)

    def evaluate(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        self.n_evaluations += 1
        value, gradient = self.fun(x * self.unit)
        return float(value), np.where(self.active, gradient * self.unit, self.gradient)

    def take_in_held(self) -> None:
        self.active[:] = True

    def leave_out_held(self) -> None:
        self.active = (self.x > 0) | (self.gradient <= 0)

    def rescale(self, unit: np.ndarray) -> None:
        self.x, self.gradient, self.unit = self.x * self.unit / unit, self.gradient / self.unit * unit, unit

    def projected_gradient(self) -> float:
        """Maximum norm of the step from x to the projection of x - gradient."""
        return float(np.max(np.abs(self.x - np.maximum(self.x - self.gradient, 0.0)), initial=0.0))

    def line_search(
        self, direction: np.ndarray, step: float, step_max: float, wolfe: float, trials: int = 12
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Move along the projection of ``x + step * direction``; changes (s, y) of point and gradient, or None.

        A step has to fulfil the conditions of Armijo (1e-3) and, but for one as long as allowed, Wolfe (`wolfe`). The
        first trial may also rise by the accuracy of the values, as any step that is short enough does.
        """
        best = (0.0, self.value, float(self.gradient @ direction))  # step, value and slope of the best short step
        steepest, high = wolfe * abs(best[2]), np.inf
        accuracy = NOISE * max(1.0, abs(self.value))
        for trial in range(trials):
            x = np.maximum(self.x + step * direction, 0.0)
            value, gradient = self.evaluate(x)
            s = x - self.x
            slope = float(gradient @ s) / step
            limit = self.value + 1e-3 * float(self.gradient @ s)
            enough = value <= limit + accuracy if trial == 0 else value <= limit and value < self.value
            if enough and (abs(slope) <= steepest or (slope < 0 and step == step_max)):
                y = gradient - self.gradient
                self.x, self.value, self.gradient = x, value, gradient
                return s, y
            if not enough or value > best[1] or slope > 0:  # the end of the step is beyond a minimum
                high = step
                step = _between(best, (step, value, slope))
            else:
                best = (step, value, slope)
                step = (step + high) / 2 if high < np.inf else min(5 * step, step_max)
        return None


# --- first phase: L-BFGS-B ---------------------------------------------------------------------------------------


class _Model:
    """Limited-memory matrix ``B = theta I - W M W'``, with ``W = [Y, theta S]`` as rows ``w``, and the inverse of M."""

    def __init__(self, pairs: _Pairs, n: int):
        self.theta, self.w, self.inverse_m = 1.0, np.zeros((0, n)), np.zeros((0, 0))
        if pairs:
            s, y = np.stack(pairs, axis=1)
            self.theta = float(y[-1] @ y[-1]) / float(s[-1] @ y[-1])
            self.w = np.concatenate([y, self.theta * s])
            sy = s @ y.T
            lower = np.tril(sy, -1)
            self.inverse_m = np.block([[np.diag(-np.diag(sy)), lower.T], [lower, self.theta * (s @ s.T)]])

    def apply_m(self, columns: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.inverse_m, columns)


def _cauchy_point(x: np.ndarray, g: np.ndarray, model: _Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First minimum of the model along the projection of ``x - t g``: point, which variables are free, W' (point - x).

    The path has a breakpoint wherever a variable reaches its bound. The quantities of Byrd et al., algorithm CP, are
    cumulative sums over the variables that stop.
    """
    theta, w = model.theta, model.w
    stop = np.full(len(x), np.inf)
    np.divide(x, g, out=stop, where=g > 0)
    d = np.where(stop > 0, -g, 0.0)
    order = np.flatnonzero((stop > 0) & (stop < np.inf))
    order = order[np.argsort(stop[order], kind="stable")]

    def running(start: np.ndarray, changes: np.ndarray) -> np.ndarray:
        """Rows ``start``, ``start + changes[0]``, ``start + changes[0] + changes[1]``, ..."""
        return np.cumsum(np.concatenate([start[None], changes]), axis=0)

    # row i: the path between breakpoints i - 1 and i, where i variables have stopped
    times = np.append(0.0, stop[order])
    gaps = np.diff(times)[:, None]
    ps = running(w @ d, -(w.take(order, axis=1) * d[order]).T)
    mps = model.apply_m(ps.T).T
    start = np.zeros(len(w))
    cs, mcs = running(start, gaps * ps[:-1]), running(start, gaps * mps[:-1])  # W' (point - x), and M times it
    dds = np.maximum(running(np.array(d @ d), -(d[order] ** 2)), 0.0)
    smallest = _EPS * theta * dds[0]
    slope = dds * (theta * times - 1) - np.einsum("ij,ij->i", ps, mcs)
    curvature = np.maximum(theta * dds - np.einsum("ij,ij->i", ps, mps), smallest)
    ahead = np.maximum(-slope / curvature, 0.0) if smallest > 0 else np.zeros_like(slope)
    i = np.flatnonzero(times + ahead < np.append(times[1:], np.inf))[0]
    t = times[i] + ahead[i]
    free = stop > t
    return np.where(free, x + t * d, 0.0), free, cs[i] + ahead[i] * ps[i]


def _path_direction(x: np.ndarray, g: np.ndarray, model: _Model) -> np.ndarray:
    """Step of L-BFGS-B: to the Cauchy point, from there to the minimum of the model over the free variables."""
    point, free, c = _cauchy_point(x, g, model)
    if len(model.w) and free.any():
        free = np.flatnonzero(free)
        theta, w, start = model.theta, model.w.take(free, axis=1), point[free]
        r = g[free] + theta * (start - x[free]) - model.apply_m(c) @ w
        step = -r / theta - np.linalg.solve(model.inverse_m - w @ w.T / theta, w @ r) @ w / theta**2
        point[free] = np.maximum(start + step, 0.0)
        if g @ (point - x) > 0:  # the projection leads uphill: go straight to the first bound instead
            down = step < 0
            point[free] = np.maximum(start + np.min(-start[down] / step[down], initial=1.0) * step, 0.0)
    step_to_point: np.ndarray = point - x
    return step_to_point


# --- second phase: projected L-BFGS ------------------------------------------------------------------------------


def _free_direction(x: np.ndarray, g: np.ndarray, pairs: _Pairs, near: float) -> tuple[np.ndarray, bool]:
    """Quasi-Newton step in the free variables, straight to the bound in those held; and whether any pair was used.

    Held are variables within `near` of the bound that the gradient pushes towards it. The inverse matrix is that of the
    pairs restricted to the free variables, applied by the two-loop recursion.
    """
    free = np.flatnonzero((x > near) | (g <= 0))
    direction, q = -x, g[free]
    s, y = np.stack(pairs, axis=1)[:, :, free] if pairs else np.empty((2, 0, len(free)))
    sy, yy = np.einsum("ij,ij->i", s, y), np.einsum("ij,ij->i", y, y)
    good = np.flatnonzero(sy > 1e-10 * yy)
    if not len(good):
        direction[free] = -q / max(1.0, np.linalg.norm(q))
        return direction, False
    a = {}
    for i in reversed(good):
        a[i] = s[i] @ q / sy[i]
        q = q - a[i] * y[i]
    q = q * (sy[good[-1]] / yy[good[-1]])
    for i in good:
        q = q + (a[i] - y[i] @ q / sy[i]) * s[i]
    direction[free] = -q
    return direction, True


def minimize(fun: _Function, x0, scale, *, path=PATH_ITERATIONS, max_iter=MAX_ITER, tol=TOL) -> Solution:
    """Find a local minimum of a smooth function over ``x >= 0``; see `proset.library.minimize`."""
    x0 = np.maximum(np.asarray(x0, dtype=float), 0.0)
    n, n_iter, message = len(x0), 0, f"limit of {max_iter} iterations reached"
    point = _Point(fun, x0, np.ones(n))
    if not (np.isfinite(point.value) and np.all(np.isfinite(point.gradient))):
        raise FloatingPointError("the function or its gradient is not finite at the start")

    pairs: _Pairs = deque(maxlen=PATH_MEMORY)
    while n_iter < min(path, max_iter):
        try:
            direction = _path_direction(point.x, point.gradient, _Model(pairs, n))
        except np.linalg.LinAlgError:  # pairs that contradict each other numerically
            direction = np.zeros(n)
        slope = float(point.gradient @ direction)
        moved = None
        if slope < 0:
            down = direction < 0
            room = np.min(-point.x[down] / direction[down], initial=1e10)
            step_max = 1.0 if n_iter == 0 else max(1.0, room)
            step = 1.0 if pairs else min(1.0, 1.0 / float(np.linalg.norm(direction)))
            moved = point.line_search(direction, step, step_max, 0.9)
        if moved:
            n_iter += 1
            if moved[0] @ moved[1] > -_EPS * slope:
                pairs.append(moved)
        elif pairs:
            pairs.clear()
        else:
            break  # the second phase tells a minimum from a failure

    if not point.active.all():
        point.take_in_held()
        point.value, point.gradient = point.evaluate(point.x)
    point.rescale(np.asarray(scale, dtype=float))
    pairs = deque(maxlen=MEMORY)
    values = [point.value]
    converged = False
    point.leave_out_held()
    while n_iter < max_iter:
        size = point.projected_gradient()
        flat = len(values) > WINDOW and values[-1 - WINDOW] - point.value <= 10 * tol * max(1.0, abs(point.value))
        if (size <= tol or flat) and not point.active.all():  # is it a minimum in the held variables, too?
            point.take_in_held()
            point.value, point.gradient = point.evaluate(point.x)
            values = [point.value] if point.projected_gradient() > size else [*values[:-1], point.value]
            continue
        if size <= tol or flat:
            converged = True
            message = "projected gradient below tolerance" if size <= tol else "decrease below tolerance"
            break
        if len(values) % REFRESH == 0:
            point.take_in_held()
        was_complete = point.active.all()
        direction, informed = _free_direction(point.x, point.gradient, pairs, min(1e-3, size))
        moved = point.line_search(direction, 1.0, 1.0, np.inf) if point.gradient @ direction < 0 else None
        if moved:
            n_iter += 1
            values.append(point.value)
            if moved[0] @ moved[1] > _EPS * (moved[1] @ moved[1]):
                pairs.append(moved)
            if was_complete:
                point.leave_out_held()
        elif informed:
            pairs.clear()
        else:
            message = "line search failed"
            break
    return Solution(point.x * point.unit, point.value, n_iter, point.n_evaluations, converged, message)
