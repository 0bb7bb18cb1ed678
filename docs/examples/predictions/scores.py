"""
Scores of one test part, and how sure they are
==============================================

A score is a number computed from a sample, and another sample would have given another one. The bootstrap draws test
samples with replacement and computes the score again: the spread of these is that of the score. The percentile interval
takes their quantiles, BCa corrects them for bias and skewness, which matters for scores near their end.

Accuracy, Matthews' correlation coefficient and Cohen's kappa (which know that one class may be rare), F-beta (the
larger beta, the more recall counts), Brier score and calibration error of the probabilities, area under the ROC curve
and the average precision; then the ROC curve with its bootstrap band, lift, and the expected cost by that of a missed
positive. McNemar's test compares two models by the samples that only one of them has right.
"""

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binomtest, bootstrap
from sklearn import metrics
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier


def calibration_error(y: np.ndarray, p: np.ndarray, bins: int = 10) -> float:
    """Mean of |proportion of positives - mean probability| over bins of equal width, weighted by their samples."""
    which = np.minimum((p * bins).astype(int), bins - 1)
    gaps = np.abs(np.bincount(which, weights=y - p, minlength=bins))
    return float(gaps.sum() / len(y))


def of_class(score: Callable, **settings: float) -> Callable:
    """A score of predicted classes as one of the probability of the positive class."""
    return lambda y, p: score(y, p > 0.5, **settings)


SCORES = {
    "accuracy": of_class(metrics.accuracy_score),
    "Matthews' correlation": of_class(metrics.matthews_corrcoef),
    "Cohen's kappa": of_class(metrics.cohen_kappa_score),
    "F0.5": of_class(metrics.fbeta_score, beta=0.5),
    "F2": of_class(metrics.fbeta_score, beta=2.0),
    "Brier score": metrics.brier_score_loss,
    "calibration error": calibration_error,
    "area under the ROC curve": metrics.roc_auc_score,
    "average precision": metrics.average_precision_score,
}


def interval(
    score: Callable, y: np.ndarray, p: np.ndarray, method: str = "BCa", samples: int = 200, seed: int = 0
) -> tuple[float, float]:
    """95 % interval of a score by the bootstrap of the test samples.

    Parameters
    ----------
    score : callable
        Of true classes and probabilities of class 1.
    y : ndarray of 0 and 1, shape (N,)
    p : ndarray, shape (N,)
    method : {"BCa", "percentile", "basic"}
    """
    found = bootstrap(
        (y, p),
        score,
        paired=True,
        vectorized=False,
        n_resamples=samples,
        method=method,
        rng=np.random.default_rng(seed),
    )
    return tuple(map(float, found.confidence_interval))


def roc_band(y: np.ndarray, p: np.ndarray, at: np.ndarray, samples: int = 200, seed: int = 0) -> np.ndarray:
    """Ends of the pointwise 95 % band of the true positive rate at some false positive rates, shape (2, len(at))."""
    rng, curves = np.random.default_rng(seed), []
    for _ in range(samples):
        rows = rng.integers(len(y), size=len(y))
        false, true, _ = metrics.roc_curve(y[rows], p[rows])
        curves.append(np.interp(at, false, true))
    return np.quantile(curves, [0.025, 0.975], axis=0)


def expected_cost(y: np.ndarray, p: np.ndarray, missed: np.ndarray) -> np.ndarray:
    """Mean cost of the decisions that probabilities call for, by that of a missed positive; a false alarm costs 1."""
    alarm = p[:, None] > 1 / (1 + missed)
    return np.where(y[:, None] == 1, missed * ~alarm, alarm).mean(axis=0)


def lift(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    """How many times as frequent positives are among the first m samples by falling probability, for every m."""
    return np.cumsum(y[np.argsort(-p, kind="stable")]) / np.arange(1, len(y) + 1) / y.mean()


def mcnemar(y: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    """p of McNemar's exact test that two models err equally often."""
    only = (one == y) & (other != y), (one != y) & (other == y)
    return float(binomtest(int(only[0].sum()), int(only[0].sum() + only[1].sum()) or 1).pvalue)


if __name__ == "__main__":
    X, y = load_breast_cancer(return_X_y=True)
    split = train_test_split(X, 1 - y, test_size=0.4, stratify=y, random_state=0)  # malignant is positive
    X_train, X_test, y_train, y_test = split
    models = {
        "proset": ProsetClassifier(n_batches=1),
        "logistic regression": LogisticRegression(),
        "nearest neighbours": KNeighborsClassifier(),
    }
    p = {
        name: make_pipeline(StandardScaler(), model).fit(X_train, y_train).predict_proba(X_test)[:, 1]
        for name, model in models.items()
    }
    for name, score in SCORES.items():
        ends = {method: interval(score, y_test, p["proset"], method) for method in ("percentile", "BCa")}
        listed = ", ".join(f"{method} {low:.3f} to {high:.3f}" for method, (low, high) in ends.items())
        print(f"{name}: {score(y_test, p['proset']):.3f}; {listed}")
    print(metrics.classification_report(y_test, p["proset"] > 0.5, target_names=["benign", "malignant"]))
    for name in [*models][1:]:
        print(f"proset and {name}: McNemar's p {mcnemar(y_test, p['proset'] > 0.5, p[name] > 0.5):.2f}")
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    at = np.linspace(0, 1, 101)
    left.fill_between(at, *roc_band(y_test, p["proset"], at), alpha=0.3, label="95 % band, proset")
    missed = np.geomspace(0.1, 100, 50)
    for name, values in p.items():
        left.plot(*metrics.roc_curve(y_test, values)[:2], label=name)
        middle.plot(np.arange(1, len(y_test) + 1) / len(y_test), lift(y_test, values), label=name)
        right.plot(missed, expected_cost(y_test, values, missed), label=name)
    left.set(xlabel="false positive rate", ylabel="true positive rate", title="ROC curve", xlim=(-0.01, 0.4))
    middle.set(xlabel="proportion of samples taken", ylabel="lift", title="Lift")
    right.set(xlabel="cost of a missed positive", ylabel="mean cost", xscale="log", title="Cost curve")
    left.legend()
    plt.show()
