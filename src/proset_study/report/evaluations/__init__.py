"""How each kind of evaluation is shown: a module for each of `evaluations.KINDS`, of the same name."""

from importlib import import_module

from proset_study.evaluations import KINDS
from proset_study.report.evaluations.base import EvaluationReport

MODULES = tuple(f"proset_study.report.evaluations.{kind}" for kind in KINDS)  # no import statement names them


def get(kind: str) -> EvaluationReport:
    """The table and the figure of a kind of evaluation."""
    return import_module(f"proset_study.report.evaluations.{kind}").REPORT
