"""A report of more data sets than can be shown one by one, here of more than one: sums first, data sets by search."""

import json
import re

import pytest
from tests.proset_study.report.conftest import PUBLISHED
from tests.proset_study.small_study import compute, config_of

from proset_study.base.records import read_json
from proset_study.report.analysis.over_replicates import methods_over_replicates
from proset_study.report.analysis.verdict import Score, Verdict
from proset_study.report.figures.over_data_sets import counts_over_data_sets
from proset_study.report.pages.many import by_run, first, headline
from proset_study.report.rows import pick, read_cells
from proset_study.report.write import write_report
from proset_study.store.parquet import read_scores, write_parquet
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config import study as module

DATA_SETS = ("wide", "narrow", "cross")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Two replicates of three methods on three data sets; the numbers are there as CSV and as Parquet."""
    common = {"stage2": {"complexity": 2}}
    config = config_of(
        "many",
        {name: {"generator": "xor", "features": 2, "samples_per_orthant": 20 + i} for i, name in enumerate(DATA_SETS)},
        {
            "proset": {**common, "method": "proset", "parameters": {"lambda_v": 1e-3, "lambda_w": 1e-8}},
            "neighbours": {**common, "method": "knn"},
            "tree": {**common, "method": "decision_tree", "parameters": {"min_samples_leaf": 5}},
        },
        comparisons={"methods": {"title": "All", "rows": "methods", "experiments": ["proset", "neighbours", "tree"]}},
        replicates=[0, 1],
    )
    stored = compute(config, tmp_path_factory.mktemp("many"))
    for replicate in stored.replicates:
        for experiment in stored.study.experiments:
            names = {"replicate": replicate, "experiment": experiment}
            rows = read_scores(stored.folder / layout.SCORES.format(**names))
            write_parquet(stored.folder / layout.PARTITION.format(**names), rows)
    return stored


@pytest.fixture
def large(stored, monkeypatch):
    """The same study, whose data sets are too many."""
    monkeypatch.setattr(module, "MANY", 1)
    return Stored(stored.folder, stored.study)


def test_numbers_are_read_from_the_parquet_data_set(stored, large):
    small = [row for e in stored.study.experiments for row in large.rows_of([e])]
    for path in stored.folder.glob(f"{layout.PARTITIONS}/**/*.parquet"):
        assert set(read_scores(path)) <= set(small)
    assert len(small) == len(large.rows)


def test_what_is_planned(large):
    study = large.study
    assert layout.pages(study) == []
    assert layout.ALL_SCORES not in layout.report_files(study)
    assert "results/many/scores/replicate=1/experiment=tree/scores.parquet" in layout.score_files(study, ["tree"])
    assert not large.study.of_data_set("wide").is_large


def test_what_is_read_of_a_final_model_is_forgotten(large):
    fits = [(final, final.fit) for final in large.one_by_one()]
    assert len(fits) == 18
    assert not any("fit" in vars(final) for final, _ in fits)


@pytest.mark.slow
def test_the_whole_report(large, tmp_path):
    write_report(large, tmp_path, PUBLISHED, ["manifest", "tables", "numbers", "models", "overview", "data_sets"])
    assert not (tmp_path / layout.ALL_SCORES).exists()
    assert not (tmp_path / "data_sets").exists()
    index = (tmp_path / layout.INDEX).read_text(encoding="utf-8")
    assert "over 3 data sets" in (tmp_path / "tables/methods.md").read_text(encoding="utf-8")
    assert "<code>results/many/scores</code> (Parquet)" in index
    ledger = next(json.loads(text) for text in re.findall(r'json">(\{"headings.*?)</script>', index))
    assert [row[0] for row in ledger["rows"]] == list(DATA_SETS)
    assert ledger["headings"][-1] == "lowest"
    by_number = {(row["dataset"], row["quantity"]) for row in read_cells(tmp_path / "tables/tree.csv")}
    assert {("wide", "log_loss"), ("cross", "log_loss")} <= by_number
    figures = {f["name"]: f for f in read_json(tmp_path / "figures/overview/figures.json")["figures"]}
    assert figures["headline"]["caption"].startswith("Mark: median over the data sets")
    assert "methods_over_replicates" not in figures  # of two replicates
    rows = [{**row, "replicates": 3} for row in pick(methods_over_replicates(large), score="log-loss", first="proset")]
    assert counts_over_data_sets(rows).title == "proset against each other method, by data sets"
    assert figures["time"]["title"] == "CPU time of a fit by method"


def test_long_lists_are_cut_and_counted():
    assert first(range(30)) == (list(range(25)), 5)
    assert first("abc") == (["a", "b", "c"], 0)
    names = ["replicate_0/wide/tree, fold 1", "replicate_1/wide/tree", "replicate_0/cross/svm, fold 0, trial 3"]
    assert by_run(names) == ["tree: 2 fits", "svm: 1 fit"]


def test_the_lowest_score_may_be_of_a_method_that_is_not_shown():
    shown = ["proset", "knn", "svm", "xgboost"]
    scores = {m: Score(0.3 + 0.1 * j, None, None, None, False, 1) for j, m in enumerate(shown)}
    means = {m: score.mean for m, score in scores.items()} | {"random_forest": 0.1}
    found = Verdict("", "", "log-loss", [], shown, {"a": scores, "b": scores}, 1, [], means={"a": means, "b": means})
    lowest = [column.title for column in headline(found).columns].index("lowest on")
    assert {row[lowest].text for row in headline(found).rows} == {"0"}
