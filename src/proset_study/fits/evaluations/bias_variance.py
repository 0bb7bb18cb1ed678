"""Bias and variance of the chosen model over training sets drawn from the distribution of generated data."""

import numpy as np

from proset_study.base.settings import integer
from proset_study.data import generators
from proset_study.data.dataset import joined
from proset_study.data.sources import random_numbers
from proset_study.fits.evaluations.base import Evaluation
from proset_study.fits.evaluations.decomposition import decompose
from proset_study.fits.evaluations.refit import fit_drawn


class BiasVariance(Evaluation):
    """Refits on repeated draws of a training set, as large as the training part, scored on one large test set.

    The record has what `decompose` gives, "error" (rate) and the standard deviations of Brier score and error over the
    draws, all of them expectations over the labels of the test points.
    """

    description = "Refits on training sets drawn anew; of generated data only."
    settings = {  # noqa: RUF012
        "draws": integer("Training sets.", 2, 1000),
        "test_samples": integer("Size of the one test set.", 1, 1000000),
    }
    generated = True

    @staticmethod
    def n_fits(settings):
        return settings["draws"]

    @staticmethod
    def compute(data, folds, final, settings, case, source):
        generated = generators.get(source["generator"]).of(source)
        test = draw(generated, settings["test_samples"], case, "test")
        truth, predictions = generated.probabilities(test.X), []
        for i in range(settings["draws"]):
            train = draw(generated, final["n_fit"], case, f"draw {i}")
            model, rows = fit_drawn(train, test, final, case, case.fit_seed("bias_variance", i))
            predictions.append(model.predict_proba(rows.X_score))
        errors = [(1 - truth[np.arange(len(truth)), p.argmax(axis=1)]).mean() for p in predictions]
        briers = [((p - truth) ** 2).sum(axis=1).mean() for p in predictions]  # without noise, which does not vary
        return {
            "draws": settings["draws"],
            "n_fit": final["n_fit"],
            "n_scored": settings["test_samples"],
            **decompose(np.array(predictions), truth),
            "brier_deviation": float(np.std(briers, ddof=1)),
            "error": float(np.mean(errors)),
            "error_deviation": float(np.std(errors, ddof=1)),
        }


def draw(generated, n_samples, case, which):
    """Draw `n_samples` samples, from whole data sets with random numbers of their own."""
    pieces, number = [], 0
    while number < n_samples:
        name = f"{case.data_set}, {which}, from {number}"
        piece = generated.draw(random_numbers(case.seed, name, case.replicate))
        if generated.by_class:  # take classes in turn, so that a beginning has all
            piece = piece.take(np.arange(len(piece.y)).reshape(len(piece.class_names), -1).T.ravel())
        pieces.append(piece)
        number += len(piece.y)
    return joined(*pieces).take(np.arange(n_samples))
