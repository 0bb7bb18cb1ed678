import numpy as np
import pytest

from proset.losses import log_loss


def test_log_loss_clips_zero_and_one():
    p = np.array([[1.0, 0.0], [0.0, 1.0], [0.25, 0.75]])
    assert log_loss(p, np.array([0, 1, 0])) == pytest.approx(-np.log(0.25) / 3, rel=1e-12)
    assert log_loss(p[:1], np.array([1])) == pytest.approx(-np.log(1e-15))


def test_weights():
    p = np.array([[0.5, 0.5], [0.25, 0.75]])
    expected = -(np.log(0.5) + 3 * np.log(0.75)) / 4
    assert log_loss(p, np.array([0, 1]), np.array([1.0, 3.0])) == pytest.approx(expected)


def test_probabilities_that_are_not_finite_raise():
    with pytest.raises(FloatingPointError, match="1 of 2 probabilities are not finite"):
        log_loss(np.array([[np.nan, 0.5], [0.5, 0.5]]), np.array([0, 1]))
