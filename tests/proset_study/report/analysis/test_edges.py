import copy
import json
from contextlib import nullcontext

import pytest

from proset_study.base.records import write_text
from proset_study.report import commands
from proset_study.report.analysis.edges import CHANCE, Edge, edges, explained, in_words
from proset_study.store.results import read_rows, write_rows
from proset_study.study import layout
from proset_study.study.config.study import Study


def test_edges_are_the_ends_of_what_was_tried(stored):
    found = {(row.experiment, row.dataset, row.parameter, row.end, row.optimal, row.selected) for row in edges(stored)}
    final = stored.final("E5", "flowers")
    grid = [s["lambda_v"] for s in final.stage1["settings"]]
    for end, value in (("smallest", min(grid)), ("largest", max(grid))):
        at_end = [int(grid[final.stage1[role]] == value) for role in ("optimal", "selected")]
        assert (("E5", "flowers", "lambda_v", end, *at_end) in found) == any(at_end)
    sizes = {row.dataset: row for row in edges(stored) if (row.experiment, row.parameter) == ("E8", "k")}
    for data_set in ("flowers", "cross", "odd"):
        best = stored.final("E8", data_set).stage2["settings"][stored.final("E8", data_set).stage2["optimal"]]
        assert (data_set in sizes and sizes[data_set].optimal == 1) == (best in (1, 20))
    assert not [row for row in edges(stored) if row.experiment == "E4" and row.parameter.startswith("lambda")]


def test_a_search_that_fixes_the_size_has_no_edge_in_it(stored):
    config = copy.deepcopy(stored.study.config)
    config["experiments"]["E8"]["stage2"]["selection_rule"] = "largest"
    fixed = type(stored)(stored.folder, Study.of(config))
    assert not [row for row in edges(fixed) if row.experiment == "E8"]


def test_edges_are_read_as_they_were_written(stored, tmp_path):
    write_rows(tmp_path / "edges.csv", edges(stored), Edge)
    read, found = (explained(stored.study, e) for e in (read_rows(tmp_path / "edges.csv", Edge), edges(stored)))
    assert list(map(in_words, read)) == list(map(in_words, found))


def edge(parameter, end, replicate=0, experiment="E3", share=None, data_set="flowers"):
    return Edge(replicate, experiment, data_set, "", parameter, end, 1.0, optimal=1, selected=0, share=share)


@pytest.fixture
def study(stored):
    config = copy.deepcopy(stored.study.config)
    config["replicates"] = list(range(10))
    config["experiments"]["E3"]["edges"] = {"lambda_w": {"smallest": "no penalty is less"}}
    return Study.of(config)


def explanation(study, *rows):
    (found,) = explained(study, list(rows))
    return found.explanation


def test_an_edge_is_explained_by_the_config_at_the_end_that_it_names(study):
    assert explanation(study, edge("lambda_w", "smallest")) == "no penalty is less"
    assert explanation(study, edge("lambda_w", "largest")) == ""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (edge("batches", "smallest"), "there is nothing beyond 0"),
        (edge("batches", "largest"), ""),
        (edge("max_depth", "smallest", experiment="E9"), "there is nothing beyond 0"),
        (edge("max_depth", "largest", experiment="E9"), ""),
        (edge("subsample", "smallest", experiment="E9"), ""),
    ],
)
def test_a_natural_limit_explains_an_edge(study, given, expected):
    assert explanation(study, given) == expected


def test_chance_explains_as_many_edges_as_it_makes(study):
    """One of 50 trials is the smallest, so that one search in 50 has its optimum there; three in ten are too many."""

    def rows(number):
        return [edge("lambda_v", "smallest", replicate, share=1 / 50) for replicate in range(number)]

    assert explanation(study, *rows(1)) == explanation(study, *rows(2)) == "chance, 2.0% of the random trials are there"
    assert explanation(study, *rows(3)) == ""
    three = 1 - sum(n * 0.02**k * 0.98 ** (10 - k) for k, n in enumerate((1, 10, 45)))
    assert three < CHANCE
    (found,) = explained(study, rows(3))
    assert in_words(found) == "E3 on flowers: the smallest lambda_v (1.0e+00) is optimal in 3 of 10 searches"


def test_edges_that_many_data_sets_have_a_little_are_no_chance(study):
    """Two in ten searches are chance on one data set; on each of five they are not, and explain none of the five."""
    names = sorted(study.data_sets_of(next(r for r in study.runs.values() if r.experiment == "E3"), 0))
    rows = [
        edge("lambda_v", "smallest", replicate, share=1 / 50, data_set=name) for name in names for replicate in range(2)
    ]
    few = [row for row in rows if row.dataset == names[0]]
    assert len(names) > 2
    assert [found.explanation == "" for found in explained(study, few)] == [False]
    assert [found.explanation for found in explained(study, rows)] == [""] * len(names)


@pytest.mark.parametrize(("track", "is_wrong"), [("open track", True), ("published protocol", False)])
def test_the_command_ends_with_1_if_an_edge_of_the_open_track_is_not_explained(
    stored, tmp_path, capsys, track, is_wrong
):
    config = {**stored.study.config, "track": track}
    write_text(tmp_path / layout.MANIFEST, json.dumps({"config": config}) + "\n")
    write_rows(tmp_path / layout.EDGES, [edge("batches", "smallest"), edge("batches", "largest")], Edge)
    with pytest.raises(SystemExit, match="1 without") if is_wrong else nullcontext() as end:
        commands.edges(tmp_path)
    listed = capsys.readouterr().out
    assert f"{track}: 2 edges, 1 without an explanation" in (str(end.value) if is_wrong else listed)
    assert listed.splitlines()[0] == "E3 on flowers: the largest batches (1) is optimal in 1 of 1 searches"
