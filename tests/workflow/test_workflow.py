"""The real workflow on a tiny study: it runs, and it reruns exactly what has become stale."""

import csv
import json
import lzma
import re
import shutil
import tarfile
from pathlib import Path

import yaml
from tests.workflow.project import NO_PAGES, TINY, command, new_project

from proset import arithmetic
from proset_study.base.environment import library_arithmetic, pins
from proset_study.base.records import read_json, write_json
from proset_study.study.config.checks import load
from proset_study.study.plan import describe


def test_everything_is_there(finished):
    reports = finished.folder / "reports/tiny"
    tables = {p.name for p in (reports / "tables").iterdir()}
    names = (*TINY["experiments"], *TINY["comparisons"])
    assert tables == {f"{name}.{suffix}" for name in names for suffix in ("md", "csv", "tex")}
    assert re.search(r"\|random forest\|\**\d\.\d\d\**\|\|\n", (reports / "tables/E14.md").read_text(encoding="utf-8"))
    names = {"index.html", "tables.html", "explore.html", "tables.xlsx", "manifest.json"}
    names |= {"results.csv.xz", "comparison.csv", "claims.csv", "numbers.json", "vega.js"}
    assert {p.name for p in reports.iterdir() if p.is_file()} == names
    assert {p.name for p in (reports / "data_sets").iterdir()} == {"iris_2f.html", "xor_2f.html"}
    assert {p.name for p in (reports / "figures").iterdir()} == {"iris_2f", "xor_2f", "overview"}
    tables = {"class_scores.csv.xz", "confusion.csv.xz", "learning_curve.csv", "bootstrap.csv", "bias_variance.csv"}
    assert {p.name for p in (reports / "evaluation").glob("*.csv*")} == tables
    with lzma.open(reports / "results.csv.xz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {r["variant"] for r in rows if r["experiment"] == "E7"} == {"candidates=10", "candidates=20"}
    final = {r["experiment"] for r in rows if (r["section"], r["quantity"]) == ("final", "log_loss")}
    assert final == set(TINY["experiments"])
    keys = [tuple(v for k, v in r.items() if k != "value") for r in rows]
    assert len(keys) == len(set(keys))
    manifest = json.loads((reports / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["cost"]["0"]["proset"]["fits"] == 2 * 2 * 3 + 2 * 2 + 2 + 2 * 2 + 5  # trials, paths, final models
    assert manifest["versions"]["numpy"]
    assert manifest["arithmetic"]["proset"] == arithmetic.name()
    assert manifest["arithmetic"]["libraries"] == [library_arithmetic()]
    assert manifest["arithmetic"]["pinned"] == pins()
    for run, made_by in (("E3", arithmetic.name()), ("E8", library_arithmetic())):
        for name in ("stage2/folds/0.json", "fit.json"):
            text = (finished.folder / "results/tiny/replicate_0/iris_2f" / run / name).read_text(encoding="utf-8")
            assert json.loads(text)["arithmetic"] == made_by
    assert manifest["config"]["seed"] == 1
    assert len(manifest["data_sha256"]) == 2


def test_the_report_of_snakemake_shows_the_figures_with_captions(finished):
    finished.snakemake("--report", "snakemake.html")
    text = (finished.folder / "snakemake.html").read_text(encoding="utf-8")
    assert "iris_2f_surfaces.svg" in text
    assert "Decision surfaces of the final models" in text
    assert "E3.csv" in text
    assert "Study <strong>tiny</strong>" in text


def test_the_start_says_what_is_going_to_happen_and_the_end_where_to_look(finished):
    said = (finished.folder / "said").read_text(encoding="utf-8")
    assert re.search(
        r"^Study tiny: \d+ jobs with 13 fits of knn, 29 fits of proset, 3 fits of random_forest, "
        r"13 fits of xgboost: about ",
        said,
        re.M,
    )
    assert "100%) done" in said
    assert "Study tiny: done; see reports/tiny/index.html" in said


def test_optimal_experiment_uses_the_other_ones_stage_one(finished):
    folder = finished.folder / "results/tiny/replicate_0/xor_2f"
    ours, theirs = (json.loads((folder / e / "stage1.json").read_text(encoding="utf-8")) for e in ("E4", "E3"))
    assert ours["mean"] == theirs["mean"]
    assert ours["selected"] == theirs["optimal"]
    assert not (folder / "E4/stage1").exists()


def test_same_results_at_any_number_of_cores_and_fits_per_job(finished, tmp_path):
    other = new_project(tmp_path / "project")

    def one_fit_per_job(config):
        config["trials_per_job"] = config["folds_per_job"] = {"proset": 1, "knn": 1, "xgboost": 1}

    other.configure(one_fit_per_job)
    folder = "results/tiny/replicate_0"
    other.snakemake("--cores", "1", f"{folder}/xor_2f/E3/fit.json", f"{folder}/E8.csv", f"{folder}/E9.csv")
    chunk = re.compile(r"(trials|folds)_\d+-\d+\.jsonl$")
    ours = {name: content for name, content in other.results().items() if not chunk.search(name)}
    assert {f"{folder}/{run}/fit.json" for run in ("xor_2f/E3", "iris_2f/E8", "iris_2f/E9")} <= set(ours)
    theirs = finished.results()
    assert ours == {name: theirs[name] for name in ours}


def test_same_results_where_a_data_set_is_one_job(finished, tmp_path):
    """Nothing is planned again, and after a change what is right is kept."""
    other = new_project(tmp_path / "project")

    def one_job(config):
        config["jobs"] = "data_sets"

    def changed(config):
        one_job(config)
        config["experiments"]["E8"]["stage2"]["complexity"] = 9

    other.configure(one_job)
    assert {job.split(" ")[0] for job in other.planned("E8")} == {"all_runs", "score", "table"}
    wanted = ["E14", *(f"results/tiny/replicate_0/{name}/all_runs.json" for name in ("iris_2f", "xor_2f"))]
    other.snakemake(*wanted)
    assert other.planned(*wanted) == []
    theirs, done = finished.results(), re.compile(r"(done|all_runs)\.json$")
    ours = {name: content for name, content in other.results().items() if not done.search(name)}
    assert ours == {name: theirs[name] for name in ours}
    assert {name for name in theirs if not re.search(r"\.jsonl$|replicate_0/\w+\.csv$", name)} <= set(ours)
    other.configure(changed)
    assert [job for job in other.planned() if job.startswith("all_runs")] == ["all_runs replicate=0, data_set=iris_2f"]
    folder = other.folder / "results/tiny/replicate_0/iris_2f"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    other.snakemake("results/tiny/replicate_0/iris_2f/all_runs.json")
    touched = {path.parent.name for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert touched == {"iris_2f", "E8", "stage2", "folds"}
    assert (folder / "data.npz").stat().st_mtime_ns == before[folder / "data.npz"]


def test_a_study_goes_on_elsewhere_from_the_searches_of_its_report(finished, tmp_path):
    """No fit of them is repeated, which the times in the records show, but for one that depends on something else."""
    other = new_project(tmp_path / "project")
    shutil.copytree(finished.folder / "reports", other.folder / "reports")
    records = 3 * 2 * 2 + 2 * 2 + (2 + 1 + 2 + 1 + 1 + 1) * 2  # trials of E3 and E9, paths
    run = command(other, "restore", "--report", "reports/tiny")
    assert run.stdout == f"{records} records of searches are restored, of replicates 0\n", run.stderr
    folder = Path("results/tiny/replicate_0/iris_2f/E9")
    stale = other.folder / folder / "stage2/folds/1.json"
    write_json(stale, read_json(stale) | {"fingerprint": "another", "log_loss": []})
    other.snakemake("results/tiny/replicate_0/xor_2f/E3/fit.json", "results/tiny/replicate_0/E9.csv")
    results = finished.results()
    assert other.results().items() <= results.items()
    searches = [path.relative_to(other.folder) for path in other.folder.glob("results/**/*.jsonl")]
    assert len(searches) == 6  # E3's stage 1 has two jobs, and one that puts their records together
    changed = {n for n in searches if (finished.folder / n).read_bytes() != (other.folder / n).read_bytes()}
    assert changed == {folder / "stage2/folds_0-1.jsonl"}


def test_a_clone_that_has_tables_but_no_results_computes_what_is_asked_for_and_no_more(project):
    """An experiment, a comparison and a data set, by names that a person can guess."""
    shutil.rmtree(project.folder / "results")
    neighbours = "replicate=0, data_set=iris_2f, run=E8"
    assert project.planned("E8") == [
        "data replicate=0, data_set=iris_2f",
        f"fit {neighbours}",
        "score replicate=0, experiment=E8",
        f"select_complexity {neighbours}",
        "split replicate=0, data_set=iris_2f",
        f"stage2 {neighbours}, first_fold=0, last_fold=0",
        f"stage2 {neighbours}, first_fold=0, last_fold=1",
        f"stage2 {neighbours}, first_fold=1, last_fold=1",
        "table table=E8",
    ]
    of_methods = project.planned("E14")
    assert number(of_methods, "stage1", "stage2", "fit", "score", "table") == (7, 7, 5, 4, 1)  # with those that gather
    of_data_set = project.planned("xor_2f")
    assert number(of_data_set, "data", "fit", "score_data_set", "data_set_page", "table") == (1, 4, 1, 1, 0)
    assert number(project.planned(), "stage1", "fit", "report") == (7, 8, 1)


def number(planned, *rules):
    return tuple(sum(job.partition(" ")[0] == rule for job in planned) for rule in rules)


def test_changes_rerun_what_depends_on_them_and_nothing_else(project):
    """A complexity, an evaluation, a further data set, each of another experiment; and a further replicate."""

    def change(config):
        config["experiments"]["E8"]["stage2"]["complexity"] = 12
        config["evaluations"]["bootstrap"]["samples"] = 6
        config["data_sets"]["new"] = {"generator": "checker", "squares": 2, "samples_per_square": 20}
        config["experiments"]["forest"]["data_sets"].append("new")
        config["replicates"] = [0, 1]

    project.configure(change)
    neighbours, new = "replicate=0, data_set=iris_2f, run=E8", "replicate=0, data_set=new"
    planned = project.planned()
    further = [job for job in planned if "replicate=1" in job or "archive=replicate_1" in job]
    assert number(further, "data", "fit", "score", "pack") == (3, 9, 6, 2)
    assert [job for job in planned if job not in further] == [
        f"data {new}",
        "data_set_page data_set=iris_2f",
        "data_set_page data_set=new",
        "data_set_page data_set=xor_2f",
        f"evaluate {neighbours}, kind=bootstrap",
        f"evaluate {neighbours}, kind=learning_curve",
        "evaluate replicate=0, data_set=iris_2f, run=E9, kind=bootstrap",
        f"fit {neighbours}",
        f"fit {new}, run=forest",
        "pack archive=replicate_0",
        "pack archive=replicate_0_searches",
        "predictions",
        "report",
        "score replicate=0, experiment=E8",
        "score replicate=0, experiment=forest",
        f"select_complexity {neighbours}",
        f"select_complexity {new}, run=forest",
        f"split {new}",
        f"stage2 {neighbours}, first_fold=0, last_fold=0",
        f"stage2 {neighbours}, first_fold=0, last_fold=1",
        f"stage2 {neighbours}, first_fold=1, last_fold=1",
        f"stage2 {new}, run=forest, first_fold=0, last_fold=1",
        "table table=E14",
        "table table=E3",
        "table table=E3_E8_E9",
        "table table=E4",
        "table table=E7",
        "table table=E8",
        "table table=E9",
        "table table=forest",
    ]


def test_more_trials_compute_only_the_new_ones(project, monkeypatch):
    """And the estimate at the start counts them."""
    folder = project.folder / "results/tiny/replicate_0/xor_2f/E3/stage1"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("trials/*.json")}
    project.configure(lambda c: c["experiments"]["E3"]["stage1"].update(trials=5))
    run = project.snakemake("results/tiny/replicate_0/xor_2f/E3/stage1.json")
    assert "Study tiny: 4 jobs with 4 fits of proset (2 more are stored): about " in run.stderr
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("trials/*.json")}
    assert {path.name for path in after} == {f"{trial}.json" for trial in range(5)}
    assert len(after) == 10
    assert before.items() <= after.items()  # not even written again
    monkeypatch.chdir(project.folder)
    block = {"first_fold": "0", "last_fold": "1", "first_trial": "0", "last_trial": "1"}
    job = {"replicate": "0", "data_set": "xor_2f", "run": "E3", **block}
    config = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
    assert "no fits (4 more are stored)" in describe([("stage1", job)], load(config), 2)
    other = load(config | {"seed": 2})  # of which nothing is right any more
    assert "with 4 fits of proset: about " in describe([("stage1", job)], other, 2)


def test_a_further_replicate_repeats_a_part_without_evaluations(project):
    """Its archive has no searches."""

    def change(config):
        config["additional_replicates"] = {"numbers": [5], "only": {"E8": ["iris_2f"]}}
        del config["evaluations"]

    project.configure(change)
    run = project.snakemake(*NO_PAGES)
    assert re.search(r"^Study tiny: \d+ jobs with 3 fits of knn: about ", run.stderr, re.MULTILINE)
    with tarfile.open(project.folder / "reports/tiny/records/replicate_5.tar.xz") as archive:
        assert {name.rsplit("/", 1)[1] for name in archive.getnames()} == {
            *("split.csv", "stage2.json", "fit.json", "predictions.csv")
        }
    made = (project.folder / "reports/tiny/evaluation").glob("*.csv*")
    assert {path.name for path in made} == {"class_scores.csv.xz", "confusion.csv.xz"}


def test_nothing_is_run_again_and_a_comment_in_a_rule_or_the_package_changes_nothing(project):
    project.edit("workflow/rules/search.smk", "as stage1 with:\n", "as stage1 with:  # a remark\n")
    project.edit("src/proset/model.py", "import numpy as np\n", "import numpy as np  # a remark\n")
    assert project.planned() == []


def test_a_method_stands_where_it_stood_in_the_study(project):
    refused = project.snakemake("standing", check=False)
    assert "standing: no method is named; add --config method=NAME" in refused.stderr
    refused = project.snakemake("standing", "--config", "method=knn", "records=5", check=False)
    assert "records: '5' has no manifest.json and results.csv.xz, a report has" in refused.stderr
    assert "Traceback" not in refused.stderr
    config = ("--config", "method=knn", "records=reports/tiny")
    assert "method: it is for the target standing" in project.snakemake(*config, check=False).stderr
    # as a scheduler starts a job, and as the summary of a run that failed says
    job = ("--mode", "remote", "--target-jobs", "standing_on:data_set=iris_2f", "--allowed-rules", "standing_on")
    for asked in (job, ("results/standing_knn/iris_2f.csv",)):
        assert "standing_on" in project.snakemake(*asked, "--dry-run", *config).stdout
    done = project.snakemake("standing", *config)
    assert "see reports/standing_knn/standing.md" in done.stderr
    with (project.folder / "reports/standing_knn/differences.csv").open(encoding="utf-8", newline="") as file:
        found = {(row["dataset"], row["rival"]): row for row in csv.DictReader(file)}
    assert float(found["iris_2f", "E8"]["difference"]) == 0
    assert {data_set for data_set, _ in found} == {"iris_2f", "xor_2f"}
    assert not (project.folder / "results/standing_knn/replicate_0/iris_2f/E3").exists()
    project.edit("src/proset_study/store/metrics.py", "CLIP = 1e-3", "CLIP = 2e-3")
    planned = project.planned("standing", *config)
    assert [job for job in planned if job.startswith("standing_on")] == [
        f"standing_on data_set={name}" for name in ("iris_2f", "xor_2f")
    ]
