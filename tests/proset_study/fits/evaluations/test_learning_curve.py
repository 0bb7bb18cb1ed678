import re
from dataclasses import replace

import numpy as np
import pytest

from proset.losses import error_rate, log_loss
from proset_study.data.splits import TEST
from proset_study.fits.evaluations.learning_curve import LearningCurve
from proset_study.fits.final import fit_final
from proset_study.fits.search import Case

SETTINGS = {"fractions": [0.1, 0.4, 1.0], "repeats": 3}


def learning_curve(data, folds, final, settings, case):
    return LearningCurve.evaluate(data, folds, final, settings, case, {})


def final_of(data, folds, method, parameters, complexity, folder):
    case = Case(1, 0, "xor", "E", method)
    record, rows, probabilities = fit_final(data, folds, parameters, complexity, case, folder / "model.npz")
    return case, record, (probabilities, data.y[rows])


@pytest.mark.parametrize(
    ("method", "parameters", "complexity"),
    [
        ("proset", {"lambda_v": 1e-3, "lambda_w": 1e-8}, 1),
        ("knn", {}, 3),
        ("xgboost", {"learning_rate": 0.3, "max_depth": 2, "colsample": 1.0, "subsample": 0.5}, 5),
    ],
)
def test_the_whole_training_part_gives_the_final_model(data, folds, tmp_path, method, parameters, complexity):
    case, final, (probabilities, y) = final_of(data, folds, method, parameters, complexity, tmp_path)
    record = learning_curve(data, folds, final, SETTINGS, case)
    (whole,) = [point for point in record["points"] if point["fraction"] == 1.0]
    assert whole["n_fit"] == final["n_fit"]
    assert whole["log_loss"] == pytest.approx(log_loss(probabilities, y), rel=1e-6)  # they are kept with seven digits
    assert whole["error"] == error_rate(probabilities, y)
    sizes = [(p["fraction"], p["n_fit"]) for p in record["points"]]
    assert sizes.count((0.1, 8)) == sizes.count((0.4, 34)) == 3
    assert len(sizes) == 7
    assert learning_curve(data, folds, final, SETTINGS, case) | {"resources": {}} == record | {"resources": {}}


def test_more_samples_help_and_repeats_differ(data, folds, tmp_path):
    case, final, _ = final_of(data, folds, "knn", {}, 1, tmp_path)
    points = learning_curve(data, folds, final, {"fractions": [0.1, 0.9], "repeats": 10}, case)["points"]
    few, many = ([p["error"] for p in points if p["fraction"] == f] for f in (0.1, 0.9))
    assert np.mean(few) > np.mean(many) + 0.1
    assert len(set(few)) > 1


def test_a_size_that_is_too_small_says_why(data, folds, tmp_path):
    case, final, _ = final_of(data, folds, "knn", {}, 20, tmp_path)
    points = learning_curve(data, folds, final, SETTINGS, case)["points"]
    small = [p for p in points if p["n_fit"] == 8]
    assert len(small) == 3
    assert all(p["not_fitted"] == "complexity: 20 neighbours are more than the 8 samples to search" for p in small)
    assert all("log_loss" not in p for p in small)
    assert all("log_loss" in p for p in points if p["n_fit"] > 8)


def test_weights_enter_the_scores(data, folds, tmp_path):
    weighted = replace(data, sample_weight=np.where(data.X[:, 0] > 0, 3.0, 1.0))
    case, final, (probabilities, y) = final_of(weighted, folds, "knn", {}, 3, tmp_path)
    *_, whole = learning_curve(weighted, folds, final, {"fractions": [0.5, 1.0], "repeats": 1}, case)["points"]
    assert whole["error"] == error_rate(probabilities, y, weighted.sample_weight[folds == TEST])
    assert whole["error"] != error_rate(probabilities, y)


def test_groups_are_taken_whole(data, folds, tmp_path):
    """With a group per class, half of the training part has one class only, which cannot be fitted."""
    case, final, _ = final_of(data, folds, "knn", {}, 3, tmp_path)
    points = learning_curve(replace(data, group=data.y), folds, final, {"fractions": [0.2], "repeats": 2}, case)[
        "points"
    ]
    assert all(re.search("training part: class '[01]' has no sample to fit on", p["not_fitted"]) for p in points)


def test_samples_of_weight_zero_are_not_counted(data, folds, tmp_path):
    weighted = replace(data, sample_weight=(data.X[:, 0] > -0.5).astype(float))
    case, final, _ = final_of(weighted, folds, "knn", {}, 3, tmp_path)
    half, whole = learning_curve(weighted, folds, final, {"fractions": [0.5, 1.0], "repeats": 1}, case)["points"]
    assert whole["n_fit"] == final["n_fit"] == ((folds != TEST) & (weighted.sample_weight > 0)).sum()
    assert half["n_fit"] == round(0.5 * final["n_fit"])
