"""A support vector machine for several classes whose probabilities couple those of every pair of classes.

For each pair, a sigmoid of the decision values gives r_ij = p(class i | class i or j); it is fitted to values that
cross-validation inside the training data predicts. The probabilities of a sample minimise

    sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2        sum_i p_i = 1

which is a linear system. LIBSVM couples in the same way, by folds of each pair; scikit-learn is about to drop that.

T.-F. Wu, C.-J. Lin and R. C. Weng, Probability estimates for multi-class classification by pairwise coupling, Journal
of Machine Learning Research 5 (2004), 975-1005.
J. Platt, Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods, in
Advances in Large Margin Classifiers, MIT Press (1999), 61-74.
"""

from itertools import combinations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

LEAST = 1e-7  # of the probability of a class of a pair, as in LIBSVM


class PairwiseCoupling(ClassifierMixin, BaseEstimator):
    """A machine for each pair of three classes or more, with probabilities; parameters are a machine and folds.

    Classes are 0..K-1. The decision function of the machine has a column for each pair ("ovo").
    """

    def __init__(self, machine: SVC, folds: StratifiedKFold):
        self.machine = machine
        self.folds = folds

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> "PairwiseCoupling":
        """Fit the machines, and a sigmoid for each pair of classes."""
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        self.classes_ = np.unique(y)
        values = self._held_out_values(X, y, weight)
        sigmoids = []
        for pair, (i, j) in enumerate(combinations(range(len(self.classes_)), 2)):
            rows = ((y == i) | (y == j)) & np.isfinite(values[:, pair])
            sigmoids.append(sigmoid(values[rows, pair], y[rows] == i, weight[rows]))
        self.sigmoids_ = np.array(sigmoids)  # shape (pairs, 2): slope and intercept
        self.machine_ = clone(self.machine).fit(X, y, weight)
        self.n_features_in_ = self.machine_.n_features_in_
        return self

    def _held_out_values(self, X, y, weight):
        """Decision values of each row and pair; NaN where a class of the pair has no row outside of the fold."""
        pairs = list(combinations(range(len(self.classes_)), 2))
        values = np.full((len(y), len(pairs)), np.nan)
        of_pairs = self.machine.kernel == "precomputed"
        for fitted, scored in self.folds.split(X, y):
            rows, others = (X[part][:, fitted] if of_pairs else X[part] for part in (fitted, scored))
            machine = clone(self.machine).fit(rows, y[fitted], weight[fitted])
            known = machine.classes_.tolist()
            found = machine.decision_function(others).reshape(len(scored), -1)
            columns = [pairs.index(pair) for pair in combinations(known, 2)]
            values[np.ix_(scored, columns)] = found if len(known) > 2 else -found  # of two classes for the second one
        return values

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities, shape (N, K)."""
        n_classes = len(self.classes_)
        slope, intercept = self.sigmoids_.T
        of_first = expit(slope * self.machine_.decision_function(X) + intercept).clip(LEAST, 1.0 - LEAST)
        pairwise = np.zeros((len(X), n_classes, n_classes))
        for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
            pairwise[:, i, j] = of_first[:, pair]
            pairwise[:, j, i] = 1.0 - of_first[:, pair]
        return couple(pairwise)


def sigmoid(values: np.ndarray, is_first: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Slope a and intercept b of the likeliest 1 / (1 + exp(-a v - b)), with Platt's targets, which are not 0 and 1."""
    of_first, of_second = weight[is_first].sum(), weight[~is_first].sum()
    targets = np.where(is_first, (of_first + 1.0) / (of_first + 2.0), 1.0 / (of_second + 2.0))
    scale = np.abs(values).max(initial=0.0) or 1.0  # some steps less

    def loss(line):
        scores = line[0] * values / scale + line[1]
        slopes = weight * (expit(scores) - targets)
        value = -weight @ (targets * log_expit(scores) + (1.0 - targets) * log_expit(-scores))
        return value, np.array([slopes @ values / scale, slopes.sum()])

    start = np.array([0.0, np.log((of_first + 1.0) / (of_second + 1.0))])
    a, b = minimize(loss, start, jac=True, method="BFGS").x
    return float(a / scale), float(b)


def couple(pairwise: np.ndarray) -> np.ndarray:
    """Probabilities, shape (N, K), of r_ij, shape (N, K, K), with a diagonal of 0.

    >>> p = np.array([0.5, 0.3, 0.2])
    >>> pairwise = p[:, None] / (p[:, None] + p)
    >>> couple((pairwise - np.diag(pairwise.diagonal()))[None]).round(12).tolist()
    [[0.5, 0.3, 0.2]]
    """
    n, n_classes, _ = pairwise.shape
    system = np.ones((n, n_classes + 1, n_classes + 1))
    system[:, -1, -1] = 0.0
    system[:, :-1, :-1] = -pairwise * pairwise.swapaxes(1, 2)
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = (pairwise**2).sum(axis=1)
    right = np.zeros((n, n_classes + 1, 1))
    right[:, -1] = 1.0
    p: np.ndarray = np.linalg.solve(system, right)[:, :-1, 0].clip(min=0.0)
    return p / p.sum(axis=1, keepdims=True)
