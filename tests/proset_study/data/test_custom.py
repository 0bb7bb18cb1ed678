import datetime

import numpy as np
import pandas as pd
import pytest

from proset_study.data.dataset import DataSet
from proset_study.data.encoding import MISSING
from proset_study.data.sizes import size_of
from proset_study.data.sources import make
from proset_study.data.splits import TEST
from proset_study.data.splitting import split


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_and_round_trip(table, tmp_path, suffix, custom):
    table["colour"], table["nest"] = ["red", "größer", None, "blue"], list("aabb")
    settings = {"drop": ["id"], "weight": "w", "categorical": ["colour"], "group": "nest", "impute": "median"}
    data = custom(tmp_path / f"own.{suffix}", table, **settings)
    data.save(tmp_path / "data.npz")
    for loaded in (data, DataSet.load(tmp_path / "data.npz")):
        assert loaded.feature_names.tolist() == ["a", "b", "colour"]
        assert loaded.categories.tolist() == ["blue", "größer", "red", MISSING]
        assert (loaded.group.tolist(), loaded.impute, loaded.n_features) == ([0, 0, 1, 1], "median", 6)
        np.testing.assert_array_equal(loaded.X, data.X)
        assert loaded.class_names.tolist() == ["x", "y"]
        assert loaded.y.tolist() == [0, 1, 0, 1]
        assert loaded.sample_weight.tolist() == [w / 1.125 for w in (1.0, 2.0, 1.0, 0.5)]


def test_named_index_of_parquet_is_columns_but_one_that_pandas_stores_as_metadata(table, tmp_path, custom):
    path = tmp_path / "own.parquet"
    settings = {"file": str(path), "target": "kind", "drop": ["id", "w"], "group": "a"}
    table.set_index(["id", "a"]).to_parquet(path)
    data = make(settings, 0, "own", 0)
    assert data.feature_names.tolist() == ["b"]
    assert data.group.tolist() == [0, 1, 2, 3]
    table.set_index(pd.Index([7, 5, 3, 1])).to_parquet(path)  # no name: numbers of rows
    assert make(settings, 0, "own", 0).feature_names.tolist() == ["b"]
    assert custom(path, table.rename_axis("row")).feature_names.tolist() == ["id", "a", "b", "w"]  # a range


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_a_test_part_that_is_given(tmp_path, suffix):
    """No draw moves it, only the folds; the column is no feature."""
    part, kind = np.arange(20) % 5 == 4, np.where(np.arange(20) % 2, "x", "y")
    matrix = np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    file = tmp_path / f"own.{suffix}"
    settings = {"file": str(file), "target": "kind", "test": "part"}
    if suffix == "npz":
        np.savez(file, dissimilarities=matrix, part=part, kind=kind)
        settings["metric"] = "precomputed"
    else:
        table = pd.DataFrame({"a": matrix[0], "part": part.astype(int), "kind": kind})
        table.to_csv(file, index=False) if suffix == "csv" else table.to_parquet(file)
    data = make(settings, 0, "own", 0)
    assert data.test.tolist() == part.tolist()
    assert data.feature_names.tolist() == ([] if suffix == "npz" else ["a"])
    folds = [split(data.y, 4, 0.3, seed, data.test) for seed in (0, 1)]
    assert all(((drawn == TEST) == part).all() for drawn in folds)
    assert (folds[0] != folds[1]).any()


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


def test_a_file_of_an_installed_package():
    data = make({"file": "statsmodels:datasets/fair/fair.csv", "target": "affairs", "threshold": 0}, 0, "affairs", 0)
    assert data.X.shape == (6366, 8)
    assert dict(zip(data.class_names.tolist(), np.bincount(data.y).tolist(), strict=True)) == {
        "above 0": 2053,  # as Fair (1978) has it
        "up to 0": 4313,
    }


