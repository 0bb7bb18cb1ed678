"""The real workflow on a tiny study: it runs, and it reruns exactly what has become stale."""

import csv
import json
import lzma
import re
import shutil
import tarfile
from pathlib import Path

import pytest
from tests.workflow.project import ROOT, TINY, Project, command, new_project, verify

from proset import arithmetic
from proset_study.environment import library_arithmetic, pins
from proset_study.records import read_json, write_json


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    project = new_project(tmp_path_factory.mktemp("finished") / "project")
    project.first_run = project.snakemake()
    return project


@pytest.fixture
def project(finished, tmp_path):
    """A finished study that a test may change."""
    shutil.copytree(finished.folder, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")


def test_everything_is_there(finished):
    reports = finished.folder / "reports/tiny"
    tables = {p.name for p in (reports / "tables").iterdir()}
    names = (*TINY["experiments"], *TINY["comparisons"])
    assert tables == {f"{name}.{suffix}" for name in names for suffix in ("md", "csv", "tex")}
    assert re.search(r"\|random_forest\|\**\d\.\d\d\**\|\|\n", (reports / "tables/E14.md").read_text(encoding="utf-8"))
    names = {"index.html", "tables.html", "explore.html", "tables.xlsx", "manifest.json"}
    names |= {"results.csv.xz", "comparison.csv", "claims.csv"}
    assert {p.name for p in reports.iterdir() if p.is_file()} == names
    assert {p.name for p in (reports / "data_sets").iterdir()} == {"iris_2f.html", "xor_2f.html"}
    assert {p.name for p in (reports / "figures").iterdir()} == {"iris_2f", "xor_2f", "overview"}
    tables = {"class_scores", "confusion", "learning_curve", "bootstrap", "bias_variance"}
    assert {p.name for p in (reports / "evaluation").glob("*.csv")} == {f"{table}.csv" for table in tables}
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
    assert manifest["kernel"] == "compiled"
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


def test_the_report_can_be_verified_and_a_changed_one_cannot(project):
    assert verify(project).returncode == 0
    results = project.folder / "reports/tiny/results.csv.xz"
    text = lzma.decompress(results.read_bytes())
    results.write_bytes(lzma.compress(text.replace(b",samples,150", b",samples,151")))
    run = verify(project)
    assert run.returncode != 0
    assert "results.csv.xz, line " in run.stdout


def test_the_start_says_what_is_going_to_happen_and_the_end_where_to_look(finished):
    said = finished.first_run.stderr
    assert re.search(
        r"^Study tiny: \d+ jobs with 13 fits of knn, 29 fits of proset, 3 fits of random_forest, "
        r"13 fits of xgboost: about ",
        said,
        re.M,
    )
    assert "100%) done" in said
    assert "Study tiny: done; see reports/tiny/index.html" in said


def test_no_op_rerun(finished):
    assert finished.planned() == {}


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
    other.snakemake("--cores", "1", "replicate_0", "reports/tiny/evaluation")  # all that is stored, without pages
    chunk = re.compile(r"(trials|folds)_\d+-\d+\.jsonl$")
    ours, theirs = ({k: v for k, v in p.results().items() if not chunk.search(k)} for p in (other, finished))
    assert ours == theirs


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
    other.snakemake("replicate_0")
    assert other.results() == {k: v for k, v in finished.results().items() if k in other.results()}
    searches = [path.relative_to(finished.folder) for path in finished.folder.glob("results/**/*.jsonl")]
    assert len(searches) > 8
    changed = {n for n in searches if (finished.folder / n).read_bytes() != (other.folder / n).read_bytes()}
    assert changed == {folder / "stage2/folds_0-1.jsonl"}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("E8", {"data": 1, "split": 1, "stage2": 2, "select_complexity": 1, "fit": 1, "score": 1, "table": 1}),
        ("xor_2f", {"E3", "E4", "E7"}),
        ("replicate_0", {"score": 6}),
        ("E14", {"stage1": 5, "stage2": 6, "fit": 5, "score": 4, "table": 1}),
        ("reports/tiny/tables/E9.md", {"stage1": 1, "stage2": 1}),
    ],
)
def test_targets_a_person_can_guess(tmp_path, target, expected):
    planned = new_project(tmp_path / "project").planned(target)
    if target == "xor_2f":
        assert planned["score_data_set"] == 1
        assert planned["fit"] == 4
        assert planned["data"] == 1
    else:
        assert {k: planned[k] for k in expected} == expected


