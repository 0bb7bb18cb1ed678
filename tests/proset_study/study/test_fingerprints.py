"""What counts for a key, and what does not."""

import json
import sys
import zlib
from pathlib import Path
from textwrap import fill

import pytest

from proset import arithmetic
from proset_study.base.environment import library_arithmetic
from proset_study.data.sources import MATRICES, TABLES
from proset_study.fits.evaluations import KINDS
from proset_study.methods import METHODS
from proset_study.study import fingerprints
from proset_study.study.fingerprints import (
    KEYS,
    LIBRARIES,
    _module,
    arithmetic_of,
    closure,
    code_fingerprint,
    key,
    modules_of,
    uses_kernel,
)

CLOSURES = Path(__file__).with_name("closures.txt")
HEAD = """\
# All that counts for each key of study.fingerprints, next to the input and the settings of the job: modules of
# proset_study (and proset), and libraries, whose versions count. What is here makes results stale when it is changed.
# "as" another key: what that one has, with what is listed and without what has a minus.
# Rewritten by: python -m tests.proset_study.study.test_fingerprints
"""
EXAMPLES = ("proset", "knn", "xgboost", "random_forest")  # methods
METRICS = ("data.dissimilarities.mismatch", "data.dissimilarities.tangent", "data.custom_matrix")
ALL = [
    *(("data", {"source": source}) for source in ("generators.xor", *TABLES.values(), MATRICES)),
    *(("dissimilarities", {"module": module}) for module in METRICS),
    ("split", {}),
    ("split_in_time", {}),
    *((job, {"method": method}) for job in ("search", "fit") for method in EXAMPLES),
    ("select", {"method": "proset"}),
    *(("evaluation", {"kind": kind, "method": "knn"}) for kind in KINDS),
    *((job, {}) for job in ("score", "table", "page", "report", "pack", "predictions")),
]
NAMES = {" ".join((job, *names.values())): (job, names) for job, names in ALL}
LISTED = [name for name in NAMES if name not in ("page", "report")]  # for these all figures and pages count


def counted(job, *others, **names):
    """Short names of the modules of a job, and of other entry modules, and the libraries."""
    modules, libraries = closure(*modules_of(job, **names), *others)
    return {module.removeprefix("proset_study.") for module in modules} | {f"{name}==" for name in libraries}


