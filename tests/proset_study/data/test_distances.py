from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform

from proset_study.data.dataset import DataSet
from proset_study.data.distances import distances, distances_by_rows, ranks
from proset_study.data.metrics import VECTORS, matrix_file
from proset_study.data.splits import TEST, select_fold
from proset_study.fits.resampling import data_of_rows
from proset_study.methods.knn import KNN


@pytest.fixture
def data(rng):
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 3
    return DataSet(X, y, np.array(["a", "b", "c"]), np.array(["k", "l", "m"]))


FOLDS = np.repeat([TEST, 0, 1, 0, 1], 6)


@pytest.mark.parametrize("metric", VECTORS)
def test_every_name_is_one_of_scipys(rng, metric):
    X = np.abs(rng.normal(size=(5, 4)))
    name = {"manhattan": "cityblock"}.get(metric, metric)
    np.testing.assert_array_equal(distances(X, X[:2], metric), cdist(X, X[:2], name))


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="metric: 'cosine' is not allowed, of some samples it is not a number"):
        distances(np.zeros((2, 2)), np.ones((1, 2)), "cosine")


def test_parts_are_the_whole(rng, monkeypatch):
    monkeypatch.setattr("proset_study.data.distances.CHUNK", 12)
    X = rng.normal(size=(10, 2))
    parts = list(distances_by_rows(X, X[:5], "manhattan"))
    assert [rows.stop - rows.start for rows, _ in parts] == [2] * 5
    np.testing.assert_array_equal(np.vstack([part for _, part in parts]), cdist(X, X[:5], "cityblock"))


def test_ranks_are_those_of_the_definition(rng):
    apart = rng.integers(0, 5, (8, 8)).astype(float)  # ties, not symmetric
    rows = rng.integers(0, 6, (4, 8)).astype(float)
    expected = [[sum(apart[k, j] <= rows[i, j] for k in range(8)) for j in range(8)] for i in range(4)]
    assert ranks(rows, apart).tolist() == expected


def test_a_fold_has_features_and_the_name_of_a_metric(data):
    part = select_fold(replace(data, metric="manhattan"), FOLDS, 0, scaled=True)
    assert part.metric == "manhattan"
    assert part.points is part.X
    assert part.n_features == 3
    np.testing.assert_array_equal(part.X, select_fold(data, FOLDS, 0, scaled=True).X)


def test_a_fold_has_dissimilarities_from_the_rows_to_fit(data):
    matrix = squareform(pdist(data.X)).astype(np.float32)
    measured = replace(data, metric="mine", matrix=matrix, row=np.arange(30))
    part = select_fold(measured, FOLDS, 1, scaled=True)
    fitted, scored = np.flatnonzero(FOLDS == 0), np.flatnonzero(FOLDS == 1)
    np.testing.assert_array_equal(part.X, matrix[np.ix_(fitted, fitted)])
    np.testing.assert_array_equal(part.X_score, matrix[np.ix_(scored, fitted)])
    assert (part.metric, part.n_features, part.points.ravel().tolist()) == ("precomputed", 0, list(range(12)))
    np.testing.assert_array_equal((part.X - part.centre) / part.scale, part.X)


def test_samples_taken_more_than_once_keep_their_rows(data):
    matrix = squareform(pdist(data.X))
    measured = replace(data, metric="mine", matrix=matrix, row=np.arange(30))
    part = data_of_rows(measured, np.array([0, 1, 2, 2, 3, 4, 5]), np.array([9, 7]), KNN)
    assert part.weight.tolist() == [1, 1, 2, 1, 1, 1]
    np.testing.assert_array_equal(part.X_score, matrix[np.ix_([9, 7], range(6))])


@pytest.mark.parametrize("stored", [False, True])
def test_ranks_count_the_rows_to_fit_only(data, stored):
    apart = squareform(pdist(data.X, "cityblock"))
    measured = replace(data, metric="rank_manhattan")
    if stored:
        measured = replace(data, metric="rank_mine", matrix=apart, row=np.arange(30))
    part = select_fold(measured, FOLDS, 1, scaled=False)
    fitted, scored = np.flatnonzero(FOLDS == 0), np.flatnonzero(FOLDS == 1)
    np.testing.assert_array_equal(part.X, ranks(apart[np.ix_(fitted, fitted)], apart[np.ix_(fitted, fitted)]))
    assert part.X.min() == 1
    assert part.X.max() == len(fitted)
    np.testing.assert_array_equal(part.X_score, ranks(apart[np.ix_(scored, fitted)], apart[np.ix_(fitted, fitted)]))
    assert part.metric == "precomputed"


def test_a_data_set_is_read_with_its_matrix(data, tmp_path):
    data = replace(data, items=np.array([f"item {i}" for i in range(30)]))
    path = tmp_path / "data.npz"
    data.save(path)
    np.save(matrix_file(path, "mine"), np.eye(30, dtype=np.float32))
    loaded = DataSet.load(path, "rank_mine")
    assert isinstance(loaded.matrix, np.memmap)
    assert loaded.take(np.array([7, 7])).row.tolist() == [7, 7]
    assert loaded.items[3] == "item 3"
    assert DataSet.load(path, "manhattan").matrix is None
    np.save(matrix_file(path, "mine"), np.eye(29))
    with pytest.raises(ValueError, match=r"mine.npy is damaged \(its shape is \(29, 29\), not \(30, 30\)\)"):
        DataSet.load(path, "mine")
    matrix_file(path, "mine").write_bytes(b"")
    with pytest.raises(ValueError, match=r"mine\.npy is damaged"):
        DataSet.load(path, "mine")
