"""What CONTRIBUTING says of an addition is all that it takes: in a checkout with the templates the fast tests pass."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from tests.build import ROOT, run

METHOD, GENERATOR = "src/proset_study/methods/naive_bayes.py", "src/proset_study/data/generators/two_spirals.py"
METRICS, FIGURE = "src/proset_study/store/metrics.py", "src/proset_study/report/figures/sharpness.py"
METRIC = '    Score("sharpness", "sharpness", lambda p, y, weight: float(p.max(axis=1).mean()), loss="sharpness"),\n'
DRAWN = '''"""How sure predictions are."""

from matplotlib.figure import Figure

from proset_study.report.figures.registry import FigureSpec, of_data_set
from proset_study.report.figures.style import ReportFigure


@of_data_set("Test part")
def _plan(subject):
    yield FigureSpec("sharpness", subject.compared, draw)


def draw(finals):
    """Mean largest probability."""
    return ReportFigure("Sharpness", "Nothing yet.", "Nothing.", "Nothing.", Figure())
'''
TABLES = """
from pathlib import Path
from proset_study.report.tables.table_files import to_markdown
from proset_study.report.tables.tables import comparison_table, experiment_table, methods_table, numbers_of
from proset_study.store.results import Row, read_published

published = read_published(Path("data/published/published.csv"))
rows = [Row(r, "E1", "proset", "wine", "", "final", q, 0.5) for r in (0, 1) for q in ("log_loss", "sharpness")]
numbers = numbers_of(rows, published)
for table in (
    experiment_table("E1", "one", numbers, published),
    comparison_table("all", "several", numbers, {}),
    methods_table("E14", "methods", numbers, {}),
):
    assert "harpness|" in to_markdown(table) or "Sharpness**" in to_markdown(table), to_markdown(table)
"""
FINGERPRINTS = (  # no other method depends on the new one: of those that take each by itself that one is enough
    "no_fit_depends_on_readers_of_tables_reports_or_pandas[naive_bayes]",
    "no_library_of_a_fit_is_forgotten[naive_bayes]",
    *("the_arithmetic_of_proset_counts_for_its_fits_only", "what_counts_is_what_the_list_says"),
    "a_score_and_the_statement_of_a_claim_count_for_reports_and_for_no_fit",
)
TESTS = (  # of what sees all methods, generators or scores
    *("tests/proset_study/methods/test_labels.py", "tests/proset_study/store/test_metrics.py"),
    "tests/proset_study/report/tables",
    "tests/proset_study/report/analysis/test_prototypes.py::test_every_method_has_a_style_of_its_own",
    "tests/proset_study/fits/test_resampling.py::test_copies_are_weights_where_the_method_knows_weights[naive_bayes]",
    *(f"tests/proset_study/study/test_fingerprints.py::test_{name}" for name in FINGERPRINTS),
)
GENERATORS = "tests/proset_study/data/generators/test_generators.py"
OF_ADDITIONS = [  # test_contract.py has the method as it is
    f"{GENERATORS}::test_a_generator_has_all_that_is_asked_of_it[two_spirals]",
    f"{GENERATORS}::test_settings_are_checked[two_spirals]",
    f"{GENERATORS}::test_replicates_are_drawn_anew_and_the_same_again[two_spirals]",
    f"{GENERATORS}::test_a_new_generator_makes_no_other_data_set_stale",
]
PLANNED = """
import yaml
from pathlib import Path
from proset_study.report.figures.registry import DataSetRuns, planned
from proset_study.store.stored import Stored
from proset_study.study.config.checks import load

study = load(yaml.safe_load(Path("config.yaml").read_text()))
assert "wine_sharpness" in [spec.name for spec in planned(DataSetRuns(Stored(Path("results"), study), "wine"))]
"""
ABOUT_IT = """
from pathlib import Path
from tempfile import TemporaryDirectory
from tests.proset_study.small_study import compute, config_of
from proset_study.report.analysis.verdict import verdict
from proset_study.report.write import write_data_sets

common = {"data_sets": ["wine"], "stage2": {"complexity": 1}}
experiments = {name: {**common, "method": name} for name in ("knn", "naive_bayes")}
with TemporaryDirectory() as folder:
    stored = compute(config_of("own", {"wine": {"sklearn": "wine"}}, experiments, subject="naive_bayes"), Path(folder))
    found = verdict(stored, Path("data/published/published.csv"))
    write_data_sets(stored, Path(folder))
    page = (Path(folder) / "data_sets/wine.html").read_text()