def test_a_threshold_is_in_the_lower_class_and_decimal_commas_count(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a;y\n1;0,5\n2;1,5\n3;2,5\n", encoding="utf-8")
    data = make({"file": str(path), "target": "y", "threshold": 1.5, "sep": ";", "decimal": ","}, 0, "own", 0)
    assert data.class_names[data.y].tolist() == ["up to 1.5", "up to 1.5", "above 1.5"]


def test_several_thresholds_make_classes_of_intervals(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,y\n" + "".join(f"{i},{y}\n" for i, y in enumerate([-1, 0, 0.5, 1, 1.5, 2, 7])), encoding="utf-8")
    data = make({"file": str(path), "target": "y", "threshold": [0, 1, 2]}, 0, "own", 0)
    names = ["up to 0", "above 0 to 1", "above 1 to 2", "above 2"]
    assert data.class_names[data.y].tolist() == [names[k] for k in (0, 0, 1, 1, 2, 2, 3)]
    assert size_of({"file": str(path), "target": "y", "threshold": [0, 1, 2]}).classes == 4
    one, same = (make({"file": str(path), "target": "y", "threshold": t}, 0, "own", 0) for t in (1, [1]))
    assert one.class_names[one.y].tolist() == same.class_names[same.y].tolist()
    path.write_text("a,y\n1,1234567\n2,1234568\n3,1234569\n4,1234570\n", encoding="utf-8")
    large = make({"file": str(path), "target": "y", "threshold": [1234567, 1234568, 1234569]}, 0, "own", 0)
    assert large.class_names[large.y][1:3].tolist() == ["above 1234567 to 1234568", "above 1234568 to 1234569"]


def test_categories_of_a_parquet_file_are_categories_without_being_named(table, tmp_path):
    path = tmp_path / "own.parquet"
    table["b"] = pd.Categorical(["1", "2", "1", "01"])
    table.to_parquet(path)
    data = make({"file": str(path), "target": "kind", "categorical": ["id"]}, 0, "own", 0)
    assert data.feature_names[np.unique(data.category_column)].tolist() == ["id", "b"]


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["größer", "小さい", "größer", "x y"], ["größer", "x y", "小さい"]),
        ([True, False, True, False], ["False", "True"]),
        ([3, 1, 2, 3], ["1", "2", "3"]),
        (pd.array([3, 1, 2, 3], dtype="Int64"), ["1", "2", "3"]),
        (pd.array([True, False, True, False], dtype="boolean"), ["False", "True"]),
        (pd.Categorical(["b", "a", "b", "b"], categories=["unused", "b", "a"]), ["a", "b"]),
    ],
    ids=["text", "bool", "int", "Int64", "boolean", "categorical"],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_class_labels_of_any_type(tmp_path, labels, names, suffix, custom):
    data = custom(tmp_path / f"own.{suffix}", pd.DataFrame({"a": range(4), "kind": labels}))
    assert data.class_names.tolist() == names
    assert [names[k] for k in data.y] == [str(label) for label in labels]


@pytest.mark.parametrize(
    ("column", "settings", "message"),
    [
        ([None, True, False, True], {"impute": "median"}, "column 'b' is object, row 2: 'True'; features"),
        (["1", "2", "3", "4"], {"impute": "median"}, "column 'b' is str, row 1: '1'; features"),
        (
            [datetime.date(2026, 1, day) for day in range(1, 5)],
            {"categorical": ["id"]},
            r"column 'b', row 1: datetime.date\(2026, 1, 1\) is not a number",
        ),
        (["0", "0", "1", "1"], {"test": "b"}, "test column 'b', row 1 is '0'; allowed are 1"),
        # NumPy would take it for the category without one.
        (["a", "a\0", "a", "c"], {"categorical": ["b"]}, "column 'b', row 2: a category has a null character; remove"),
    ],
    ids=["object", "text", "days", "test part", "null character"],
)
def test_a_value_of_a_column_that_is_not_as_it_must_be_is_shown(table, tmp_path, custom, column, settings, message):
    table["b"] = column
    with pytest.raises(ValueError, match=message):
        custom(tmp_path / "own.parquet", table, **settings)
