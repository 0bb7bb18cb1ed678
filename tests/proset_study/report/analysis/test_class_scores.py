import numpy as np
import pytest

from proset_study.report.analysis.class_scores import class_scores, confusion


def sure(predicted, n_classes):
    return np.eye(n_classes)[predicted]


Y = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
PREDICTED = np.array([0, 0, 0, 1, 1, 1, 2, 2, 0, 0])


def test_hand_solved_scores_of_three_classes():
    np.testing.assert_array_equal(confusion(sure(PREDICTED, 3), Y), [[3, 1, 0], [0, 2, 1], [2, 0, 1]])
    first, second, third = class_scores(sure(PREDICTED, 3), Y)
    assert first == {
        **{"true_positive": 3, "false_negative": 1, "false_positive": 2, "true_negative": 4},
        **{"sensitivity": 3 / 4, "specificity": 4 / 6},
        **{"positive_predictive_value": 3 / 5, "negative_predictive_value": 4 / 5},
        **{"false_positive_rate": 2 / 6, "false_negative_rate": 1 / 4},
        **{"false_discovery_rate": 2 / 5, "false_omission_rate": 1 / 5},
        "f1": pytest.approx(2 * 3 / (2 * 3 + 2 + 1)),
    }
    assert (second["sensitivity"], second["specificity"]) == (2 / 3, 6 / 7)
    assert (third["positive_predictive_value"], third["negative_predictive_value"]) == (1 / 2, 6 / 8)
    assert confusion(np.full((4, 2), 0.5), np.array([0, 0, 1, 1])).tolist() == [[2, 0], [2, 0]]


def test_weights_count_like_repeated_samples():
    weight = np.array([1, 2, 0, 1, 3, 1, 1, 2, 1, 0])
    repeated = np.repeat(np.arange(10), weight)
    weighted = class_scores(sure(PREDICTED, 3), Y, weight.astype(float))
    for ours, theirs in zip(weighted, class_scores(sure(PREDICTED[repeated], 3), Y[repeated]), strict=True):
        assert ours == pytest.approx(theirs)
    assert class_scores(sure(PREDICTED, 3), Y, weight / 4)[0]["true_positive"] == 0.75


def test_undefined_scores_are_none_and_zero_stays_zero():
    never, always = class_scores(sure([1, 1, 1], 2), np.array([0, 1, 1]))
    assert never["positive_predictive_value"] is never["false_discovery_rate"] is None  # never predicted
    assert never["sensitivity"] == never["f1"] == 0.0
    assert always["negative_predictive_value"] is always["false_omission_rate"] is None
    absent = class_scores(sure([0, 1, 1], 3), np.array([0, 1, 1]))[2]
    undefined = {name for name, value in absent.items() if value is None}
    of_the_predicted = {"positive_predictive_value", "false_discovery_rate"}
    assert undefined == {"sensitivity", "false_negative_rate", "f1"} | of_the_predicted
    assert absent["specificity"] == 1.0
    rows = class_scores(sure([0, 1], 2), np.array([0, 1]), np.array([1.0, 0.0]))
    assert rows[1]["sensitivity"] is None
    assert rows[0]["specificity"] is None


@pytest.mark.parametrize("seed", range(20))
def test_what_is_undefined_is_none_for_weights_whose_sums_are_rounded(seed):
    weight = np.random.default_rng(seed).random(30)
    never, always = class_scores(sure([1] * 30, 2), np.arange(30) % 2, weight)
    assert never["positive_predictive_value"] is None
    assert always["negative_predictive_value"] is None
