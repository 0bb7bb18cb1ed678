"""The proset classifier; its path counts batches."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from proset import model
from proset.candidates import check_class_sizes
from proset.defaults import ALPHA, MAX_FRACTION, N_CANDIDATES
from proset.model import Model
from proset.objective import Penalty
from proset.solver import MAX_ITER, TOL
from proset_study.methods.base import Fitted, FittedModel, Method, Name, Range
from proset_study.methods.prototypes import Prototypes

_OF_BATCHES = ("objective", "n_iter", "n_evaluations", "converged", "message")  # in the summary


@dataclass(frozen=True)
class FittedProset(FittedModel):
    """A proset model; see `methods.weighted.WeightedPrototypeModel`."""

    model: Model

    def staged_predict_proba(self, X):
        return self.model.staged_predict_proba(X)

    def summary(self):
        batches = self.model.batches
        return {
            "active_features": len(self.model.active_features()),
            "prototypes": self.model.n_prototypes(),
            "candidates": len(batches[0].candidate_index) if batches else 0,
            "converged": all(b.converged for b in batches),
            "batches": [{name: getattr(batch, name) for name in _OF_BATCHES} for batch in batches],
        }

    def staged_summary(self):
        sizes = range(len(self.model.batches) + 1)
        return {
            "active_features": [len(self.model.active_features(b)) for b in sizes],
            "prototypes": [self.model.n_prototypes(b) for b in sizes],
        }

    def arrays(self):
        return self.model.arrays()

    def prototypes(self):
        batches, none = self.model.batches, np.empty((0, len(self.model.centre)))
        return Prototypes(
            np.concatenate([none, *(b.prototypes for b in batches)]),
            np.concatenate([np.empty(0, dtype=int), *(b.labels for b in batches)]),
            np.concatenate([np.empty(0), *(b.prototype_weights for b in batches)]),
            np.repeat(np.arange(1, len(batches) + 1), [len(b.labels) for b in batches]),
        )

    def class_prior(self):
        return self.model.class_prior

    def feature_weights(self):
        weights = np.zeros((len(self.model.batches), len(self.model.centre)))
        for row, batch in zip(weights, self.model.batches, strict=True):
            if len(batch.labels):
                row[:] = batch.feature_weights
        return weights

    def active_features(self):
        return self.model.active_features()

    def familiarity(self, X):
        *_, q = self.model.staged_q(X)
        return np.maximum(q.sum(axis=1) - self.model.class_prior.sum(), 0.0)

    def as_proset(self):
        return self.model

    @classmethod
    def load(cls, arrays):
        return cls(Model.from_arrays(arrays))


class Proset(Method):
    place = 1
    names: ClassVar[tuple[Name, ...]] = (
        Name("lambda_v", "lambda_v", axis=r"$\lambda_v$ (penalty on feature weights)", number=".1e"),
        Name("lambda_w", "lambda_w", axis=r"$\lambda_w$ (penalty on prototype weights)", number=".1e"),
        Name("batches", axis="batches of prototypes"),
    )
    draws = True
    model: ClassVar[type[Fitted]] = FittedProset
    complexity = "batches"
    min_complexity = 0
    parameters = {  # noqa: RUF012
        "lambda_v": Range(0.0, 1e3),
        "lambda_w": Range(0.0, 1e3),
        "alpha_v": Range(0.0, 1.0),
        "alpha_w": Range(0.0, 1.0),
        "n_candidates": Range(1, 10**7, integer=True),
        "max_fraction": Range(0.01, 0.99),
    }
    required: ClassVar[tuple[str, ...]] = ("lambda_v", "lambda_w")
    quantities = ("active_features", "prototypes")

    @staticmethod
    def simplicity(parameters):
        return (parameters["lambda_v"] * parameters["lambda_w"],)  # the order of sqrt(lambda_v lambda_w)

    @staticmethod
    def cost(size, stage, fitted, scored):
        # It changes with the arithmetic of the package: see benchmarks/results.md.
        candidates = min(stage["parameters"].get("n_candidates", N_CANDIDATES["split"]), MAX_FRACTION * fitted)
        pairs = (fitted - candidates) * candidates * (1 + size.features / 100)
        return stage["complexity"] * (0.008 + 3.2e-8 * pairs)

    @classmethod
    def operations(cls, record):
        """Kernel entries and multiply-adds with all candidates and features, and the first batch's number in each."""
        summary, features = record["summary"], record["n_features"]
        evaluations = summary.get("n_evaluations", sum(b["n_evaluations"] for b in summary.get("batches", ())))
        fitted = evaluations * summary["candidates"] * cls.references(record["n_fit"], summary["candidates"])
        scored = summary["prototypes"] * record["n_scored"]
        return fitted + scored, fitted * (2 * features + 2) + scored * (features + 1)  # with the gradient twice as many

    @staticmethod
    def references(n_fit: int, candidates: int) -> int:
        """Samples that a batch is fitted to."""
        return n_fit - candidates

    def fit(self, parameters, complexity, seed):
        penalty = {"alpha_v": ALPHA, "alpha_w": ALPHA, **parameters}
        fitted = self.fit_model(
            parameters,
            n_batches=complexity,
            penalty=Penalty(**{name: penalty[name] for name in ("lambda_v", "lambda_w", "alpha_v", "alpha_w")}),
            max_iter=MAX_ITER,
            tol=TOL,
            seed=seed,
            sample_weight=self.data.weight,
        )
        return FittedProset(fitted)

    def fit_model(self, parameters: dict[str, float], **settings: Any) -> Model:
        """The model with these settings of `proset.model.fit`; `parameters` say how candidates are drawn."""
        data, max_fraction = self.data, parameters.get("max_fraction", MAX_FRACTION)
        check_class_sizes(np.bincount(data.y, minlength=data.n_classes), max_fraction, np.arange(data.n_classes))
        n_candidates = int(parameters.get("n_candidates", N_CANDIDATES["split"]))
        return model.fit(
            data.X, data.y, data.n_classes, n_candidates=n_candidates, max_fraction=max_fraction, **settings
        )
