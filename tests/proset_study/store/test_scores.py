"""Files with the numbers of an experiment in a replicate, and of a data set in all replicates."""

from dataclasses import replace

import pandas as pd
import pytest
from tests.proset_study.small_study import compute, config_of

from proset_study.data.splits import TEST, read_split
from proset_study.store.results import Row, case_rows, read_rows
from proset_study.store.scores import score, score_data_set


@pytest.fixture
def stored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = {"method": "decision_tree", "parameters": {"min_samples_leaf": 5}, "stage2": {"complexity": 3}}
    experiments = {"near": {"method": "knn", "stage2": {"complexity": 3}}, "tree": tree}
    data_sets = {name: {"sklearn": name} for name in ("iris", "wine")}
    return compute(config_of("tiny", data_sets, experiments, replicates=[0, 1]), tmp_path)


def check(found, stored, **cases):
    """They are the rows of these final models, in this order, with values as files have them."""
    names = {"replicates": stored.study.replicates, **cases}
    rows = [row for case in stored.study.cases(**names) for row in case_rows(stored.folder, case)]
    assert [replace(row, value=0.0) for row in found] == [replace(row, value=0.0) for row in rows]
    assert [row.value for row in found] == pytest.approx([row.value for row in rows])


def test_rows_of_weight_0_are_no_samples(tmp_path, monkeypatch):
    """They would make tests of replicates too weak: fewer samples are shared than it seems."""
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame({"a": range(40), "kind": ["x", "y"] * 20, "weight": [1, 1, 0, 0] * 10})
    table.to_csv("own.csv", index=False)
    near = {"method": "knn", "stage2": {"complexity": 2}}
    own = {"file": "own.csv", "target": "kind", "weight": "weight"}
    stored = compute(config_of("tiny", {"own": own}, {"near": near}), tmp_path)
    (case,) = stored.study.cases([0])
    sizes = {row.quantity: row.value for row in case_rows(stored.folder, case) if row.section == "data"}
    counts = read_split("results/tiny/replicate_0/own/split.csv", 40)[table["weight"] > 0] == TEST
    assert (sizes["samples"], sizes["train_samples"], sizes["test_samples"]) == (40, sum(~counts), sum(counts))
    assert sum(counts) < 12


def test_an_experiment_in_a_replicate(stored, tmp_path):
    score(stored.study, 1, "near")
    found = read_rows(tmp_path / "results/tiny/replicate_1/near.csv", Row)
    check(found, stored, replicates=[1], experiment="near")
    assert {(row.replicate, row.dataset) for row in found} == {(1, "iris"), (1, "wine")}


def test_a_data_set_in_all_replicates(stored, tmp_path):
    score_data_set(stored.study, "wine")
    found = read_rows(tmp_path / "reports/tiny/data_sets/wine.csv", Row)
    check(found, stored, data_set="wine")
    assert {(row.replicate, row.experiment) for row in found} == {(r, e) for r in (0, 1) for e in ("near", "tree")}
