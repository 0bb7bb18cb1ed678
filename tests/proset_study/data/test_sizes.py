import numpy as np
import pandas as pd
import pytest
from tests.proset_study.config_files import merged

from proset_study.data.sizes import UNKNOWN, UNKNOWN_CATEGORIES, Size, fraction_tested, size_of
from proset_study.data.sources import make

DATA_SETS = merged()["data_sets"]


@pytest.mark.parametrize("name", [name for name, settings in DATA_SETS.items() if "sklearn" in settings])
def test_sizes_of_bundled_data_are_those_of_the_data(name):
    data = make(DATA_SETS[name], 0, name, 0)
    assert size_of(DATA_SETS[name]) == Size(len(data.X), data.n_features, len(data.class_names))
    assert fraction_tested(DATA_SETS[name], 0.3) == 0.3


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_sizes_of_a_file_are_near_without_reading_it_all(tmp_path, rng, suffix):
    n = 30_000  # more than the part of the file that is looked at
    table = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    table["target"], table["id"], table["w"] = rng.choice(["x", "y"], n), np.arange(n), 1.0
    path = tmp_path / f"own.{suffix}"
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
    size = size_of({"file": str(path), "target": "target", "drop": ["id"], "weight": "w"})
    assert size.features == 5
    assert size.rows == pytest.approx(n, rel=0.01)
    settings = {"file": str(path), "target": "target", "drop": ["w"], "group": "id", "categorical": ["a"]}
    assert size_of(settings).features == 4 + UNKNOWN_CATEGORIES
    assert size_of({**settings, "target": "b", "threshold": 0}).classes == 2


def test_sizes_of_a_file_that_is_missing_damaged_or_empty(tmp_path):
    damaged, empty = tmp_path / "damaged.parquet", tmp_path / "empty.csv"
    damaged.write_bytes(b"not parquet")
    empty.write_bytes(b"")
    for path in (tmp_path / "missing.csv", damaged):
        assert size_of({"file": str(path), "target": "t"}).rows == UNKNOWN[0]
    assert size_of({"file": str(empty), "target": "t"}).rows == 0


def test_columns_of_an_image_are_counted_whatever_their_names_and_index(tmp_path, rng):
    table = pd.DataFrame(rng.normal(size=(9, 4)), columns=["0,0", "0,1", "1,0", "1,1"])
    table["kind"] = list("xyxyxyxyx")
    table[table.index != 4].to_parquet(tmp_path / "own.parquet")  # with a column for the index
    table.to_csv(tmp_path / "own.csv", index=False)
    lines = "\n" + table.to_csv(index=False)
    (tmp_path / "blank.csv").write_text(lines, encoding="utf-8")
    for name in ("own.parquet", "own.csv", "blank.csv"):
        assert size_of({"file": str(tmp_path / name), "target": "kind"}).features == 4, name
