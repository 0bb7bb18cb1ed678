"""Predictions along rays, of models whose far predictions are known; `test_catalogue.py` reads what is said of them."""

import numpy as np

from proset_study.report.figures.rays import DISTANCES, RAYS, rays_figure
from proset_study.report.figures.registry import DataSetRuns, planned
from proset_study.store.stored import Stored
from proset_study.study.config.study import Study


def lines_of(panel):
    return np.array([line.get_ydata() for line in panel.lines if len(line.get_xdata()) == len(DISTANCES)])


def test_lines_are_predictions_and_end_where_the_models_say(stored):
    finals = [stored.final(experiment, "flowers") for experiment in ("E3", "E8", "E9")]
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
    entry = {"title": "t", "data_sets": ["flowers"], "stage2": {"complexity": 1}}
    others = {name: {**entry, "method": name} for name in ("svm", "decision_tree")}
    config = {**stored.study.config, "experiments": {**stored.study.config["experiments"], **others}}
    config["comparisons"] = {"all": {"title": "all", "experiments": ["E3", "E8", "E9", *others]}}
    subject = DataSetRuns(Stored(stored.folder, Study.of(config)), "flowers")
    (rays,) = (spec for spec in planned(subject) if spec.name == "flowers_rays")
    assert [run.name for run in rays.runs] == ["E3", "E8", "E9", "svm"]


def test_values_that_are_missing_have_no_direction(stored):
    names = [spec.name for data_set in ("flowers", "odd") for spec in planned(DataSetRuns(stored, data_set))]
    assert [name for name in names if name.endswith("_rays")] == ["flowers_rays"]
