"""What goes beyond the original, from the records that are there."""

from pathlib import Path

import pytest

from proset_study.report.rows import pick, rows
from proset_study.report.site.answer import response_curves
from proset_study.report.site.beyond import (
    FEW,
    base_table,
    battery_table,
    curve_grid,
    estimates_table,
    few_prototypes,
    few_table,
    typical,
)

ROOT = Path(__file__).parents[4]


def test_few_prototypes_are_means_over_replicates():
    found = few_prototypes(ROOT)
    wine = next(few for few in found if few.data_set == "wine")
    of_wine = pick(rows(ROOT / FEW), data_set="wine", method="default")
    assert wine.kept == pytest.approx(sum(row["prototypes"] for row in of_wine) / len(of_wine))
    before, after, _ = typical(found)
    assert after < before
    assert [row[0] for row in few_table(found)[1:]] == [few.data_set for few in found]


def test_without_records_there_are_no_tables(tmp_path):
    assert few_prototypes(tmp_path) == []
    assert base_table(tmp_path) == battery_table(tmp_path) == estimates_table(tmp_path) == []


def test_the_battery_is_there_once_its_report_is(tmp_path):
    path = tmp_path / "reports/battery/findings/ranks.csv"
    path.parent.mkdir(parents=True)
    lines = ["comparison,score,group,method,average_rank"]
    lines += [
        f"tuned,log-loss,{g},{m},{r}" for g, m, r in [("all", "svm", 2.0), ("all", "knn", 1.0), ("real", "knn", 1.5)]
    ]
    path.write_text("\n".join([*lines, "tuned,Brier score,all,svm,1.0", ""]), encoding="utf-8")
    heading, *ranked = battery_table(tmp_path)
    assert heading == ["searched", "average rank, all tables", "average rank, real tables"]
    assert ranked == [["KNN", "1.0", "1.5"], ["SVM", "2.0", ""]]


def test_a_grid_says_where_it_is_better():
    names, lines = curve_grid(response_curves(ROOT), "proset_leave_one_out")
    assert "KNN" in names
    marks = {(property_, value): dict(zip(names, marks, strict=True)) for property_, value, marks in lines}
    assert marks["classes", "20"]["KNN"][0] == "✓"
    assert marks["order of interaction", "7"]["KNN"][0] == "·"
    assert marks["samples", "100"]["decision tree"] is None


def test_base_models_and_estimates_have_their_tables():
    assert len(base_table(ROOT)) > 2
    assert len(estimates_table(ROOT)[0]) == 6
