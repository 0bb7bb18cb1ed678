import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from proset_study.data.datasets import DataSet, make, mixture_bayes_error, mixture_means, mixture_probabilities
from proset_study.data.sizes import size_of
from proset_study.data.splits import TEST, select_fold, split
from proset_study.scores import score_predictions
from proset_study.store.results import read_rows

PUBLISHED = Path(__file__).parents[3] / "data/published/published.csv"


def test_checkerboard():
    data = make({"generator": "checker", "squares": 4, "samples_per_square": 50}, 0, "c", 0)
    assert data.X.shape == (800, 2)
    assert 0 <= data.X.min() <= data.X.max() <= 1
    squares = np.floor(4 * data.X)
    assert ((squares[:, 0] + squares[:, 1]) % 2 == data.y).all()


def test_rotated_checkerboard_is_the_checkerboard_turned_about_its_centre():
    settings = {"generator": "checker", "squares": 2, "samples_per_square": 100}
    flat = make(settings, 0, "c", 0)
    turned = make({**settings, "angle": 45}, 0, "c", 0)
    assert (flat.y == turned.y).all()
    c = np.sqrt(0.5)
    x, y = (flat.X - 0.5).T
    np.testing.assert_allclose(turned.X - 0.5, np.column_stack([c * (x - y), c * (x + y)]), atol=1e-12)


def test_xor_with_irrelevant_features():
    data = make({"generator": "xor", "features": 3, "samples_per_orthant": 100, "irrelevant": 2}, 0, "x", 0)
    assert data.X.shape == (800, 5)
    assert -1 <= data.X.min() <= data.X.max() <= 1
    assert (data.y == (np.sign(data.X[:, 0]) * np.sign(data.X[:, 1]) * np.sign(data.X[:, 2]) > 0)).all()


def test_replicates_draw_their_own_synthetic_data_and_share_real_data():
    xor = {"generator": "xor", "features": 2}
    assert (make(xor, 0, "x", 0).X != make(xor, 0, "x", 1).X).all()
    assert (make(xor, 0, "x", 1).X == make(xor, 0, "x", 1).X).all()
    assert (make({"sklearn": "iris"}, 0, "i", 0).X == make({"sklearn": "iris"}, 0, "i", 1).X).all()


def test_iris_2f_has_sepal_length_and_width():
    data = make({"sklearn": "iris", "features": [0, 1]}, 0, "iris_2f", 0)
    assert data.feature_names.tolist() == ["sepal length (cm)", "sepal width (cm)"]
    assert data.class_names.tolist() == ["setosa", "versicolor", "virginica"]


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "id": [1, 2, 3, 4],
            "a": [0.5, 1.0, 2.0, 3.0],
            "b": [1, 2, 3, 4],
            "w": [1.0, 2.0, 1.0, 0.5],
            "kind": list("xyxy"),
        }
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_own_file_and_round_trip(table, tmp_path, suffix):
    path = tmp_path / f"own.{suffix}"
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
    data = make({"file": str(path), "target": "kind", "drop": ["id"], "weight": "w"}, 0, "own", 0)
    data.save(tmp_path / "data.npz")
    for loaded in (data, DataSet.load(tmp_path / "data.npz")):
        assert loaded.feature_names.tolist() == ["a", "b"]
        assert loaded.class_names.tolist() == ["x", "y"]
        assert loaded.y.tolist() == [0, 1, 0, 1]
        assert loaded.sample_weight.tolist() == [1.0, 2.0, 1.0, 0.5]


def test_named_index_of_parquet_is_columns(table, tmp_path):
    path = tmp_path / "own.parquet"
    settings = {"file": str(path), "target": "kind", "drop": ["id", "w"], "group": "a"}
    table.set_index(["id", "a"]).to_parquet(path)
    data = make(settings, 0, "own", 0)
    assert data.feature_names.tolist() == ["b"]
    assert data.group.tolist() == [0, 1, 2, 3]
    table.set_index(pd.Index([7, 5, 3, 1])).to_parquet(path)  # no name: numbers of rows
    assert make(settings, 0, "own", 0).feature_names.tolist() == ["b"]