def test_a_clone_that_has_tables_but_no_results_computes_them(project):
    shutil.rmtree(project.folder / "results")
    assert project.planned("E8")["stage2"] == 2
    assert project.planned("E14")["stage1"] == 5
    assert project.planned()["stage1"] == 5


def test_changing_one_experiment_reruns_that_experiment_only(project):
    project.configure(lambda c: c["experiments"]["E8"]["stage2"].update(complexity=12))
    planned = project.planned()
    assert planned["stage2"] == 2
    assert planned["fit"] == planned["score"] == 1
    assert planned["table"] == 3  # its own and the comparisons
    assert "stage1" not in planned


def test_more_trials_compute_only_the_new_ones(project):
    before = project.results()
    times = {p: p.stat().st_mtime_ns for p in (project.folder / "results").rglob("trials/*.json")}
    project.configure(lambda c: c["experiments"]["E3"]["stage1"].update(trials=5))
    project.snakemake("results/tiny/replicate_0/xor_2f/E3/stage1.json")
    trials = sorted((project.folder / "results/tiny/replicate_0/xor_2f/E3/stage1/fold_0/trials").glob("*.json"))
    assert [p.stem for p in trials] == ["0", "1", "2", "3", "4"]
    assert all(p.stat().st_mtime_ns == time for p, time in times.items())  # not even written again
    after = project.results()
    assert all(after[k] == v for k, v in before.items() if "/trials/" in k)


def test_adding_a_data_set_touches_no_other(project):
    def add(config):
        config["data_sets"]["new"] = {"generator": "checker", "squares": 2, "samples_per_square": 20}
        config["experiments"]["E8"]["data_sets"].append("new")

    project.configure(add)
    planned = project.planned()
    assert planned["data"] == planned["split"] == planned["fit"] == 1
    assert planned["stage2"] == 2
    assert "stage1" not in planned


def test_further_replicates_repeat_a_part_of_the_study(project):
    further = {"numbers": [5], "only": {"E8": ["iris_2f"]}}
    project.configure(lambda c: c.update(additional_replicates=further))
    planned = project.planned("replicate_5")
    assert planned["data"] == planned["split"] == planned["fit"] == planned["score"] == 1
    assert "stage1" not in planned
    assert project.planned("replicate_0") == {}


def test_the_archive_of_a_further_replicate_has_no_searches_and_its_numbers_are_verified(project):
    project.configure(lambda c: c.update(additional_replicates={"numbers": [5], "only": {"E8": ["iris_2f"]}}))
    project.snakemake("--cores", "2")
    with tarfile.open(project.folder / "reports/tiny/records/replicate_5.tar.xz") as archive:
        assert {name.rsplit("/", 1)[1] for name in archive.getnames()} == {
            *("split.csv", "stage2.json", "fit.json", "predictions.csv")
        }
    run = verify(project)
    assert run.returncode == 0, run.stdout


def test_a_changed_evaluation_reruns_what_it_is_shown_in_and_no_search(project):
    project.configure(lambda c: c["evaluations"]["bootstrap"].update(samples=6))
    planned = project.planned()
    assert planned["evaluate"] == 2
    assert planned["data_set_page"] == planned["report"] == 1
    assert not set(planned) & {"stage1", "stage2", "fit", "score"}


def test_a_study_without_evaluations_has_the_scores_of_classes(project):
    project.configure(lambda c: c.pop("evaluations"))
    project.snakemake("reports/tiny/evaluation")
    made = (project.folder / "reports/tiny/evaluation").glob("*.csv")
    assert {path.stem for path in made} == {"class_scores", "confusion"}


