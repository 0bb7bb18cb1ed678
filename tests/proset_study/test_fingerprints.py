import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from proset import arithmetic
from proset_study.environment import library_arithmetic
from proset_study.fingerprints import _closure, _module, arithmetic_of, code_fingerprint, uses_kernel
from proset_study.methods import METHODS


def forget():
    code_fingerprint.cache_clear()
    _module.cache_clear()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the packages that can be edited, seen instead of the real ones; the folder of the classifiers."""
    source = Path(find_spec("proset").origin).parents[1]
    for path in source.rglob("*.py"):
        target = tmp_path / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")

    def from_copy(name):
        path = tmp_path / Path(*name.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        return path if path.exists() else None

    monkeypatch.setattr(sys.modules[code_fingerprint.__module__], "_source_file", from_copy)
    forget()
    yield tmp_path / "proset"
    forget()


SEARCH = {m: ("proset_study.fits.search", f"proset_study.methods.{m}") for m in ("proset", "knn", "xgboost")}


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    forget()


def test_numeric_code_counts_for_what_depends_on_it_and_nothing_else(package):
    before = {m: code_fingerprint(*modules) for m, modules in SEARCH.items()}
    edit(package / "solver.py", "PATH_ITERATIONS = 30", "PATH_ITERATIONS = 31")
    after = {m: code_fingerprint(*modules) for m, modules in SEARCH.items()}
    assert after["proset"] != before["proset"]
    assert after["knn"] == before["knn"]
    assert after["xgboost"] == before["xgboost"]


def test_comments_docstrings_and_layout_do_not_count(package):
    before = code_fingerprint(*SEARCH["proset"])
    edit(package / "solver.py", '"""Minimisation of', '"""The minimisation of')
    edit(package / "solver.py", "\n\n\n", "\n\n# a remark\n\n\n")
    assert code_fingerprint(*SEARCH["proset"]) == before


def test_closure_follows_imports_inside_functions_and_knows_the_libraries():
    sources, libraries = _closure(SEARCH["xgboost"])
    assert {"proset_study.fits.search", "proset_study.data.splits", "proset_study.scores"} <= set(sources)
    assert "proset.solver" not in sources
    assert {"numpy", "xgboost"} <= libraries
    assert "proset.kernel" in _closure(SEARCH["proset"])[0]


@pytest.mark.parametrize("modules", SEARCH.values())
def test_neither_the_estimator_nor_the_report_makes_a_result_stale(modules):
    sources = _closure(modules)[0]
    assert not [name for name in sources if name == "proset.classifier" or name.startswith("proset_study.report")]


def test_templates_count_for_the_pages():
    assert "index.html.j2" in _closure(["proset_study.report.pages"])[0]


def test_the_arithmetic_of_proset_counts_for_its_fits_only():
    assert uses_kernel("proset")
    assert not any(uses_kernel(method) for method in METHODS if method != "proset")
    assert arithmetic_of("proset") == arithmetic.name()
    assert arithmetic_of("knn") == library_arithmetic()
    for method in ("proset", "knn"):  # scores are made with its logarithm: its version counts, the kernel does not
        assert "proset.arithmetic" in _closure(SEARCH[method])[0]
    assert "proset.kernel" not in _closure(SEARCH["knn"])[0]
