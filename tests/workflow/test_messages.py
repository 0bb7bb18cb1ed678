"""What is said of a run, and what is printed to be pasted, works."""

import re
import signal
import subprocess

import pytest
from tests.workflow.project import Project, command, new_project, pasted, start, wait_for


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    return new_project(tmp_path_factory.mktemp("messages") / "project")


@pytest.fixture
def project(tmp_path):
    return new_project(tmp_path / "a project")


def test_from_another_folder_the_message_says_what_to_add(untouched, tmp_path):
    away = Project(tmp_path)
    run = away.snakemake("-s", untouched.folder / "Snakefile", "--dry-run", check=False)
    assert f"config.yaml: No such file or directory; add --directory {untouched.folder}" in run.stderr
    run = away.snakemake("-s", untouched.folder / "Snakefile", "--directory", untouched.folder, "--dry-run", "E8")
    assert re.search(r"^stage2 +\d+$", run.stdout + run.stderr, re.MULTILINE)


def test_an_environment_in_which_nothing_can_be_made_is_told(project, monkeypatch):
    (project.folder / "reports").touch()
    run = project.snakemake("E8", check=False)
    assert "reports is a file, must be a folder; move it away" in run.stderr
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    _, said = start(project, "E8", "--dry-run").communicate()
    assert "PYTHONOPTIMIZE=2 is not allowed, XGBoost, LightGBM and Altair need docstrings" in said


def test_a_broken_overlay_is_told_with_line_and_column(untouched):
    (untouched.folder / "broken.yaml").write_text("folds: 2\nonly: {E3: [wine\nseed: 1\n", encoding="utf-8")
    run = command(untouched, "config", "--files", "config.yaml", "broken.yaml")
    assert run.returncode != 0
    assert run.stderr == (
        "ConfigError: broken.yaml, line 3, column 5: not YAML, expected ',' or ']', but got ':' "
        "(while parsing a flow sequence)\n"
    )


def test_ctrl_c_is_no_failure(project):
    run = start(project)
    wait_for(lambda: list((project.folder / "results/tiny/replicate_0").rglob("*.json*")))
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=120)[1]
    assert run.returncode != 0
    assert (
        "Study tiny: stopped before the end; what is finished is kept, and the same command goes on from there." in said
    )
    assert "failed" not in said.partition("Study tiny: stopped")[2]


def test_a_run_says_what_it_made_of_which_data_and_of_changes_that_are_not_committed(project):
    said = "Study tiny: runs code with changes that are not committed; its report will say so, "
    git = ["git", "-C", str(project.folder), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    target = "results/tiny/replicate_0/xor_2f/split.csv"
    (project.folder / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    for words in ("init --quiet", "add config.yaml src workflow", "commit --quiet --message=all"):
        subprocess.run([*git, *words.split()], check=True)
    run = project.snakemake(target, "--quiet", "progress", "rules", "reason", "host")
    assert said not in run.stderr
    assert f"Study tiny: done; see {target}\n" in run.stderr
    jobs = re.sub(r", \d+ s$", "", run.stdout, flags=re.MULTILINE)
    assert jobs == "data: xor_2f, replicate 0\nsplit: xor_2f, replicate 0\n"
    project.configure(lambda config: config.update(seed=2))
    assert said in project.snakemake(target).stderr


def test_the_command_to_retry_can_be_pasted(project):
    """With the overlay, in another place, of a name that needs quotes."""
    overlay = project.folder / "my overlay's.yaml"
    overlay.write_text(
        "study: mine\ndata_sets: {own: {file: own.csv, target: t}}\n"
        "experiments: {E8: {data_sets: [own, iris_2f]}}\nonly: {E8: [own, iris_2f]}\n",
        encoding="utf-8",
    )
    project.configure(lambda config: config.pop("evaluations"))
    (project.folder / "own.csv").write_text("a,t\n1,x\nnan,y\n", encoding="utf-8")
    run = project.snakemake("E8", "--configfile", overlay.name, check=False)
    assert run.returncode != 0
    message = (
        "data_sets.own: own.csv: column 'a', row 2 has no value; numbers must be finite; for features an imputer can "
        "be named in impute; without it E8 cannot be run, whose methods are not among catboost, "
        "explainable_boosting, hist_gradient_boosting, lightgbm, proset_few"
    )
    log = (project.folder / "results/mine/logs/replicate_0/own/data.log").read_text(encoding="utf-8")
    assert log == f"ValueError: {message}\n"
    assert message in run.stdout + run.stderr
    assert (project.folder / "results/mine/replicate_0/iris_2f/E8/fit.json").exists()  # the others went on
    (retry,) = re.findall(r"^    retry: (.*)$", run.stderr, re.MULTILINE)
    assert re.search(r"^    \S*snakemake partial .*my overlay", run.stderr, re.MULTILINE)
    (project.folder / "own.csv").write_text("a,t\n" + "".join(f"{i % 7},{'xy'[i % 2]}\n" for i in range(60)), "utf-8")
    assert pasted(project, retry).returncode == 0
    assert (project.folder / "results/mine/replicate_0/own/data.npz").exists()
    assert not (project.folder / "results/tiny").exists()