def test_adding_a_replicate_touches_no_other(project):
    project.configure(lambda c: c.update(replicates=[0, 1]))
    assert project.planned("replicate_1")["data"] == 2
    assert project.planned("replicate_0") == {}


def test_a_comment_in_a_rule_or_the_package_reruns_nothing(project):
    project.edit("workflow/rules/search.smk", "as stage1 with:\n", "as stage1 with:  # a remark\n")
    project.edit("src/proset/kernel.py", "import numpy as np\n", "import numpy as np  # a remark\n")
    assert project.planned() == {}


def test_a_change_of_the_numeric_code_makes_its_results_stale(project):
    project.edit("src/proset/solver.py", "PATH_ITERATIONS = 30", "PATH_ITERATIONS = 29")
    planned = project.planned()
    assert planned["stage1"] == 4  # of proset: 2 data sets, all folds in one job, 2 chunks of trials
    assert planned["stage2"] == 2 + 1 + 2  # E3 on two data sets, E4, two runs of E7: all folds in one job
    assert "data" not in planned
    assert "split" not in planned


def test_a_wrong_config_is_refused_before_anything_runs(tmp_path):
    project = new_project(tmp_path / "project")
    project.configure(lambda c: c["experiments"]["E8"].update(method="nearest"))
    run = project.snakemake(check=False)
    assert run.returncode != 0
    assert (
        "experiments.E8.method: 'nearest' is not allowed, allowed are proset, knn, xgboost" in run.stdout + run.stderr
    )
    assert not (project.folder / "results").exists()


def test_a_failing_job_is_named_and_loses_nothing(project):
    def break_one(config):
        config["data_sets"]["broken"] = {"file": "broken.csv", "target": "t"}
        config["experiments"]["E8"]["data_sets"].append("broken")
        config["experiments"]["E9"]["stage2"]["complexity"] = 6

    (project.folder / "broken.csv").write_text("a,t\n1,x\nnan,y\n", encoding="utf-8")
    project.configure(break_one)
    run = project.snakemake("E8", "E9", check=False)
    assert run.returncode != 0
    log = project.folder / "results/tiny/logs/replicate_0/broken/data.log"
    message = (
        "data_sets.broken: broken.csv: column 'a', row 2 has no value; numbers must be finite; for features an "
        "imputer can be named in impute; without it E8 cannot be run, whose methods are not among "
        "explainable_boosting, hist_gradient_boosting, proset_few"
    )
    assert log.read_text(encoding="utf-8") == f"ValueError: {message}\n"
    assert message in run.stdout + run.stderr
    assert "E9" not in project.planned("E9")  # the rest was computed all the same
    assert project.planned("E9") == {}


def test_a_method_stands_where_it_stood_in_the_study(project):
    refused = project.snakemake("standing", check=False)
    assert "standing: no method is named; add --config method=NAME" in refused.stderr
    done = project.snakemake("standing", "--config", "method=knn", "records=reports/tiny")
    assert "see reports/standing_knn/standing.md" in done.stderr
    with (project.folder / "reports/standing_knn/differences.csv").open(encoding="utf-8", newline="") as file:
        found = {(row["dataset"], row["rival"]): row for row in csv.DictReader(file)}
    assert float(found["iris_2f", "E8"]["difference"]) == 0
    assert {data_set for data_set, _ in found} == {"iris_2f", "xor_2f"}
    assert not (project.folder / "results/standing_knn/replicate_0/iris_2f/E3").exists()
    # the template as it is, which no experiment has yet
    shutil.copy2(ROOT / "docs/method_template.py", project.folder / "src/proset_study/methods/naive_bayes.py")
    done = project.snakemake("standing", "--config", "method=naive_bayes", "records=reports/tiny")
    assert "see reports/standing_naive_bayes/standing.md" in done.stderr
