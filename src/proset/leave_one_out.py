"""Fits in which every sample is a reference, all or many are candidates, and no reference sees itself.

With the symbols of `proset.objective`, one batch on the distinct samples x_1, ..., x_N with weights s_n, of which there
are m_n copies:

    q_k(x_n)  = previous_q_k(x_n) + sum_{j: y_j = k} w_j G'_nj
    G'_nj     = G_nj for j != n, and (m_n - 1) / m_n for j = n
    r_n       = s_n / N                     N: sum of the s_n

Loss, penalty and gradient are the same but for these lines: a sample's own part in its prototype is left out of q and
so of df/dw_n, and every class has its weight without a factor. previous_q leaves it out, too.

Samples that agree in class and all features are one sample, whose weight is their sum. Each of m copies sees the m - 1
others, as a future row will see all m: in a table of answers or counts, where many rows agree, the class may depend on
the combination, which no other place can tell. A weight of 2 is the same as the same row twice. Without `copies` a fit
is that of the study's records, where m_n is 1.

The candidates, all samples or a draw, are a working set that grows. The search starts with some of them, drawn; the
weights of the others are held at zero until the solver's second phase looks at their derivatives, and those with
df/dw_j < 0 are let go (`proset.solver`). Where it ends, all derivatives are looked at once more, and the search goes on
as long as one outside is steeper than the tolerance and than the steepest inside. So the minimum is one over all
candidates: none outside the working set would enter sooner than those inside would still move. That is the certificate.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np

from proset import arithmetic
from proset.candidates import draw_candidates
from proset.columns import Columns
from proset.model import Model, Stage, batch_generator, fitted_batch
from proset.objective import Objective, Penalty
from proset.solver import Solution

START = 1000  # candidates of the first working set
MAX_COPIES = 1e9  # larger weights are no counts of rows


@dataclass(frozen=True)
class Samples:
    """Distinct training samples, sorted by class.

    Attributes
    ----------
    X : ndarray, shape (N, D)
        Features, counted from `centre`.
    y : ndarray of int, shape (N,)
    weight : ndarray, shape (N,)
        s_n.
    row : ndarray of int, shape (N,)
        The first row of the training data with each sample.
    copies : ndarray, shape (N,)
        m_n.
    references : ndarray of int, shape (N,)
        All of them in the order in which they are references.
    centre : ndarray, shape (D,)
    is_sorted : bool
        See `proset.objective.Objective`.
    columns : Columns, optional
        By default all features are numbers, of which none is missing, here and elsewhere.
    of_row : ndarray of int, shape (n_rows,)
        The sample that each row of the training data is.
    """

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    row: np.ndarray
    copies: np.ndarray
    references: np.ndarray
    centre: np.ndarray
    is_sorted: bool
    of_row: np.ndarray
    columns: Columns | None = None

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray,
        copies: np.ndarray | None = None,
        columns: Columns | None = None,
    ) -> "Samples":
        """The distinct samples of training data; their order does not depend on that of the rows.

        `copies`, shape (n_rows,), is how many rows each row stands for; without it all are one, however many there are.
        """
        mixed = columns and columns.unless_plain()
        keyed = np.column_stack([y, (mixed.filled(X) if mixed else X) + 0.0])  # -0.0 is 0.0
        _, row, inverse = np.unique(keyed, axis=0, return_index=True, return_inverse=True)
        of_row, weight = inverse.ravel(), np.bincount(inverse.ravel(), weights=weight)
        m = np.ones(len(row)) if copies is None else np.bincount(inverse.ravel(), weights=copies)
        centre = arithmetic.centre(X[row], mixed)
        is_sorted = X.shape[1] <= arithmetic.SORTED_FEATURES and mixed is None
        references = np.arange(len(row))
        if is_sorted:
            of_class = np.split(references, np.flatnonzero(np.diff(y[row])) + 1)
            order = np.concatenate([arithmetic.sort_neighbours(X[row], rows) for rows in of_class])
            row, weight, m = row[order], weight[order], m[order]
            of_row = np.argsort(order)[of_row]
            references = arithmetic.sort_neighbours(X[row], references)
        return cls(X[row] - centre, y[row], weight, row, m, references, centre, is_sorted, of_row, columns)

    def class_prior(self, n_classes: int) -> np.ndarray:
        """Proportions of the classes by weight, shape (K,)."""
        weight: np.ndarray = np.bincount(self.y, weights=self.weight, minlength=n_classes) / fsum(self.weight)
        return weight

    def means(self, of_rows: np.ndarray) -> np.ndarray:
        """Mean of values of rows, shape (n_rows, K), over the rows of each sample, shape (N, K)."""
        number = np.bincount(self.of_row)
        columns = [np.bincount(self.of_row, weights=column) / number for column in of_rows.T]
        return np.column_stack(columns)

    @property
    def own_kernel(self) -> np.ndarray:
        """(m_n - 1) / m_n."""
        found: np.ndarray = np.maximum(self.copies - 1.0, 0.0) / np.maximum(self.copies, 1.0)
        return found


@dataclass(frozen=True)
class Task:
    """One batch to fit: everything of its objective but the penalty.

    Attributes
    ----------
    samples : Samples
    references, candidates : ndarray of int
        Which samples, the first as `Samples.references` orders them, the second increasing.
    q : ndarray, shape (N, K)
        Unnormalised class probabilities of all samples before this batch.
    n_threads : int
    """

    samples: Samples
    references: np.ndarray
    candidates: np.ndarray
    q: np.ndarray
    n_threads: int = 1

    @classmethod
    def of(cls, samples: Samples, n_classes: int, n_threads: int = 1, base: np.ndarray | None = None) -> "Task":
        """The first batch, with all samples as references and as candidates; `base` is as in `fit`."""
        everyone = np.arange(len(samples.y))
        q = np.tile(samples.class_prior(n_classes), (len(everyone), 1)) if base is None else samples.means(base)
        return cls(samples, samples.references, everyone, q, n_threads)

    def objective(self, penalty: Penalty) -> Objective:
        """The objective of the references."""
        samples, rows, n_classes = self.samples, self.references, self.q.shape[1]
        weight = samples.weight[rows]
        return Objective(
            X=samples.X[rows],
            labels=samples.y[rows],
            row_weights=weight / fsum(weight),
            previous_q=self.q[rows],
            candidates=samples.X[self.candidates],
            class_offsets=_class_offsets(samples, self.candidates, n_classes),
            penalty=penalty,
            own=_places(samples, self.candidates)[rows],
            own_kernel=samples.own_kernel[rows],
            columns=samples.columns and samples.columns.unless_plain(),
            is_sorted=samples.is_sorted,
            n_threads=self.n_threads,
        )


Minimum = Callable[[Task, Penalty, int, float], Solution]  # of a batch, with the limit of iterations and the tolerance


def fit(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    *,
    n_batches: int,
    n_candidates: int | None,
    penalty: Penalty,
    max_iter: int,
    tol: float,
    seed: np.random.SeedSequence,
    sample_weight: np.ndarray | None = None,
    n_threads: int = 1,
    start: Stage | None = None,
    after_batch: Callable[[Stage], None] | None = None,
    copies: np.ndarray | None = None,
    minimum: Minimum | None = None,
    base: np.ndarray | None = None,
    columns: Columns | None = None,
) -> Model:
    """Fit a model with leave-one-out references; None for `n_candidates` means all samples. Else as `proset.model.fit`.

    `copies` is how many rows each row stands for; see `Samples.of`. `minimum` finds that of a batch, as
    `proset.penalty_path.minimum` does for `ProsetClassifier`. Without both the fit is that of the study's records,
    whose search starts from a draw. `base`, shape (n_rows, K), is q_0 of a base model (`proset.base_model`).
    `columns` is kept in the model.

    Raises
    ------
    FloatingPointError
        If the objective is not finite at the solution.
    """
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    samples = Samples.of(X, y, weight, copies, columns)
    first_task = Task.of(samples, n_classes, n_threads, base)
    model, q = start or (Model(samples.class_prior(n_classes), samples.centre, (), columns), first_task.q)
    for b in range(len(model.batches), n_batches):
        rng = batch_generator(seed, b)
        candidates = _draw(q, samples.y, n_candidates or len(samples.y), rng)
        task = Task(samples, samples.references, candidates, q, n_threads)
        if minimum is None:
            first = _draw(q[candidates], samples.y[candidates], START, rng)
            solution = _from_some(task.objective(penalty), np.isin(np.arange(len(candidates)), first), max_iter, tol)
        else:
            solution = minimum(task, penalty, max_iter, tol)
        rows = samples.row[candidates]
        batch = fitted_batch(X, y, rows, np.sort(rows), solution, columns)
        model = replace(model, batches=(*model.batches, batch))
        q = q + class_sums(samples, candidates, np.split(solution.x, [X.shape[1]]), n_classes, n_threads)
        if after_batch is not None:
            after_batch((model, q))
    return model


def copies_of(weight: np.ndarray) -> np.ndarray:
    """How many rows each row stands for: whole weights, after division by what they have in common; of others, 1.

    Examples
    --------
    >>> copies_of(np.array([2.0, 4.0, 6.0])).tolist(), copies_of(np.array([2.0, 4.5])).tolist()
    ([1.0, 2.0, 3.0], [1.0, 1.0])
    """
    if (weight != np.floor(weight)).any() or weight.max(initial=0.0) > MAX_COPIES:
        return np.ones(len(weight))
    copies: np.ndarray = weight / max(np.gcd.reduce(weight.astype(int)), 1)
    return copies


def _draw(q: np.ndarray, y: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    return np.arange(len(y)) if number >= len(y) else draw_candidates(q, y, number, 1.0, rng)


def _from_some(objective: Objective, first: np.ndarray, max_iter: int, tol: float) -> Solution:
    """The minimum over the weights of all candidates, from a start with those of the mask `first` only."""
    v, w = objective.unpack(objective.start())
    solution = objective.minimum(max_iter, tol, objective.pack(v, np.where(first, w, 0.0)))
    return certified(objective, solution, max_iter, tol)


def certified(objective: Objective, solution: Solution, max_iter: int, tol: float) -> Solution:
    """Go on from a solution until no weight outside its working set would enter sooner than those inside still move."""
    while solution.converged:
        slopes = objective(solution.x)[1] * objective.scale()
        inside, outside = slopes[solution.x > 0], slopes[solution.x == 0]
        if -outside.min(initial=0.0) <= np.abs(inside).max(initial=tol):
            break
        further = objective.minimum(max_iter - solution.n_iter, tol, solution.x, path=0)
        n_iter, n_evaluations = solution.n_iter + further.n_iter, solution.n_evaluations + 1 + further.n_evaluations
        message = further.message if n_iter < max_iter else f"limit of {max_iter} iterations reached"
        solution = replace(further, n_iter=n_iter, n_evaluations=n_evaluations, message=message)
    return solution


def class_sums(
    samples: Samples,
    candidates: np.ndarray,
    weights: Sequence[np.ndarray],
    n_classes: int,
    n_threads: int,
    rows: slice | np.ndarray = slice(None),
) -> np.ndarray:
    """What a batch adds to q of samples, by default of all, without their own part, shape (N, K)."""
    v, w = weights
    X, kept = samples.X, candidates[w > 0.0]
    arrays = (X[rows], X[kept], np.zeros(len(v)), _class_offsets(samples, kept, n_classes), v, w[w > 0.0])
    own = _places(samples, kept)[rows], samples.own_kernel[rows]
    return arithmetic.class_sums(*arrays, *own, samples.columns, n_threads)


def class_sums_at(
    X: np.ndarray,
    samples: Samples,
    candidates: np.ndarray,
    weights: Sequence[np.ndarray],
    n_classes: int,
    n_threads: int,
) -> np.ndarray:
    """What a batch adds to q of other samples X, (n, D), counted from the same centre, shape (n, K)."""
    v, w = weights
    kept = candidates[w > 0.0]
    arrays = (X, samples.X[kept], np.zeros(len(v)), _class_offsets(samples, kept, n_classes), v, w[w > 0.0])
    return arithmetic.class_sums(*arrays, columns=samples.columns, n_threads=n_threads)


def _class_offsets(samples: Samples, candidates: np.ndarray, n_classes: int) -> np.ndarray:
    return np.searchsorted(samples.y[candidates], np.arange(n_classes + 1))


def _places(samples: Samples, candidates: np.ndarray) -> np.ndarray:
    """Where each sample is among the candidates, -1 if it is none."""
    places = np.full(len(samples.y), -1)
    places[candidates] = np.arange(len(candidates))
    return places
