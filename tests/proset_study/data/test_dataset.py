import numpy as np
import pandas as pd

from proset_study.data.dataset import joined


def test_joined_samples_keep_their_categories(tmp_path, custom):
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4], "colour": list("abca"), "kind": list("xyxy")})
    data = custom(tmp_path / "own.csv", frame, categorical=["colour"])
    twice = joined(data, data)
    np.testing.assert_array_equal(twice.X, np.vstack([data.X, data.X]))
    assert twice.y.tolist() == [0, 1, 0, 1] * 2
    assert (twice.categories.tolist(), twice.category_column.tolist()) == (["a", "b", "c"], [1, 1, 1])
    assert twice.n_features == data.n_features == 4
