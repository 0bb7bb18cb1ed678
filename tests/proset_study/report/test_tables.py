import re
import shutil
import subprocess
from itertools import chain

import pandas as pd
import pytest
from openpyxl import load_workbook

from proset_study import methods
from proset_study.report.tables import (
    comparison_table,
    experiment_table,
    format_number,
    make_cells,
    methods_table,
    to_latex,
    to_markdown,
    write_table,
    write_workbook,
)
from proset_study.store.results import COLUMNS

NAMES = {"replicate": 0, "variant": "", "dataset": "wine"}


@pytest.fixture
def numbers(tmp_path):
    rows = []
    for experiment, loss in (("E3", 0.1049), ("E8", 0.0951), ("E9", 0.2)):
        names = {**NAMES, "experiment": experiment, "method": "m"}
        rows.append(
            [
                {**names, "section": "data", "quantity": "samples", "value": 1178},
                {**names, "section": "stage1", "quantity": "optimal_lambda_v", "value": 0.000123},
                {**names, "section": "stage1", "quantity": "threshold", "value": 0.9},
                {**names, "section": "cv" if experiment == "E8" else "stage2", "quantity": "threshold", "value": 0.3},
                {**names, "section": "final", "quantity": "active_features", "value": 4},
                {**names, "section": "final", "quantity": "log_loss", "value": loss},
                {**names, "section": "final", "quantity": "roc_auc", "value": 1.0},
            ]
        )
    published = tmp_path / "published.csv"
    published.write_text(
        "experiment,method,dataset,variant,section,quantity,value,text\n"
        'E3,proset,wine,,data,samples,178,"178"\n'
        "E3,proset,wine,,final,log_loss,0.1,0.10\n"
        "E3,proset,wine,,final,roc_auc,1,1.00\n"
        "E3,proset,wine,,stage1,optimal_lambda_v,6.7e-06,6.7e-6\n",
        encoding="utf-8",
    )
    return rows, published


def test_published_rows_in_published_order_with_values_in_brackets(numbers):
    rows, published = numbers
    text = to_markdown(experiment_table("E3", "title", make_cells(rows[0], published), published))
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


def test_comparison_marks_all_that_are_best_to_two_decimals(numbers):
    rows, published = numbers
    text = to_markdown(comparison_table("c", "comparison", make_cells([*chain.from_iterable(rows)], published)))
    losses = [line for line in text.splitlines() if line.startswith("|Log-loss")]
    assert losses == ["|Log-loss|**0.10** (0.10)|", "|Log-loss|**0.10**|", "|Log-loss|0.20|"]
    assert "|Threshold stage 2|0.30|" in text
    assert "|Threshold cross-validation|0.30|" in text
    assert "0.90" not in text  # the threshold of stage 1 is not part of it
    assert "Prototypes" not in text


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
        {**NAMES, "experiment": e, "method": m, "dataset": d, "section": "final", "quantity": quantity, "value": value}
        for e, m, d, *values in found
        for quantity, value in zip(("log_loss", "balanced_accuracy"), values, strict=True)
    ]
    missing = [("E12", "xor_3f", "", "xgboost")]
    table = methods_table("E14", "all", make_cells(rows, numbers[1], missing))
    assert to_markdown(table).splitlines()[2:] == [
        "Partial: what could not be computed is marked as missing. Published values in brackets; the best of a data set"
        " is bold.",
        "",
        "| |wine|xor_3f|",
        "|---|---:|---:|",
        "|**Log-loss**|||",
        "|proset|**0.10** (0.10)|0.30|",
        "|svm|**0.10**|**0.20**|",
        "|xgboost||missing|",
        "|**Balanced accuracy**|||",
        "|proset|0.90|**0.80**|",
        "|svm|0.91|**0.80**|",
        "|knn|**0.95**||",
        "|xgboost||missing|",
    ]


