"""The compiled library (compiled/*.c): fits, objective and class sums in one order of operations on every processor.

For tests, the environment variable PROSET_LEVEL forces a level of instructions: "avx512", "avx2", "portable" or "neon".
Without it the best level of the processor is used. All levels give the same bits.
"""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_void_p
from functools import cache
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from proset.solver import MAX_ITER, PATH_ITERATIONS, TOL, Solution

if TYPE_CHECKING:
    from proset.columns import Columns

MESSAGES = (  # in the order of compiled/problem.h
    "limit of iterations reached",
    "projected gradient below tolerance",
    "decrease below tolerance",
    "line search failed",
    "the function or its gradient is not finite at the start",
    "stopped",
    "out of memory",
)
_CONVERGED, _NOT_FINITE, _NO_MEMORY = (1, 2), 4, 6
MAX_THREADS = 256

Function = ctypes.CFUNCTYPE(c_double, c_void_p, POINTER(c_double), c_void_p, POINTER(c_double))
_Progress = ctypes.CFUNCTYPE(c_int32, c_int64, c_double)


class Problem(ctypes.Structure):
    """`Problem` of compiled/problem.h."""

    arrays: list[np.ndarray | None]  # what the pointers point to

    _fields_ = (
        *(
            (name, c_void_p)
            for name in (
                "X",
                "labels",
                "own",
                "own_distance",
                "row_weights",
                "previous_q",
                "candidates",
                "class_offsets",
                "levels",
                "category",
                "spread",
            )
        ),
        *((name, c_int64) for name in ("N", "D", "K", "sorted", "n_threads")),
        *((name, c_double) for name in ("lambda_v", "lambda_w", "alpha_v", "alpha_w")),
    )


class _Prediction(ctypes.Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("X", "prototypes", "centre", "class_offsets", "v", "w")),
        *((name, c_void_p) for name in ("levels", "category", "spread", "own", "own_distance")),
        *((name, c_int64) for name in ("N", "D", "K", "n_threads")),
    )


class _Solution(ctypes.Structure):
    _fields_ = (("value", c_double), *((name, c_int64) for name in ("n_iter", "n_evaluations", "message")))


class Library(ctypes.CDLL):
    """The loaded library; `level` names the instructions in use."""

    level: str


@cache
def library() -> Library:
    """The loaded library with its level chosen.

    Raises
    ------
    ImportError
        If it cannot be loaded.
    ValueError
        If PROSET_LEVEL names a level that this machine does not have.
    """
    wanted = os.environ.get("PROSET_LEVEL") or None
    path = Path(__file__).with_name("_kernel.dll" if sys.platform == "win32" else "_kernel.so")
    try:
        loaded = Library(str(path))
    except OSError as error:
        raise ImportError(
            f"the compiled library of proset cannot be loaded ({error}); install a wheel for this platform, or set CC "
            "to a C compiler and install proset-study again"
        ) from error
    doubles, integers = c_void_p, c_void_p
    for name, result, arguments in (
        ("use_level", c_char_p, [c_char_p]),
        ("fit", None, [POINTER(Problem), doubles, doubles, c_int64, c_int64, c_double, _Progress, POINTER(_Solution)]),
        ("objective", c_int32, [POINTER(Problem), doubles, POINTER(c_double), doubles]),
        ("increases", c_int32, [POINTER(Problem), doubles, doubles]),
        ("minimize", None, [Function, doubles, doubles, c_int64, c_int64, c_int64, c_double, POINTER(_Solution)]),
        ("class_sums", c_int32, [POINTER(_Prediction), doubles]),
        ("log", None, [doubles, c_int64, doubles]),
        ("sort_neighbours", None, [doubles, c_int64, integers, c_int64]),
        ("means", None, [doubles, c_int64, c_int64, doubles]),
        ("row_sums", None, [doubles, c_int64, c_int64, doubles]),
    ):
        function = getattr(loaded, f"proset_{name}")
        function.restype, function.argtypes = result, arguments
    chosen = loaded.proset_use_level(wanted.encode() if wanted else None)
    if chosen is None:
        raise ValueError(f"PROSET_LEVEL: {wanted!r} is not a level of this machine; without it the best one is used")
    loaded.level = chosen.decode()
    return loaded