@pytest.mark.parametrize(
    ("change", "settings", "message"),
    [
        ({}, {"target": "label"}, "has no column 'label' .target.; its columns are 'id', 'a', 'b', 'w', 'kind'"),
        ({}, {"drop": ["c"]}, "has no column 'c'"),
        ({"a": list("pqrs")}, {}, "column 'a', row 1: 'p' is not a number; features and weights must be numbers"),
        ({"a": [1.0, np.nan, 2.0, 3.0]}, {}, "column 'a', row 2 has no value"),
        ({"a": [1.0, np.inf, 2.0, 3.0]}, {}, "column 'a', row 2 is infinite"),
        ({"w": [1.0, -1.0, 1.0, 1.0]}, {"weight": "w"}, "weight column 'w', row 2: -1.0 is negative"),
        ({"kind": ["x", None, "x", "y"]}, {}, "target column 'kind', row 2 has no value"),
        ({"kind": ["x"] * 4}, {}, "target column 'kind' has one class, 'x'; at least 2 are needed"),
    ],
)
def test_bad_own_file_is_refused_with_its_column(table, tmp_path, change, settings, message):
    path = tmp_path / "own.csv"
    table.assign(**change).to_csv(path, index=False)
    with pytest.raises(ValueError, match=message):
        make({"file": str(path), "target": "kind", **settings}, 0, "own", 0)


