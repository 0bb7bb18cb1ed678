"""Bias and variance along the size of a model, for squared and for zero-one loss."""

import numpy as np

from proset_study.base.seeds import generator
from proset_study.base.settings import integer
from proset_study.data import generators
from proset_study.fits.evaluations.base import Evaluation
from proset_study.fits.evaluations.decomposition import both_losses
from proset_study.fits.evaluations.refit import fit_drawn
from proset_study.methods import get


class ComplexityCurve(Evaluation):
    """One fit of the whole path to each training set, decomposed at some of its sizes.

    Training sets are independent samples, as many as the final model was fitted to. The record has "points", by size:
    "size", and for "squared" and "zero_one" what `both_losses` gives; "brier" of the second is the expected error rate.
    """

    description = "Bias and variance along the size of a model; of generated data only."
    settings = {  # noqa: RUF012
        "draws": integer("Training sets.", 2, 1000),
        "test_samples": integer("Points that all models predict.", 1),
        "sizes": {
            "description": "Sizes on the path by experiment; that of the final model for one that is not named.",
            "type": "object",
            "additionalProperties": {
                "type": "array",
                "minItems": 1,
                "uniqueItems": True,
                "items": {"type": "integer", "minimum": 0},
            },
        },
    }
    generated = True

    @staticmethod
    def n_fits(settings):
        return settings["draws"]

    @staticmethod
    def compute(data, folds, final, settings, case, source):
        """`data` and `folds` are not looked at; a size that the method does not have is a ValueError."""
        sizes = sorted(settings["sizes"].get(case.run.partition("-")[0], [final["complexity"]]))
        least = get(case.method).min_complexity
        if sizes[0] < least:
            raise ValueError(f"complexity_curve.sizes: {sizes[0]} is not allowed, {case.method} has at least {least}")
        generated, longest = generators.get(source["generator"]).of(source), {**final, "complexity": sizes[-1]}
        key = (case.seed, "complexity_curve", case.data_set, case.replicate)
        test = generated.sample(settings["test_samples"], generator(*key, "test"))
        truth, drawn = generated.probabilities(test.X), []
        for draw in range(settings["draws"]):
            train = generated.sample(final["n_fit"], generator(*key, draw))
            model, rows = fit_drawn(train, test, longest, case, case.fit_seed("complexity_curve", draw))
            path = enumerate(model.staged_predict_proba(rows.X_score), start=least)
            drawn.append([p for size, p in path if size in sizes])
        by_size = [np.array(predictions) for predictions in zip(*drawn, strict=True)]
        return {
            "n_fit": final["n_fit"],
            "n_scored": settings["test_samples"],
            "draws": settings["draws"],
            "points": [{"size": s, **both_losses(p, truth)} for s, p in zip(sizes, by_size, strict=True)],
        }
