"""Expected loss as noise, squared bias and variance.

R. Kohavi and D. H. Wolpert, Bias plus variance decomposition for zero-one loss functions, ICML (1996).
"""

import numpy as np


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
    """Noise, squared bias and variance for squared and for zero-one loss; parameters as in `decompose`.

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
