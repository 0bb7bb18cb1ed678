"""docs/dissimilarities.md, tried: its configs, on a matrix and on strings, and its metric, by the real workflow."""

import numpy as np
import pandas as pd


def test_dissimilarities_are_stored_once_for_each_metric(own):
    results = own.folder / "results/own/replicate_0"
    names = {"proteins": ["prefix", "words_of_3"], "towns": ["precomputed"]}
    for data_set, metrics in names.items():
        found = sorted(path.name for path in (results / data_set).glob("*.npy"))
        assert found == [f"dissimilarities_{metric}.npy" for metric in metrics]
    given = np.load(own.folder / "data/private/towns.npz")["dissimilarities"]
    stored = np.load(results / "towns/dissimilarities_precomputed.npy")
    np.testing.assert_array_equal(stored, given.astype(np.float32))


def test_pages_name_the_metrics_and_the_models_are_good(own):
    page = (own.folder / "reports/own/data_sets/proteins.html").read_text(encoding="utf-8")
    assert "40 samples (28 for training, 12 for the test), no features, 2 classes" in page
    assert "set cover, words_of_3" in page
    assert "1-NN, prefix" in page
    rows = pd.read_csv(own.folder / "reports/own/results.csv.xz").set_index("experiment")
    errors = rows[rows["quantity"] == "error"]["value"]
    assert errors["set_cover"] < 0.2
    assert errors["prefixes"] < 0.2
    features = rows[rows["quantity"] == "features"]["value"]
    assert set(features[["nearest_neighbour", "set_cover", "prefixes"]]) == {0.0}


def test_another_parameter_makes_the_matrix_again_and_what_follows(own, tmp_path):
    project = own.copy(tmp_path / "project")
    project.edit("config.yaml", "k: 3", "k: 4")
    planned = project.planned("set_cover")
    assert [job.partition(" ")[0] for job in planned] == [
        *("dissimilarities", "fit", "score", "select_complexity", "stage2", "table")
    ]
