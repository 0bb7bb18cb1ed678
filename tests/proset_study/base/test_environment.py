import os
import subprocess
import sys
import time

import pytest

from proset_study.base.environment import commit, how_to_install, prepare


def test_old_leftovers_go_and_the_future_ends(tmp_path):
    folder = tmp_path / "results"
    prepare([folder], [])  # which makes it
    now = time.time()
    ages = {"old.json": 7200, ".old.json.1.tmp": 7200, ".new.json.1.tmp": 0, "future.json": -7200}
    for name, age in ages.items():
        (folder / name).touch()
        os.utime(folder / name, (now - age, now - age))
    for name, age in {".old store.tmp": 7200, ".new store.tmp": 0}.items():
        (folder / name).mkdir()
        (folder / name / "part").touch()
        os.utime(folder / name, (now - age, now - age))
    prepare([folder], [])
    assert {p.name for p in folder.iterdir()} == {*ages, ".new store.tmp"} - {".old.json.1.tmp"}
    assert (folder / "future.json").stat().st_mtime <= time.time()
    assert (folder / "old.json").stat().st_mtime == pytest.approx(now - 7200, abs=1)


def test_an_input_of_the_future_is_refused_with_the_command_that_mends_it(tmp_path):
    path = tmp_path / "my data.csv"
    path.touch()
    prepare([tmp_path / "results"], [str(path), str(tmp_path / "to be made")])
    os.utime(path, (time.time() + 7200, time.time() + 7200))
    with pytest.raises(OSError, match=r"dated after now .*: touch '.*my data.csv'$"):
        prepare([tmp_path / "results"], [str(path)])


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("__version__ = '0.6.1'\n__all__ = ['ClassifierProset']\n", "is another one: {folder}/proset/__init__.py;"),
        ("import a_library_that_is_not_there\n", "cannot be imported: No module named 'a_library_that_is_not_there';"),
    ],
    ids=["other", "other without its requirements"],
)
def test_another_package_of_the_name_is_refused_with_the_command_that_helps(tmp_path, child_environment, code, found):
    (tmp_path / "proset").mkdir()
    (tmp_path / "proset/__init__.py").write_text(code, encoding="utf-8")
    environment = {**child_environment, "PYTHONPATH": f"{tmp_path}{os.pathsep}{child_environment['PYTHONPATH']}"}
    command = [sys.executable, "-m", "proset_study", "config", "--files", "config.yaml"]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert run.returncode == 1
    assert run.stderr.startswith(f"ImportError: the package proset of {sys.executable} {found.format(folder=tmp_path)}")
    assert f"`{sys.executable} -m pip install --force-reinstall --no-deps .`" in run.stderr
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("package", "words"),
    [("kmedoids", "'kmedoids>=0.5'"), ("snakemake", "'snakemake<10,>=9.17'"), ("forest-of-trees", "forest-of-trees")],
)
def test_a_package_of_any_extra_is_installed_in_a_version_that_fits(package, words):
    assert how_to_install(package) == f"install with: {sys.executable} -m pip install {words}"


def test_the_check_needs_neither_numpy_nor_proset(child_environment):
    code = "import proset_study.base.environment, sys; print({'numpy', 'proset'} & set(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=child_environment, check=True
    )
    assert run.stdout == "set()\n"


def test_a_commit_is_dirty_with_changes_and_new_code_and_not_with_reports_and_notes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert commit() is None
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for name in ("src/method.py", "reports/study/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1", encoding="utf-8")
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=all"]):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "reports/study/index.html").write_text("2", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    clean = commit()
    assert len(clean) == 12
    (tmp_path / "src/method.py").write_text("2", encoding="utf-8")
    assert commit() == f"{clean}-dirty"
    subprocess.run([*git, "checkout", "--quiet", "src/method.py"], check=True)
    assert commit() == clean
    (tmp_path / "src/another.py").write_text("1", encoding="utf-8")
    assert commit() == f"{clean}-dirty"
