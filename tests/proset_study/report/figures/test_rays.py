"""Predictions along rays, of models whose far predictions are known."""

import numpy as np
import pytest
from tests.proset_study.small_study import check_findings, compute, config_of

from proset_study.report.catalogue import data_set_figures
from proset_study.report.figures.rays import DISTANCES, RAYS, rays_figure
from proset_study.report.figures.registry import Subject, planned


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    penalties = {"lambda_v": 1e-3, "lambda_w": 1e-8, "alpha_v": 0.95, "alpha_w": 0.95}
    boosting = {"learning_rate": 0.3, "max_depth": 3, "colsample": 1.0, "subsample": 1.0}
    experiments = {
        "E3": {"method": "proset", "parameters": {"n_candidates": 100, **penalties}, "stage2": {"complexity": 1}},
        "E8": {"method": "knn", "stage2": {"complexity": 5}},
        "E9": {"method": "xgboost", "parameters": boosting, "stage2": {"complexity": 10}},
        "svm": {"method": "svm", "parameters": {"C": 1.0, "gamma": 0.5}, "stage2": {"complexity": 1}},
    }
    experiments = {name: {**entry, "data_sets": ["flowers"]} for name, entry in experiments.items()}
    config = config_of("rays", {"flowers": {"sklearn": "iris", "features": [0, 1]}}, experiments)
    return compute(config, tmp_path_factory.mktemp("rays"))


def lines_of(panel):
    return np.array([line.get_ydata() for line in panel.lines if len(line.get_xdata()) == len(DISTANCES)])


def test_lines_are_predictions_and_end_where_the_models_say(stored):
    finals = stored.finals(0, "flowers")[:3]
    drawn = rays_figure(finals)
    proset, neighbours, boosting = map(lines_of, drawn.figure.axes)
    assert proset.shape == (RAYS, len(DISTANCES))
    prior = (finals[0].data.y[finals[0].folds >= 0] == 0).mean()  # of three classes of the same size the first
    assert np.allclose(proset[:, -1], prior, atol=1e-9)
    assert np.ptp(proset[:, DISTANCES.searchsorted(2.0)]) > 0.3
    assert np.ptp(neighbours[:, -1]) > 0.5
    assert np.array_equal(boosting[:, -1], boosting[:, -10])  # beyond the last threshold a tree is constant
    at_centre = finals[0].model.predict_proba(finals[0].X_train.mean(axis=0)[None])[0, 0]
    assert np.allclose(proset[:, 0], at_centre, atol=0.1)


def test_the_page_has_them_of_the_methods_with_a_colour_of_their_own(stored):
    figures = [figure for figure in data_set_figures(stored, "flowers") if figure.name == "flowers_rays"]
    check_findings(figures)
    shown = [axes.get_title() for axes in figures[0].figure.axes]
    assert shown == ["proset (E3)", "KNN (E8)", "XGBoost (E9)", "SVM"]


def test_values_that_are_missing_have_no_direction(stored):
    subject = Subject(stored, "flowers")
    assert "flowers_rays" in [spec.name for spec in planned(subject)]
    subject.data.X[0, 0] = np.nan
    assert "flowers_rays" not in [spec.name for spec in planned(subject)]
