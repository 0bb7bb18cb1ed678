"""The weights of a fitted model on distinct samples, batch by batch, as elimination and refits change them."""

from dataclasses import dataclass, replace

import numpy as np

from proset.duplicates import merge_duplicates
from proset.leave_one_out import Samples, class_sums, class_sums_at
from proset.model import Model
from proset.penalty_path import without_constants
from proset.solver import Solution


@dataclass(frozen=True)
class Part:
    """Weights of one batch.

    Attributes
    ----------
    v : ndarray, shape (D,)
    candidates : ndarray of int, shape (J,)
        Which samples the prototypes are, increasing.
    w : ndarray, shape (J,)
        Positive.
    solution : Solution, optional
        Where they are from.
    """

    v: np.ndarray
    candidates: np.ndarray
    w: np.ndarray
    solution: Solution | None = None

    @classmethod
    def of(cls, theta: np.ndarray, candidates: np.ndarray, solution: Solution | None = None) -> "Part":
        """Make a part from weights [v, w] of candidates, without those of weight 0."""
        n_features = len(theta) - len(candidates)
        v, w = np.split(without_constants(theta, n_features), [n_features])
        return cls(v, candidates[w > 0.0], w[w > 0.0], solution)

    @property
    def theta(self) -> np.ndarray:
        """[v, w], shape (D + J,)."""
        return np.concatenate([self.v, self.w])

    def sums(self, samples: Samples, n_classes: int, n_threads: int, rows: np.ndarray | slice) -> np.ndarray:
        """What the batch adds to q of training samples, without their own part."""
        return class_sums(samples, self.candidates, (self.v, self.w), n_classes, n_threads, rows)

    def sums_at(self, X: np.ndarray, samples: Samples, n_classes: int, n_threads: int) -> np.ndarray:
        """What the batch adds to q of other samples, (n, D), counted from the same centre."""
        return class_sums_at(X, samples, self.candidates, (self.v, self.w), n_classes, n_threads)


Parts = tuple[Part, ...]  # a model's


def n_prototypes(parts: Parts) -> int:
    """Number of prototypes over all batches."""
    return sum(len(part.w) for part in parts)


def active_features(parts: Parts) -> np.ndarray:
    """Features of positive weight in any batch, sorted."""
    return np.flatnonzero(np.sum([part.v for part in parts if len(part.w)], axis=0) > 0.0)


def without_feature(parts: Parts, d: int) -> Parts:
    """A batch that has no other feature is constant, and is left without prototypes."""
    found = []
    for part in parts:
        v = part.v.copy()
        v[d] = 0.0
        found.append(replace(Part.of(np.concatenate([v, part.w]), part.candidates), solution=part.solution))
    return tuple(found)


def with_only(parts: Parts, kept: np.ndarray) -> Parts:
    """Some of the prototypes, by a mask over all batches."""
    found, first = [], 0
    for part in parts:
        mask = kept[first : first + len(part.w)]
        first += len(part.w)
        v = part.v if mask.any() else np.zeros(len(part.v))
        found.append(replace(part, v=v, candidates=part.candidates[mask], w=part.w[mask]))
    return tuple(found)


def with_more(part: Part, candidates: np.ndarray) -> Part:
    """Add prototypes of weight 0."""
    together = np.concatenate([part.candidates, candidates])
    order = np.argsort(together)
    return replace(part, candidates=together[order], w=np.append(part.w, np.zeros(len(candidates)))[order])


def parts_of(fitted: Model, samples: Samples) -> Parts:
    """Parts of a model whose rows are those of the samples."""
    found = []
    for batch in fitted.batches:
        candidates = samples.of_row[batch.sample_index]
        order = np.argsort(candidates)
        part = Part(batch.feature_weights, candidates[order], batch.prototype_weights[order])
        scalars = batch.n_iter, batch.n_evaluations, batch.converged, batch.message
        found.append(replace(part, solution=Solution(part.theta, batch.objective, *scalars)))
    return tuple(found)


def merged(part: Part, samples: Samples) -> Part:
    """Merge prototypes that agree in class and active features into one, as in the fitted model.

    Else two such rows, which see each other, would keep a sample from being left out of its own prototype.
    """
    rows = part.candidates
    points = samples.X[rows] if samples.columns is None else samples.columns.filled(samples.X[rows])
    kept, w = merge_duplicates(points * part.v, samples.y[rows], part.w, samples.row[rows])
    order = np.argsort(kept)
    return replace(part, candidates=rows[kept[order]], w=w[order])