def test_first_replicate_then_mean_and_deviation_over_all(numbers):
    (rows, *_), published = numbers
    names = {**NAMES, "replicate": 1, "experiment": "E3", "method": "m"}
    cells = make_cells([*rows, {**names, "section": "final", "quantity": "log_loss", "value": 0.3049}], published)
    cell = next(c for c in cells if c["quantity"] == "log_loss")
    assert cell["value"] == 0.1049
    assert cell["mean"] == pytest.approx(0.2049)
    assert cell["standard_deviation"] == pytest.approx(0.2 / 2**0.5)
    assert "0.10 [0.20 ± 0.14] (0.10)" in to_markdown(experiment_table("E3", "t", cells, published))


@pytest.fixture
def nasty(numbers):
    """A comparison whose names are special characters of LaTeX and Excel."""
    rows, published = numbers
    rows = [{**row, "dataset": "a_b&50%"} for group in rows for row in group]
    return comparison_table("E3_E8", "x^2 ~ {#1} $ \\ <b>", make_cells(rows, published))


def test_latex_has_rules_escapes_and_bold(nasty):
    text = to_latex(nasty)
    assert [text.count(rf"\{rule}") for rule in ("toprule", "midrule", "bottomrule")] == [1, 1, 1]
    assert r"a\_b\&50\%" in text
    assert r"\bfseries 0.10" in text
    assert r"x\textasciicircum{}2 \textasciitilde{} \{\#1\} \$ \textbackslash{}" in text
    assert not re.search(r"(?<!\\)[_%#]", re.sub(r"\\label\{.*\}", "", text))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX here")
def test_latex_compiles(nasty, tmp_path):
    head = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    (tmp_path / "t.tex").write_text(head + to_latex(nasty) + r"\end{document}", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_files_hold_the_same_numbers(nasty, tmp_path):
    files = [tmp_path / f"E3_E8.{suffix}" for suffix in ("md", "csv", "tex", "xlsx")]
    write_table(tmp_path, nasty)
    write_workbook(files[3], [nasty])
    assert files[0].read_text(encoding="utf-8") == to_markdown(nasty)
    assert files[2].read_text(encoding="utf-8") == to_latex(nasty)
    cells = pd.read_csv(files[1])
    losses = cells[cells["quantity"] == "log_loss"]["value"].tolist()
    assert losses == [0.1049, 0.0951, 0.2]
    sheet = load_workbook(files[3])["E3_E8"]
    ours = [[c.value for c in row] for row in sheet.iter_rows(min_row=3)]
    assert [row[2] for row in ours if row[1] == "Log-loss"] == losses


@pytest.mark.parametrize("name", ['=HYPERLINK("x")', "=1+1", "+1+1", "-a", "@SUM(1)"])
def test_text_that_begins_like_a_formula_is_none_in_a_spreadsheet(numbers, name, tmp_path):
    rows, published = numbers
    rows = [{**row, "dataset": name} for group in rows for row in group]
    table = comparison_table("c", "t", make_cells(rows, published))
    files = [tmp_path / f"c.{suffix}" for suffix in ("md", "csv", "tex", "xlsx")]
    write_table(tmp_path, table)
    write_workbook(files[3], [table])
    sheet = load_workbook(files[3])["c"]
    found = [cell for row in sheet.iter_rows() for cell in row if str(cell.value).startswith(name)]
    assert found
    assert {cell.data_type for cell in found} == {"s"}
    assert (pd.read_csv(files[1])["dataset"] == f"'{name}").any()


def test_a_workbook_holds_a_table_that_was_not_run(tmp_path):
    write_workbook(tmp_path / "t.xlsx", [comparison_table("c", "nothing", [])])
    assert load_workbook(tmp_path / "t.xlsx").sheetnames == ["c"]


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        ("selected_lambda_w", 4.5e-05, "4.5e-5"),
        ("prototypes", 1484.0, "1,484"),
        ("prototypes", 12.4, "12.40"),
        ("log_loss", 1.0, "1.00"),
        ("optimal_colsample", None, "n/a"),
        ("optimal_subsample", 0.583, "0.58"),
    ],
)
def test_numbers_are_printed_as_published(quantity, value, text):
    assert format_number(quantity, value) == text


def test_rows_have_the_columns_of_the_published_file():
    assert COLUMNS == ("replicate", "experiment", "method", "dataset", "variant", "section", "quantity", "value")
