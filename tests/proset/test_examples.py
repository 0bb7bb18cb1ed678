"""The examples of docs/examples, run small; docs/evaluation.md has the numbers of the whole."""

import runpy
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).parents[2] / "docs/examples/tuning"


def test_features_selected_before_cross_validation_hide_that_there_is_nothing_to_learn():
    errors = runpy.run_path(str(EXAMPLES / "feature_selection.py"))["errors"]
    wrong, right = np.mean([errors(seed) for seed in range(4)], axis=0)
    assert wrong < 0.1
    assert 0.4 < right < 0.6
    assert errors(0, n_features=500, n_selected=20) == errors(0, n_features=500, n_selected=20)
