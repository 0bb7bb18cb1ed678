"""The model on plain arrays: fit batch after batch, score, truncate. No validation; `proset.classifier` does that."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from math import fsum
from typing import Any

import numpy as np

from proset import arithmetic
from proset.candidates import draw_candidates
from proset.columns import Columns
from proset.duplicates import merge_duplicates
from proset.objective import Objective, Penalty
from proset.prototypes import Prototypes
from proset.solver import Solution

MAX_ABS = 1e100  # of features and weights: squares have to be finite


@dataclass(frozen=True)
class Batch:
    """One fitted batch.

    Attributes
    ----------
    feature_weights : ndarray, shape (D,)
        v >= 0, inverse bandwidths.
    prototypes : ndarray, shape (J, D)
        In the units of the training data, sorted by class.
    labels : ndarray of int, shape (J,)
        Class indices.
    prototype_weights : ndarray, shape (J,)
        w > 0.
    sample_index : ndarray of int, shape (J,)
        Row of each prototype in the training data.
    candidate_index : ndarray of int
        Rows of all candidates that were drawn.
    objective : float
        f(v, w) at the solution, before duplicate prototypes were merged.
    n_iter, n_evaluations : int
    converged : bool
    message : str
        Why the solver stopped.
    """

    feature_weights: np.ndarray
    prototypes: np.ndarray
    labels: np.ndarray
    prototype_weights: np.ndarray
    sample_index: np.ndarray
    candidate_index: np.ndarray
    objective: float
    n_iter: int
    n_evaluations: int
    converged: bool
    message: str

    @property
    def active_features(self) -> np.ndarray:
        """Indices of features with v > 0; none if the batch is empty."""
        return np.flatnonzero(self.feature_weights > 0) if len(self.labels) else np.empty(0, dtype=np.intp)


_ARRAYS = ("feature_weights", "prototypes", "labels", "prototype_weights", "sample_index", "candidate_index")
_SCALARS = tuple(f.name for f in fields(Batch) if f.name not in _ARRAYS)
_COLUMNS = tuple(f.name for f in fields(Columns))


@dataclass(frozen=True)
class Model:
    """Class prior and batches; centre (D,) is subtracted inside the kernel, which only sees differences.

    Without `columns` all features are numbers, of which none is missing.
    """

    class_prior: np.ndarray
    centre: np.ndarray
    batches: tuple[Batch, ...]
    columns: Columns | None = None

    def staged_q(self, X: np.ndarray, n_threads: int = 1, base: np.ndarray | None = None) -> Iterator[np.ndarray]:
        """Unnormalised class probabilities q(x), shape (N, K), for 0, 1, ..., B batches; each step is a new array.

        `base` is q_0 by a base model, shape (N, K), in the place of the class prior.
        """
        q = np.tile(self.class_prior, (len(X), 1)) if base is None else base
        yield q
        for batch in self.batches:
            q = q + batch_sums(X, batch, self.centre, len(self.class_prior), self.columns, n_threads)
            yield q

    def staged_predict_proba(
        self, X: np.ndarray, n_threads: int = 1, base: np.ndarray | None = None
    ) -> Iterator[np.ndarray]:
        """Class probabilities, shape (N, K), for 0, 1, ..., B batches, from one pass; `base` as in `staged_q`."""
        for q in self.staged_q(X, n_threads, base):
            yield q / arithmetic.row_sums(q)[:, None]

    def active_features(self, n_batches: int | None = None) -> np.ndarray:
        """Sorted indices of features active in any of the first `n_batches` (default: all) batches."""
        used = [batch.active_features for batch in self.batches[:n_batches]]
        return np.unique(np.concatenate(used)) if used else np.empty(0, dtype=np.intp)

    @property
    def prototypes(self) -> Prototypes:
        """Prototypes of all batches."""
        batches, none = self.batches, np.empty((0, len(self.centre)))
        return Prototypes(
            batch=np.repeat(np.arange(len(batches)), [len(batch.labels) for batch in batches]),
            rows=np.concatenate([np.empty(0, dtype=int), *(batch.sample_index for batch in batches)]),
            labels=np.concatenate([np.empty(0, dtype=int), *(batch.labels for batch in batches)]),
            weights=np.concatenate([np.empty(0), *(batch.prototype_weights for batch in batches)]),
            points=np.concatenate([none, *(batch.prototypes for batch in batches)]),
        )

    def with_rows(self, rows: np.ndarray) -> "Model":
        """The same model with `sample_index` and `candidate_index` i replaced by `rows[i]`."""
        batches = (
            replace(b, sample_index=rows[b.sample_index], candidate_index=rows[b.candidate_index]) for b in self.batches
        )
        return replace(self, batches=tuple(batches))

    def in_units_of(self, X: np.ndarray, scale: np.ndarray) -> "Model":
        """The model that was fitted to X / scale, for samples in the units of X; `sample_index` are rows of X."""
        batches = (
            replace(b, feature_weights=b.feature_weights / scale, prototypes=X[b.sample_index]) for b in self.batches
        )
        columns = self.columns and self.columns.divided(1.0 / scale)
        return replace(self, centre=self.centre * scale, batches=tuple(batches), columns=columns)

    def arrays(self) -> dict[str, np.ndarray]:
        """The model as named arrays, for an archive."""
        arrays = {"class_prior": self.class_prior, "centre": self.centre, "n_batches": np.array(len(self.batches))}
        arrays |= {} if self.columns is None else vars(self.columns)
        for b, batch in enumerate(self.batches):
            arrays |= {f"batch_{b}_{name}": getattr(batch, name) for name in _ARRAYS}
            arrays[f"batch_{b}_fit"] = np.array(json.dumps({name: getattr(batch, name) for name in _SCALARS}))
        return arrays

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> "Model":
        """The inverse of `arrays`; KeyError if an array is missing, ValueError if shapes disagree."""
        n_features, n_classes = len(arrays["centre"]), len(arrays["class_prior"])
        batches = []
        for b in range(int(arrays["n_batches"])):
            values: dict[str, Any] = {name: arrays[f"batch_{b}_{name}"] for name in _ARRAYS}
            batch = Batch(**values, **json.loads(str(arrays[f"batch_{b}_fit"])))
            n = len(batch.labels)
            if batch.feature_weights.shape != (n_features,) or batch.prototypes.shape != (n, n_features):
                raise ValueError(f"batch {b + 1} has arrays of wrong shape for {n_features} features")
            if batch.prototype_weights.shape != (n,) or (
                n and not 0 <= batch.labels.min() <= batch.labels.max() < n_classes
            ):
                raise ValueError(
                    f"batch {b + 1} has weights or labels that do not fit {n} prototypes of {n_classes} classes"
                )
            batches.append(batch)
        columns = Columns(*(arrays[name] for name in _COLUMNS)) if _COLUMNS[0] in arrays else None
        return cls(arrays["class_prior"], arrays["centre"], tuple(batches), columns)

    def n_prototypes(self, n_batches: int | None = None) -> int:
        """Prototypes over the first `n_batches` (default: all) batches."""
        return sum(len(batch.labels) for batch in self.batches[:n_batches])


Stage = tuple[Model, np.ndarray]  # a model, and q of the training samples as its next batch will see it


def fit(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    *,
    n_batches: int,
    n_candidates: int,
    max_fraction: float,
    penalty: Penalty,
    max_iter: int,
    tol: float,
    seed: np.random.SeedSequence,
    sample_weight: np.ndarray | None = None,
    n_threads: int = 1,
    start: Stage | None = None,
    after_batch: Callable[[Stage], None] | None = None,
    columns: Columns | None = None,
) -> Model:
    """Fit a model: batches one after the other, earlier ones never change.

    Parameters
    ----------
    X : ndarray of float64, shape (N, D)
    y : ndarray of int, shape (N,)
        Class indices 0..K-1, each of them present.
    n_classes : int
        K.
    n_batches, n_candidates, max_fraction, penalty, max_iter, tol
        See `proset.ProsetClassifier`.
    seed : numpy.random.SeedSequence
        Batch b draws its candidates from a child keyed by b, so that a model with fewer batches is a truncation.
    sample_weight : ndarray of positive float, shape (N,), optional
    n_threads : int
        The result does not depend on them.
    start : Stage, optional
        A stage of the same fit, to which batches are added up to `n_batches`.
    after_batch : callable, optional
        Gets the stage with each new batch.
    columns : Columns, optional
        By default all features are numbers, of which none is missing. They are kept in the model.

    Returns
    -------
    Model

    Raises
    ------
    FloatingPointError
        If the objective is not finite at the solution.
    """
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    class_weight = np.bincount(y, weights=weight, minlength=n_classes)
    centre = arithmetic.centre(X, columns and columns.unless_plain())
    q = np.tile(class_weight / fsum(class_weight), (len(y), 1))
    model, q = start or (Model(q[0].copy(), centre, (), columns), q)
    for b in range(len(model.batches), n_batches):
        rng = batch_generator(seed, b)
        candidates = draw_candidates(q, y, n_candidates, max_fraction, rng)
        fit = X, y, weight, q, candidates, centre, penalty
        objective, ordered = batch_objective(*fit, columns and columns.unless_plain(), n_threads)
        batch = fitted_batch(X, y, ordered, candidates, objective.minimum(max_iter, tol), objective.columns)
        q = q + batch_sums(X, batch, centre, n_classes, columns, n_threads)
        model = replace(model, batches=(*model.batches, batch))
        if after_batch is not None:
            after_batch((model, q))
    return model


def batch_generator(seed: np.random.SeedSequence, b: int) -> np.random.Generator:
    """Generator for the draw of candidates of batch b, which does not depend on the number of batches."""
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, b)))


def batch_sums(
    X: np.ndarray, batch: Batch, centre: np.ndarray, n_classes: int, columns: Columns | None = None, n_threads: int = 1
) -> np.ndarray:
    """What one batch adds to q(x), shape (N, K)."""
    class_offsets = np.searchsorted(batch.labels, np.arange(n_classes + 1))
    v, w = batch.feature_weights, batch.prototype_weights
    arrays = X, batch.prototypes, centre, class_offsets, v, w
    return arithmetic.class_sums(*arrays, columns=columns, n_threads=n_threads)


def batch_objective(
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    q: np.ndarray,
    candidates: np.ndarray,
    centre: np.ndarray,
    penalty: Penalty,
    columns: Columns | None = None,
    n_threads: int = 1,
) -> tuple[Objective, np.ndarray]:
    """Objective of a batch, given q with the earlier ones, (N, K), and the rows of its candidates.

    Returns
    -------
    objective : Objective
    candidates : ndarray of int, shape (J,)
        The same rows in the order in which the objective has their weights; sorted by class.
    """
    n_classes = q.shape[1]
    references = np.setdiff1d(np.arange(len(y)), candidates, assume_unique=True)
    class_offsets = np.searchsorted(y[candidates], np.arange(n_classes + 1))
    is_sorted = X.shape[1] <= arithmetic.SORTED_FEATURES and columns is None
    if is_sorted:
        references = arithmetic.sort_neighbours(X, references)
        of_class = np.split(candidates, class_offsets[1:-1])
        candidates = np.concatenate([arithmetic.sort_neighbours(X, rows) for rows in of_class])
    labels = y[references]
    class_weight = np.bincount(y, weights=weight, minlength=n_classes)
    reference_weight = np.bincount(labels, weights=weight[references], minlength=n_classes)
    objective = Objective(
        X=X[references] - centre,
        labels=labels,
        row_weights=weight[references] * (class_weight / reference_weight)[labels] / fsum(class_weight),
        previous_q=q[references],
        candidates=X[candidates] - centre,
        class_offsets=class_offsets,
        penalty=penalty,
        columns=columns,
        is_sorted=is_sorted,
        n_threads=n_threads,
    )
    return objective, candidates


def fitted_batch(
    X: np.ndarray,
    y: np.ndarray,
    candidates: np.ndarray,
    candidate_index: np.ndarray,
    solution: Solution,
    columns: Columns | None = None,
) -> Batch:
    """The batch of a minimum over the weights of `candidates`, which are rows of X; `candidate_index` is stored."""
    v, w = solution.x[: X.shape[1]], solution.x[X.shape[1] :]
    points = X[candidates] if columns is None else columns.filled(X[candidates])
    kept, merged_weights = merge_duplicates(points * v, y[candidates], w, candidates)
    return Batch(
        feature_weights=v,
        prototypes=X[candidates[kept]],
        labels=y[candidates[kept]],
        prototype_weights=merged_weights,
        sample_index=candidates[kept],
        candidate_index=candidate_index,
        objective=float(solution.fun),
        n_iter=solution.n_iter,
        n_evaluations=solution.n_evaluations,
        converged=solution.converged,
        message=solution.message,
    )
