"""The Parquet data set of a large study has the numbers that a CSV file would have, for every program that reads it."""

from dataclasses import replace

import pytest
from tests.shared import code_blocks

from proset_study.store.parquet import read_scores, write_parquet
from proset_study.store.results import Row, read_rows, write_rows
from proset_study.study import layout

NAMES = ("E8", "knn", "iris", "metric=rank")
ROWS = [
    Row(3, *NAMES, "data", "samples", 150),
    Row(3, *NAMES, "stage1", "gamma", None, "optimal"),
    Row(3, *NAMES, "cv", "log_loss", 1 / 3, "selected"),
    Row(3, *NAMES, "final", "log_loss", 2 / 3),
    Row(3, *NAMES, "final", "log_loss", 1e-17, fit_seed=2),
]


def written(folder, rows):
    """The file of the rows of one replicate and experiment."""
    names = {"replicate": rows[0].replicate, "experiment": rows[0].experiment}
    path = folder / layout.PARTITION.format(**names)
    write_parquet(path, rows)
    return path


def test_rows_are_those_of_a_csv_file(tmp_path):
    write_rows(tmp_path / "E8.csv", ROWS, Row)
    rows = read_scores(written(tmp_path, ROWS))
    assert rows == read_scores(tmp_path / "E8.csv") == read_rows(tmp_path / "E8.csv", Row)
    assert rows[2].value == 0.333333333333


@pytest.mark.parametrize("keep", [0, 100, -1])
def test_a_damaged_file_is_named(tmp_path, keep):
    path = written(tmp_path, ROWS)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ValueError, match=f"{path} is damaged"):
        read_scores(path)


def test_what_the_page_says_of_duckdb(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    losses = {(r, e, d): r + len(e + d) / 10 for r in (0, 1) for e in ("E8", "svm") for d in ("iris", "wine")}
    for replicate, experiment in {place[:2] for place in losses}:
        first = replace(ROWS[3], replicate=replicate, experiment=experiment, method=experiment.lower())
        rows = [replace(first, dataset=d, value=losses[replicate, experiment, d]) for d in ("iris", "wine")]
        others = [replace(row, replicate=replicate, experiment=experiment) for row in ROWS[:3]]
        written(tmp_path / "results/many", [*others, *rows])
    (code,) = (block for block in code_blocks("docs/suites.md", "python") if "duckdb" in block)
    found = {}
    exec(code, found)
    assert sorted(found["by_method"].fetchall()) == [("e8", pytest.approx(1.1)), ("svm", pytest.approx(1.2))]
