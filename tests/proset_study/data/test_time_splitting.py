"""A split by time: the latest rows are tested, folds are blocks, rows of the same time are never apart."""

import numpy as np
import pandas as pd
import pytest
from tests.proset_study.small_study import config_of

from proset_study.data.sources import make
from proset_study.data.splits import TEST, read_split
from proset_study.data.time_splitting import split_in_time
from proset_study.study.config.checks import load
from proset_study.study.steps import prepare_data_set

NAMES = np.array(["no", "yes"])


def test_the_test_part_is_the_latest_and_folds_are_blocks_of_neighbouring_times(rng):
    y, time = rng.integers(0, 2, 200), rng.permutation(200)
    folds = split_in_time(y, 4, 0.3, time, NAMES)
    assert time[folds == TEST].min() == 140
    assert [(time[folds == fold].min(), time[folds == fold].max()) for fold in range(4)] == [
        (35 * fold, 35 * fold + 34) for fold in range(4)
    ]


def test_rows_of_the_same_time_are_together_and_the_border_is_the_nearest_change(rng):
    time = np.repeat(np.arange(6), [4, 4, 1, 6, 2, 3])  # 20 rows; 30 % are the last 6
    y = np.arange(20) % 2
    folds = split_in_time(y, 2, 0.3, time, NAMES)  # ends: 4, 8, 9, 15, 17, 20; 15 is nearest to 14, 8 to 7
    assert [np.unique(time[folds == part]).tolist() for part in (0, 1, TEST)] == [[0, 1], [2, 3], [4, 5]]
    tied = split_in_time(y, 2, 0.3, np.repeat(np.arange(4), [8, 4, 4, 4]), NAMES)  # 12 and 16 are as near to 14
    assert (tied == TEST).sum() == 8
    order = rng.permutation(20)
    assert np.array_equal(split_in_time(y[order], 2, 0.3, time[order], NAMES), folds[order])


@pytest.mark.parametrize(
    "column",
    [
        [10, 9, 8, 7],
        [0.5, 0.25, -3, -1e3],
        ["2024-01-10", "2024-01-09", "2023-12-31", "1999-05-01"],
        ["2024-01-01T11:30+02:00", "2024-01-01T09:00Z", "2024-01-01T10:00+02:00", "2024-01-01"],
    ],
)
def test_times_of_a_table_are_numbers_or_dates_and_no_feature(tmp_path, monkeypatch, column):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"when": column, "a": range(4), "kind": list("xyxy")}).to_csv("t.csv", index=False)
    data = make({"file": "t.csv", "target": "kind", "time": "when"}, 0, "mine", 0)
    assert data.feature_names.tolist() == ["a"]
    assert data.group.tolist() == [3, 2, 1, 0]


def test_dates_of_parquet_are_times(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    days = pd.to_datetime(["2024-03-01", "2024-01-01", "2024-03-01"])
    pd.DataFrame({"when": days, "a": range(3), "kind": list("xyx")}).to_parquet("t.parquet")
    assert make({"file": "t.parquet", "target": "kind", "time": "when"}, 0, "mine", 0).group.tolist() == [1, 0, 1]


def test_the_study_splits_by_time_where_the_config_names_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    when = np.arange(20) * 7 % 20
    pd.DataFrame({"when": when, "a": range(20), "kind": np.where(when % 2, "x", "y")}).to_csv("t.csv", index=False)
    data_sets = {"mine": {"file": "t.csv", "target": "kind", "time": "when"}}
    knn = {"method": "knn", "data_sets": ["mine"], "stage2": {"complexity": 3}}
    study = load(config_of("in_time", data_sets, {"E8": knn}, replicates=[0, 1]))
    for replicate in (0, 1):
        prepare_data_set(study, replicate, "mine")
        folds = read_split(f"results/in_time/replicate_{replicate}/mine/split.csv", 20)
        assert [sorted(when[folds == part]) for part in (0, 1, TEST)] == [
            [*range(7)],
            [*range(7, 14)],
            [*range(14, 20)],
        ]


def test_a_data_set_without_times_is_refused():
    with pytest.raises(ValueError, match="time: the data set has no times; make it again"):
        split_in_time(np.array([0, 1]), 2, 0.3, None, NAMES)


def test_times_without_rows_are_no_times():
    """`rows` takes none of some times: time 0 is not the first fold, which would have no row."""
    time = np.repeat([1, 2, 4, 6], [11, 2, 7, 4])
    with pytest.raises(ValueError, match=r"some part has no row.* there are 4 times"):
        split_in_time(np.arange(24) % 2, 4, 0.2, time, NAMES)
    there = np.unique(time, return_inverse=True)[1]
    y = np.arange(24) % 2
    assert np.array_equal(split_in_time(y, 2, 0.3, time, NAMES), split_in_time(y, 2, 0.3, there, NAMES))
