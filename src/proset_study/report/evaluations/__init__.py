"""How each kind of evaluation is shown: a module for each of `evaluations.KINDS`, of the same name."""

from dataclasses import replace
from importlib import import_module

from proset_study.base.additions import folders
from proset_study.fits.evaluations import KINDS
from proset_study.report.evaluations.base import EvaluationReport
from proset_study.report.figures.registry import FigureSpec, of_data_set, over_data_sets

__path__ += folders("evaluations/report")


def get(kind: str) -> EvaluationReport:
    """The table and the figure of a kind of evaluation."""
    return import_module(f"proset_study.report.evaluations.{kind}").REPORT


@of_data_set("Evaluations")
def _plan(available):
    stored = available.stored
    for kind in KINDS:
        evaluated = [run for _, run, _ in stored.study.evaluated(kind, stored.replicates[:1], available.data_set)]
        if evaluated and (report := get(kind)).by_data_set:
            yield FigureSpec(kind, evaluated, report.figure, evaluation=kind, category=report.category)


@over_data_sets("Evaluations")
def _draw(overview):
    stored = overview.stored
    for kind in KINDS:
        finals = [final for final in stored.evaluated(kind) if final.replicate == stored.replicates[0]]
        if finals and not (report := get(kind)).by_data_set:
            yield kind, replace(report.figure(finals), category=report.category)
