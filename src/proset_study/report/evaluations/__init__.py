"""How each kind of evaluation is shown: a module for each of `evaluations.KINDS`, of the same name."""

from importlib import import_module

from proset_study.report.evaluations.base import EvaluationReport


def get(kind: str) -> EvaluationReport:
    """The table and the figure of a kind of evaluation."""
    return import_module(f"proset_study.report.evaluations.{kind}").REPORT
