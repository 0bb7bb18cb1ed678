import doctest
import subprocess
import sys

import pytest

from proset import plot


@pytest.mark.parametrize("name", plot.__all__)
def test_displays_have_the_form_of_those_of_scikit_learn(name):
    display = getattr(plot, name)
    assert callable(getattr(display, "from_estimators", None) or display.from_estimator)
    assert callable(display.plot)
    assert doctest.DocTestFinder(recurse=False).find(display, name)[0].examples
    for attribute in ("ax_ : matplotlib Axes", "figure_ : matplotlib Figure"):
        assert attribute in display.__doc__


def test_public_names_are_listed_and_others_refused():
    assert set(plot.__all__) <= set(dir(plot))
    with pytest.raises(AttributeError, match=r"module 'proset\.plot' has no attribute 'PieDisplay'"):
        _ = plot.PieDisplay


def test_matplotlib_is_needed(child_environment):
    code = "import sys; sys.modules['matplotlib'] = None; import proset.plot"
    found = subprocess.run([sys.executable, "-c", code], env=child_environment, capture_output=True, text=True)
    assert found.stderr.splitlines()[-1].startswith("ImportError: proset.plot needs Matplotlib: pip install")
