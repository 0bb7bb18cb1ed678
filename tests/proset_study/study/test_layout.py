"""Paths are spelt in one module."""

import ast
from pathlib import Path

from tests.proset_study.config_files import merged

import proset_study
from proset_study.study import inputs, layout
from proset_study.study.config.checks import load

SOURCE = Path(proset_study.__file__).parent
NAMES = {Path(template).name for template in (layout.DATA, layout.SPLIT, layout.PARAMETERS, layout.COMPLEXITY)}
NAMES |= {Path(template).name for template in (layout.MODEL, layout.PREDICTIONS, layout.FIT)} | {"trials_", "folds_"}
MODULES = sorted(str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if path != Path(layout.__file__))
OTHERS = {"study/contract.py", "release/verify/refits.py"}  # scratch files


def test_no_other_module_spells_a_path_of_results():
    for module in MODULES:
        tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
        paths = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
        texts = [n.value for path in paths for n in ast.walk(path) if isinstance(n, ast.Constant)]
        spelt = [text for text in texts if isinstance(text, str) and any(name in text for name in NAMES)]
        assert module in OTHERS or spelt == [], module


def test_a_comparison_makes_the_evaluations_that_it_names_and_their_page():
    study = load(merged("workflow/error_estimates.yaml"))
    *records, page = inputs.evaluations_of(study, "E18")
    assert page == "reports/error_estimates/index.html"
    assert len(records) == 4 * (7 * 3 + 3)  # families, methods and sizes, and the largest size of three methods
    assert {Path(record).stem for record in records} == {"error_estimates"}
    assert {Path(r).stem for r in inputs.evaluations_of(study, "complexity")[:-1]} == {"complexity_curve"}
    assert inputs.evaluations_of(study, "estimates_knn") == []
