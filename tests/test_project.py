"""The project around the code: what is installed, and what its files say about each other."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib import metadata

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from tests.build import ROOT, run, setup

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = sorted((ROOT / "src/proset").rglob("*.py"))
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(p for f in ("docs", "docs/guide") for p in (ROOT / f).glob("*.md")),
]
ACROSS_MODULES = {
    "bad_input",
    "damage",
    "doctests",
    "examples",
    "fit_seeds",
    "hostile",
    "properties",
    "readme",
    "skore",
    "speed",
    "vega",
}
IMPORT_ALL = """
import importlib, pkgutil, sys
folder, *packages = sys.argv[1:]
sys.path.insert(0, folder)
for package in packages:
    path = importlib.import_module(package).__path__
    assert path == [f"{folder}/{package}"], path
    for module in pkgutil.walk_packages(path, f"{package}."):
        if module.name.rpartition(".")[2] not in ("__main__", "_kernel"):  # a program, a library of C
            importlib.import_module(module.name)
"""


def needed(*without):
    """What the core, its extras but those, the study and its development need, by name."""
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for name in extras if name not in without for line in extras[name])]
    return {r.name: r for r in map(Requirement, lines) if r.name != PROJECT["name"]}


def test_the_conda_environment_has_what_the_study_needs_in_the_ranges_of_the_project():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    conda = [re.sub(r"^snakemake-minimal\b", "snakemake", line) for line in conda]
    of_the_study = ("study", "workflow", "rivals", "pages", "plot")
    wanted = needed(*(extra for extra in PROJECT["optional-dependencies"] if extra not in of_the_study))
    tests = needed()["pytest"]
    of_conda = ("python", "pip", "c-compiler")  # the last one stands for ziglang, and sets CC
    assert {r for r in map(Requirement, conda) if r.name not in of_conda} == {*wanted.values(), tests}


def test_pinned_requirements_fit_the_project_and_name_no_index():
    names = ("", "-article", "-battery", "-docs")
    files = [(ROOT / f"requirements{name}.txt").read_text(encoding="utf-8") for name in names]
    lines = [line for file in files for line in file.splitlines() if not line.startswith("#")]
    pins = {r.name.lower(): r for r in map(Requirement, lines)}
    assert len(pins) == len(lines)
    assert all([s.operator for s in pin.specifier] == ["=="] and not pin.url for pin in pins.values())
    for name, wanted in needed("cluster", "storage").items():
        (pinned,) = pins[name.lower()].specifier
        assert wanted.specifier.contains(pinned.version), name


def test_the_workflow_and_the_project_ask_for_the_same_snakemake():
    (asked,) = re.findall(r'^min_version\("(.*)"\)$', (ROOT / "workflow/Snakefile").read_text("utf-8"), re.MULTILINE)
    assert needed()["snakemake"].specifier == SpecifierSet(f">={asked},<10")


def test_continuous_integration_has_the_versions_of_python_of_the_project():
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    versions = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r"Python :: 3\.", c)]
    assert jobs["check"]["strategy"]["matrix"]["python"] == versions
    assert jobs["windows"]["strategy"]["matrix"]["python"] == versions


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_the_core_imports_its_dependencies_and_nothing_of_the_study(path):
    allowed = {*sys.stdlib_module_names, "narwhals", "proset", "numpy", "scipy", "sklearn", "threadpoolctl"}
    allowed |= {"matplotlib"} if path.parent.name == "plot" else set()
    deferred = allowed | {"jinja2", "onnx", "pandas", "shap", "skl2onnx", "skops"}
    assert set(_imported(ast.parse(path.read_text(encoding="utf-8")).body)) <= deferred
    assert set(_imported(ast.parse(path.read_text(encoding="utf-8")).body, deferred=False)) <= allowed


def test_no_test_is_left_out_but_those_with_a_target_of_their_own(pytestconfig):
    left_out = {
        str(path.parent.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        for folder in path.relative_to(ROOT).parents
        if any(folder.match(pattern) for pattern in pytestconfig.getini("norecursedirs"))
    }
    assert left_out == {f"tests/{name}" for name in ("cluster", "native", "site", "storage")}


def test_tests_mirror_src():
    """`src/a/b.py` is tested in `tests/a/test_b.py`, a package `src/a` in `tests/a/test_a.py` or next to it."""
    strays = []
    for path in (p for package in ("proset", "proset_study") for p in (ROOT / "tests" / package).rglob("test_*.py")):
        folder = ROOT / "src" / path.parent.relative_to(ROOT / "tests")
        name = path.stem.removeprefix("test_")
        mirrored = (folder / f"{name}.py").exists() or (folder / name / "__init__.py").exists() or name == folder.name
        if not mirrored and name not in ACROSS_MODULES:
            strays.append(str(path.relative_to(ROOT)))
    assert strays == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_and_link_of_a_page_exists(page):
    text = page.read_text(encoding="utf-8")
    paths = re.findall(r"`((?:benchmarks|data/published|docs|src|tests|workflow)/[\w./-]*)`", text)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    made = "docs/_build/"  # by `make docs`
    missing = [p for p in paths if not (ROOT / p).exists() and not p.startswith(made)] + [
        link for link in links if not (page.parent / link).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("changed", ["requirements.txt", "setup.py", "src/proset/compiled/problem.h"])
def test_make_installs_again_what_has_changed(tmp_path, changed):
    files = [".venv/installed", "Makefile", "pyproject.toml", "requirements.txt", "setup.py"]
    files += [str(path.relative_to(ROOT)) for path in (ROOT / "src/proset/compiled").iterdir()]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / "Makefile", tmp_path / name)
        os.utime(tmp_path / name, (1e9, 1e9))
    question = ["make", "--question", ".venv/installed"]
    assert subprocess.run(question, cwd=tmp_path, check=False).returncode == 0
    os.utime(tmp_path / changed, (2e9, 1.1e9))
    assert subprocess.run(question, cwd=tmp_path, check=False).returncode == 1


@pytest.mark.parametrize("folder", [".", "src/proset_study/template"])
def test_no_variable_of_make_ends_with_spaces(folder):
    """Those before a comment in the same line belong to the value."""
    text = (ROOT / folder / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r"^[^#\t\n]*=.*[ \t](?:#.*)?$", text, re.MULTILINE) == []


def _imported(body, deferred=True):
    """The first part of the name of every module that is imported, within functions only if `deferred`."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]
        elif deferred or not (
            isinstance(node, ast.FunctionDef)
            or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        ):
            yield from _imported(ast.iter_child_nodes(node), deferred)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that pip builds of the project."""
    folder = tmp_path_factory.mktemp("wheel")
    for file in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy2(ROOT / file, folder)
    shutil.copytree(
        ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "_kernel.*")
    )
    setup.copy_project(folder)
    former = folder / f"build/lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}/proset/former.py"
    former.parent.mkdir(parents=True)
    former.touch()
    options = ("--quiet", "--no-deps", "--no-build-isolation")
    # The same compiler without optimization, which takes seconds instead of half a minute.
    compiler = shlex.join(["sh", "-c", f'exec {shlex.join(setup.compiler())} "$@" -O0', "compiler"])
    environment = {**os.environ, "CC": compiler}
    run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, folder, env=environment)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_has_every_file_and_the_compiled_library(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    source = wheel.parent / "src"
    files = {path.relative_to(source) for path in source.rglob("*") if path.is_file() and "egg-info" not in str(path)}
    assert files <= {path.relative_to(tmp_path) for path in tmp_path.rglob("*")}
    assert all((tmp_path / "proset_study/project" / name).exists() for name in setup.PROJECT)
    assert any((tmp_path / "proset").glob("_kernel.*"))
    assert not (tmp_path / "proset/former.py").exists()
    run(sys.executable, "-c", IMPORT_ALL, tmp_path, "proset", "proset_study", cwd=tmp_path)


def test_no_module_is_long():
    lengths = {path: path.read_bytes().count(b"\n") for path in (ROOT / "src").rglob("*.py")}
    assert {path.name: n for path, n in lengths.items() if n > 350} == {}


@pytest.mark.slow
def test_the_core_alone_is_at_most_ten_packages_and_works(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    found, waiting = {}, [*metadata.distributions(path=[str(tmp_path)])]
    while waiting:
        if (one := waiting.pop()).name not in found:
            found[one.name] = one
            needs = map(Requirement, one.requires or ())
            names = [r.name for r in needs if not r.marker or r.marker.evaluate({"extra": ""})]  # of no extra
            waiting += map(metadata.distribution, names)
    assert 3 < len(found) < 10  # and pip
    for one in found.values():
        for top in {file.parts[0] for file in one.files} - {"..", "__pycache__"}:
            if not (tmp_path / top).exists():
                (tmp_path / top).symlink_to(one.locate_file(top))
    fit = """
import numpy as np, proset, proset.library
assert proset.library.library() is not None
X = np.random.default_rng(0).normal(size=(60, 2))
y = X[:, 0] > 0
for method in (proset.ProsetClassifier, proset.SetCoverClassifier):
    assert method().fit(X, y).score(X, y) > 0.8
print(*{name.partition(".")[0] for name in sys.modules})
"""
    import_all = IMPORT_ALL.replace('"_kernel"', '"_kernel", "plot"')  # which needs Matplotlib
    alone = ("-I", "-S")  # without the packages of this Python
    loaded = run(sys.executable, *alone, "-c", import_all + fit, tmp_path, "proset", cwd=tmp_path).split()
    assert not {"proset_study", "pandas", "matplotlib", "snakemake", "yaml"} & set(loaded)
