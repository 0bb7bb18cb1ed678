"""The command line of the benchmarks; what they measure is too slow for a test."""

import ast
from pathlib import Path

MAIN = Path(__file__).parents[1] / "benchmarks/__main__.py"


def test_every_part_has_a_branch_of_its_own():
    """The last branch is that of "table": a part without its own would write tables in silence."""
    tree = ast.parse(MAIN.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    (parts,) = (k.value for call in calls for k in call.keywords if k.arg == "choices")
    compared = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    branches = [text.removeprefix("args.part == ") for text in compared if text.startswith("args.part == ")]
    assert sorted([*map(ast.literal_eval, branches), "table"]) == sorted(ast.literal_eval(parts))
