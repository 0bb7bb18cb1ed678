import numpy as np
import pytest

from proset.selection import select


def test_one_standard_deviation_rule_of_a_hand_solved_case():
    losses = np.array([[1.0, 3.0], [2.0, 2.2], [1.9, 2.1], [3.3, 3.5], [3.5, 3.7]])
    # means 2.0, 2.1, 2.0, 3.4, 3.6; the first of the smallest has deviation sqrt(2), threshold 3.414
    selection = select(losses, [(0,), (1,), (2,), (3,), (4,)], "one_standard_deviation")
    assert selection["optimal"] == 0
    assert selection["threshold"] == pytest.approx(2 + np.sqrt(2))
    assert selection["within"] == [0, 1, 2, 3]
    assert selection["selected"] == 3
    assert select(losses, [(0,), (1,), (2,), (3,), (4,)], "best")["selected"] == 0


def test_one_standard_error_is_the_deviation_over_the_root_of_the_number_of_folds():
    losses = np.array([[1.0, 3.0], [2.8, 3.0], [3.0, 3.2]])  # threshold 2 + sqrt(2) / sqrt(2)
    selection = select(losses, [(0,), (1,), (2,)], "one_standard_error")
    assert selection["threshold"] == pytest.approx(3.0)
    assert selection["within"] == [0, 1]
    assert selection["selected"] == 1


def test_ties_in_simplicity_go_to_the_first():
    assert select(np.ones((3, 2)), [(1,), (2,), (2,)], "one_standard_deviation")["selected"] == 1
