"""docs/custom-data.md, tried: its commands, its config, and the real workflow on the data set it walks through."""

import json
import re
import shlex
import shutil
import textwrap
from importlib.resources import files

import pandas as pd
import pytest
from tests.shared import code_blocks
from tests.workflow.project import ROOT, new_project, pasted

from proset_study.data.splits import TEST, read_split
from proset_study.fits.final import rounded
from proset_study.store.trained import load_trained

RAW = files("palmerpenguins") / "data/penguins-raw.csv"
PAGE = "docs/custom-data.md"
EXPERIMENTS = ("E3", "E8", "E9")
FOLDER = "results/penguins/replicate_0/penguins"
FEWER = """
folds: 2
experiments:
  E3: {stage1: {trials: 3}, stage2: {complexity: 2}}
  E9: {stage1: {trials: 2}, stage2: {complexity: 5}}
evaluations: {learning_curve: {of: {}}, bootstrap: {of: {E8: [penguins]}, samples: 5}, bias_variance: {of: {}}}
"""


def run(line, project):
    done = pasted(project, line)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The commands of the page, with its overlay, of fewer fits."""
    project = new_project(tmp_path_factory.mktemp("own") / "project")
    shutil.copy2(ROOT / "config.yaml", project.folder)
    copy, snakemake, *_ = code_blocks(PAGE, "sh")
    for command in copy.splitlines():
        run(command, project)
    (project.folder / "data/private/penguins.yaml").write_text(code_blocks(PAGE, "yaml")[0], encoding="utf-8")
    (project.folder / "fewer.yaml").write_text(FEWER, encoding="utf-8")
    dry, real = snakemake.splitlines()
    assert [word for word in dry.split() if word in real.split()] == real.split()
    run(f"{real} fewer.yaml", project)
    return project


def test_every_experiment_has_numbers_and_a_page_that_names_the_features(finished):
    rows = pd.read_csv(finished.folder / "reports/penguins/results.csv.xz").set_index("experiment")
    losses = rows.loc[(rows["section"] == "final") & (rows["quantity"] == "log_loss"), "value"]
    assert set(losses.index) == set(EXPERIMENTS)
    assert losses["E3"] < 0.5  # of 1.05 for the class prior
    assert set(rows.loc[rows["quantity"] == "features", "value"]) == {14.0}
    page = (finished.folder / "reports/penguins/data_sets/penguins.html").read_text(encoding="utf-8")
    assert "14 features made of 9 columns, 3 classes, missing values imputed (median), 190 groups kept together" in page
    assert "Culmen Length (mm)</th>" in page  # of an explanation
    figure = (finished.folder / "reports/penguins/figures/penguins/penguins_feature_weights.svg").read_text("utf-8")
    assert "Sex=(missing)" in figure
    findings = (finished.folder / "reports/penguins/findings/selected_features.csv").read_text(encoding="utf-8")
    assert "E3,penguins,,Island=Dream,1," in findings


def test_no_bird_is_in_two_parts(finished):
    table = pd.read_csv(RAW)
    folds = read_split(finished.folder / FOLDER / "split.csv", len(table))
    assert set(folds) == {TEST, 0, 1}
    assert (pd.Series(folds).groupby(table["Individual ID"]).nunique() == 1).all()
    assert table["Individual ID"].duplicated().any()


def test_models_predict_from_the_file_what_was_recorded(finished):
    table = pd.read_csv(RAW)
    for run_name in EXPERIMENTS:
        recorded = pd.read_csv(finished.folder / FOLDER / run_name / "predictions.csv", comment="#")
        trained = load_trained(finished.folder / FOLDER / run_name)
        found = trained.predict_proba(table.iloc[recorded["row"]])
        assert (rounded(found.to_numpy()) == recorded[["p0", "p1", "p2"]].to_numpy()).all()


def test_the_report_is_whole_and_has_the_tables_of_its_experiments_only(finished):
    manifest = json.loads((finished.folder / "reports/penguins/manifest.json").read_text(encoding="utf-8"))
    assert manifest["missing"] == []
    tables = {path.stem for path in (finished.folder / "reports/penguins/tables").glob("*.md")}
    assert {*EXPERIMENTS, "E3_E8_E9"} <= tables
    assert not {"E1", "E4", "E5"} & tables


def test_new_rows_are_predicted_as_the_page_says(finished):
    (code,) = code_blocks(PAGE, "python")
    said = run(f"python -c {shlex.quote(code)}", finished)
    assert all(name in said for name in ("Adelie", "Chinstrap", "Gentoo"))
    assert run(f"git -C {ROOT} check-ignore data/private/penguins.csv", finished)


def test_a_card_that_is_written_later_is_shown_and_nothing_else_runs_again(finished, tmp_path):
    project = finished.copy(tmp_path / "project")
    (card,) = re.findall(r"with the\s+table's SHA-256:\n\n((?: {4}.*\n)+)", (ROOT / PAGE).read_text(encoding="utf-8"))
    (project.folder / "data/private/penguins.csv.card.yaml").write_text(textwrap.dedent(card), encoding="utf-8")
    planned = project.planned("--configfile", "data/private/penguins.yaml", "fewer.yaml")
    assert planned == ["data_set_page data_set=penguins", "report"]
