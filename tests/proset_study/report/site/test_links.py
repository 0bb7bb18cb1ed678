"""Links: dead ones are found, and a page of a report is linked anew in the site."""

from pathlib import Path

import pytest

from proset_study.base.records import read_json
from proset_study.report.site.build import copy_report
from proset_study.report.site.links import dead_links, relinked
from proset_study.study import layout
from proset_study.study.config.study import Study

REPORTS = sorted(path.parent for path in Path(__file__).parents[4].glob("reports/*/manifest.json"))

PAGE = """<a href="#here">1</a> <a href="there.html#x">2</a> <a class="a" href="gone/wine.html">wine</a>
<a href="https://example.org">4</a> <a href="../../docs/findings.md#misses">why</a>"""


def made(tmp_path):
    page = tmp_path / "reports/study/index.html"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE, encoding="utf-8")
    (page.parent / "there.html").touch()
    return page


def test_dead_links_are_those_to_files_that_are_not_there(tmp_path):
    assert dead_links(made(tmp_path)) == ["gone/wine.html", "../../docs/findings.md#misses"]


def test_in_the_site_dead_links_are_text_and_the_documentation_is_html(tmp_path):
    page = made(tmp_path)
    docs = tmp_path / "docs/findings.html"
    docs.parent.mkdir()
    docs.touch()
    text = relinked(PAGE, page, has_docs=True)
    page.write_text(text, encoding="utf-8")
    assert dead_links(page) == []
    assert '<a href="../../docs/findings.html#misses">why</a>' in text
    assert '<span title="only in the archive of a release">wine</span>' in text
    assert text.count("<a ") == PAGE.count("<a ") - 1
    docs.unlink()
    assert "findings" not in relinked(PAGE, page, has_docs=False)


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_dead_links_of_committed_reports_lead_to_archives_and_are_text_in_the_site(report, tmp_path):
    study = Study.of(read_json(report / layout.MANIFEST)["config"])
    for page in sorted(report.glob("*.html")):
        files = {link.partition("#")[0] for link in dead_links(page)}
        assert [file for file in files if not layout.archived(study, file)] == [], page.name
    copy = tmp_path / "reports" / report.name
    copy_report(report, copy, has_docs=False)
    assert not (copy / "records").exists()
    pages = sorted(copy.glob("*.html"))
    assert pages
    assert [link for page in pages for link in dead_links(page)] == []
