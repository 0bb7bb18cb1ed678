"""The mean of the probabilities of proset models that differ in the draw of candidates only."""

from dataclasses import dataclass

import numpy as np

from proset_study.methods.base import FittedModel, with_prefix, without_prefix
from proset_study.methods.proset import FittedProset, Proset
from proset_study.methods.prototypes import Prototypes

DRAWS = 5


@dataclass(frozen=True)
class FittedAverage(FittedModel):
    models: tuple[FittedProset, ...]

    def staged_predict_proba(self, X):
        for stages in zip(*(fitted.staged_predict_proba(X) for fitted in self.models), strict=True):
            yield np.mean(stages, axis=0)

    def summary(self):
        summaries = [fitted.summary() for fitted in self.models]
        return {
            **super().summary(),
            "candidates": summaries[0]["candidates"],
            "n_evaluations": sum(batch["n_evaluations"] for summary in summaries for batch in summary["batches"]),
            "converged": all(summary["converged"] for summary in summaries),
        }

    def staged_summary(self):
        """Features that any of the models uses; prototypes of all of them together."""
        models = [fitted.model for fitted in self.models]
        sizes = range(len(models[0].batches) + 1)
        active = [np.concatenate([model.active_features(b) for model in models]) for b in sizes]
        return {
            "active_features": [len(np.unique(features)) for features in active],
            "prototypes": [sum(model.n_prototypes(b) for model in models) for b in sizes],
        }

    def prototypes(self):
        found = [fitted.prototypes() for fitted in self.models]
        X, labels, weights, batch = (
            np.concatenate([getattr(p, name) for p in found]) for name in ("X", "labels", "weights", "batch")
        )
        order = np.argsort(batch, kind="stable")
        return Prototypes(X[order], labels[order], weights[order] / DRAWS, batch[order])

    def arrays(self):
        parts = [with_prefix(f"draw_{draw}_", fitted.arrays()) for draw, fitted in enumerate(self.models)]
        return {name: array for part in parts for name, array in part.items()}

    @classmethod
    def load(cls, arrays):
        parts = (without_prefix(f"draw_{draw}_", arrays) for draw in range(DRAWS))
        return cls(tuple(FittedProset.load(part) for part in parts))


class ProsetAveraged(Proset):
    label = f"proset (mean of {DRAWS})"
    place = 23
    model = FittedAverage

    @staticmethod
    def cost(size, stage, fitted, scored):
        return DRAWS * Proset.cost(size, stage, fitted, scored)

    def fit(self, parameters, complexity, seed):
        seeds = (np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, i)) for i in range(DRAWS))
        return FittedAverage(tuple(super(ProsetAveraged, self).fit(parameters, complexity, seed) for seed in seeds))