def problem(arrays: tuple[np.ndarray | None, ...], sizes: tuple[int, ...], weights: tuple[float, ...]) -> Problem:
    """A `Problem` with its fields in their order, which keeps the arrays it points to."""
    kept = [a if a is None else _integers(a) if a.dtype.kind == "i" else _floats(a) for a in arrays]
    made = Problem(*map(_pointer, kept), *sizes, *weights)
    made.arrays = kept
    return made


def fit(problem: Problem, theta: np.ndarray, scale: np.ndarray, path: int, max_iter: int, tol: float) -> Solution:
    """Minimise the objective of a batch, as in `minimize`.

    Raises
    ------
    FloatingPointError
        If the objective or its gradient is not finite at the start.
    MemoryError
    KeyboardInterrupt
        After Ctrl-C, at the end of an iteration.
    """
    theta, scale, solution = _floats(theta).copy(), _floats(scale), _Solution()
    with _interrupts() as received:
        progress = _Progress(lambda n_iter, value: len(received))  # Python runs here, and with it handlers of signals
        arrays = byref(problem), _pointer(theta), _pointer(scale)
        library().proset_fit(*arrays, path, max_iter, tol, progress, byref(solution))
    return _result(solution, theta, max_iter)


@contextmanager
def _interrupts() -> Iterator[list[tuple[int, FrameType | None]]]:
    """Collect Ctrl-C in a list, and let it do at the end what it does elsewhere: a fit has no place where it could."""
    received: list[tuple[int, FrameType | None]] = []
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield received
        return
    signal.signal(signal.SIGINT, lambda number, frame: received.append((number, frame)))
    try:
        yield received
    finally:
        signal.signal(signal.SIGINT, usual)
    if received:
        usual(*received[0])


def minimize(
    fun: Callable[[np.ndarray], tuple[float, np.ndarray]],
    x0: np.ndarray,
    scale: np.ndarray,
    *,
    path: int = PATH_ITERATIONS,
    max_iter: int = MAX_ITER,
    tol: float = TOL,
) -> Solution:
    """Find a local minimum of a smooth function over ``x >= 0``; see `proset.solver`.

    Parameters
    ----------
    fun : callable
        Returns value and gradient at a point.
    x0 : ndarray, shape (n,)
        Start, not negative. Variables at 0 stay there in the first phase, and are left out of it.
    scale : ndarray, shape (n,)
        Typical sizes of the variables: the second phase works with ``x / scale``.
    path : int >= 0
        Limit for the iterations of the first phase; 0 where the start is near a minimum.
    max_iter : int
        Limit for the iterations of both phases together.
    tol : float

    Raises
    ------
    FloatingPointError
        If the function or its gradient is not finite at the start.

    Examples
    --------
    >>> def fun(x):  # its minimum without bounds is at (3, -1)
    ...     return (x[0] - 3) ** 2 + (x[1] + 1) ** 2, np.array([2 * (x[0] - 3), 2 * (x[1] + 1)])
    >>> solution = minimize(fun, np.array([1.0, 1.0]), scale=np.ones(2))
    >>> solution.x.round(4).tolist(), round(solution.fun, 4), solution.converged
    ([3.0, 0.0], 1.0, True)
    """
    x, scale, solution, n = _floats(x0).copy(), _floats(scale), _Solution(), len(x0)
    raised: list[BaseException] = []

    def function(context: Any, x: Any, active: Any, gradient: Any) -> float:
        try:
            value, slopes = fun(np.ctypeslib.as_array(x, (n,)).copy())
        except BaseException as error:  # no error passes through C: NaN ends the search
            raised.append(error)
            return np.nan
        np.ctypeslib.as_array(gradient, (n,))[:] = slopes
        return float(value)

    arrays = Function(function), _pointer(x), _pointer(scale), n
    library().proset_minimize(*arrays, path, max_iter, tol, byref(solution))
    if raised:
        raise raised[0]
    return _result(solution, x, max_iter)


