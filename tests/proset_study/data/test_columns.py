import numpy as np
import pytest

from proset_study.data.sources import make


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
def test_a_bad_table_is_refused_with_its_column(table, tmp_path, change, settings, message):
    path = tmp_path / "own.csv"
    table.assign(**change).to_csv(path, index=False)
    with pytest.raises(ValueError, match=message):
        make({"file": str(path), "target": "kind", **settings}, 0, "own", 0)
