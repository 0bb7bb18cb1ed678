"""Bias and variance of the chosen model over training sets drawn from the distribution of generated data.

References
----------
R. Kohavi and D. H. Wolpert, Bias plus variance decomposition for zero-one loss functions, ICML (1996).
"""

import numpy as np

from proset_study.base.settings import integer
from proset_study.data import generators
from proset_study.data.dataset import joined
from proset_study.data.sources import random_numbers
from proset_study.fits.evaluations.base import Evaluation
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
    """So many samples, from whole data sets with random numbers of their own."""
    pieces, number = [], 0
    while number < n_samples:
        name = f"{case.data_set}, {which}, from {number}"
        piece = generated.draw(random_numbers(case.seed, name, case.replicate))
        if generated.by_class:  # take classes in turn, so that a beginning has all
            piece = piece.take(np.arange(len(piece.y)).reshape(len(piece.class_names), -1).T.ravel())
        pieces.append(piece)
        number += len(piece.y)
    return joined(*pieces).take(np.arange(n_samples))


def decompose(predictions: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Expected Brier score (sum of squares over the classes) = noise + squared bias + variance, exactly.

    `predictions`, shape (R, m, K), are class probabilities of m points by models of R >= 2 independent training sets,
    `truth`, shape (m, K), the true ones. "noise" is that of the truth itself; all are means over the points. Neither
    bias nor variance depends on R in expectation: the variance divides by R - 1, and what the mean of R predictions
    still varies is taken from the squared bias, which chance can make slightly negative.
    """
    n_draws, mean = len(predictions), predictions.mean(axis=0)
    noise = float((truth * (1 - truth)).sum(axis=1).mean())
    variance = float(((predictions - mean) ** 2).sum(axis=2).mean() * n_draws / (n_draws - 1))
    return {
        "brier": float(((predictions - truth) ** 2).sum(axis=2).mean()) + noise,
        "noise": noise,
        "bias2": float(((mean - truth) ** 2).sum(axis=1).mean() - variance / n_draws),
        "variance": variance,
    }


def both_losses(predictions: np.ndarray, truth: np.ndarray) -> dict[str, dict[str, float]]:
    """Noise, squared bias and variance for squared and for zero-one loss; parameters as of `decompose`.

    Those of zero-one loss are Kohavi and Wolpert's: with P(k) the true probability of class k at a point and Q(k) that
    of its being predicted, over training sets, the expected error rate 1 - sum_k P(k) Q(k) is

        (1 - sum_k P^2) / 2  +  sum_k (P - Q)^2 / 2  +  (1 - sum_k Q^2) / 2
        noise                   squared bias            variance

    which is half the decomposition of the squared error of predictions of 0 and 1.

    Of two models, one is right:

    >>> predictions = np.array([[[0.9, 0.1]], [[0.4, 0.6]]])
    >>> both_losses(predictions, np.array([[1.0, 0.0]]))["zero_one"]
    {'brier': 0.5, 'noise': 0.0, 'bias2': 0.0, 'variance': 0.5}
    """
    classes = np.eye(truth.shape[1])[predictions.argmax(axis=2)]
    halves = {name: value / 2 for name, value in decompose(classes, truth).items()}
    return {"squared": decompose(predictions, truth), "zero_one": halves}
