"""What claims need to know of final models and their data, beyond the tables."""

from typing import Any

import numpy as np
from scipy.ndimage import label
from scipy.optimize import linprog
from scipy.stats import chi2_contingency, spearmanr

from proset.losses import log_loss
from proset_study.data.distances import distances
from proset_study.data.splits import TEST
from proset_study.methods.base import Fitted, PriorModel
from proset_study.methods.decision_tree import FittedDecisionTree
from proset_study.methods.estimators import FittedEstimator
from proset_study.methods.weighted import weighted
from proset_study.report.analysis.covers import cover_of
from proset_study.store.metrics import balanced_accuracy
from proset_study.store.stored import Final, Missing

FAR = 1000.0  # standard deviations from the centre of the training data, beyond all of them


def class_prior(fitted: Fitted) -> np.ndarray:
    """Shares of the classes in the training part of a model that knows them, shape (K,)."""
    if not isinstance(fitted, PriorModel):
        raise TypeError(f"a {type(fitted).__name__} has no class prior")
    return fitted.class_prior()


def distance_from_prior(final: Final) -> float:
    """Mean of abs(p - prior) over the test part and the classes."""
    return float(np.abs(final.probabilities - class_prior(final.model.fitted)).mean())


def distance_from_prior_far_away(final: Final) -> float:
    """Largest abs(p - prior) over the classes and two opposite points, `FAR` deviations from the centre."""
    step = FAR * final.model.scale
    far = np.array([final.model.centre - step, final.model.centre + step])
    return float(np.abs(final.model.predict_proba(far) - class_prior(final.model.fitted)).max())


def spread_far_away(final: Final) -> float:
    """Largest difference of a class probability between 16 points far away from the training data.

    They are `FAR` standard deviations from the centre in every feature, to a side that is drawn.
    """
    X = final.X_train
    sides = np.random.default_rng(0).choice([-1.0, 1.0], size=(16, X.shape[1]))
    far = X.mean(axis=0) + FAR * X.std(axis=0) * sides
    return float(np.ptp(final.model.predict_proba(far), axis=0).max())


def overfitting(final: Final) -> float:
    """Log-loss of the test part minus that of the part the model was fitted to."""
    return final.scores["log_loss"] - training_log_loss(final)


def training_log_loss(final: Final) -> float:
    """Log-loss of the final model on the part it was fitted to."""
    train, weight = final.folds != TEST, final.data.sample_weight
    probabilities = final.model.predict_proba(final.data.X[train])
    return log_loss(probabilities, final.data.y[train], None if weight is None else weight[train])


def count_regions(final: Final) -> int:
    """Connected regions of the most probable class in the plane of two features.

    On a grid of 200 x 200 points over the range of the data, 5 % wider; cells touch at edges, not at corners.
    """
    points = 200
    low, high = final.data.X.min(axis=0), final.data.X.max(axis=0)
    margin = 0.025 * (high - low)
    axes = [np.linspace(*ends, points) for ends in zip(low - margin, high + margin, strict=True)]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    winner = final.model.predict_proba(grid).argmax(axis=1).reshape(points, points)
    return sum(label(winner == k)[1] for k in np.unique(winner))


def rank_correlation_of_batches(counts: list[int] | list[float]) -> float:
    """Spearman's correlation of the number of a batch and its prototypes; 0 if all have the same number."""
    return 0.0 if len(set(counts)) == 1 else float(spearmanr(np.arange(len(counts)), counts).statistic)


def prototypes_by_batch(final: Final) -> list[int]:
    """Number of prototypes of each batch."""
    model = weighted(final.model.fitted)
    return np.bincount(model.prototypes().batch, minlength=len(model.feature_weights()) + 1)[1:].tolist()


def prototypes_by_batch_of_paths(final: Final) -> list[float]:
    """The same of the fits of stage 2, mean over the folds."""
    paths = [record["staged_summary"]["prototypes"] for record in final.paths]
    return np.diff(np.mean(paths, axis=0)).tolist()


def mean_weight(final: Final) -> float:
    """Mean weight of the prototypes."""
    weights = weighted(final.model.fitted).prototypes().weights
    if not len(weights):
        raise Missing(f"a prototype of {final.label} on {final.data_set}")
    return float(weights.mean())


def steepness(final: Final) -> float:
    """Largest change of a class probability over a step from a test sample.

    The step has a tenth of the standard deviation of each feature, in a direction that is drawn for each sample.
    """
    X = final.X_test
    drawn = np.random.default_rng(0).normal(size=X.shape)
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    moved = X + 0.1 * final.X_train.std(axis=0) * unit
    return float(np.abs(final.model.predict_proba(moved) - final.model.predict_proba(X)).max())


