"""What every kind of evaluation must have, and that a module in each of two folders is all that a new one takes."""

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import proset_study
from proset_study.fits import evaluations
from proset_study.fits.evaluations.base import ABOUT, Evaluation
from proset_study.report import evaluations as shown

ONLY = {"$defs": {"only": {"type": "object"}}}
COUNTED = {  # settings of each kind, and the number of fits that they ask for
    "learning_curve": ({"fractions": [0.1, 0.5, 1.0], "repeats": 4}, 12),
    "bootstrap": ({"samples": 20}, 21),
    "bias_variance": ({"draws": 7, "test_samples": 100}, 7),
    "complexity_curve": ({"draws": 7, "test_samples": 100, "sizes": {"E8": [1, 5]}}, 7),
    "error_estimates": (
        {
            "draws": 20,
            "fitted_samples": 1000,
            "test_samples": 10000,
            "sizes": {"knn": 7},
            "bootstrap_samples": 25,
            "leave_one_out": 50,
        },
        20 * (1 + 3 + 9 + 30 + 10 + 25 + 25 + 50),
    ),
}


def test_kinds_are_found_and_others_are_named():
    assert set(COUNTED) == {*evaluations.KINDS}
    with pytest.raises(ValueError, match="'bagging' is unknown, allowed are bias_variance, bootstrap, complexity"):
        evaluations.get("bagging")


@pytest.mark.parametrize("kind", evaluations.KINDS)
def test_a_kind_has_all_that_is_asked_of_it(kind):
    found = evaluations.get(kind)
    assert all(hasattr(found, name) for name in ABOUT)
    assert list(inspect.signature(found.evaluate).parameters) == [*inspect.signature(Evaluation.evaluate).parameters]
    assert isinstance(shown.get(kind), shown.EvaluationReport)
    assert shown.get(kind).columns[:5] == ("replicate", "experiment", "method", "dataset", "variant")


@pytest.mark.parametrize("kind", COUNTED)
def test_settings_are_checked_and_fits_counted(kind):
    settings, number = COUNTED[kind]
    assert evaluations.get(kind).n_fits(settings) == number
    schema = {**evaluations.schema(), **ONLY}
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({kind: {"of": {}, **settings}}, schema)
    for key in settings:
        incomplete = {name: value for name, value in settings.items() if name != key}
        with pytest.raises(jsonschema.ValidationError, match=f"'{key}' is a required property"):
            jsonschema.validate({kind: {"of": {}, **incomplete}}, schema)
    with pytest.raises(jsonschema.ValidationError, match="unexpected"):
        jsonschema.validate({kind: {"of": {}, **settings, "draw": 3}}, schema)


KIND = """
from proset_study.fits.evaluations.base import Evaluation


class Jackknife(Evaluation):
    description, settings, generated = "Leave one out.", {"most": {"type": "integer"}}, False
    n_fits = staticmethod(lambda settings: settings["most"])
    evaluate = staticmethod(lambda data, folds, final, settings, case, source: {})
"""
SHOWN = """
from proset_study.report.evaluations.base import NAMES, EvaluationReport

REPORT = EvaluationReport(
    category="Jackknife",
    columns=(*NAMES, "most"),
    rows=lambda finals: [],
    title="Jackknife",
    text="Leave one out.",
    cells={"most": lambda row: str(row["most"])},
    figure=lambda finals: None,
)
"""
USE = """
from proset_study.fits import evaluations
from proset_study.report.evaluation_tables import evaluation_tables

assert "jackknife" in evaluations.KINDS, evaluations.KINDS
assert evaluations.schema()["properties"]["jackknife"]["required"] == ["of", "most"]


class Nothing:
    study = type("Study", (), {"config": {"replicates": [0]}, "is_large": False})
    all_finals = staticmethod(lambda: [])
    evaluated = staticmethod(lambda kind: [])


assert evaluation_tables(Nothing)["jackknife"][0][-1] == "most"
"""


def test_two_modules_are_all_that_a_new_kind_takes(tmp_path, child_environment):
    source = Path(proset_study.__file__).parent
    copy = shutil.copytree(source, tmp_path / "proset_study", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "fits/evaluations/jackknife.py").write_text(KIND, encoding="utf-8")
    (copy / "report/evaluations/jackknife.py").write_text(SHOWN, encoding="utf-8")
    environment = {**child_environment, "PYTHONPATH": f"{tmp_path}{os.pathsep}{child_environment['PYTHONPATH']}"}
    done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
