"""docs/custom-data.md, tried: its commands, its config, and the real workflow on the data set it walks through."""

import csv
import json
import lzma
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.workflow.project import ROOT, new_project, verify

from proset_study.data.splits import TEST, read_split
from proset_study.fits.final import rounded
from proset_study.store.trained import load_trained

RAW = files("palmerpenguins") / "data/penguins-raw.csv"
PAGE = (ROOT / "docs/custom-data.md").read_text(encoding="utf-8")
FURTHER = ("set_cover", "k_means", "decision_tree")  # two predict labels only
EXPERIMENTS = ("E3", "E8", "E9", *FURTHER)  # a search for each method
METHODS = ("proset", "knn", "xgboost")
FOLDER = "results/penguins/replicate_0/penguins"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A small search for every method, on the file as it is in its package, described as on the page."""
    project = new_project(tmp_path_factory.mktemp("own") / "project")
    overlay, _ = blocks("yaml")
    described = yaml.safe_load(overlay)["data_sets"]["penguins"]

    def change(config):
        config.update(study="penguins", data_sets={"penguins": {**described, "file": str(RAW)}})
        config.update(trials_per_job=config["folds_per_job"] | {"proset": 3}, folds_per_job=dict.fromkeys(METHODS, 2))
        published = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["experiments"]
        for e in FURTHER:
            config["experiments"][e] = {**published[e], "stage2": {"complexity": 3}, "overrides": {}}
        config["experiments"] = {e: {**config["experiments"][e], "data_sets": ["penguins"]} for e in EXPERIMENTS}
        config["comparisons"]["E14"]["experiments"] = list(EXPERIMENTS)
        del config["evaluations"]["bias_variance"]  # of generated data
        for evaluation in config["evaluations"].values():
            evaluation["of"] = {"E8": ["penguins"], "k_means": ["penguins"]}

    project.configure(change)
    project.snakemake()
    return project


def run(command, project):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(project.folder / "src")}
    done = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_experiment_has_numbers_and_a_page_that_names_the_features(finished):
    with lzma.open(finished.folder / "reports/penguins/results.csv.xz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    losses = {
        r["experiment"]: float(r["value"]) for r in rows if (r["section"], r["quantity"]) == ("final", "log_loss")
    }
    assert set(losses) == set(EXPERIMENTS)
    assert losses["E3"] < 0.5  # of 1.05 for the class prior
    assert {float(r["value"]) for r in rows if r["quantity"] == "features"} == {14.0}
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


def test_the_report_can_be_verified(finished):
    assert verify(finished, "penguins", [str(RAW)]).returncode == 0
    assert "which is not part of the report" in verify(finished, "penguins").stdout
    manifest = json.loads((finished.folder / "reports/penguins/manifest.json").read_text(encoding="utf-8"))
    assert manifest["missing"] == []


def test_the_page_works_as_written(finished):
    copy, snakemake = blocks("sh")
    for command in copy.splitlines():
        run(["bash", "-c", command], finished)
    (code,) = blocks("python")
    said = run([sys.executable, "-c", code], finished)
    assert all(name in said for name in ("Adelie", "Chinstrap", "Gentoo"))
    dry, real = snakemake.splitlines()
    assert [word for word in dry.split() if word in real.split()] == real.split()
    shutil.copy2(ROOT / "config.yaml", finished.folder)
    shutil.rmtree(finished.folder / "results")  # of other settings
    shutil.rmtree(finished.folder / "reports")
    whole, first_look = blocks("yaml")
    overlay = finished.folder / "data/private/penguins.yaml"
    overlay.write_text(whole, encoding="utf-8")
    assert re.search(r"^stage1 +\d+$", run(["bash", "-c", dry], finished), re.MULTILINE)
    overlay.write_text(first_look, encoding="utf-8")
    run(["bash", "-c", real], finished)
    tables = {path.stem for path in (finished.folder / "reports/penguins/tables").glob("*.md")}
    assert {"E3", "E8", "E9", "E3_E8_E9"} <= tables
    assert not {"E1", "E4", "E5"} & tables
    assert verify(finished, "penguins", ["data/private/penguins.csv"]).returncode == 0
    run(["bash", "-c", f"python -c {shlex.quote(code)}"], finished)
    assert run(["git", "-C", str(ROOT), "check-ignore", "data/private/penguins.csv"], finished)
