"""Addresses of targets in the site and in a clone, and what is copied."""

import subprocess
from pathlib import Path

import pytest
from tests.shared import ROOT, dead_links

from proset_study.report.article.model import Model
from proset_study.report.site.answer import Answer
from proset_study.report.site.build import (
    beyond_context,
    clone_href,
    render,
    reports,
    reproduction_context,
    site_href,
    write_site,
)


@pytest.mark.parametrize(
    ("target", "in_site", "without_docs", "in_clone"),
    [
        ("page:compare", "compare.html", "compare.html", "battery/index.html"),
        ("page:beyond", "beyond.html", "beyond.html", "response_curves/index.html"),
        ("page:try", "try.html", "try.html", ""),
        ("doc:statistics", "docs/statistics.html", "", "../docs/statistics.md"),
        ("report:study", "reports/study/index.html", "reports/study/index.html", "study/index.html"),
    ],
)
def test_targets_have_an_address_where_they_are(target, in_site, without_docs, in_clone):
    assert site_href(target, has_docs=True) == in_site
    assert site_href(target, has_docs=False) == without_docs
    assert clone_href(target, "battery") == in_clone


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_the_site_has_all_committed_reports_that_of_the_study_first():
    command = ["git", "-C", str(ROOT), "ls-files", "reports/*/manifest.json"]
    files = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert sorted(reports(ROOT)) == sorted(Path(file).parent.name for file in files)
    assert reports(ROOT)[0] == "study"


@pytest.mark.parametrize(
    ("template", "context"),
    [
        ("reproduction.html.j2", lambda: reproduction_context(ROOT, Answer(ROOT, Model()))),
        ("beyond.html.j2", lambda: beyond_context(ROOT)),
    ],
)
def test_pages_without_documentation_have_no_dead_link(template, context, tmp_path):
    page = tmp_path / "reports/page.html"
    text = render(
        template, href=lambda t: "" if t.startswith("doc:") else "#main", pages=[], here="", search=False, **context()
    )
    page.parent.mkdir()
    page.write_text(text, encoding="utf-8")
    assert dead_links(page) == []
    assert text.index("This page ") < text.index("<h2") < text.rindex("Do not conclude ")


def test_nothing_is_removed_but_a_site(tmp_path):
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(ValueError, match=r"it has files and no compare-data\.js, so it is no site"):
        write_site(ROOT, tmp_path)
    site = tmp_path / "site"
    site.mkdir()
    (site / "compare-data.js").touch()
    with pytest.raises(ValueError, match="none of reports/battery_sealed, reports/battery is there"):
        write_site(tmp_path, site)
    assert {path.name for path in tmp_path.iterdir()} == {"thesis.txt", "site"}
    assert (site / "compare-data.js").exists()
