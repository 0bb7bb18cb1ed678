"""After changes of the config, up and down, the report is that of a run from scratch: nothing old is in any number."""

import json
import re
import shutil
from pathlib import Path

from tests.workflow.project import command, report, verify

FOLDER = "results/tiny/replicate_0"


def change(config):
    """More trials, folds and replicates, one of them of a part, other chunks, fewer experiments, no evaluation."""
    config["folds"], config["replicates"] = 3, [0, 1]
    config["trials_per_job"], config["folds_per_job"] = {"proset": 3}, {"proset": 1}
    config["experiments"] = {"E3": config["experiments"]["E3"]}
    config["experiments"]["E3"]["stage1"]["trials"] = 5
    config["experiments"]["E3"]["data_sets"] = ["iris_2f"]
    config["comparisons"] = {"alone": {"title": "alone", "experiments": ["E3"]}}
    config["additional_replicates"] = {"numbers": [5], "only": {"E3": ["iris_2f"]}}
    del config["evaluations"]


def test_after_changes_up_and_down_the_report_is_that_of_a_run_from_scratch(finished, project):
    project.configure(change)
    project.snakemake()
    checked = verify(project)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    project.configure()
    project.snakemake()
    assert report(project) == report(finished)
    assert (project.folder / FOLDER / "iris_2f/E3/stage1/folds_0-0_trials_0-2.jsonl").exists()  # of the other config


def test_what_the_jobs_of_the_report_read_is_made_again_before_they_read_it(finished, project):
    files = ["manifest.json", "records/replicate_0.tar.xz"]
    files += ["evaluation", "findings", "comparison.csv", "results.csv.xz", "data_sets/xor_2f.csv"]
    for name in ("iris_2f/split.csv", "iris_2f/E3/model.npz", "iris_2f/E8/bootstrap.json", "xor_2f/data.npz"):
        (project.folder / FOLDER / name).unlink()
    for stage in ("stage1", "stage2"):
        shutil.rmtree(project.folder / FOLDER / "xor_2f/E3" / stage)
    shutil.rmtree(project.folder / "reports")
    project.snakemake(*(f"reports/tiny/{file}" for file in files))
    expected, made = report(finished), report(project)
    names = [name for name in expected if name.startswith((*files, "replicate_0.tar.xz/"))]
    assert {name: made[name] for name in names} == {name: expected[name] for name in names}
    assert "data_sets/xor_2f.csv" in made


def test_a_lost_file_of_the_report_is_made_again(project):
    """Those of each line are made by different jobs."""
    for lost in (
        {"explore.html": "report", "figures/iris_2f": "data_set_page data_set=iris_2f"},
        {"figures/overview": "report", "tables/E8.csv": "table table=E8"},
    ):
        for name in lost:
            (project.folder / "reports/tiny" / name).rename(project.folder / f"away_{Path(name).name}")
        assert set(lost.values()) <= set(project.planned("all", "E8"))
        for name in lost:
            (project.folder / f"away_{Path(name).name}").rename(project.folder / "reports/tiny" / name)


def test_fits_of_proset_by_another_arithmetic_are_stale_and_do_not_mix_with_others(project):
    source = project.folder / "src/proset/arithmetic.py"
    source.write_text(re.sub(r'VERSION = "\d+"', 'VERSION = "0"', source.read_text(encoding="utf-8")), encoding="utf-8")
    planned = project.planned()
    assert {"stage1", "stage2", "fit"} <= {job.partition(" ")[0] for job in planned if "run=E3" in job}
    assert [job for job in planned if job.startswith(("data ", "split "))] == []
    project.snakemake(f"{FOLDER}/xor_2f/E3/fit.json")  # the rest is as it was
    known = json.loads((project.folder / "reports/tiny/manifest.json").read_text(encoding="utf-8"))
    shutil.rmtree(project.folder / "reports")
    (project.folder / "study.json").write_text(json.dumps(known["config"]), encoding="utf-8")
    options = ("--study", "study.json", "--options", "[]", "--published", "data/published/published.csv")
    run = command(project, "report", *options)
    assert run.returncode == 1
    assert re.search(r"fits of proset are by several arithmetics: compiled-\d \(.*\), compiled-\d \(", run.stderr)
    assert not (project.folder / "reports").exists()
