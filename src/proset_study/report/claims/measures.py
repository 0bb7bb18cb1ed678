"""What claims need to know of final models and their data, beyond the tables."""

import numpy as np

from proset_study.data.splits import TEST
from proset_study.methods.base import Fitted, PriorModel
from proset_study.methods.weighted import weighted
from proset_study.scores import log_loss
from proset_study.store.stored import Final


def class_prior(fitted: Fitted) -> np.ndarray:
    """Shares of the classes in the training part of a KNN or proset model, shape (K,)."""
    if not isinstance(fitted, PriorModel):
        raise TypeError(f"a {type(fitted).__name__} has no class prior")
    return fitted.class_prior()


def distance_from_prior(final: Final) -> float:
    """Mean of abs(p - prior) over the test part and the classes."""
    return float(np.abs(final.probabilities - class_prior(final.model.fitted)).mean())


def distance_from_prior_far_away(final: Final, deviations: float = 1000.0) -> float:
    """Largest abs(p - prior) over the classes and two points on opposite sides of the data.

    The points are that many standard deviations away from the centre in every feature.
    """
    step = deviations * final.model.scale
    far = np.array([final.model.centre - step, final.model.centre + step])
    return float(np.abs(final.model.predict_proba(far) - class_prior(final.model.fitted)).max())


def training_log_loss(final: Final) -> float:
    """Log-loss of the final model on the part it was fitted to."""
    train, weight = final.folds != TEST, final.data.sample_weight
    probabilities = final.model.predict_proba(final.data.X[train])
    return log_loss(probabilities, final.data.y[train], None if weight is None else weight[train])


def count_regions(final: Final, points: int = 200) -> int:
    """Connected regions of the most probable class in the plane of two features.

    On a grid of `points` x `points` over the range of the data, 5 % wider; cells touch at edges, not at corners.
    """
    from scipy.ndimage import label

    low, high = final.data.X.min(axis=0), final.data.X.max(axis=0)
    margin = 0.025 * (high - low)
    axes = [np.linspace(*ends, points) for ends in zip(low - margin, high + margin, strict=True)]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    winner = final.model.predict_proba(grid).argmax(axis=1).reshape(points, points)
    return sum(label(winner == k)[1] for k in np.unique(winner))


def rank_correlation_of_batches(final: Final) -> float:
    """Spearman's correlation of the number of a batch and its prototypes; 0 if all have the same number."""
    from scipy.stats import spearmanr

    counts = prototypes_by_batch(final)
    return 0.0 if len(set(counts)) == 1 else float(spearmanr(np.arange(len(counts)), counts).statistic)


def prototypes_by_batch(final: Final) -> list[int]:
    """Number of prototypes of each batch."""
    model = weighted(final.model.fitted)
    return np.bincount(model.prototypes().batch, minlength=len(model.feature_weights()) + 1)[1:].tolist()


def separable(X: np.ndarray, y: np.ndarray) -> bool:
    """Whether some linear classifier makes no error.

    It gives every class a linear score; the true class has to be ahead of all others by a margin, which a linear
    program finds if it exists (Kesler's construction). With two classes that is a separating hyperplane.

    Parameters
    ----------
    X : ndarray, shape (N, D)
    y : ndarray, shape (N,)
        Class labels of any kind.
    """
    from scipy.optimize import linprog

    classes, own = np.unique(y, return_inverse=True)
    scale = X.std(axis=0)
    Z = np.column_stack([(X - X.mean(axis=0)) / np.where(scale > 0, scale, 1.0), np.ones(len(X))])  # (N, D + 1)
    behind = []
    for k in range(len(classes)):
        rows = np.flatnonzero(own != k)
        block = np.zeros((len(rows), len(classes), Z.shape[1]))
        block[:, k] = Z[rows]
        block[np.arange(len(rows)), own[rows]] -= Z[rows]
        behind.append(block.reshape(len(rows), -1))
    A = np.concatenate(behind)  # score of another class minus score of the own one
    return linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=np.full(len(A), -1.0), bounds=(None, None)).status == 0
