"""A study in a new folder, with the package as a wheel installs it: next to the workflow, far from this checkout."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.build import ROOT, setup

from proset_study import new as module
from proset_study.new import new

WITHOUT = """
import runpy, sys
sys.modules[sys.argv.pop(1)] = None
sys.argv[0] = "proset_study"
runpy.run_module("proset_study", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Both packages as in a wheel."""
    folder = tmp_path_factory.mktemp("site")
    for package in ("proset", "proset_study"):
        shutil.copytree(ROOT / "src" / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    setup.copy_project(folder / "proset_study/project")
    return folder


def run_in(folder, site, *command):
    environment = {**os.environ, "PYTHONPATH": str(site), "XDG_CACHE_HOME": str(site / "cache")}
    return subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def study(site, tmp_path_factory):
    """The folder that the command writes."""
    folder = tmp_path_factory.mktemp("new")
    ended = run_in(folder, site, sys.executable, "-m", "proset_study", "new", "my-trees")
    assert ended.returncode == 0, ended.stderr
    assert f"cd my-trees && make standing PYTHON={sys.executable}" in ended.stdout
    return folder / "my-trees"


def make(study, site, *words):
    ended = run_in(study, site, "make", f"PYTHON={sys.executable}", *words)
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    return ended.stdout + ended.stderr


@pytest.mark.slow
def test_demo_and_tests_of_a_new_study_pass(study, site):
    said = make(study, site, "demo")
    assert re.search(r"Study demo: \d+ jobs with .*fits of my_method", said)  # as if ours was started, not imported
    assert "Study demo: done; see reports/demo/index.html" in said
    assert "naive Bayes" in (study / "reports/demo/index.html").read_text(encoding="utf-8")
    said = make(study, site, "test", "lint")
    assert "study my_trees: my_method, knn, logistic_regression on iris, wine, checker" in said
    assert "your workflow is in a good condition" in said
    assert re.search(r"\d\d passed", said)


@pytest.mark.slow
def test_standing_of_the_method_is_known_without_a_clone(study, site):
    asked = ("standing", "--dry-run", "--cores", "1", "--quiet", "reason", "host", "--config", "method=my_method")
    ended = run_in(study, site, sys.executable, "-m", "snakemake", *asked)
    assert re.search(r"standing_on +14\n", ended.stdout), ended.stderr


def test_the_files_name_the_study_and_the_version(tmp_path):
    new(tmp_path / "my-trees")
    texts = {
        str(path.relative_to(tmp_path / "my-trees")): path.read_text(encoding="utf-8")
        for path in (tmp_path / "my-trees").rglob("*")
        if path.is_file()
    }
    for name in ("config/config.yaml", "methods/my_method.py", "tests/test_study.py", ".github/workflows/ci.yml"):
        assert name in texts
    assert yaml.safe_load(texts["config/config.yaml"])["study"] == "my_trees"
    assert not [name for name, text in texts.items() if module.STUDY in text or module.VERSION in text]
    usage = yaml.safe_load(texts[".snakemake-workflow-catalog.yml"])["usage"]
    ours = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))["usage"]
    assert usage.keys() == ours.keys()
    actions = re.findall(r"uses: (\S+)", (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    assert set(re.findall(r"uses: (\S+)", texts[".github/workflows/ci.yml"])) <= set(actions)
    code = texts["methods/my_method.py"].partition("class ")[2].splitlines()
    assert len([line for line in code if line.strip()]) <= 12


def test_a_name_may_have_the_word_that_stands_for_the_version(tmp_path):
    new(tmp_path / "my-VERSION")
    config = (tmp_path / "my-VERSION/config/config.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(config)["study"] == "my_VERSION"


def test_a_folder_that_is_there_or_names_no_study_is_refused(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    for folder in (tmp_path, tmp_path / "file"):
        with pytest.raises(ValueError, match=rf"^folder: '{folder}' exists; name a new one$"):
            new(folder)
    for name in ("2026", "étude", "a" * 51):
        with pytest.raises(ValueError, match=rf"^folder: '{name}' is not allowed, it names the study: must begin"):
            new(tmp_path / name)
    for name in ("demo", "on", "No"):
        with pytest.raises(
            ValueError, match=rf"^folder: '{name}' is not allowed, it names the study, and that is none of"
        ):
            new(tmp_path / name)


def test_the_command_that_is_printed_can_be_pasted(tmp_path, capsys, monkeypatch):
    python = tmp_path / "a folder/python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(python))
    new(tmp_path / "my study")
    command = capsys.readouterr().out.splitlines()[-1]
    # A make that runs this test passes its flags on, and the inner one would then print the folders it enters.
    environment = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL"}}
    ended = subprocess.run(
        f"{command} --dry-run", shell=True, capture_output=True, text=True, check=True, env=environment
    )
    assert ended.stdout.startswith(f'"{python}" -m snakemake ')


@pytest.mark.parametrize("package", ["jsonschema", "yaml"])
def test_a_wheel_without_what_the_study_needs_says_what_to_install(site, package, tmp_path):
    ended = run_in(tmp_path, site, sys.executable, "-c", WITHOUT, package, "config", "--files", "a.yaml")
    command = rf"{re.escape(sys.executable)} -m pip install 'proset-study\[study\]'"
    assert re.fullmatch(rf"{package} cannot be imported by .*; install it with: {command}\n", ended.stderr)
    ended = run_in(tmp_path, site, sys.executable, "-c", WITHOUT, "snakemake", "new", f"with-{package}")
    assert re.search(rf"in minutes:\n    {command}\n    cd with-{package} && make", ended.stdout)


def test_where_is_the_copy_of_a_wheel_or_the_checkout(site, tmp_path):
    ended = run_in(tmp_path, site, sys.executable, "-m", "proset_study", "where")
    assert ended.stdout == f"{site / 'proset_study/project'}\n"
    ended = run_in(tmp_path, ROOT / "src", sys.executable, "-m", "proset_study", "where")
    assert Path(ended.stdout.strip()) == ROOT
