"""The site: it builds without a warning, has what it should, and shows it without a network."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import proset.plot

ROOT = Path(__file__).parents[1]
PACKAGES = ("sphinx", "sphinx_gallery", "pydata_sphinx_theme", "myst_parser", "numpydoc")
MISSING = [package for package in PACKAGES if importlib.util.find_spec(package) is None]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(MISSING), reason=f"{', '.join(MISSING)} not installed: pip install -r requirements-docs.txt"
    ),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """What `make docs` builds, in a copy of the project, since the gallery is written next to its sources."""
    project = tmp_path_factory.mktemp("project")
    for file in ROOT.glob("*.md"):
        shutil.copy2(file, project)
    for folder in ("docs", "benchmarks/results", "reports/study/figures/overview"):
        shutil.copytree(
            ROOT / folder, project / folder, ignore=shutil.ignore_patterns("_build", "gallery", "generated")
        )
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "docs", "docs/_build"]
    # A proxy that nobody answers stands for a missing network.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(command, cwd=project, env=os.environ | nowhere, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return project / "docs/_build"


def test_every_public_name_has_a_page(site):
    names = [*proset.__all__, *(f"plot.{name}" for name in proset.plot.__all__)]
    assert [name for name in names if not (site / f"generated/proset.{name}.html").exists()] == []


def test_every_example_ran_and_shows_what_it_gives(site):
    folder = ROOT / "docs/examples"
    examples = sorted(path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py"))
    assert len(examples) >= 10
    pages = [(site / f"gallery/{name}.html").read_text(encoding="utf-8") for name in examples]
    figures = ["sphx-glr-single-img" in page for page in pages]
    assert sum(figures) >= 10
    for name, page, has_figure in zip(examples, pages, figures, strict=True):
        assert has_figure or "sphx-glr-script-out" in page, name


def test_formulas_are_shown_without_a_script(site):
    page = (site / "guide/model.html").read_text(encoding="utf-8")
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
def test_nothing_is_fetched_from_the_network(site, ending, pattern):
    files = list(site.rglob(f"*.{ending}"))
    assert files
    found = [match for path in files for match in re.findall(pattern, path.read_text(encoding="utf-8"))]
    assert found == []