@pytest.mark.parametrize(
    ("settings", "case"),
    [
        ({"sklearn": "wine"}, ("E8", "wine")),
        ({"sklearn": "breast_cancer"}, ("E8", "cancer")),
        ({"generator": "checker"}, ("E8", "checker")),
        ({"generator": "checker", "angle": 45.0}, ("E11", "checker_rot")),
        ({"generator": "xor", "features": 3}, ("E11", "xor_3f")),
        ({"generator": "xor", "features": 4}, ("E11", "xor_4f")),
        ({"generator": "xor", "features": 5}, ("E11", "xor_5f")),
        ({"generator": "xor", "features": 6}, ("E8", "xor_6f")),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_the_published_draw_gives_the_published_scores_of_knn(settings, case):
    """Only data and split are random in them: k is printed. (iris_2f has ties, which depend on the row order.)"""
    data = make({**settings, "published_draw": {"seed": 12345, "test_fraction": 0.3}}, 0, case[1], 0)
    folds = split(data.y, 5, 0.3, 0, data.test)
    published = {
        row["quantity"]: row["value"] for row in read_rows(PUBLISHED) if (row["experiment"], row["dataset"]) == case
    }
    final = select_fold(data, folds, TEST, scaled=True)
    model = KNeighborsClassifier(int(published["selected_k"])).fit(final.X, final.y)
    scores = score_predictions(model.predict_proba(final.X_score), final.y_score)
    assert {name: round(value, 2) for name, value in scores.items()} == {name: published[name] for name in scores}


def test_mixture_of_gaussians():
    settings = {"generator": "mixture", "samples_per_class": 20_000}
    data = make(settings, 0, "m", 0)
    assert data.X.shape == (60_000, 2)
    assert np.bincount(data.y).tolist() == [20_000] * 3
    means = mixture_means(10, 0)
    for k in range(3):
        X = data.X[data.y == k]
        np.testing.assert_allclose(X.mean(axis=0), means[k].mean(axis=0), atol=0.03)
        expected = np.cov(means[k].T, ddof=0) + np.eye(2) / 5
        np.testing.assert_allclose(np.cov(X.T), expected, atol=0.05)


def test_means_of_a_mixture_belong_to_the_data_set_and_samples_to_the_replicate():
    """With one component, the mean of many samples shows the mean of the component."""
    settings = {"generator": "mixture", "samples_per_class": 5_000, "components": 1}
    data = [make(settings, seed, name, replicate) for seed, name, replicate in [(0, "m", 0), (0, "m", 1), (1, "n", 0)]]
    for other in data[1:]:
        assert (other.X != data[0].X).any(axis=1).all()
        for k in range(3):
            np.testing.assert_allclose(other.X[other.y == k].mean(axis=0), mixture_means(1, 0)[k, 0], atol=0.04)
    assert np.abs(mixture_means(1, 1) - mixture_means(1, 0)).min() > 0.001


def test_bayes_error_of_a_mixture():
    """As the rule that knows the densities has on many samples; a finer grid gives the same."""
    error = mixture_bayes_error(4, 7)
    data = make({"generator": "mixture", "samples_per_class": 50_000, "components": 4, "means_seed": 7}, 0, "m", 0)
    probabilities = mixture_probabilities(data.X, 4, 7)
    assert np.mean(probabilities.argmax(axis=1) != data.y) == pytest.approx(error, abs=0.005)
    assert mixture_bayes_error(4, 7, 0.01) == pytest.approx(error, abs=1e-4)


def test_probabilities_of_a_mixture_are_the_shares_of_the_classes():
    data = make({"generator": "mixture", "samples_per_class": 50_000, "components": 4, "means_seed": 7}, 0, "m", 0)
    probabilities = mixture_probabilities(data.X, 4, 7)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    for low in np.arange(0, 1, 0.1):
        given, own = ((p >= low) & (p < low + 0.1) for p in (probabilities[:, 0], probabilities[data.y == 0, 0]))
        assert own.sum() / given.sum() == pytest.approx(probabilities[given, 0].mean(), abs=0.02)
    means = mixture_means(1, 3)[:, 0]
    X = np.array([[0.3, -0.2]])
    normal = [np.exp(-0.5 * (X[0] - mean) @ np.linalg.inv(np.eye(2) / 5) @ (X[0] - mean)) for mean in means]
    np.testing.assert_allclose(mixture_probabilities(X, 1, 3), [np.array(normal) / sum(normal)])


def test_too_many_numbers_are_refused_before_they_are_read(tmp_path):
    """Numbers of one digit take eight times their file, and more while they are read."""
    path = tmp_path / "own.csv"
    with path.open("wb") as file:
        file.write(",".join(f"c{i}" for i in range(1000)).encode() + b"\n" + (b"1," * 999 + b"1\n") * 63_000)
    code = (
        "import re\nfrom proset_study.data.table_file import read_columns\n"
        f"try:\n  read_columns({str(path)!r}, 'c0', [], None, None, [], None)\n"
        "except ValueError as error:\n  print(error)\n"
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())[1])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    message, peak = run.stdout.splitlines()
    assert "has 63,000,000 numbers, at most 62,500,000 are allowed" in message
    assert int(peak) < 400_000


def test_a_table_of_another_country(tmp_path):
    """Semicolons and decimal commas; the same table as with commas and points."""
    table = pd.DataFrame(
        {"Länge": [1.5, 2.5, 1e3, -4.25], "Farbe": ["01", "1", "01", "1"], "Art": ["a,b", "c", "a,b", "c"]}
    )
    table.to_csv(tmp_path / "own.csv", index=False)
    table.to_csv(tmp_path / "eigen.csv", index=False, sep=";", decimal=",")
    settings = {"target": "Art", "categorical": ["Farbe"]}
    ours = make({"file": str(tmp_path / "own.csv"), **settings}, 0, "own", 0)
    theirs = make({"file": str(tmp_path / "eigen.csv"), "sep": ";", "decimal": ",", **settings}, 0, "own", 0)
    for name in ("X", "y", "feature_names", "class_names", "categories"):
        assert (getattr(ours, name) == getattr(theirs, name)).all()
    assert size_of({"file": str(tmp_path / "eigen.csv"), "sep": ";", **settings}).rows == 4