def in_words():
    text, known = HEAD, {}
    for name in LISTED:
        job, names = NAMES[name]
        found = counted(job, **names)
        nearest = min(known, key=lambda other: len(found ^ known[other]), default="")
        start, like = (known[nearest], f": as {nearest}") if nearest else (set(), "")
        items = sorted(found - start, key=lambda item: (item.endswith("=="), item))
        items += [f"-{item}" for item in sorted(start - found)]
        lines = fill(" ".join(items), 116, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
        text += f"\n{name}{like}\n{lines}\n"
        known[name] = found
    return text


def listed():
    """What the file has for each key: that of another key, what is added to it, and what is taken away."""
    found = {}
    for block in CLOSURES.read_text(encoding="utf-8").split("\n\n")[1:]:
        head, _, items = block.partition("\n")
        name, _, like = head.partition(": as ")
        without = {item.removeprefix("-") for item in items.split() if item.startswith("-")}
        found[name] = found.get(like, set()) - without | {item for item in items.split() if item[0] != "-"}
    return found


def forget():
    code_fingerprint.cache_clear()
    _module.cache_clear()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the packages, with what is remembered of them, to be edited and seen instead; the folder of both."""
    source = fingerprints._ROOT
    for path in (*source.rglob("*.py"), *source.rglob("*.numbers")):
        target = tmp_path / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    monkeypatch.setattr(fingerprints, "_ROOT", tmp_path)
    forget()
    yield tmp_path
    forget()


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    forget()


def keys(*jobs):
    jobs = jobs or ("data", "split", "search", "fit", "evaluation", "score")
    return {name: key(job, **names) for name, (job, names) in NAMES.items() if job in jobs}


def stale(before):
    return {name for name, value in keys(*(name.split()[0] for name in before)).items() if value != before[name]}


def test_what_is_remembered_of_a_source_is_right_or_not_used(package, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    kept = package / "proset/__pycache__/solver.numbers"
    before = keys("search")
    assert not stale(before)  # read from the files that the line above has written
    whole = kept.read_bytes()
    of_another = zlib.compress(json.dumps(["0" * 64, "", [], []]).encode())
    for damaged in (b"", whole[: len(whole) // 2], b"{}", of_another):
        kept.write_bytes(damaged)
        forget()
        assert not stale(before)
        assert kept.read_bytes() == whole
    edit(package / "proset/solver.py", "PATH_ITERATIONS = 30", "PATH_ITERATIONS = 29")
    assert stale(before) == {"search proset"}
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    kept.unlink()
    edit(package / "proset/solver.py", "PATH_ITERATIONS = 29", "PATH_ITERATIONS = 30")
    assert not stale(before)
    assert not kept.exists()


@pytest.mark.parametrize("name", LISTED)
def test_what_counts_is_what_the_list_says(name):
    job, names = NAMES[name]
    found, known = counted(job, **names), listed().get(name, set())
    change = [f"+{item}" for item in sorted(found - known)] + [f"-{item}" for item in sorted(known - found)]
    assert not change, (
        f"{name}: {' '.join(change)}; if that is right: python -m tests.proset_study.study.test_fingerprints"
    )


def test_the_list_has_every_key_and_no_others():
    assert {job for job, _ in ALL} == set(KEYS)
    assert list(listed()) == LISTED


@pytest.mark.parametrize("method", METHODS)
def test_no_fit_depends_on_readers_of_tables_reports_or_pandas(method):
    entries = [module for job in ("select", "fit") for module in modules_of(job, method=method)]
    entries += [module for kind in KINDS for module in modules_of("evaluation", kind=kind, method=method)]
    items = counted("search", *entries, method=method)
    assert "pandas==" not in items
    assert not items & {f"data.{name}" for name in ("bundled", "custom", "columns", "categories", "table_file")}
    others = ("report", "release", "store", "study", "base.environment", "proset.classifier")
    assert not [item for item in items if item.startswith(others)]


def test_numeric_code_counts_for_what_depends_on_it_and_nothing_else(package):
    before = keys()
    edit(package / "proset/solver.py", "PATH_ITERATIONS = 30", "PATH_ITERATIONS = 31")
    assert stale(before) == {"search proset", "fit proset"}
    before = keys()
    edit(package / "proset_study/data/splitting.py", "GROUP_DRAWS = 100", "GROUP_DRAWS = 10")
    assert stale(before) == {"split"}  # fits follow by their input


ONLY_READ = [  # by people and tools
    ("proset/solver.py", '"""Minimisation of', '"""The minimisation of'),
    ("proset/solver.py", "\n\n\n", "\n\n# a remark\n\n\n"),
    ("proset_study/data/splits.py", "has no sample to fit on", "is not there"),
    ("proset_study/data/splitting.py", "is more than the", "is larger than the"),
    ("proset_study/data/table_file.py", "; a header and rows are needed", ""),
    ("proset_study/data/splits.py", "scaled: bool, mixed: bool = False) -> FoldData:", "scaled, mixed=False):"),
    ("proset_study/data/encoding.py", "import numpy", "from typing import Any\nimport numpy"),
    ("proset_study/base/records.py", "is damaged (", "cannot be read ("),
    ("proset_study/methods/knn.py", 'label = "KNN"', 'label = "nearest neighbours"'),
    ("proset_study/methods/knn.py", 'axis="neighbours k"', 'axis="k"'),
    ("proset_study/methods/knn.py", "2e-6 * (fitted + scored)", "3e-6 * (fitted + scored)"),
    ("proset_study/methods/costs.py", "DEFAULT = Cost(0.05", "DEFAULT = Cost(0.07"),
    ("proset_study/fits/evaluations/bootstrap.py", "2, 10000)", "2, 20000)"),
    ("proset_study/data/generators/xor.py", 'features.", 1, 20)', 'features.", 1, 30)'),
]


def test_what_only_people_and_tools_read_does_not_count(package):
    before = keys()
    for file, old, new in ONLY_READ:
        edit(package / file, old, new)
    assert not stale(before)


def test_changing_what_is_scored_or_shown_makes_no_fit_stale(package):
    made = ("data", "dissimilarities", "split", "search", "select", "fit", "evaluation")
    before = keys(*made, "score")
    files = []
    for folder in ("store", "report", "release", "study"):
        files += sorted((package / "proset_study" / folder).rglob("*.py"))
    for file in files:
        file.write_text(file.read_text(encoding="utf-8") + "\nCHANGED = 1\n", encoding="utf-8")
    forget()
    assert stale(before) == {"score"}


DECISIVE = [  # a change, and a key that it makes stale
    ("proset_study/data/splits.py", "data.y[fitted])) <", "data.y[fitted])) <=", "fit knn"),
    ("proset_study/data/encoding.py", "seen >= 0", "seen > 0", "fit knn"),
    ("proset_study/data/dataset.py", "impute: str | None = None", 'impute: str | None = "mean"', "fit knn"),
    ("proset_study/data/columns.py", "MAX_CLASSES = 20", "MAX_CLASSES = 30", "data custom"),
    ("proset_study/base/records.py", "FORMAT_VERSION = 1", "FORMAT_VERSION = 2", "search xgboost"),
    ("proset/archive.py", "FORMAT_VERSION = 1", "FORMAT_VERSION = 2", "data generators.xor"),
    ("proset_study/methods/knn.py", "larger_is_simpler = True", "larger_is_simpler = False", "search knn"),
    ("proset_study/fits/evaluations/bootstrap.py", "0.632 /", "0.633 /", "evaluation bootstrap knn"),
    ("proset_study/fits/search.py", '"arithmetic")', '"run")', "search knn"),
    ("proset_study/data/generators/xor.py", ">= 0", "> 0", "data generators.xor"),
]


def test_what_decides_a_result_counts(package):
    for file, old, new, name in DECISIVE:
        text, (job, names) = (package / file).read_text(encoding="utf-8"), NAMES[name]
        before = key(job, **names)
        edit(package / file, old, new)
        assert key(job, **names) != before, (file, new)
        (package / file).write_text(text, encoding="utf-8")
        forget()


def test_a_helper_counts_whatever_its_functions_are_called(package):
    for file, kind in (("methods/knn.py", "Method"), ("data/generators/xor.py", "Generator")):
        name = "cost" if kind == "Method" else "errors"
        path = package / "proset_study" / file
        helper = f"\n\nclass Helper(dict):\n    def {name}(self):\n        return 1\n"
        path.write_text(path.read_text(encoding="utf-8") + helper, encoding="utf-8")
        forget()
        before = keys("search", "data")
        edit(path, "return 1\n", "return 2\n")
        assert stale(before) == {"search knn" if kind == "Method" else "data generators.xor"}


def test_a_default_counts_that_is_given_by_its_name(package):
    path = package / "proset_study/data/generators/xor.py"
    edit(path, "), 100)", "), default=100)")
    before = keys("data")
    edit(path, "default=100", "default=200")
    assert stale(before) == {"data generators.xor"}


def test_files_of_a_command_count_whatever_is_in_them(tmp_path):
    for name, content in (("bin/python", b"\x7fELF\xf0"), ("one/s.py", b"1"), ("two/s.py", b"2")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    named = ("bin/python", "one/s.py", "two/s.py", "--option")
    before = fingerprints._files(tmp_path, named)
    assert set(before) == set(named[:3])
    for name in before:
        (tmp_path / name).write_bytes(b"changed")
        assert fingerprints._files(tmp_path, named) != before
        before = fingerprints._files(tmp_path, named)


def test_what_is_imported_by_a_relative_name_counts(package):
    """A method of one's own may do so."""
    (package / "proset_study/methods/helper.py").write_text("K = 1\n", encoding="utf-8")
    edit(package / "proset_study/methods/knn.py", "\nfrom proset", "\nfrom .helper import K\nfrom proset")
    before = keys("search")
    edit(package / "proset_study/methods/helper.py", "K = 1", "K = 2")
    assert stale(before) == {"search knn"}


def test_a_score_and_the_statement_of_a_claim_count_for_reports_and_for_no_fit(package):
    before = keys(*KEYS)
    edit(package / "proset_study/store/metrics.py", "_ALL = (", '_ALL = (\n    Score("sharpness", "sharpness", max),')
    assert stale(before) == {"score", "table", "page", "report", "predictions"}
    before = keys("report")
    file = package / "proset_study/report/claims/fitting.py"
    edit(file, "The first batch matters most", "It is said that the first batch matters most")
    assert stale(before) == {"report"}
    before = keys("page", "report")
    edit(package / "proset_study/report/article/study.py", '"""How close the published', '"""Whether the published')
    assert not stale(before)


def test_libraries_count_for_what_imports_them_and_templates_for_pages():
    users = {"xgboost==": ["xgboost"], "skops==": ["random_forest"], "scipy==": list(EXAMPLES)}
    for library, known in users.items():
        assert [user for user in EXAMPLES if library in counted("search", method=user)] == known
    assert [source for source in TABLES.values() if "pandas==" in counted("data", source=source)] == ["custom"]
    assert "index.html.j2" in counted("page")
    assert "index.html.j2" not in counted("table")


@pytest.mark.parametrize("method", METHODS)
def test_no_library_of_a_fit_is_forgotten(method):
    modules = closure(*modules_of("search", method=method), *modules_of("fit", method=method))[0]
    imported = {name.split(".")[0] for module in modules for name in _module(module)[1]}
    assert imported - set(sys.stdlib_module_names) - {"proset", "proset_study"} <= set(LIBRARIES)


def test_the_arithmetic_of_proset_counts_for_its_fits_only():
    assert uses_kernel("proset")
    assert all(uses_kernel(method) == method.startswith("proset") for method in METHODS)
    assert arithmetic_of("proset") == arithmetic.name()
    assert arithmetic_of("knn") == library_arithmetic()
    for method in ("proset", "knn"):  # scores are made with its logarithm: its version counts, the kernel does not
        assert "proset.arithmetic" in counted("search", method=method)
    assert "proset.library" not in counted("search", method="knn")


def test_a_module_that_does_not_exist_is_named():
    with pytest.raises(ModuleNotFoundError, match=r"there is no module 'proset_study\.methods\.ada'"):
        key("fit", method="ada")


if __name__ == "__main__":
    CLOSURES.write_text(in_words(), encoding="utf-8")
