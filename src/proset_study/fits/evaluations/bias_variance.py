"""Bias and variance of the chosen model over training sets drawn from the distribution of generated data."""

import numpy as np

from proset_study.base.records import Resources
from proset_study.data.dataset import DataSet
from proset_study.data.sources import make
from proset_study.fits.evaluations.decomposition import decompose
from proset_study.fits.evaluations.population import class_probabilities, join
from proset_study.fits.evaluations.refit import refit


class BiasVariance:
    """Refits on repeated draws of a training set, scored on one large test set; see `evaluations.base`.

    Every training set has the size of the training part.
    """

    description = "Refits on training sets drawn anew; of generated data only."
    settings = {  # noqa: RUF012
        "draws": {"description": "Training sets.", "type": "integer", "minimum": 2, "maximum": 1000},
        "test_samples": {
            "description": "Size of the one test set.",
            "type": "integer",
            "minimum": 1,
            "maximum": 1000000,
        },
    }
    generated = True

    @staticmethod
    def n_fits(settings):
        return settings["draws"]

    @staticmethod
    def evaluate(data, folds, final, settings, case, source):
        """As in `evaluations.base`; `data` and `folds` are not looked at.

        Returns
        -------
        dict
            What `decompose` gives, "error" (rate) and the standard deviations of Brier score and error over the draws.
            All of them are expectations over the labels of the test points.
        """
        resources = Resources()
        with resources.measure("evaluation"):
            test = _draw(source, settings["test_samples"], case, "test")
            truth = class_probabilities(test, source)
            predictions = np.array([_predictions(draw, test, final, source, case) for draw in range(settings["draws"])])
        errors = [(1 - truth[np.arange(len(truth)), p.argmax(axis=1)]).mean() for p in predictions]
        briers = ((predictions - truth) ** 2).sum(axis=2).mean(axis=1)  # without noise, which does not vary
        return {
            **case.names(),
            "parameters": final["parameters"],
            "complexity": final["complexity"],
            "draws": settings["draws"],
            "n_fit": final["n_fit"],
            "n_scored": settings["test_samples"],
            **decompose(predictions, truth),
            "brier_deviation": float(np.std(briers, ddof=1)),
            "error": float(np.mean(errors)),
            "error_deviation": float(np.std(errors, ddof=1)),
            "resources": resources.record(),
        }


def _predictions(draw, test, final, source, case):
    train = _draw(source, final["n_fit"], case, f"draw {draw}")
    fitted, scored = np.arange(len(train.y)), len(train.y) + np.arange(len(test.y))
    return refit(join(train, test), fitted, scored, final, case, case.fit_seed("bias_variance", draw))


def _draw(source, n_samples, case, which):
    """So many samples; each piece is a whole data set with random numbers of its own."""
    settings = {key: value for key, value in source.items() if key != "published_draw"}
    X, y = np.empty((0, 0)), np.empty(0, dtype=int)
    while len(y) < n_samples:
        piece = make(settings, case.seed, f"{case.data_set}, {which}, from {len(y)}", case.replicate)
        if settings["generator"] == "mixture":  # class by class: take them in turn, so that a beginning has all
            piece = piece.take(np.arange(len(piece.y)).reshape(len(piece.class_names), -1).T.ravel())
        X, y = (np.vstack([X, piece.X]), np.append(y, piece.y)) if len(y) else (piece.X, piece.y)
    return DataSet(X[:n_samples], y[:n_samples], piece.feature_names, piece.class_names)


EVALUATION = BiasVariance
