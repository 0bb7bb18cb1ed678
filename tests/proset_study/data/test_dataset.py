import numpy as np
import pandas as pd

from proset_study.data.dataset import DataSet, joined
from proset_study.data.encoding import MISSING


def test_a_data_set_is_stored_with_its_categories(tmp_path, custom):
    colours, sizes = ["red", "größer", "red", None, "blue", "red", "größer", "blue"], [1.0, 2.0, None, 4, 5, 6, 7, 80]
    frame = pd.DataFrame({"size": sizes, "colour": colours, "kind": list("xyxyxyxy"), "nest": list("aabbccdd")})
    data = custom(tmp_path / "own.csv", frame, categorical=["colour"], impute="median", group="nest")
    data.save(tmp_path / "data.npz")
    loaded = DataSet.load(tmp_path / "data.npz")
    assert loaded.group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert (loaded.impute, loaded.n_features) == ("median", 5)
    np.testing.assert_array_equal(loaded.X, data.X)
    np.testing.assert_array_equal(loaded.categories, ["blue", "größer", "red", MISSING])


def test_joined_samples_keep_their_categories(tmp_path, custom):
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4], "colour": list("abca"), "kind": list("xyxy")})
    data = custom(tmp_path / "own.csv", frame, categorical=["colour"])
    twice = joined(data, data)
    np.testing.assert_array_equal(twice.X, np.vstack([data.X, data.X]))
    assert twice.y.tolist() == [0, 1, 0, 1] * 2
    assert (twice.categories.tolist(), twice.category_column.tolist()) == (["a", "b", "c"], [1, 1, 1])
    assert twice.n_features == data.n_features == 4
