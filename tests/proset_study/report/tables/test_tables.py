from dataclasses import replace
from itertools import chain
from math import inf

import pytest

from proset_study import methods
from proset_study.report.tables.table_files import to_markdown
from proset_study.report.tables.tables import comparison_table, experiment_table, methods_table, numbers_of
from proset_study.report.wording import format_number
from proset_study.store.results import Row, read_rows, write_rows


def test_published_rows_in_published_order_with_values_in_brackets(numbers):
    rows, published = numbers
    text = to_markdown(experiment_table("E3", "title", numbers_of(rows[0], published), published))
    assert text.splitlines()[4:] == [
        "| |wine|",
        "|---|---:|",
        "|**Data**||",
        "|Samples|1,178 (178)|",
        "|**Stage 1**||",
        "|Optimal lambda_v|1.2e-4 (6.7e-6)|",
        "|**Final model, scores for test data**||",
        "|Log-loss|0.10 (0.10)|",
        "|ROC-AUC|1.00 (1.00)|",
    ]


def test_comparison_marks_what_is_not_significantly_worse_than_the_best(numbers):
    rows, published = numbers
    losses = [row for row in chain(*rows) if row.quantity == "log_loss"]
    again = [replace(row, replicate=n, value=row.value + 0.01) for row in losses for n in (1, 2)]
    cells = numbers_of([*chain.from_iterable(rows), *again], published)
    text = to_markdown(comparison_table("c", "comparison", cells, {"wine": 0.5}))
    losses = [line for line in text.splitlines() if line.startswith("|Log-loss")]
    assert losses == [  # all differences are the same in all replicates, so that their errors are 0
        "|Log-loss|0.10 [0.11 ± 0.01] (0.10)|",
        "|Log-loss|**0.10** [0.10 ± 0.01]|",
        "|Log-loss|0.20 [0.21 ± 0.01]|",
    ]
    assert "|Threshold stage 2|0.30|" in text
    assert "|Threshold cross-validation|0.30|" in text
    assert "0.90" not in text  # the threshold of stage 1 is not part of it
    assert "Prototypes" not in text


def test_what_has_too_few_replicates_to_be_tested_is_neither_the_best_nor_worse(numbers):
    rows = [
        Row(replicate, e, e, "wine", "", "final", "log_loss", value + replicate / 100)
        for e, value, n in (("knn", 0.1, 3), ("svm", 0.5, 3), ("gmlvq", 0.05, 1))
        for replicate in range(n)
    ]
    table = comparison_table("c", "comparison", numbers_of(rows, {}), {"wine": 0.5})
    assert {n.experiment: n.best for n in table.numbers} == {"knn": True, "svm": False, "gmlvq": None}
    assert "numbers of fewer than 3 replicates are not tested." in to_markdown(table)
    several = comparison_table("c", "comparison", numbers_of(rows[:-1], {}), {"wine": 0.5})
    assert "not tested" not in to_markdown(several)
    same_part = comparison_table("c", "comparison", numbers_of(rows, {}), {"wine": inf})
    assert {n.best for n in same_part.numbers} == {None}


def test_one_replicate_marks_nothing(numbers):
    rows, published = numbers
    text = to_markdown(comparison_table("c", "comparison", numbers_of([*chain.from_iterable(rows)], published), {}))
    assert "**0" not in text
    assert "Bold" not in text


def test_a_row_per_method_joins_its_experiments_and_marks_the_best(numbers, monkeypatch):
    monkeypatch.setattr(methods.get("knn"), "probabilistic", False)
    found = (
        ("E3", "proset", "wine", 0.1049, 0.9),
        ("E10", "proset", "xor_3f", 0.3, 0.8),
        ("svm", "svm", "wine", 0.0951, 0.91),
        ("svm", "svm", "xor_3f", 0.2, 0.8),
        ("E8", "knn", "wine", 3.45, 0.95),
    )
    rows = [
        Row(replicate, e, m, d, "", "final", quantity, value)
        for e, m, d, *values in found
        for replicate in range(3)
        for quantity, value in zip(("log_loss", "balanced_accuracy"), values, strict=True)
    ]
    missing = [("E12", "xor_3f", "", "xgboost")]
    table = methods_table("E14", "all", numbers_of(rows, numbers[1], missing), {"wine": 0.5, "xor_3f": 0.0})
    lines = [line.replace(" ± 0.00]", "]") for line in to_markdown(table).splitlines()[2:]]
    assert lines[0].startswith(
        "Partial: numbers that could not be computed are marked as missing. Published values are in brackets."
    )
    unpublished = methods_table("E14", "all", numbers_of(rows, {}, missing), {"wine": 0.5, "xor_3f": 0.0})
    assert "Published values" not in to_markdown(unpublished)
    assert lines[2:] == [
        "| |wine|xor_3f|",
        "|---|---:|---:|",
        "|**Log-loss**|||",
        "|proset|0.10 [0.10] (0.10)|0.30 [0.30]|",
        "|SVM|**0.10** [0.10]|**0.20** [0.20]|",
        "|XGBoost||missing|",
        "|**Balanced accuracy**|||",
        "|proset|0.90 [0.90]|**0.80** [0.80]|",
        "|SVM|0.91 [0.91]|**0.80** [0.80]|",
        "|KNN|**0.95** [0.95]||",
        "|XGBoost||missing|",
    ]


def test_first_replicate_then_mean_and_deviation_over_all(numbers):
    (rows, *_), published = numbers
    cells = numbers_of([*rows, Row(1, "E3", "m", "wine", "", "final", "log_loss", 0.3049)], published)
    cell = next(c for c in cells if c.quantity == "log_loss")
    assert cell.value == 0.1049
    assert cell.mean == pytest.approx(0.2049)
    assert cell.deviation == pytest.approx(0.2 / 2**0.5)
    assert "0.10 [0.20 ± 0.14] (0.10)" in to_markdown(experiment_table("E3", "t", cells, published))


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        ("lambda_w", 4.5e-05, "4.5e-5"),
        ("prototypes", 1484.0, "1,484"),
        ("prototypes", 12.4, "12.40"),
        ("log_loss", 1.0, "1.00"),
        ("l1_ratio", 1.0, "1.00"),  # as the method says
        ("colsample", None, "n/a"),
        ("subsample", 0.583, "0.58"),
    ],
)
def test_numbers_are_printed_as_published(quantity, value, text):
    assert format_number(quantity, value) == text


def test_rows_are_written_with_the_columns_of_the_published_file_and_read_as_they_were(numbers, tmp_path):
    first, *_ = numbers[0]
    rows = [*first, replace(first[-1], fit_seed=2), replace(first[1], role="selected", value=None)]
    write_rows(tmp_path / "rows.csv", rows, Row)
    assert read_rows(tmp_path / "rows.csv", Row) == rows
    head, *_, refit, selected = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert head == "replicate,experiment,method,dataset,variant,section,quantity,value"
    assert (refit, selected) == ("0,E3,m,wine,,refit_2,roc_auc,1.0", "0,E3,m,wine,,stage1,selected_lambda_v,")
