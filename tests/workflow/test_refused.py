"""What comes in from a config or a data file is refused before anything is written, or taken for what it is: data."""

import ast
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.workflow.project import TINY, new_project

ROOT = Path(__file__).parents[2]
SHELL = "; touch pwned1; $(touch pwned2) `touch pwned3` ' \" & > x"


@pytest.fixture
def project(tmp_path):
    return new_project(tmp_path / "project")


def files(folder):
    ours = {".snakemake", "cache", "__pycache__"}
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if not ours & set(p.parts)}


@pytest.mark.parametrize(
    ("config", "arguments", "message"),
    [
        ("__use_yte__: true\nseed: ?open('pwned', 'w') and 1\n", [], "config.yaml, line 1: __use_yte__ is not allowed"),
        (yaml.safe_dump({**TINY, "study": "../x"}), [], "study: '../x' is not allowed, must be a letter"),
        (yaml.safe_dump(TINY) + "seed: 2\n", [], "config.yaml: seed is a duplicate, in line"),
        (yaml.safe_dump(TINY), ["--configfile", "over.yaml"], "over.yaml: folds is a duplicate, in line 1 and line 2"),
    ],
)
def test_a_wrong_config_is_named_and_nothing_is_written(project, config, arguments, message):
    (project.folder / "config.yaml").write_text(config, encoding="utf-8")
    (project.folder / "over.yaml").write_text("folds: 2\nfolds: 3\n", encoding="utf-8")
    before = files(project.folder)
    run = project.snakemake(*arguments, check=False)
    assert run.returncode != 0
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert files(project.folder) == before


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (
            "Name: proset-study\nVersion: 9\nRequires-Dist: forest-of-trees>=2\n",
            "- forest-of-trees is missing, needed is",
        ),
        ("Name: numpy\nVersion: 1.20.0\n", "- numpy is 1.20.0, needed is >=1.26"),
    ],
)
def test_a_missing_or_old_package_is_named_before_anything_is_planned(project, metadata, message):
    info = project.folder / "src/first-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\n{metadata}", encoding="utf-8")
    name, version = re.findall(r": (\S+)$", metadata, re.MULTILINE)[:2]
    info.rename(info.with_name(f"{name.replace('-', '_')}-{version}.dist-info"))
    run = project.snakemake("--dry-run", check=False)
    assert run.returncode != 0
    assert message in run.stderr
    assert "-m pip install --editable '.[study]'" in run.stderr


def test_hostile_names_and_a_home_that_cannot_be_written(project, monkeypatch):
    """Names of the file, its columns, its classes and the tables, through shell, LaTeX and HTML."""
    monkeypatch.setenv("HOME", "/proc/nonexistent")
    for variable in ("XDG_CONFIG_HOME", "MPLCONFIGDIR"):
        monkeypatch.delenv(variable, raising=False)
    nasty = f"<script>alert(1)</script>\\input{{/etc/passwd}}{SHELL}"
    quoted = nasty.replace('"', '""')
    lines = [f'"a{quoted}",b,"t{quoted}"', *(f'{i % 7 + i / 99},{i},"{i % 2}{quoted}"' for i in range(60))]
    name = f"own{SHELL}.csv"
    (project.folder / name).write_text("\n".join(lines), encoding="utf-8")

    def change(config):
        config["data_sets"]["own"] = {"file": name, "target": f"t{nasty}"}
        config["experiments"]["E8"].update(title=nasty, data_sets=["own"])
        config["only"] = {"E8": ["own"]}
        config["comparisons"]["E3_E8_E9"]["title"] = nasty

    project.configure(change)
    before = files(project.folder)
    project.snakemake()
    written = files(project.folder) - before
    assert {Path(p).parts[0] for p in written} == {"results", "reports"}
    pages = {Path(p).stem: (project.folder / p).read_text(encoding="utf-8") for p in written if p.endswith(".html")}
    assert not any("<script>alert(1)" in text for text in pages.values())
    shown = {name for name, text in pages.items() if "&lt;script&gt;alert(1)" in text}
    assert shown == {"own", "tables"}  # the other pages name neither experiments, columns nor classes
    for table in ("E8", "E3_E8_E9"):
        assert "\\input{" not in (project.folder / f"reports/tiny/tables/{table}.tex").read_text(encoding="utf-8")


def test_every_value_in_a_shell_command_is_quoted():
    found = 0
    for path in [ROOT / "Snakefile", ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]:
        text = path.read_text(encoding="utf-8")
        for command in re.findall(r"^    shell:\n((?:        \".*\"\n)+)", text, re.MULTILINE):
            values = re.findall(r"\{(.*?)\}", command)
            assert values
            assert [v for v in values if not v.endswith(":q")] == [], path
            found += 1
        assert text.count("shell:") == len(re.findall(r"^    shell:\n        \"", text, re.MULTILINE)), path
        assert not re.search(r"^\s*(run|script|notebook):", text, re.MULTILINE), path
    assert found == 3  # of all rules with a base, and of two more


def test_nothing_in_the_package_executes_what_it_reads():
    names = {"eval", "exec", "compile", "__import__"}
    modules = {"pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                imported = {getattr(node, "module", None), *(alias.name for alias in node.names)}
                assert not imported & modules, path
            if not isinstance(node, ast.Call):
                continue
            called, given = ast.unparse(node.func), {k.arg: ast.unparse(k.value) for k in node.keywords}
            assert called not in names | {"os.system", "yaml.load", "yaml.unsafe_load", "pd.read_pickle"}, path
            assert given.get("shell") != "True", path
            if called in ("np.load", "numpy.load"):
                assert given["allow_pickle"] == "False", path
            if called.endswith("jinja2.Environment"):
                assert given["autoescape"] == "True", path
            if called.endswith("extractall"):
                assert given["filter"] == "'data'", path


def test_make_moves_the_caches_where_home_cannot_be_written():
    for home, moved in (("/proc/nonexistent", True), (str(ROOT), False)):
        environment = {k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "MPLCONFIGDIR")}
        command = ["make", "--print-data-base", "--dry-run", "format"]
        printed = subprocess.run(command, cwd=ROOT, env={**environment, "HOME": home}, capture_output=True, text=True)
        assert ("XDG_CACHE_HOME := " in printed.stdout) == moved
