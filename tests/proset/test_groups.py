import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from proset.groups import group_labels, rows_by_group

FRAME = pd.DataFrame({"a": [0.5, 0.1, 0.3], "b": [1, 2, 1], "kind": ["few", "most", "few"]})


@pytest.mark.parametrize("by", ["kind", 2, np.int64(2), lambda X: X["kind"], lambda X: [*X["kind"]]])
@pytest.mark.parametrize(
    "convert",
    [lambda X: X, lambda X: X.astype({"kind": "category"}), pl.from_pandas, lambda X: X.set_index("b", drop=False)],
)
def test_columns_of_frames(by, convert):
    assert group_labels(by, convert(FRAME)).tolist() == ["few", "most", "few"]


@pytest.mark.parametrize("convert", [np.asarray, np.ndarray.tolist, sparse.csr_array])
def test_columns_of_arrays_lists_and_sparse_matrices(convert):
    assert group_labels(1, convert(FRAME[["a", "b"]].to_numpy())).tolist() == [1, 2, 1]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_a_missing_label_is_a_group_and_the_last_one(missing):
    labels = group_labels("kind", FRAME.assign(kind=[missing, "most", "few"]))
    assert labels.tolist() == [None, "most", "few"]
    assert {label: rows.tolist() for label, rows in rows_by_group(labels).items()} == {
        "few": [2],
        "most": [1],
        None: [0],
    }
