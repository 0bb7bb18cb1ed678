"""Prototype selection by set cover, greedy; its path counts radii, from balls of single samples to large ones.

J. Bien and R. Tibshirani, Prototype selection for interpretable classification, Annals of Applied Statistics 5 (2011),
2403-2424.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from proset.cover import Cover, balls_of_path, chunks, default_cost, greedy, path_radii
from proset_study.data.distances import distances
from proset_study.data.metrics import PRECOMPUTED
from proset_study.data.splits import FoldData
from proset_study.methods.base import Cost, Fitted, FittedModel, Method, Name, Range
from proset_study.methods.prototypes import Prototypes

ROWS = 2000  # of more samples these are enough to find the radii
_PER_PROTOTYPE = ("index", "labels", "covered", "newly_covered", "miscovered")


@dataclass(frozen=True)
class FittedSetCover(FittedModel):
    """Prototypes for every radius on the path; see `methods.prototypes.PrototypeModel`."""

    candidates: np.ndarray  # shape (M, D), as `FoldData.points`; the samples come first
    radii: np.ndarray  # shape (complexity,)
    covers: list[Cover]  # one for each radius
    majority: int  # class that is predicted without prototypes
    n_classes: int
    metric: str  # as `FoldData.metric`

    def predict_proba(self, X):
        return np.eye(self.n_classes)[self._predict(X, self.covers[-1:])[0]]

    def staged_predict_proba(self, X):
        for labels in self._predict(X, self.covers):
            yield np.eye(self.n_classes)[labels]

    def _predict(self, X, covers):
        """Class of the nearest prototype, shape (len(covers), m), from one pass over the distances."""
        used = np.unique(np.concatenate([cover.index for cover in covers]))
        places = [np.searchsorted(used, cover.index) for cover in covers]
        found = np.full((len(covers), len(X)), self.majority)
        for rows in chunks(len(X), max(1, len(used))):
            between = distances(X[rows], self.candidates[used], self.metric)
            for labels, place, cover in zip(found, places, covers, strict=True):
                if len(place):
                    labels[rows] = cover.labels[between[:, place].argmin(axis=1)]
        return found

    def summary(self):
        features = 0 if self.metric == PRECOMPUTED else self.candidates.shape[1]
        return {"active_features": features, **super().summary()}

    def staged_summary(self):
        bounds = [cover.lower_bound for cover in self.covers]
        return {
            "prototypes": [len(cover.index) for cover in self.covers],
            "objective": [cover.objective for cover in self.covers],
            "ball_radius": self.radii.tolist(),
            **({"lower_bound": bounds} if None not in bounds else {}),
        }

    def prototypes(self):
        cover = self.covers[-1]
        return Prototypes.unweighted(self.candidates[cover.index], cover.labels)

    def arrays(self):
        stacked = {name: np.concatenate([getattr(c, name) for c in self.covers]) for name in _PER_PROTOTYPE}
        bounds = [np.nan if c.lower_bound is None else c.lower_bound for c in self.covers]
        return {
            "candidates": self.candidates,
            "radii": self.radii,
            "majority": np.array(self.majority),
            "n_classes": np.array(self.n_classes),
            "metric": np.array(self.metric),
            "prototypes": np.array([len(c.index) for c in self.covers]),
            "objective_path": np.concatenate([c.objective_path for c in self.covers]),
            "lower_bound": np.array(bounds),
            **stacked,
        }

    @classmethod
    def load(cls, arrays):
        ends = np.cumsum(arrays["prototypes"])
        stacked = [np.split(arrays[name], ends[:-1]) for name in _PER_PROTOTYPE]
        paths = np.split(arrays["objective_path"], (ends + np.arange(1, len(ends) + 1))[:-1])
        bounds = [None if np.isnan(b) else float(b) for b in arrays["lower_bound"]]
        covers = [Cover(*fields) for fields in zip(*stacked, paths, bounds, strict=True)]
        sizes = int(arrays["majority"]), int(arrays["n_classes"])
        return cls(arrays["candidates"], arrays["radii"], covers, *sizes, str(arrays["metric"]))


class SetCover(Method):
    label = "set cover"
    place = 22
    names: ClassVar[tuple[Name, ...]] = (Name("radius", "radius (its place in the grid)"), Name("cost", number=".2f"))
    cost = Cost(0.1, 6.5e-6, rows=1.5)
    imports: ClassVar[tuple[str, ...]] = ("scipy.spatial.distance",)
    model: ClassVar[type[Fitted]] = FittedSetCover
    probabilistic = False
    metrics = "any"
    complexity = "radius"
    larger_is_simpler = True
    parameters = {  # noqa: RUF012
        "cost": Range(0.0, 1e6),
        "balanced": Range(0, 1, integer=True),  # 1: classes have the same weight
        "foreign_cost": Range(0.0, 1e6),  # what a wrongly covered sample counts; 0 gives a plain cover of each class
        "ratio": Range(0, 1, integer=True),  # 1: the greedy choice is by what is covered in proportion to its cost
    }
    quantities = ("active_features", "prototypes")

    @staticmethod
    def operations(record):
        """Distances of all pairs; what the greedy choice adds up are bits."""
        pairs = record["n_fit"] ** 2 + record["summary"]["prototypes"] * record["n_scored"]
        return pairs, pairs * record["n_features"]

    @staticmethod
    def simplicity(parameters):
        return (parameters.get("cost", 0.0),)

    def labelled(self, parameters, seed):
        """Rows of the samples to cover, shape (n,)."""
        return np.arange(len(self.data.y))

    def candidates(self, parameters, seed):
        """Points that may become prototypes."""
        return self.data.points

    @staticmethod
    def cover(bits, y, weight, cost, n_candidates, rng, parameters):
        """Choose the prototypes of one radius."""
        variant = {"foreign": parameters.get("foreign_cost", 1.0), "ratio": bool(parameters.get("ratio", 0))}
        return greedy(bits, y, weight, cost, **variant)

    def fit(self, parameters, complexity, seed):
        data, rng, rows = self.data, np.random.default_rng(seed), self.labelled(parameters, seed)
        y, weight = data.y[rows], weights(data, rows, parameters)
        cost = parameters.get("cost", default_cost(weight))
        candidates = self.candidates(parameters, seed)
        radii = find_radii(data, complexity)
        size = len(rows), len(candidates)
        balls = balls_of_path(lambda part: distances(data.X[rows[part]], candidates, data.metric), *size, radii)
        covers = [self.cover(bits, y, weight, cost, size[1], rng, parameters) for bits in balls]
        majority = int(np.bincount(y, weights=weight).argmax())
        return FittedSetCover(candidates, radii, covers, majority, data.n_classes, data.metric)


def weights(data: FoldData, rows: np.ndarray, parameters: dict) -> np.ndarray:
    """Weights of samples, shape (n,); if the parameters say so, with the same sum for every class."""
    y, weight = data.y[rows], np.ones(len(rows)) if data.weight is None else data.weight[rows]
    if parameters.get("balanced", 0):
        return weight * (weight.sum() / data.n_classes / np.bincount(y, weights=weight))[y]
    return weight


def find_radii(data: FoldData, complexity: int) -> np.ndarray:
    """Radii of the path, shape (complexity,); at most `ROWS` rows are looked at, evenly spread."""
    some = slice(None, None, -(-len(data.y) // ROWS))
    between = distances(data.X[some], data.points[some], data.metric)
    return path_radii(between[np.triu_indices(len(between), 1)], complexity)
