"""Every example in a docstring of the study runs and gives what stands there."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import proset_study

SOURCE = Path(proset_study.__file__).parents[1]
MODULES = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for path in SOURCE.glob("proset_study/**/*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    done = doctest.testmod(import_module(module))
    assert done.failed == 0 < done.attempted
