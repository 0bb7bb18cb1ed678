"""What the README and the user guide give to be copied runs as it stands."""

import re
import textwrap

import pytest
from tests.shared import ROOT

PAGES = [ROOT / "docs/start.md", *sorted((ROOT / "docs/guide").glob("*.md"))]


def blocks(page):
    found = re.findall(r"^ *```python\n(.*?)^ *```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for block in found]


def run(page, tmp_path, monkeypatch):
    """The names that the code of a page leaves, run in an empty folder."""
    code = "\n".join(blocks(page))
    for package in {"jinja2", "pandas", *re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE)}:
        pytest.importorskip(package)
    if "proset.plot" in code:
        pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(code, str(page), "exec"), names)
    return names


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    assert "proset" in run(page, tmp_path, monkeypatch)["ProsetClassifier"].__module__


def test_the_readme_goes_from_a_table_to_an_exported_model_in_fifteen_lines(tmp_path, monkeypatch):
    (code,) = blocks(ROOT / "README.md")
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    names = run(ROOT / "README.md", tmp_path, monkeypatch)
    assert names["model"].score(names["X_test"], names["y_test"]) > 0.9
    assert names["model"].n_prototypes_ > 0
    assert "malignant" in (tmp_path / "model.html").read_text(encoding="utf-8")
    assert "int model_predict(" in (tmp_path / "model.c").read_text(encoding="utf-8")
