import numpy as np
import pytest

from proset.losses import log_loss
from proset_study.base.scores import CLIP, brier_score, score_predictions


def test_log_loss_clips_zero_and_one():
    p = np.array([[1.0, 0.0], [0.0, 1.0], [0.25, 0.75]])
    assert log_loss(p, np.array([0, 1, 0])) == pytest.approx(-np.log(0.25) / 3, rel=1e-12)
    assert log_loss(p[:1], np.array([1])) == pytest.approx(-np.log(1e-15))


def test_clipped_log_loss_bounds_what_one_sample_costs():
    p, y = np.array([[1.0, 0.0], [0.25, 0.75], [0.0005, 0.9995]]), np.array([1, 0, 1])
    expected = -(np.log(CLIP) + np.log(0.25) + np.log(1 - CLIP)) / 3
    assert score_predictions(p, y)["clipped_log_loss"] == pytest.approx(expected)


def test_brier_score_from_its_definition(rng):
    p, y, weight = rng.dirichlet(np.ones(4), 30), rng.integers(0, 4, 30), rng.uniform(size=30)
    squares = [sum((p[i, k] - (k == y[i])) ** 2 for k in range(4)) for i in range(30)]
    assert brier_score(p, y, weight) == pytest.approx(np.average(squares, weights=weight))
    assert (brier_score(np.eye(3), np.arange(3)), brier_score(np.eye(3)[[1]], np.array([2]))) == (0.0, 2.0)


def test_weights():
    p = np.array([[0.5, 0.5], [0.25, 0.75]])
    expected = -(np.log(0.5) + 3 * np.log(0.75)) / 4
    assert log_loss(p, np.array([0, 1]), np.array([1.0, 3.0])) == pytest.approx(expected)


def test_probabilities_that_are_not_finite_raise():
    with pytest.raises(FloatingPointError, match="1 of 2 probabilities are not finite"):
        log_loss(np.array([[np.nan, 0.5], [0.5, 0.5]]), np.array([0, 1]))


def test_roc_auc_of_three_classes_is_the_mean_over_pairs(rng):
    y = rng.integers(0, 3, 80)
    p = rng.dirichlet(np.ones(3), 80)

    def auc(k, other):  # share of pairs in the right order, by the probability of class k
        ours, theirs = p[y == k, k], p[y == other, k]
        return np.mean((ours[:, None] > theirs) + 0.5 * (ours[:, None] == theirs))

    expected = np.mean([(auc(a, b) + auc(b, a)) / 2 for a, b in [(0, 1), (0, 2), (1, 2)]])
    assert score_predictions(p, y)["roc_auc"] == pytest.approx(expected)


def test_balanced_accuracy_is_the_mean_over_classes():
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.4, 0.6]])
    assert score_predictions(p, np.array([0, 0, 1, 1]))["balanced_accuracy"] == pytest.approx(0.75)
