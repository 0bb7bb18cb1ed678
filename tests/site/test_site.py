"""The site: it has what it should, and shows it without a network.

`make docs` runs this on what it has built; `make test` does not.
"""

import re

import pytest
from tests.shared import ROOT

import proset.plot

SITE = ROOT / "docs/_build"


def test_every_public_name_has_a_page():
    names = [*proset.__all__, *(f"plot.{name}" for name in proset.plot.__all__)]
    assert [name for name in names if not (SITE / f"generated/proset.{name}.html").exists()] == []


def test_every_example_ran_and_shows_what_it_gives():
    folder = ROOT / "docs/examples"
    examples = sorted(path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py"))
    assert len(examples) >= 10
    pages = [(SITE / f"gallery/{name}.html").read_text(encoding="utf-8") for name in examples]
    figures = ["sphx-glr-single-img" in page for page in pages]
    assert sum(figures) >= 10
    for name, page, has_figure in zip(examples, pages, figures, strict=True):
        assert has_figure or "sphx-glr-script-out" in page, name


def test_formulas_are_shown_without_a_script():
    page = (SITE / "guide/model.html").read_text(encoding="utf-8")
    assert page.count('<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">') >= 3


@pytest.mark.parametrize(
    ("ending", "pattern"),
    [
        # what a browser fetches on its own: <a href> is only a link
        ("html", r"<(?!a\b)[^>]*\b(?:src|href|data|srcset)\s*=\s*[\"'](?:https?:)?//[^\"']*"),
        ("css", r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\"';]*"),
        ("js", r"import\s*\(?[\"'](?:https?:)?//[^\"']*|\.src\s*=\s*[\"'](?:https?:)?//[^\"']*"),
    ],
)
def test_nothing_is_fetched_from_the_network(ending, pattern):
    files = list(SITE.rglob(f"*.{ending}"))
    assert files
    found = [match for path in files for match in re.findall(pattern, path.read_text(encoding="utf-8"))]
    assert found == []