def separable(X: np.ndarray, y: np.ndarray) -> bool:
    """Whether some linear classifier makes no error.

    It gives every class a linear score; that of the true class has to exceed all others by a margin, which a linear
    program finds if it exists (Kesler's construction). X has shape (N, D), y class labels of any kind, shape (N,).
    """
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


def imbalance_of_folds(final: Final) -> int:
    """Largest difference between two folds in their number of samples of a class."""
    K, folds = len(final.data.class_names), np.unique(final.folds[final.folds != TEST])
    counts = [np.bincount(final.data.y[final.folds == fold], minlength=K) for fold in folds]
    return int(np.ptp(counts, axis=0).max())


def overlap_of_training(final: Final) -> float:
    """What `paired.mean_difference` takes as overlap of a number that the training part decides: n_train / n_test.

    Nadeau and Bengio correct by rho / (1 - rho) for the correlation rho of replicates, which they take to be the
    proportion of the samples that both test parts have, n_test / n. Two training parts share n_train / n.
    """
    return float((final.folds != TEST).sum() / (final.folds == TEST).sum())


def objectives(final: Final) -> list[float]:
    """Objective of a set cover by radius, mean over the folds."""
    return np.mean([record["staged_summary"]["objective"] for record in final.paths], axis=0).tolist()


def steps_that_cover_more(final: Final) -> int:
    """Number of the last prototype of a set cover, in the order of choice, that covers another sample than itself."""
    return int(np.flatnonzero(cover_of(final).newly_covered > 1).max(initial=-1)) + 1


def correlation_of_variation(final: Final) -> float:
    """Spearman's correlation over the classes of the mean distance within a class and its prototypes by sample."""
    part, labels = final.part, cover_of(final).labels
    within, by_sample = [], []
    for k in range(part.n_classes):
        own = np.flatnonzero(part.y == k)
        apart = distances(part.X[own], part.points[own], part.metric)
        within.append(apart[np.triu_indices(len(own), 1)].mean())
        by_sample.append((labels == k).sum() / len(own))
    return float(spearmanr(within, by_sample).statistic)


def p_of_first_split(final: Final) -> float:
    """p of the first split of a tree by a chi-squared test on the training part, times the number of possible ones."""
    tree, part = final.model.fitted, final.part
    assert isinstance(tree, FittedDecisionTree), "trees only"
    if not tree.depth or tree.left[0] < 0:
        raise Missing(f"a split of {final.label} on {final.data_set}")
    goes_left = part.X[:, tree.feature[0]].astype(np.float32) <= tree.threshold[0]
    counts = [np.bincount(part.y[side], minlength=part.n_classes) for side in (goes_left, ~goes_left)]
    possible = sum(len(np.unique(x)) - 1 for x in part.X.T)
    return min(1.0, possible * float(chi2_contingency(counts, correction=False).pvalue))


def balanced_accuracy_of_votes(final: Final) -> float:
    """Balanced accuracy on the test part of the majority of the classes that the members of an ensemble predict."""
    X, K = final.part.X_score, final.part.n_classes
    votes = sum(np.eye(K)[member.predict_proba(X).argmax(axis=1)] for member in _estimator(final).estimators_)
    return balanced_accuracy(votes / votes.sum(axis=1, keepdims=True), final.y, final.weight)


def mislabelled_among_heaviest(final: Final, truth: np.ndarray, proportion: float) -> float:
    """Share of samples that are not of their most probable class, in a proportion with the largest weights of AdaBoost.

    A weight grows by the factor exp(a) with every tree of weight a that is wrong. `truth` has the true class
    probabilities of the training part, shape (n, K).
    """
    estimator, part = _estimator(final), final.part
    trees = zip(estimator.estimators_, estimator.estimator_weights_, strict=False)  # it may have ended before
    weight = sum(a * (tree.predict(part.X) != part.y) for tree, a in trees)
    heaviest = np.argsort(-weight, kind="stable")[: round(proportion * len(part.y))]
    return float((part.y != truth.argmax(axis=1))[heaviest].mean())


def excess_error(final: Final, truth: np.ndarray) -> float:
    """Error rate on the test part above that of the Bayes rule, given true class probabilities there, shape (m, K)."""
    chosen = np.take_along_axis(truth, final.probabilities.argmax(axis=1)[:, None], axis=1)[:, 0]
    return float((truth.max(axis=1) - chosen).mean())


def excess_of_guess(truth: np.ndarray) -> float:
    """The same of the rule that always predicts the most frequent class."""
    return float(truth.max(axis=1).mean() - truth.mean(axis=0).max())


def _estimator(final: Final) -> Any:
    fitted = final.model.fitted
    assert isinstance(fitted, FittedEstimator), "classifiers of libraries only"
    return fitted.estimator
