import re
import shutil
import subprocess
from dataclasses import replace

import pandas as pd
import pytest
from openpyxl import load_workbook

from proset_study.report.tables.table_files import to_latex, to_markdown, write_table, write_workbook
from proset_study.report.tables.tables import comparison_table, numbers_of


@pytest.fixture
def nasty(numbers):
    """A comparison whose names are special characters of LaTeX and Excel."""
    rows, published = numbers
    rows = [replace(row, dataset="a_b&50%") for group in rows for row in group]
    table = comparison_table("E3_E8", "x^2 ~ {#1} $ \\ <b>", numbers_of(rows, published), {})
    (heading, first), *others = table.groups
    first = [replace(number, best=number.quantity == "log_loss") for number in first]
    return replace(table, groups=[(heading, first), *others])


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
    rows = [replace(row, dataset=name) for group in rows for row in group]
    table = comparison_table("c", "t", numbers_of(rows, published), {})
    files = [tmp_path / f"c.{suffix}" for suffix in ("md", "csv", "tex", "xlsx")]
    write_table(tmp_path, table)
    write_workbook(files[3], [table])
    sheet = load_workbook(files[3])["c"]
    found = [cell for row in sheet.iter_rows() for cell in row if str(cell.value).startswith(name)]
    assert found
    assert {cell.data_type for cell in found} == {"s"}
    assert (pd.read_csv(files[1])["dataset"] == f"'{name}").any()


def test_a_workbook_holds_a_table_that_was_not_run(tmp_path):
    write_workbook(tmp_path / "t.xlsx", [comparison_table("c", "nothing", [], {})])
    assert load_workbook(tmp_path / "t.xlsx").sheetnames == ["c"]
