import numpy as np
import pytest

from proset_study import methods
from proset_study.store.metrics import (
    CLIP,
    LOSSES,
    OF_ALL,
    SCORES,
    balanced_accuracy,
    brier_score,
    calibration_error,
    clipped_log_loss,
    roc_auc,
    score_predictions,
)


def test_clipped_log_loss_bounds_what_one_sample_costs():
    p, y = np.array([[1.0, 0.0], [0.25, 0.75], [0.0005, 0.9995]]), np.array([1, 0, 1])
    expected = -(np.log(CLIP) + np.log(0.25) + np.log(1 - CLIP)) / 3
    assert clipped_log_loss(p, y) == pytest.approx(expected)


def test_brier_score_from_its_definition(rng):
    p, y, weight = rng.dirichlet(np.ones(4), 30), rng.integers(0, 4, 30), rng.uniform(size=30)
    squares = [sum((p[i, k] - (k == y[i])) ** 2 for k in range(4)) for i in range(30)]
    assert brier_score(p, y, weight) == pytest.approx(np.average(squares, weights=weight))
    assert (brier_score(np.eye(3), np.arange(3)), brier_score(np.eye(3)[[1]], np.array([2]))) == (0.0, 2.0)


def test_roc_auc_of_three_classes_is_the_mean_over_pairs(rng):
    y = rng.integers(0, 3, 80)
    p = rng.dirichlet(np.ones(3), 80)

    def auc(k, other):  # share of pairs in the right order, by the probability of class k
        ours, theirs = p[y == k, k], p[y == other, k]
        return np.mean((ours[:, None] > theirs) + 0.5 * (ours[:, None] == theirs))

    expected = np.mean([(auc(a, b) + auc(b, a)) / 2 for a, b in [(0, 1), (0, 2), (1, 2)]])
    assert roc_auc(p, y) == pytest.approx(expected)
    some = np.concatenate([p, p[:9]]), np.concatenate([y, (y[:9] + 1) % 3]), np.repeat([1.0, 0.0], [80, 9])
    assert roc_auc(*some) == pytest.approx(expected)  # rows without weight are not there


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_weight_in_roc_auc_is_a_number_of_copies(rng, n_classes):
    p, y, copies = rng.dirichlet(np.ones(n_classes), 40), rng.integers(0, n_classes, 40), rng.integers(1, 5, 40)
    assert roc_auc(p, y, copies.astype(float)) == pytest.approx(roc_auc(p.repeat(copies, axis=0), y.repeat(copies)))


def test_balanced_accuracy_is_the_mean_over_classes():
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.4, 0.6]])
    assert balanced_accuracy(p, np.array([0, 0, 1, 1])) == pytest.approx(0.75)


def test_calibration_error_by_hand():
    """Bins of width 0.2: claimed 0.1 and observed 0.5, claimed 0.9 and observed 1."""
    p = np.array([0.1, 0.1, 0.9, 0.9])
    y, weight = np.array([0, 1, 1, 1]), np.array([1.0, 1.0, 3.0, 3.0])
    both = np.stack([1 - p, p], axis=1)
    assert calibration_error(both, y) == pytest.approx((2 * 0.4 + 2 * 0.1) / 4)
    assert calibration_error(both, y, weight) == pytest.approx((2 * 0.4 + 6 * 0.1) / 8)
    of_three = np.array([[0.7, 0.2, 0.1], [0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])  # the most probable class
    assert calibration_error(of_three, np.array([0, 1, 2])) == pytest.approx(abs(0.7 - 2 / 3))


def test_every_score_is_computed_and_those_that_need_something_only_with_it(rng):
    p, y = rng.dirichlet(np.ones(3), 60), rng.integers(0, 3, 60)
    assert list(score_predictions(p, y, None, ("prototypes",))) == list(SCORES)
    assert SCORES.keys() - score_predictions(p, y) == {"error"}


@pytest.mark.parametrize("wrong", [[0.9, 0.8, 0.7], [1.1, -0.1, 0.0], [0.3, 0.3, 0.3]])
def test_what_is_no_distribution_over_the_classes_is_not_scored(rng, wrong):
    p = rng.dirichlet(np.ones(3), 4)
    p[2] = wrong
    with pytest.raises(
        ValueError, match=r"probabilities: those of test sample 2 are .* \(sum .*\), must be at least 0"
    ):
        score_predictions(p, np.arange(4) % 3)


def test_losses_are_better_if_they_are_smaller_and_one_is_of_labels():
    assert [LOSSES[name].as_loss(0.75) for name in ("log-loss", OF_ALL)] == [0.75, 0.25]
    assert [name for name, score in LOSSES.items() if score.of_labels] == [OF_ALL]
    assert all(score.fits(methods.get("knn")) for score in SCORES.values())
