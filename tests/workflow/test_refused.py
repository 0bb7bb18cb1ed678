"""What comes in from a config or a data file is refused before anything is written, or taken for what it is: data."""

import ast
import os
import re
import subprocess

from tests.workflow.project import ROOT, new_project


def test_a_wrong_config_is_named_and_nothing_is_written(tmp_path):
    """tests/proset/bad_input.yaml has what else can be wrong."""
    project = new_project(tmp_path / "project")
    (project.folder / "over.yaml").write_text("folds: 2\nfolds: 3\n", encoding="utf-8")
    before = project.files()
    run = project.snakemake("--configfile", "over.yaml", check=False)
    assert run.returncode != 0
    assert "over.yaml: folds is a duplicate, in line 1 and line 2" in run.stderr
    assert "Traceback" not in run.stderr
    assert project.files() == before


def test_a_missing_package_is_named_before_anything_is_planned(tmp_path):
    project = new_project(tmp_path / "project")
    info = project.folder / "src/proset_study-9.dist-info"
    info.mkdir()
    metadata = "Metadata-Version: 2.1\nName: proset-study\nVersion: 9\nRequires-Dist: forest-of-trees>=2\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    run = project.snakemake("--dry-run", check=False)
    assert run.returncode != 0
    assert "forest-of-trees is missing, needed is >=2; install with: " in run.stderr
    assert "-m pip install 'forest-of-trees>=2'" in run.stderr


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
    assert found


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
