import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform

from proset_study.data import matrix
from proset_study.data.dataset import DataSet
from proset_study.data.dissimilarities import mismatch, tangent
from proset_study.data.matrix import TOLERANCE, module_of, write_matrix
from proset_study.data.sizes import Size, size_of
from proset_study.data.sources import make, source_of

N = 25
WHOLE = slice(None)


@pytest.fixture
def apart(rng):
    return squareform(pdist(rng.normal(size=(N, 2))))


def classes():
    return np.array(["odd", "even"])[np.arange(N) % 2]


def as_table(apart, path):
    table = pd.DataFrame(apart, columns=[f"place {i}" for i in range(len(apart))])
    table["side"] = classes()[: len(apart)]
    table["weight"], table["group"] = 1.5, np.arange(len(apart)) // 2
    table.to_parquet(path) if path.suffix == ".parquet" else table.to_csv(path, index=False)


def as_archive(apart, path):
    np.savez(path, dissimilarities=apart, side=classes(), weight=np.full(N, 1.5), group=np.arange(N) // 2)


FORMS = {"d.csv": as_table, "d.parquet": as_table, "d.npz": as_archive}


def given(path, **more):
    return {"file": str(path), "target": "side", "metric": "precomputed", **more}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("rows", [7, 512])
def test_a_matrix_of_a_file_is_what_was_given(apart, tmp_path, name, rows, monkeypatch):
    monkeypatch.setattr("proset_study.data.custom_matrix.ROWS", rows)
    monkeypatch.setattr("proset_study.data.matrix.ROWS", rows)
    FORMS[name](apart, tmp_path / name)
    source = given(tmp_path / name, weight="weight", group="group")
    assert source_of(source) == "custom_matrix"
    data = make(source, 0, "d", 0)
    assert data.X.shape == (N, 0)
    assert data.n_features == 0
    assert (data.class_names[data.y] == classes()).all()
    assert data.sample_weight.tolist() == [1.0] * N  # no copies: only proportions count
    assert len(np.unique(data.group)) == 13
    write_matrix(tmp_path / "out.npy", data, {"of": "precomputed"}, source)
    written = np.load(tmp_path / "out.npy")
    assert written.dtype == np.float32
    np.testing.assert_array_equal(written, apart.astype(np.float32))
    assert size_of(source) in (Size(N, 0, 5), Size(N - 1, 0, 5), Size(N + 1, 0, 5))  # lines of CSV are estimated


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    ("row", "column", "value", "message"),
    [
        (3, 5, -1.0, "row 4, column 6 is -1; dissimilarities must be 0 or more"),
        (3, 3, 0.5, "row 4, column 4 is 0.5; of a sample from itself it must be 0"),
        (2, 1, np.nan, "row 3, column 2 is nan; dissimilarities must be finite"),
        (21, 4, 77.0, r"row 5, column 22 is [\d.]+, but row 22, column 5 is 77; dissimilarities must be symmetric"),
    ],
)
def test_what_is_no_dissimilarity_is_refused_with_its_place(
    apart, tmp_path, name, row, column, value, message, monkeypatch
):
    monkeypatch.setattr("proset_study.data.custom_matrix.ROWS", 10)
    monkeypatch.setattr("proset_study.data.matrix.ROWS", 10)
    apart[row, column] = value
    FORMS[name](apart, tmp_path / name)
    source = given(tmp_path / name, **({} if name == "d.npz" else {"drop": ["weight", "group"]}))
    with pytest.raises(ValueError, match=f"{name}: {message}"):
        write_matrix(tmp_path / "out.npy", make(source, 0, "d", 0), {"of": "precomputed"}, source)
    assert not list(tmp_path.glob("*.npy"))
    assert not list(tmp_path.glob(".*"))


def test_rounding_is_no_asymmetry(apart, tmp_path):
    apart[3, 4] *= 1 + TOLERANCE / 2
    as_archive(apart, tmp_path / "d.npz")
    source = given(tmp_path / "d.npz")
    write_matrix(tmp_path / "out.npy", make(source, 0, "d", 0), {"of": "precomputed"}, source)


