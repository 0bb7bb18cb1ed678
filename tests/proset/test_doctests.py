"""The examples in the docstrings of the package run, and every public name has one."""

import doctest
import importlib
import inspect
import pydoc
import sys
from pathlib import Path

import pytest

import proset

FOLDER = Path(proset.__file__).parent
MODULES = sorted(".".join(path.relative_to(FOLDER.parent).with_suffix("").parts) for path in FOLDER.rglob("[a-z]*.py"))


@pytest.mark.parametrize("module", MODULES)
def test_examples_give_what_they_say(module):
    failed, _ = doctest.testmod(importlib.import_module(module))
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")  # more than 20 figures would be a warning
    assert failed == 0


def public():
    """Public names, and the public methods that their classes have from modules of the package, unless they refer to
    another method.
    """
    for name in proset.__all__:
        member = getattr(proset, name)
        yield name, member
        for method, function in inspect.getmembers(member, inspect.isfunction) if inspect.isclass(member) else ():
            ours = function.__module__.startswith("proset.") and not method.startswith(("_", "set_"))  # by scikit-learn
            if ours and "; see `" not in function.__doc__:
                yield f"{name}.{method}", function


@pytest.mark.parametrize(("name", "member"), list(public()))
def test_every_public_name_has_an_example(name, member):
    assert doctest.DocTestFinder(recurse=False).find(member, name)[0].examples


def test_completion_and_help_show_the_public_names():
    assert set(dir(proset)) >= {*proset.__all__, "__version__"}
    assert "import_module" not in dir(proset)
    text = pydoc.plain(pydoc.render_doc(proset))
    for name in proset.__all__:
        assert f" {name}(" in text, name
