"""Categories of a table, from the file to what is read of new rows."""

import numpy as np
import pandas as pd
import pytest

from proset_study.data.categories import read_rows
from proset_study.data.encoding import MISSING, Encoder


@pytest.mark.parametrize(
    "colours",
    [
        pd.Categorical(["b", "a", None, "a"] * 3, categories=["unused", "b", "a"]),
        pd.array([2, 10, None, 10] * 3, dtype="Int64"),
        np.array([2.0, 10.0, np.nan, 10.0] * 3),
        pd.array([True, False, None, False] * 3, dtype="boolean"),
    ],
    ids=["categorical", "Int64", "float", "boolean"],
)
def test_types_of_parquet(tmp_path, colours, custom):
    frame = pd.DataFrame({"c": colours, "n": pd.array([1, None, 3, 4] * 3, dtype="Int64"), "kind": list("xyz") * 4})
    data = custom(tmp_path / "own.parquet", frame, categorical=["c"], impute="median")
    expected = {"b": ["a", "b"], 2: ["10", "2"], True: ["False", "True"]}[frame["c"][0]]
    assert data.categories.tolist() == [*expected, MISSING]
    features = Encoder.fit(data.X, data).transform(data.X)
    np.testing.assert_array_equal(features[:, :3], np.tile(np.eye(3)[[1, 0, 2, 0]], (3, 1)))
    np.testing.assert_array_equal(features[:, 3], [1, 3, 3, 4] * 3)


def test_labels_categories_and_groups_of_a_csv_stay_as_they_are_written(tmp_path, custom):
    texts = ["01", "1", "02", "2"]
    data = custom(
        tmp_path / "own.csv",
        pd.DataFrame({"a": range(4), "c": texts, "g": texts, "kind": texts}),
        categorical=["c"],
        group="g",
    )
    assert data.class_names.tolist() == data.categories.tolist() == sorted(texts)
    assert len(set(data.group)) == 4
    encoder = Encoder.fit(data.X, data)
    new = pd.DataFrame({"a": range(4), "c": texts})
    np.testing.assert_array_equal(read_rows(encoder, new), data.X)
    np.testing.assert_array_equal(read_rows(encoder, new.assign(c=np.nan))[:, 1], np.full(4, np.nan))


@pytest.mark.parametrize(
    ("written", "parsed", "allowed"),
    [
        (["0.5", "1.25", "2", "1"], [2.0, 1.0], True),
        (["0.5", "1.25", "2.0", "1.0"], [2.0, 1.0], False),
        (["9007199254740993", "9007199254740992", "a", "b"], [9007199254740993], True),
        (["True", "False", "True", "False"], [True, False], True),
        (["true", "false", "true", "false"], [True, False], False),
        (["a", "b", "c", "d"], [3.0, 4.0], True),  # unknown ones
    ],
)
def test_new_rows_read_without_types_are_the_same_or_refused(tmp_path, written, parsed, allowed, custom):
    data = custom(tmp_path / "own.csv", pd.DataFrame({"c": written, "kind": list("xyxy")}), categorical=["c"])
    encoder = Encoder.fit(data.X, data)
    np.testing.assert_array_equal(read_rows(encoder, pd.DataFrame({"c": written})), data.X)
    if allowed:
        found = read_rows(encoder, pd.DataFrame({"c": parsed}))
        expected = read_rows(encoder, pd.DataFrame({"c": [str(p).removesuffix(".0") for p in parsed]}))
        np.testing.assert_array_equal(found, expected)
    else:
        with pytest.raises(ValueError, match=r"column 'c' was read as (numbers|booleans), its categories are text"):
            read_rows(encoder, pd.DataFrame({"c": parsed}))


def test_numbers_as_categories_do_not_depend_on_the_other_rows(tmp_path, custom):
    frame = pd.DataFrame({"c": [0.5, 1.25, 2.0, 1.0], "kind": list("xyxy")})
    data = custom(tmp_path / "own.parquet", frame, categorical=["c"])
    encoder = Encoder.fit(data.X, data)
    assert encoder.feature_names.tolist() == ["c=0.5", "c=1", "c=1.25", "c=2"]
    np.testing.assert_array_equal(read_rows(encoder, frame[2:]), data.X[2:])