def _result(solution: _Solution, x: np.ndarray, max_iter: int) -> Solution:
    number = solution.message
    if number == _NO_MEMORY:
        raise MemoryError(f"no memory for a fit of {len(x)} variables")
    if number == _NOT_FINITE:
        raise FloatingPointError(MESSAGES[number])
    message = f"limit of {max_iter} iterations reached" if number == 0 else MESSAGES[number]
    return Solution(x, solution.value, solution.n_iter, solution.n_evaluations, number in _CONVERGED, message)


def objective(problem: Problem, theta: np.ndarray) -> tuple[float, np.ndarray]:
    """Value and gradient of the objective of a batch."""
    theta = _floats(theta)
    value, gradient = c_double(), np.empty_like(theta)
    if library().proset_objective(byref(problem), _pointer(theta), byref(value), _pointer(gradient)):
        raise MemoryError(f"no memory for an objective of {len(theta)} variables")
    return value.value, gradient


def increases(problem: Problem, theta: np.ndarray) -> np.ndarray:
    """Increase in the objective of a batch if a prototype is removed, for each of them."""
    theta = _floats(theta)
    found = np.empty(len(theta) - problem.D)
    if library().proset_increases(byref(problem), _pointer(theta), _pointer(found)):
        raise MemoryError(f"no memory for {len(found)} prototypes")
    return found


def class_sums(
    X: np.ndarray,
    prototypes: np.ndarray,
    centre: np.ndarray,
    class_offsets: np.ndarray,
    v: np.ndarray,
    w: np.ndarray,
    own: np.ndarray | None,
    own_kernel: np.ndarray | None,
    columns: "Columns | None",
    n_threads: int,
) -> np.ndarray:
    """See `proset.arithmetic.class_sums`."""
    X, prototypes, centre, v, w = map(_floats, (X, prototypes, centre, v, w))
    class_offsets, own = _integers(class_offsets), own if own is None else _integers(own)
    sums = np.empty((len(X), len(class_offsets) - 1))
    given = (X, prototypes, centre, class_offsets, v, w, *of_columns(columns), own, own_distance(own_kernel))
    prediction = _Prediction(*map(_pointer, given), *X.shape, len(class_offsets) - 1, n_threads)
    if library().proset_class_sums(byref(prediction), _pointer(sums)):
        raise MemoryError(f"no memory to predict with {len(prototypes)} prototypes")
    return sums


def of_columns(columns: "Columns | None") -> tuple[np.ndarray | None, ...]:
    """`levels`, `category` and `spread` of compiled/problem.h."""
    if columns is None:
        return None, None, None
    return _integers(columns.levels), _floats(columns.category), _floats(columns.spread * columns.has_gaps)


def own_distance(own_kernel: np.ndarray | None) -> np.ndarray | None:
    """-log2 of kernel values in [0, 1), as compiled/problem.h has it; infinite for 0."""
    if own_kernel is None:
        return None
    distance = np.full(len(own_kernel), np.inf)
    seen = own_kernel > 0
    distance[seen] = -log(own_kernel[seen]) / 0.6931471805599453  # log(2)
    return distance


def log(x: np.ndarray) -> np.ndarray:
    """Natural logarithm of positive normal numbers."""
    x = _floats(x)
    result = np.empty_like(x)
    library().proset_log(_pointer(x), x.size, _pointer(result))
    return result


def means(X: np.ndarray) -> np.ndarray:
    """Means of the columns, summed in the order of the rows."""
    X = _floats(X)
    result = np.empty(X.shape[1])
    library().proset_means(_pointer(X), *X.shape, _pointer(result))
    return result


def row_sums(X: np.ndarray) -> np.ndarray:
    """Sums of the rows, in the order of the columns."""
    X = _floats(X)
    result = np.empty(len(X))
    library().proset_row_sums(_pointer(X), *X.shape, _pointer(result))
    return result


def sort_neighbours(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows of X in an order that keeps neighbours together."""
    X, rows = _floats(X), _integers(rows).copy()
    library().proset_sort_neighbours(_pointer(X), X.shape[1], _pointer(rows), len(rows))
    return rows


def _floats(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=np.float64)


def _integers(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=np.int64)


def _pointer(array: np.ndarray | None) -> int | None:
    return None if array is None else array.ctypes.data
