from pathlib import Path

import pytest
import yaml

from proset.study.config import load
from proset.study.progress import describe, fit_seconds

ROOT = Path(__file__).parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("method", "data_set", "steps", "seconds"),  # CPU time of one fit with its scoring
    [
        ("logistic_regression", "digits", 15, 6.0),
        ("logistic_regression", "xor_6_6f", 14, 0.12),
        ("decision_tree", "xor_6_6f", 20, 0.05),
        ("bagging", "xor_6_6f", 50, 2.0),
        ("bagging", "digits", 50, 0.5),
        ("random_forest", "checker", 50, 0.25),
        ("adaboost", "xor_6_6f", 50, 0.65),
        ("svm", "xor_6_6f", 1, 1.6),
        ("svm", "digits", 1, 0.2),
        ("hist_gradient_boosting", "digits", 50, 0.6),
        ("explainable_boosting", "digits", 1, 0.64),
        ("explainable_boosting", "xor_6_6f", 1, 0.25),
    ],
)
def test_estimates_are_of_the_right_size(method, data_set, steps, seconds):
    estimate = fit_seconds(method, CONFIG["data_sets"][data_set], {"steps": steps})
    assert seconds / 2.5 < estimate < 8 * seconds


def test_jobs_and_fits_are_counted_and_time_falls_with_cores():
    study = load(CONFIG, ROOT / "workflow/schemas/config.schema.yaml")
    jobs = [
        ("data", {"data_set": "wine"}),
        ("stage1", {"run": "E3", "data_set": "wine", "first": "0", "last": "24"}),
        ("stage1", {"run": "E9", "data_set": "wine", "first": "0", "last": "49"}),
        ("stage2", {"run": "E8", "data_set": "wine", "fold": "0"}),
        ("fit", {"run": "E7-candidates=1500", "data_set": "xor_6f"}),
        ("fit", {"run": "D39", "data_set": "checker"}),
    ]
    assert describe(jobs, study, 1).startswith(
        "6 jobs with 1 fits of knn, 1 fits of logistic_regression, 26 fits of proset, 50 fits of xgboost: about "
    )
    large = [("stage1", {"run": "E3", "data_set": "xor_6f", "first": "0", "last": "49"})] * 100
    minutes = [float(describe(large, study, cores).split("about ")[1].split()[0]) for cores in (1, 4)]
    assert 3 < minutes[0] / minutes[1] < 5
    assert describe([], study, 2) == "0 jobs with no fits: about 1 seconds on 2 core(s)"
