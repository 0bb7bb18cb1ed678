"""After changes of the config, up and down, the report is that of a run from scratch: nothing old is in any number."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

import pytest
from tests.workflow.project import Project, new_project, verify

FOLDER, COSTS = "results/tiny/replicate_0", "findings/costs.csv"


def study(trials=3, folds=2, trials_per_job=2, folds_per_job=2, replicates=(0,), experiments=("E3", "E8"), samples=5):
    """A change of the config: a search of proset, nearest neighbours, one evaluation."""

    def change(config):
        config["folds"], config["replicates"] = folds, list(replicates)
        config["trials_per_job"] = {"proset": trials_per_job}
        config["folds_per_job"] = {"proset": folds_per_job, "knn": folds_per_job}
        config["experiments"] = {name: config["experiments"][name] for name in experiments}
        config["experiments"]["E3"]["stage1"]["trials"] = trials
        config["comparisons"] = {"both": {"title": "both", "experiments": list(experiments)}}
        config["evaluations"] = {"bootstrap": {"of": {"E8": ["iris_2f"]}, "samples": samples}}
        if "E8" not in experiments:
            config["evaluations"] = {}

    return change


def without_times(value):
    """A record without what a fit costs and the keys that count file bytes."""
    if isinstance(value, dict):
        held_out = ("resources", "fingerprint", "sha256", "matrix_products")  # these are seconds in another unit
        return {k: without_times(v) for k, v in value.items() if k not in held_out and not k.endswith("_s")}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def report(project):
    """Everything in the report that is the same whenever it is made: tables, records, manifest; names of the rest."""
    folder, found = project.folder / "reports/tiny", {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = str(path.relative_to(folder))
        found[name] = path.read_bytes() if path.name.endswith((".csv", ".csv.xz", ".md", ".tex")) else None
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    del manifest["records_sha256"]  # they hold times
    found["manifest.json"] = without_times(manifest)
    found[COSTS] = without_times(list(csv.DictReader(found[COSTS].decode().splitlines())))
    for path in sorted((folder / "records").iterdir()):
        with tarfile.open(path) as archive:
            texts = {entry.name: archive.extractfile(entry).read().decode() for entry in archive}
        for name, text in texts.items():
            if not name.endswith(".csv"):
                documents = text.splitlines() if name.endswith(".jsonl") else [text]
                text = [without_times(json.loads(document)) for document in documents]
            found[f"{path.name}/{name}"] = text
    return found


CHANGES = (
    study(),
    study(trials=5, trials_per_job=3, replicates=(0, 1)),
    study(trials=2, folds=3, folds_per_job=1, experiments=("E3",)),
    study(trials=4, folds=2, trials_per_job=4, samples=6),
)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A run from scratch with the last config."""
    project = new_project(tmp_path_factory.mktemp("scratch") / "project")
    project.configure(CHANGES[-1])
    project.snakemake()
    return project


@pytest.fixture
def project(scratch, tmp_path):
    """The same, to be spoilt."""
    shutil.copytree(scratch.folder, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")


def test_after_changes_up_and_down_the_report_is_that_of_a_run_from_scratch(scratch, tmp_path):
    project = new_project(tmp_path / "project")
    for change in CHANGES:
        project.configure(change)
        project.snakemake()
        run = verify(project)
        assert run.returncode == 0, run.stdout + run.stderr
    assert report(project) == report(scratch)
    assert (project.folder / FOLDER / "iris_2f/E3/stage1/folds_0-1_trials_0-1.jsonl").exists()  # of the first config


def test_what_the_jobs_of_the_report_read_is_made_again_before_they_read_it(scratch, project):
    files = ["manifest.json", "records/replicate_0.tar.xz"]
    files += ["evaluation", "findings", "comparison.csv", "results.csv.xz"]
    targets = [f"reports/tiny/{file}" for file in files]
    expected = {name: value for name, value in report(scratch).items() if name.startswith(tuple(files[:1] + files[2:]))}
    for lost in (("split.csv", "E3/model.npz", "E8/bootstrap.json"), ("E3/stage1", "E3/stage2", "data.npz")):
        for name in lost:
            path = project.folder / FOLDER / "iris_2f" / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.rmtree(project.folder / "reports")
        project.snakemake(*targets)
        found = report(project)
        assert {name: found[name] for name in expected} == expected


def test_fits_of_proset_by_another_arithmetic_are_stale_and_do_not_mix_with_others(project):
    source = project.folder / "src/proset/arithmetic.py"
    source.write_text(re.sub(r'VERSION = "\d+"', 'VERSION = "0"', source.read_text(encoding="utf-8")), encoding="utf-8")
    assert project.planned()["fit"] >= 2  # data sets
    project.snakemake(f"{FOLDER}/xor_2f/E3/fit.json")  # the rest is as it was
    known = json.loads((project.folder / "reports/tiny/manifest.json").read_text(encoding="utf-8"))
    shutil.rmtree(project.folder / "reports")
    (project.folder / "study.json").write_text(json.dumps(known["config"]), encoding="utf-8")
    command = [sys.executable, "-m", "proset_study", "report", "--study", "study.json", "--options", "[]"]
    command += ["--published", "data/published/published.csv"]
    environment = {**os.environ, "PYTHONPATH": "src"}
    run = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert re.search(r"fits of proset are by several arithmetics: compiled-\d \(.*\), compiled-\d \(", run.stderr)
    assert not (project.folder / "reports").exists()
