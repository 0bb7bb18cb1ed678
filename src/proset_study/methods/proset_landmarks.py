"""Proset on dissimilarities: its features are those of a sample from landmarks, some training samples of each class.

So it can be had for strings, images under a distance of their own, or a matrix. A feature weight says how much a
landmark counts; those without weight are not needed to predict. References are as in `proset_leave_one_out`.

E. Pekalska and R. P. W. Duin, The dissimilarity representation for pattern recognition, World Scientific (2005),
chapter 4.
"""

from dataclasses import dataclass, replace

import numpy as np

from proset_study.data.distances import distances
from proset_study.data.metrics import PRECOMPUTED
from proset_study.methods.base import FittedModel, Range, with_prefix, without_prefix
from proset_study.methods.proset import FittedProset, Proset
from proset_study.methods.proset_leave_one_out import ProsetLeaveOneOut
from proset_study.methods.prototypes import Prototypes

LANDMARKS = 100  # if the config does not say
_OWN = ("landmarks", "points", "centre", "scale", "metric")  # arrays besides those of that model
_PREFIX = "proset_"  # of the arrays of the model in the space of landmarks


@dataclass(frozen=True)
class FittedLandmarks(FittedModel):
    proset: FittedProset
    landmarks: np.ndarray  # shape (L, D), as `FoldData.points`
    points: np.ndarray  # prototypes, shape (M, D), as `landmarks`
    centre: np.ndarray  # subtracted from the dissimilarities, shape (L,)
    scale: np.ndarray  # divided out of them, shape (L,)
    metric: str  # as `FoldData.metric`

    def predict_proba(self, X):
        return self.proset.predict_proba(self._features(X))

    def staged_predict_proba(self, X):
        return self.proset.staged_predict_proba(self._features(X))

    def _features(self, X):
        return (distances(X, self.landmarks, self.metric) - self.centre) / self.scale

    def summary(self):
        landmarks = len(self.proset.active_features())
        return {**self.proset.summary(), "active_features": self._n_features, "active_landmarks": landmarks}

    def staged_summary(self):
        prototypes = self.proset.staged_summary()["prototypes"]
        return {"active_features": [self._n_features] * len(prototypes), "prototypes": prototypes}

    @property
    def _n_features(self):
        return 0 if self.metric == PRECOMPUTED else self.landmarks.shape[1]

    def prototypes(self) -> Prototypes:
        return replace(self.proset.prototypes(), X=self.points)

    def class_prior(self):
        return self.proset.class_prior()

    def arrays(self):
        own = {name: np.asarray(getattr(self, name)) for name in _OWN}
        return {**own, **with_prefix(_PREFIX, self.proset.arrays())}

    @classmethod
    def load(cls, arrays):
        own = {name: arrays[name] for name in _OWN} | {"metric": str(arrays["metric"])}
        return cls(FittedProset.load(without_prefix(_PREFIX, arrays)), **own)


class ProsetLandmarks(ProsetLeaveOneOut):
    label = "proset (landmarks)"
    place = 30
    model = FittedLandmarks
    metrics = "any"
    weights = "importance"
    parameters = {**ProsetLeaveOneOut.parameters, "landmarks": Range(2, 10_000, integer=True)}  # noqa: RUF012
    imports = ("scipy.spatial.distance",)

    @staticmethod
    def cost(size, stage, fitted, scored):
        landmarks = min(stage["parameters"].get("landmarks", LANDMARKS), fitted)
        alike = 4  # as measured: landmarks tell nearly the same, which takes more iterations
        return ProsetLeaveOneOut.cost(replace(size, features=alike * landmarks), stage, fitted, scored)

    @classmethod
    def operations(cls, record):
        """Entries and multiply-adds with landmarks as features, and the dissimilarities from them."""
        landmarks = int(record["parameters"].get("landmarks", LANDMARKS))
        entries, operations = super().operations({**record, "n_features": landmarks})
        found = landmarks * (record["n_fit"] + record["n_scored"])
        return entries + found, operations + found * max(1, record["n_features"])

    def fit(self, parameters, complexity, seed):
        data, n_landmarks = self.data, int(parameters.get("landmarks", LANDMARKS))
        rng = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 0)))
        of_class = -(-n_landmarks // data.n_classes)
        drawn = [rng.permutation(np.flatnonzero(data.y == k))[:of_class] for k in range(data.n_classes)]
        landmarks = data.points[np.sort(np.concatenate(drawn))]
        dissimilarities = distances(data.X, landmarks, data.metric).astype(np.float64)
        centre, scale = dissimilarities.mean(axis=0), dissimilarities.std(axis=0)
        scale[scale == 0] = 1.0
        inner = ProsetLeaveOneOut(replace(data, X=(dissimilarities - centre) / scale, metric="euclidean"))
        fitted = Proset.fit(inner, parameters, complexity, seed)
        index = [batch.sample_index for batch in fitted.model.batches]
        points = data.points[np.concatenate([np.empty(0, dtype=int), *index])]
        return FittedLandmarks(fitted, landmarks, points, centre, scale, data.metric)
