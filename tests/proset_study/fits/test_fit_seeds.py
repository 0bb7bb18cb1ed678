"""Final models of methods that draw, fitted with several seeds."""

import numpy as np
import pytest

from proset_study.base.records import read_text
from proset_study.base.seeds import seed_sequence
from proset_study.fits.final import read_predictions, rounded, write_predictions
from proset_study.fits.search import Case
from proset_study.study.config.checks import load


def test_the_first_fit_seed_is_the_model_and_the_others_differ(stored):
    final = stored.final("E3", "cross")
    first, *others = final.probabilities_of_fits
    assert first.tolist() == rounded(final.model.predict_proba(final.X_test)).tolist() == final.probabilities.tolist()
    assert len(others) == 2
    assert all((np.abs(other - first) > 1e-3).any() for other in others)
    assert (np.abs(others[0] - others[1]) > 1e-3).any()
    assert [fit["summary"]["prototypes"] > 0 for fit in final.fits] == [True] * 3
    assert [fit.get("fit_seed") for fit in final.fits] == [None, 1, 2]


def test_seeds_are_keyed_by_their_number_and_the_first_one_as_it_always_was():
    case = Case(3, 0, "cross", "E3", "proset")
    assert case.fit_seed("final").entropy == seed_sequence(3, "fit", "cross", 0, "final").entropy
    assert case.fit_seed("final", 1).entropy != case.fit_seed("final").entropy


def test_who_draws_is_fitted_as_often_as_the_config_says(stored):
    fits = {run: stored.study.final_fits(run) for run in ("E3", "E8", "E9")}
    assert fits == {"E3": 3, "E8": 1, "E9": 3}
    config = stored.study.config
    config = {**config, "experiments": {**config["experiments"], "E9": {**config["experiments"]["E9"], "fit_seeds": 2}}}
    assert load(config).final_fits("E9") == 2
    del config["fit_seeds"]
    assert load(config).final_fits("E3") == 1


def test_predictions_of_one_fit_are_written_as_ever_and_others_in_further_columns(tmp_path):
    rows, y, weight = np.array([4, 7]), np.array([1, 0]), np.array([1.0, 0.5])
    first, second = np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([[0.125, 0.875], [1.0, 0.0]])
    path = tmp_path / "predictions.csv"
    write_predictions(path, rows, y, [first], weight)
    assert read_text(path) == "row,y,weight,p0,p1\n4,1,1.0,0.25,0.75\n7,0,0.5,0.5,0.5\n"
    assert read_predictions(path, {"n_scored": 2})[2].tolist() == [first.tolist()]
    write_predictions(path, rows, y, [first, second], weight)
    assert read_text(path).startswith("row,y,weight,p0,p1,p0_1,p1_1\n4,1,1.0,0.25,0.75,0.125,0.875\n")
    found = read_predictions(path, {"n_scored": 2, "refits": [{}]})
    assert [values.tolist() for values in found] == [y.tolist(), weight.tolist(), [first.tolist(), second.tolist()]]
    with pytest.raises(ValueError, match="4 columns of probabilities, of 3 fits"):
        read_predictions(path, {"n_scored": 2, "refits": [{}, {}]})
