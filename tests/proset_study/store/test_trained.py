"""Trained models speak of the columns and labels of the user's table."""

import numpy as np
import pandas as pd
import pytest

from proset_study.data.dataset import DataSet
from proset_study.data.metrics import matrix_file
from proset_study.data.sources import make
from proset_study.data.splits import TEST, write_split
from proset_study.data.splitting import split
from proset_study.fits.final import fit_final
from proset_study.fits.search import Case
from proset_study.store.trained import load_trained

LABELS = ["Äpfel", "pears, ripe", "{x}"]


@pytest.fixture(scope="module", params=[False, True], ids=["numbers", "categories"])
def own(request, tmp_path_factory):
    """Table, and folder of trained models, with and without columns to encode."""
    folder, rng = tmp_path_factory.mktemp("trained"), np.random.default_rng(0)
    y = rng.integers(3, size=120)
    table = pd.DataFrame({"id": range(120), "length (mm)": rng.normal(size=120) + 3 * y, "kind": np.array(LABELS)[y]})
    table["noise"] = rng.normal(size=120)
    settings = {"file": str(folder / "own.csv"), "target": "kind", "drop": ["id"]}
    if request.param:
        table["colour"] = np.where(rng.random(120) < 0.5, "red", "01")
        table.loc[::7, "noise"] = np.nan
        settings |= {"categorical": ["colour"], "impute": "median"}
    table.to_csv(folder / "own.csv", index=False)
    data = make(settings, 0, "own", 0)
    folds = split(data.y, 2, 0.3, 0)
    data.save(folder / "data.npz")
    write_split(folder / "split.csv", folds)
    chosen = {"proset": ({"lambda_v": 1e-3, "lambda_w": 1e-8}, 2), "knn": ({}, 5)}
    for method, (parameters, complexity) in chosen.items():
        (folder / method).mkdir()
        fit_final(data, folds, parameters, complexity, Case(0, 0, "own", method, method), folder / method / "model.npz")
    table = pd.read_csv(folder / "own.csv", dtype={"colour": str})
    return table.sample(frac=1, random_state=0, axis=1), folder, folds  # columns in another order


@pytest.mark.parametrize("method", ["proset", "knn"])
def test_predictions_are_labels_and_probabilities_by_label(own, method):
    table, folder, _ = own
    trained = load_trained(folder / method)
    probabilities = trained.predict_proba(table)
    assert probabilities.columns.tolist() == sorted(LABELS)
    assert probabilities.index.equals(table.index)
    assert np.allclose(probabilities.sum(axis=1), 1)
    labels = trained.predict(table.iloc[::-1])
    assert (labels == table["kind"].iloc[::-1]).mean() > 0.8
    assert labels.index.equals(table.index[::-1])


def test_explanations_name_rows_of_the_file_and_add_up(own):
    table, folder, folds = own
    trained = load_trained(folder / "proset")
    row = table.loc[[7]]
    found = trained.explain(row)
    shares = found.groupby("class")["share"].sum()
    assert np.allclose(shares[trained.labels], trained.predict_proba(row).iloc[0], atol=1e-5)
    prototypes = found[found["batch"] > 0]
    assert np.allclose(prototypes["value of length (mm)"], table["length (mm)"].iloc[prototypes["row"]])
    assert found["sample"].unique().tolist() == [7]
    assert (folds[prototypes["row"]] != TEST).all()
    assert (table["kind"].iloc[prototypes["row"]].to_numpy() == prototypes["class"]).all()
    assert "similarity in length (mm)" in found.columns
    assert np.isclose(prototypes["contribution"].sum(), trained.familiarity(row).iloc[0], rtol=1e-4)
    far = row.assign(**{"length (mm)": 1e6})
    assert trained.familiarity(far).iloc[0] < 1e-6


def test_what_cannot_be_answered_is_refused(own):
    table, folder, _ = own
    trained = load_trained(folder / "proset")
    with pytest.raises(ValueError, match=r"column 'length \(mm\)' is missing"):
        trained.predict(table.drop(columns="length (mm)"))
    gap = table.assign(**{"length (mm)": [*table["length (mm)"].iloc[:3], np.nan, *table["length (mm)"].iloc[4:]]})
    if trained.model.encoder is None:  # else it imputes
        with pytest.raises(ValueError, match=r"^table: column 'length \(mm\)', row 4 has no value, but all training"):
            trained.predict(gap)
    with pytest.raises(ValueError, match="no weighted prototypes"):
        load_trained(folder / "knn").familiarity(table)
    with pytest.raises(FileNotFoundError):
        load_trained(folder / "absent")


def test_a_model_of_dissimilarities_takes_those_from_its_training_rows(tmp_path):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(60, 2))
    apart, y = np.linalg.norm(points[:, None] - points, axis=2), (points[:, 0] > 0).astype(int)
    data = DataSet(np.empty((60, 0)), y, np.array([], dtype=str), np.array(["left", "right"]))
    data.save(tmp_path / "data.npz")
    np.save(matrix_file(tmp_path / "data.npz", "precomputed"), apart)
    folds = split(y, 2, 0.3, 0)
    write_split(tmp_path / "split.csv", folds)
    (tmp_path / "knn").mkdir()
    loaded = DataSet.load(tmp_path / "data.npz", "precomputed")
    _, rows, p = fit_final(loaded, folds, {}, 3, Case(0, 0, "d", "knn", "knn"), tmp_path / "knn/model.npz")
    trained = load_trained(tmp_path / "knn")
    table = pd.DataFrame(apart[rows][:, trained.training_rows])
    np.testing.assert_allclose(trained.predict_proba(table).to_numpy(), p, rtol=1e-6)
    with pytest.raises(ValueError, match="60 columns are not allowed, must be the dissimilarities by precomputed from"):
        trained.predict(pd.DataFrame(apart))
