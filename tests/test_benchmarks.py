"""The command line of the benchmarks; what they measure is too slow for a test."""

import ast
import subprocess
import sys
from importlib import import_module

import pytest
from tests.shared import ROOT

MAIN = ROOT / "benchmarks/__main__.py"


def test_every_part_has_a_branch_of_its_own():
    """The last branch is that of "table": a part without its own would write tables in silence."""
    tree = ast.parse(MAIN.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    (parts,) = (k.value for call in calls for k in call.keywords if k.arg == "choices")
    compared = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    branches = [text.removeprefix("args.part == ") for text in compared if text.startswith("args.part == ")]
    assert sorted([*map(ast.literal_eval, branches), "table"]) == sorted(ast.literal_eval(parts))


@pytest.mark.slow
def test_tiny_sizes_replace_no_numbers_that_are_committed(tmp_path, monkeypatch):
    benchmarks, committed = import_module("benchmarks.__main__"), MAIN.with_name("results.md").read_bytes()
    monkeypatch.setattr(benchmarks, "QUICK", tmp_path / "results")
    monkeypatch.setattr(sys, "argv", ["benchmarks", "table", "--quick"])
    benchmarks.QUICK.mkdir()
    benchmarks.write_csv(benchmarks.QUICK, "startup", ("what", "cpu_seconds"), [{"what": "python", "cpu_seconds": 0.5}])
    benchmarks.main()
    assert "|python|0.5" in (tmp_path / "results.md").read_text(encoding="utf-8")
    assert MAIN.with_name("results.md").read_bytes() == committed


def test_memory_is_that_of_the_process_and_not_of_the_one_that_started_it(tmp_path):
    measure = f"""
import subprocess, sys
from pathlib import Path
from benchmarks import memory
held = b"x" * 300 * 2**20
command = [sys.executable, "-c", "from benchmarks.memory import peak_mib; print(peak_mib())"]
print(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip(), memory.peak_mib())
print(*memory.run([sys.executable, "-c", "held = b'x' * 100 * 2**20"], Path({str(tmp_path)!r})))
"""
    command = [sys.executable, "-c", measure]
    ended = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    child, own, seconds, small = map(float, ended.stdout.split())
    assert child < 100 < 300 < own
    assert 0 < seconds < 10
    assert 100 < small < 200
