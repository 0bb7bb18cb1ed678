"""Additions in the folder of a study and in a package with entry points, as a process of its own sees them."""

import json
import os
import subprocess
import sys

import pytest
from tests.shared import ROOT

from proset_study.base import additions

METHOD = """
from proset_study.methods.estimators import EstimatorMethod
{imports}

class Own(EstimatorMethod):
    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.naive_bayes import GaussianNB

        return GaussianNB()
"""
COMMAND = """
from proset_study.external import CommandMethod

class Own(CommandMethod):
    command = ("Rscript", "commands/program.R")
"""
HEIR = """
from proset_study.methods.by_command import Own

class Heir(Own):
    command = ("Rscript", "commands/other.R")
"""
PROGRAM = """
import json, pathlib, sys
from proset_study import methods
from proset_study.base import additions
from proset_study.data import generators
from proset_study.fits import evaluations
from proset_study.report import evaluations as shown
from proset_study.study import fingerprints

NAMES = ("in_folder", "by_command", "heir", "in_package", "knn")

def keys():
    fingerprints._module.cache_clear()
    fingerprints.code_fingerprint.cache_clear()
    return {name: fingerprints.key("fit", method=name) for name in NAMES}

before = keys()

def stale(file):
    text = pathlib.Path(file).read_text()
    pathlib.Path(file).write_text(text + "\\nCHANGED = 1\\n")
    after = keys()
    pathlib.Path(file).write_text(text)
    return [name for name in NAMES if before[name] != after[name]]

site = pathlib.Path(sys.argv[1])
print(json.dumps({
    "methods": {name: methods.get(name).__module__ for name in NAMES},
    "generator": generators.of({"generator": "spirals", "turns": 2}).size.rows,
    "evaluation": [evaluations.get("own_curve").__name__, type(shown.get("own_curve")).__name__],
    "kinds": list(evaluations.KINDS),
    "stale": {name: stale(file) for name, file in {
        "in_folder": "methods/in_folder.py",
        "package in the folder": "methods/parts/tools.py",
        "next to the config": "shared_code.py",
        "program": "methods/commands/program.R",
        "program of the heir": "methods/commands/other.R",
        "in_package": site / "theirs/methods/in_package.py",
        "helper": site / "theirs/helper.py",
    }.items()},
    "libraries": sorted(fingerprints.closure("proset_study.methods.in_package")[1]),
    "errors": additions.errors(),
}))
"""


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What the program prints in the folder of a study, next to a package with entry points."""
    study, site = (tmp_path_factory.mktemp(name) for name in ("study", "site"))
    curve = "src/proset_study/{}/evaluations/learning_curve.py"
    write(
        study,
        {
            "config.yaml": "",
            "methods/in_folder.py": METHOD.format(imports="import shared_code\nfrom .parts import tools"),
            "methods/parts/tools.py": "",
            "shared_code.py": "",
            "methods/by_command.py": COMMAND,
            "methods/commands/program.R": "1",
            "methods/heir.py": HEIR,
            "methods/commands/other.R": "1",
            "methods/_helper.py": "",
            "methods/knn.py": METHOD.format(imports=""),
            "generators/spirals.py": (ROOT / "docs/generator_template.py").read_text(encoding="utf-8"),
            "evaluations/own_curve.py": (ROOT / curve.format("fits")).read_text(encoding="utf-8"),
            "evaluations/report/own_curve.py": (ROOT / curve.format("report")).read_text(encoding="utf-8"),
        },
    )
    entries = "[proset_study.methods]\ntheirs = theirs.methods\nlost = nobody.methods\n"
    write(
        site,
        {
            "theirs/__init__.py": "",
            "theirs/helper.py": "import packaging\nimport yaml\n",
            "theirs/methods/__init__.py": "",
            "theirs/methods/in_package.py": METHOD.format(imports="from theirs import helper"),
            "theirs-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n",
            "theirs-1.0.dist-info/entry_points.txt": entries,
        },
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT / "src")])}
    command = [sys.executable, "-c", PROGRAM, str(site)]
    ended = subprocess.run(command, cwd=study, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_files_of_a_study_and_of_a_package_are_found(seen):
    assert seen["methods"] == {
        name: f"proset_study.methods.{name}" for name in ("in_folder", "by_command", "heir", "in_package", "knn")
    }
    assert seen["generator"] == 400
    assert seen["evaluation"] == ["LearningCurve", "EvaluationReport"]
    assert "report" not in seen["kinds"]


def test_a_change_makes_the_results_of_its_method_stale_and_no_others(seen):
    assert seen["stale"] == {
        "in_folder": ["in_folder"],
        "package in the folder": ["in_folder"],
        "next to the config": ["in_folder"],
        "program": ["by_command", "heir"],
        "program of the heir": ["heir"],
        "in_package": ["in_package"],
        "helper": ["in_package"],
    }


def test_libraries_that_ours_do_not_use_count_by_their_name(seen):
    assert {"packaging", "scikit-learn"} <= set(seen["libraries"])
    assert {"yaml", "PyYAML"} & set(seen["libraries"]) == {"PyYAML"}  # as a distribution


def test_what_cannot_be_found_is_named(seen):
    lost, helper, taken = seen["errors"]
    assert helper.startswith("methods: ")
    assert helper.endswith("methods/_helper.py is not allowed, each file is one; put shared code next to this folder")
    assert lost == "entry point lost of proset_study.methods: 'nobody.methods' is not allowed, must be a package"
    assert taken.startswith("methods: the name of ")
    assert "methods/knn.py is not allowed, " in taken
    assert taken.endswith("src/proset_study/methods/knn.py has it; rename the file")


def test_a_package_among_methods_is_refused(tmp_path, monkeypatch):
    """Python would find it as a method."""
    write(tmp_path, {"parts/__init__.py": "", "parts/tools.py": "", "__init__.py": ""})
    monkeypatch.setattr(additions, "folders", lambda kind: [str(tmp_path)] if kind == "methods" else [])
    (error,) = additions.errors()
    assert error.endswith("parts/__init__.py is not allowed, each file is one; put shared code next to this folder")
