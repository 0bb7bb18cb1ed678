import numpy as np
import pytest

from proset_study.fits.selection import NOT_SEARCHED, select_complexity, select_parameters


def test_both_stages_select_by_the_criterion():
    trials = [
        {"method": "knn", "trial": t, "fold": f, "parameters": {}, "summary": {}, "log_loss": 1.0 - t, "error": 0.1 * t}
        for t in range(2)
        for f in range(2)
    ]
    selected = {c: select_parameters(trials, {}, "best", c)["optimal"] for c in ("log_loss", "error")}
    assert selected == {"log_loss": 1, "error": 0}
    paths = [{"method": "knn", "fold": f, "summary": {}, "log_loss": [2.0, 1.0], "error": [0.1, 0.2]} for f in range(2)]
    assert select_complexity(paths, "best")["complexity"] == 2
    selection = select_complexity(paths, "best", "error")
    assert (selection["criterion"], selection["complexity"]) == ("error", 1)


@pytest.mark.parametrize("rule", NOT_SEARCHED)
def test_a_size_that_is_not_searched_is_the_end_of_the_path_whatever_others_score(rule):
    paths = [{"method": "bagging", "fold": f, "summary": {}, "log_loss": [0.5, 0.1, 0.6]} for f in range(2)]
    selection = select_complexity(paths, rule)
    assert (selection["rule"], selection["complexity"]) == (rule, 3)
    assert selection["settings"][selection["optimal"]] == 2


@pytest.mark.parametrize(("method", "size"), [("proset", 1), ("knn", 4)])
def test_of_sizes_within_the_threshold_the_simplest_is_selected(method, size):
    losses = np.array([0.9, 0.51, 0.5, 0.52, 0.9])
    paths = [
        {"method": method, "fold": fold, "summary": {}, "log_loss": (losses + shift).tolist()}
        for fold, shift in enumerate((-0.1, 0.1))
    ]
    assert select_complexity(paths, "one_standard_deviation")["complexity"] == size