assert '<figure id="wine_sharpness"' in page
assert found.question == "Does naive Bayes predict as well as KNN?", found.question
"""


def files_of(kind, name):
    """Which files CONTRIBUTING names for an addition."""
    (row,) = re.findall(rf"^\| {kind} \| (.*) \|$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"<\w+>", name, pattern) for pattern in re.findall(r"`(.+?)`", row)}


def test_contributing_names_these_files():
    test = "tests/proset_study/data/generators/test_two_spirals.py"  # only if it has more to test than every generator
    assert files_of("a method", "naive_bayes") == {METHOD, "config.yaml"}
    assert files_of("a generated data set", "two_spirals") == {GENERATOR, test, "config.yaml"}
    test = "tests/proset_study/store/test_metrics.py"
    assert files_of("a metric, a row or column of every table", "sharpness") == {METRICS, test, "docs/statistics.md"}
    test = "tests/proset_study/report/figures/test_sharpness.py"
    place = "src/proset_study/report/pages/templates/index.html.j2"  # of a figure over all data sets
    assert files_of("a figure of the report", "sharpness") == {FIGURE, test, place}


def test_files_that_contributing_names_are_there():
    for kind in ("a method", "a generated data set", "a figure of the report", "a claim", "an evaluation"):
        assert [pattern for pattern in files_of(kind, "[a-z]*") if not any(ROOT.glob(pattern))] == []


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The project, by hard links, with a method, a generated data set, a metric and a figure."""
    folder = tmp_path_factory.mktemp("additions")
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ":!reports"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    patterns = ("src/proset/_kernel.*", "src/**/*.pyc", "tests/**/*.pyc")  # bytecode is right where times are the same
    compiled = (str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.glob(pattern))
    for source, copy in ((ROOT / name, folder / name) for name in (*listed, *compiled)):
        if source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, copy)
            except OSError:  # another file system
                shutil.copy2(source, copy)
    shutil.copy2(ROOT / "src/proset_study/template/methods/my_method.py", folder / METHOD)
    shutil.copy2(ROOT / "docs/generator_template.py", folder / GENERATOR)
    page = (ROOT / "docs/custom-method.md").read_text(encoding="utf-8")
    (experiment,) = re.findall(r"```yaml\nexperiments:\n(.*?)```", page, re.DOTALL)
    config = (folder / "config.yaml").read_text(encoding="utf-8")
    for before, after in (
        ("\nexperiments:\n", "\n  my_spirals: {generator: two_spirals, turns: 2}\nexperiments:\n"),
        ("\ncomparisons:\n", f"\n{experiment}\ncomparisons:\n"),
        (start := "\n  E14:\n    title: Most methods\n    rows: methods\n    experiments: [", f"{start}naive_bayes, "),
    ):
        assert config.count(before) == 1
        config = config.replace(before, after)
    metrics = (folder / METRICS).read_text(encoding="utf-8")
    assert metrics.count(")\nSCORES = {") == 1
    metrics = metrics.replace(")\nSCORES = {", f"{METRIC})\nSCORES = {{")
    for name, text in (("config.yaml", config), (METRICS, metrics)):
        (folder / name).unlink()  # it is a link
        (folder / name).write_text(text, encoding="utf-8")
    (folder / FIGURE).write_text(DRAWN, encoding="utf-8")
    return folder


def run_in(checkout, *command):
    environment = {**os.environ, "PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}"}
    return run(sys.executable, *command, cwd=checkout, env=environment)


@pytest.mark.slow
def test_with_no_other_file_tests_pass(checkout):
    # a folder of its own, else pytest removes those of former runs, which may take minutes
    options = ("-q", "-rp", "-p", "no:cacheprovider", "--basetemp", checkout.parent / "inner")
    said = run_in(checkout, "-m", "pytest", *options, *TESTS, *OF_ADDITIONS)
    passed = re.findall(r"^PASSED (.*)$", said, re.MULTILINE)
    assert set(OF_ADDITIONS) <= set(passed)
    assert [file for file in TESTS if not any(name.startswith(file) for name in passed)] == []


@pytest.mark.slow
def test_tables_have_the_metric_pages_the_figure_and_a_report_is_about_the_method(checkout):
    run_in(checkout, "-c", TABLES + PLANNED + ABOUT_IT)