ROWS = np.arange(60)
SMALL = {"dissimilarities": np.zeros((2, 2)), "side": np.arange(2)}
LARGE = {"dissimilarities": np.zeros((60, 60)), "side": ROWS % 2}
REFUSED = {  # arrays of an archive; a weight and a group are named if they are there
    "it has no array 'side'": {"dissimilarities": np.zeros((2, 2))},
    r"it has no array 'dissimilarities' \(metric: precomputed\); its arrays are 'side'": {"side": np.array(["a", "b"])},
    r"shape \(2, 3\) and type float64, must be a square": {**SMALL, "dissimilarities": np.zeros((2, 3))},
    r"array 'side' has shape \(3,\), must be \(2,\)": {**SMALL, "side": np.arange(3)},
    "'side' has one class": {**SMALL, "side": np.ones(2)},
    "type <U1, must be a square of numbers": {**SMALL, "dissimilarities": np.full((2, 2), "x")},
    "has no rows": {"dissimilarities": np.empty((0, 0)), "side": np.array([], dtype=str)},
    "array 'weight' has a weight that is negative or not finite": {**LARGE, "weight": -np.ones(60)},
    "array 'weight' has type <U1, must be numbers": {**LARGE, "weight": np.full(60, "x")},
    # as of tables
    "array 'side', row 31 has no value": {**LARGE, "side": np.where(ROWS == 30, np.nan, ROWS % 2)},
    "array 'side' has 60 different values in 60 rows; this looks like a measurement": {**LARGE, "side": ROWS / 7},
    "class '1' of array 'side' has no row of positive weight": {**LARGE, "weight": (ROWS % 2 == 0).astype(float)},
    "array 'group', row 3 has no value; give every row a group": {
        **LARGE,
        "group": np.where(ROWS == 2, np.nan, ROWS % 20),
    },
}


@pytest.mark.parametrize("message", REFUSED)
def test_archives_that_are_not_as_they_must_be_are_refused(tmp_path, message):
    np.savez(tmp_path / "d.npz", **REFUSED[message])
    roles = {role: role for role in ("weight", "group") if role in REFUSED[message]}
    with pytest.raises(ValueError, match=message):
        make(given(tmp_path / "d.npz", **roles), 0, "d", 0)


def test_a_file_that_is_no_archive_and_an_array_that_is_named_twice_are_refused(apart, tmp_path):
    path = tmp_path / "d.npz"
    as_archive(apart, path)
    with pytest.raises(ValueError, match="array 'side' is named twice; it can only be one of"):
        make(given(path, group="side"), 0, "d", 0)
    np.save(tmp_path / "d.npy", apart)
    for content in (b"no", (tmp_path / "d.npy").read_bytes()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"d.npz cannot be read as .npz: it is no archive of arrays"):
            make(given(path), 0, "d", 0)


def test_classes_of_an_archive_may_be_bytes(apart, tmp_path):
    np.savez(
        tmp_path / "d.npz",
        dissimilarities=apart,
        side=np.char.encode(np.array(["él", "là"])[np.arange(N) % 2], "utf-8"),
    )
    assert make(given(tmp_path / "d.npz"), 0, "d", 0).class_names.tolist() == ["là", "él"]


def test_dissimilarities_of_strings_and_images_are_those_of_their_modules(rng, tmp_path):
    letters = list("ACDEFGHIKLMNPQRSTVWY")
    table = pd.DataFrame(
        {"id": range(8), "sequence": ["".join(rng.choice(letters, 20)) for _ in range(8)], "y": [0, 1] * 4}
    )
    table.to_csv(tmp_path / "s.csv", index=False)
    data = make({"file": str(tmp_path / "s.csv"), "target": "y", "items": "sequence"}, 0, "s", 0)
    assert data.items.tolist() == table["sequence"].tolist()
    assert data.X.shape == (8, 0)
    settings = {"of": "mismatch", "parameters": {"k": 3, "m": 1}}
    assert module_of(settings) == "data.dissimilarities.mismatch"
    write_matrix(tmp_path / "s.npy", data, settings, {})
    expected = mismatch.distances(table["sequence"].tolist(), 3, 1)(WHOLE, WHOLE)
    np.testing.assert_allclose(np.load(tmp_path / "s.npy"), expected, rtol=1e-6)
    images = rng.uniform(size=(6, 5, 7))
    data = DataSet(images.reshape(6, 35), np.arange(6) % 2, np.arange(35).astype(str), np.array(["a", "b"]))
    write_matrix(tmp_path / "i.npy", data, {"of": "tangent", "image": [5, 7]}, {})
    found = np.load(tmp_path / "i.npy")
    np.testing.assert_allclose(found, tangent.distances(images)(WHOLE, WHOLE), rtol=1e-6, atol=1e-6)
    assert found.max() > 0


def test_too_many_items_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "MAX_ITEMS", 3)
    data = DataSet(np.empty((4, 0)), np.arange(4) % 2, np.array([]), np.array(["a", "b"]), items=np.array(["AC"] * 4))
    with pytest.raises(ValueError, match="4 items are not allowed, at most 3: their dissimilarities are stored"):
        write_matrix(tmp_path / "s.npy", data, {"of": "mismatch"}, {})
