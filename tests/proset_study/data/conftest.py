import pandas as pd
import pytest

from proset_study.data.sources import make


@pytest.fixture
def custom():
    """A table as the file of this name, and the data set of it."""

    def make_custom(path, frame, **settings):
        frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
        return make({"file": str(path), "target": "kind", **settings}, 0, "own", 0)

    return make_custom


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
