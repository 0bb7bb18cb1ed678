"""A data set of OpenML in the real workflow: downloaded once, by a job of its own, and then like any other."""

import os

import pandas as pd
import pytest
from tests.openml_server import serving
from tests.workflow.project import new_project

from proset_study.report.analysis.manifest import downloaded
from proset_study.study.config.study import Study

TABLE, DATA = "data/openml/task_31.parquet", "results/tiny/replicate_0/mushrooms"
WANTED = (f"{DATA}/split.csv", "results/tiny/replicate_0/xor_2f/data.npz")


def study(**change):
    def configure(config):
        config["data_sets"]["mushrooms"] = {"openml": {"task_id": 31, **change}, "impute": "median"}
        config["experiments"]["E8"]["data_sets"] = ["mushrooms", "xor_2f"]
        config["only"] = {"E8": ["mushrooms", "xor_2f"]}

    return configure


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return new_project(tmp_path_factory.mktemp("openml") / "project")


@pytest.fixture
def no_network(monkeypatch):
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there


def test_without_a_network_the_run_says_what_helps_and_makes_the_others(project, no_network):
    project.configure(study())
    run = project.snakemake(*WANTED, check=False)
    assert run.returncode == 1
    assert "cause: ValueError: openml task_31: www.openml.org cannot be reached" in run.stderr
    assert f"snakemake {TABLE} --cores 2" in run.stderr  # to try it again
    assert (project.folder / WANTED[1]).exists()
    assert not (project.folder / DATA / "data.npz").exists()


def test_what_needs_a_network_is_one_job_by_itself(project, monkeypatch):
    with serving(project.folder) as (openml, variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        openml.faults[".arff"] = [503]
        project.snakemake("downloads")
        assert sum(path.endswith("/task/31") for path in openml.asked) == 1
    assert sorted(file.name for file in (project.folder / "data/openml").iterdir()) == ["task_31.parquet"]


def test_all_else_runs_without_a_network(project, no_network, monkeypatch):
    project.snakemake(*WANTED)
    (config,) = (project.folder / "results/tiny/study").glob("*.json")
    monkeypatch.chdir(project.folder)
    assert downloaded(Study.read(config)) == {"mushrooms": pd.read_parquet(TABLE).attrs}


def test_a_checksum_in_the_config_is_no_reason_to_run_anything(project, no_network):
    md5 = pd.read_parquet(project.folder / TABLE).attrs["md5"]
    project.configure(study(version=2, md5=md5))
    assert project.planned(*WANTED) == []


def test_another_table_makes_its_data_set_again_and_the_same_one_from_elsewhere_does_not(project, no_network):
    project.configure(study())
    path = project.folder / TABLE
    os.utime(path)
    assert project.planned("downloads", *WANTED) == []
    pd.read_parquet(path).drop(columns="rings").to_parquet(path)
    mushrooms = "replicate=0, data_set=mushrooms"
    assert project.planned(*WANTED) == [f"data {mushrooms}", f"split {mushrooms}"]
