"""Random names, of the characters that some program minds, come through the real workflow as they are."""

import csv
import html
import io
import json
import lzma

from tests.workflow.own_data import HOSTILE, RandomNames, files
from tests.workflow.project import new_project, verify

from proset_study.data.dataset import DataSet


def read(path):
    """Line ends as they are."""
    return path.read_bytes().decode()


def test_random_names_come_through_unchanged(own):
    names, reports = RandomNames(), own.folder / "reports/own"
    data = DataSet.load(own.folder / f"results/own/replicate_0/{names.data_set}/data.npz")
    assert data.feature_names.tolist() == [names.colour, *names.numbers]
    assert data.class_names.tolist() == sorted(names.labels)
    assert data.categories.tolist() == sorted(names.colours)

    config = json.loads(read(reports / "manifest.json"))["config"]
    assert config["data_sets"][names.data_set] == names.settings
    *experiments, both = names.tables
    titles = [config["experiments"][name]["title"] for name in experiments]
    assert [*titles, config["comparisons"][both]["title"]] == names.titles

    tables, page = read(reports / "tables.html"), read(reports / f"data_sets/{names.data_set}.html")
    assert all(escaped(title) in tables for title in names.titles)
    assert all(escaped(label) in page for label in names.labels)
    assert any(escaped(column) in page for column in names.numbers)  # those that the model has chosen
    for table, title in zip(names.tables, names.titles, strict=True):
        assert read(reports / f"tables/{table}.md").startswith(f"# [{table}] {title}\n")
    rows = csv.DictReader(io.StringIO(read(reports / "findings/selected_features.csv"), newline=""))
    features = {row["feature"] for row in rows if row["dataset"] == names.data_set}
    assert features == {*names.numbers, *(f"{names.colour}={category}" for category in names.colours)}
    with lzma.open(reports / "evaluation/class_scores.csv.xz", "rt", encoding="utf-8", newline="") as file:
        classes = {row["class"] for row in csv.DictReader(file) if row["dataset"] == names.data_set}
    assert classes == {*names.labels}


def escaped(text):
    return html.escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")


def test_hostile_names_are_text_in_pages_and_tables_and_run_nothing(own):
    """Names of the file, its columns, its classes and the tables, through shell, LaTeX and HTML."""
    assert (own.folder / "written").read_text(encoding="utf-8").split() == ["reports", "results"]
    reports = own.folder / "reports/own"
    pages = {path.stem: path.read_text(encoding="utf-8") for path in reports.rglob("*.html")}
    assert not any("<script>alert(1)" in text for text in pages.values())
    shown = {name for name, text in pages.items() if escaped(HOSTILE[:20]) in text}
    assert shown == {"hostile", "tables"}  # the other pages name neither experiments, columns nor classes
    for table in ("E8", "hostile_title"):
        assert "\\input{" not in (reports / f"tables/{table}.tex").read_text(encoding="utf-8")


def test_the_report_can_be_verified_and_nothing_is_run_again(own):
    checked = verify(own, "own", files())
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert own.planned() == []


def test_a_checkout_with_braces_is_refused(tmp_path):
    run = new_project(tmp_path / "a{ce} b").snakemake("--dry-run", check=False)
    assert run.returncode != 0
    assert run.stderr.strip().endswith("a{ce} b is not allowed, Snakemake takes braces for wildcards; rename it")
