"""The scores of predicted probabilities: one entry of `SCORES` is a row or column of every table."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from proset.losses import error_rate, log_loss, mean
from proset_study.methods.base import Method

MAX_DEVIATION = 1e-3  # of a sum of probabilities from 1
CLIP = 1e-3  # smallest probability of the clipped log-loss: one sample costs at most 6.9 nats, not 34.5


@dataclass(frozen=True)
class Score:
    """A number of test data, and how tables show and comparisons use it."""

    quantity: str  # its name in files
    name: str  # in sentences and headings
    compute: Callable[[np.ndarray, np.ndarray, np.ndarray | None], float]  # of probabilities (m, K), classes, weights
    label: str = ""  # in tables, if it is not the name
    loss: str = ""  # name of the loss by which methods are compared; empty: they are not compared by this score
    larger_is_better: bool = False  # the loss is then 1 minus the score
    of_labels: bool = False  # methods that predict labels and no probabilities have it, too
    digits: int = 2  # decimals in tables
    needs: str = ""  # a quantity that a method must have to get this score
    in_published: bool = True  # shown where the published study had no such row, in comparisons and on pages
    by_method: bool = True  # shown in comparisons with a row for each method

    def as_loss(self, value: float) -> float:
        """The score as a loss, of which less is better."""
        return 1 - value if self.larger_is_better else value

    def fits(self, method: type[Method]) -> bool:
        """Whether a method predicts what the score is about."""
        return self.of_labels or method.probabilistic


def clipped_log_loss(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Log-loss with probabilities clipped at `CLIP`."""
    return log_loss(probabilities, y, weight, CLIP)


def brier_score(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Mean squared distance of the probabilities from 1 for the true class and 0 for the others (Brier 1950), 0 to 2.

    >>> brier_score(np.array([[0.5, 0.5], [0.75, 0.25]]), np.array([0, 1]))
    0.8125
    """
    squares = (probabilities - np.eye(probabilities.shape[1])[y]) ** 2
    return mean(sum(squares.T), weight)


def roc_auc(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Area under the ROC curve; of more than two classes the mean over all pairs of them (Hand and Till 2001).

    Sample weights count in both, where scikit-learn has none for pairs of classes.
    """
    if weight is not None:  # a class whose samples all weigh nothing is in no pair
        probabilities, y, weight = probabilities[weight > 0], y[weight > 0], weight[weight > 0]
    if probabilities.shape[1] == 2:
        return _area(probabilities[:, 1], y == 1, weight)
    areas = []
    for a, b in combinations(np.unique(y), 2):
        pair = (y == a) | (y == b)
        weight_of_pair = None if weight is None else weight[pair]
        areas.append(sum(_area(probabilities[pair, k], y[pair] == k, weight_of_pair) for k in (a, b)) / 2)
    return float(np.mean(areas))


def _area(score, is_event, weight):
    from sklearn.metrics import auc, roc_curve

    false_positive, true_positive, _ = roc_curve(is_event, score, sample_weight=weight)
    return float(auc(false_positive, true_positive))  # as `roc_auc_score` after its checks, which take as long


def balanced_accuracy(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Mean over the classes of the proportion whose most probable class is the true one."""
    from sklearn.metrics import balanced_accuracy_score

    return float(balanced_accuracy_score(y, probabilities.argmax(axis=1), sample_weight=weight))


def calibration_error(probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Expected calibration error: mean distance between claimed probability and observed proportion over the bins.

    >>> calibration_error(np.array([[0.75, 0.25]] * 4), np.array([0, 0, 1, 1]))
    0.25
    """
    probability, event = claimed(probabilities, y)
    weight = np.ones(len(y)) if weight is None else weight
    gaps = np.bincount(bin_of(probability, n_bins(len(y))), weights=weight * (probability - event))
    return math.fsum(np.abs(gaps)) / math.fsum(weight)


def claimed(probabilities: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Predicted probabilities and whether the event happened: the second of two classes, or the most probable class."""
    if probabilities.shape[1] == 2:
        return probabilities[:, 1], y == 1
    return probabilities.max(axis=1), probabilities.argmax(axis=1) == y


def n_bins(n_samples: int) -> int:
    """Number of bins of equal width."""
    return 10 if n_samples >= 500 else 5


def bin_of(probability: np.ndarray, number: int) -> np.ndarray:
    """Bin of each probability, from 0."""
    return np.minimum((probability * number).astype(int), number - 1)


_ALL = (  # in the order of the files
    Score(
        *("error", "test error", error_rate),
        of_labels=True,
        digits=3,
        needs="prototypes",
        in_published=False,
        by_method=False,
    ),
    Score("log_loss", "log-loss", log_loss, loss="log-loss"),
    Score("clipped_log_loss", "clipped log-loss", clipped_log_loss, loss="clipped log-loss", in_published=False),
    Score("brier_score", "Brier score", brier_score, loss="Brier score", in_published=False),
    Score("roc_auc", "ROC-AUC", roc_auc, larger_is_better=True, of_labels=True, by_method=False),
    Score(
        *("balanced_accuracy", "balanced accuracy", balanced_accuracy, "Balanced acc.", "balanced error"),
        larger_is_better=True,
        of_labels=True,
    ),
    Score("calibration_error", "calibration error", calibration_error),
)
SCORES = {score.quantity: score for score in _ALL}
LOSSES = {score.loss: score for score in _ALL if score.loss}
OF_ALL = "balanced error"  # the loss that methods without probabilities have, too


def score_predictions(
    probabilities: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, quantities: tuple[str, ...] = ()
) -> dict[str, float]:
    """All `SCORES` of predictions, but those that need other quantities than the method has.

    ValueError if what is predicted for a sample is no distribution over the classes, which some scores would reward.
    """
    sums = probabilities.sum(axis=1)
    wrong = (probabilities < 0).any(axis=1) | (np.abs(sums - 1) > MAX_DEVIATION)
    if wrong.any():
        first = int(np.argmax(wrong))
        given = ", ".join(f"{p:.6g}" for p in probabilities[first])
        rule = "must be at least 0 and sum to 1"
        raise ValueError(f"probabilities: those of test sample {first} are {given} (sum {sums[first]:.6g}), {rule}")
    return {
        quantity: score.compute(probabilities, y, weight)
        for quantity, score in SCORES.items()
        if not score.needs or score.needs in quantities
    }
