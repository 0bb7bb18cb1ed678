"""Links: dead ones are found, and a page of a report is linked anew in the site."""

import pytest
from tests.shared import ROOT, dead_links

from proset_study.base.records import read_json
from proset_study.report.pages.links import as_committed, relinked
from proset_study.report.site.build import copy_report
from proset_study.study import layout
from proset_study.study.config.study import Study

REPORTS = sorted(path.parent for path in ROOT.glob("reports/*/manifest.json"))

PAGE = """<a href="#here">1</a> <a href="there.html#x">2</a> <a class="a" href="gone/wine.html">wine</a>
<a href="https://example.org">4</a> <a href="../../docs/findings.md#misses">why</a>"""


def test_in_the_site_dead_links_are_text_and_the_documentation_is_html(tmp_path):
    page = tmp_path / "reports/study/index.html"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE, encoding="utf-8")
    (page.parent / "there.html").touch()
    assert dead_links(page) == ["gone/wine.html", "../../docs/findings.md#misses"]
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


def test_links_of_a_committed_page_lead_to_what_is_committed():
    study = Study.of(read_json(REPORTS[0] / layout.MANIFEST)["config"])
    page = layout.PAGE.format(data_set=study.data_sets[0])
    addresses = (f"{page}#x", "tables.html", "gone.html", "../../docs/a.md")
    links = " ".join(f'<a href="{address}">here</a>' for address in addresses)
    text = as_committed(links, study, [page, "tables.html"])
    assert text.count("<a ") == 2
    assert '<a href="tables.html">' in text
    assert '<a href="../../docs/a.md">' in text


def test_without_the_page_of_tables_links_lead_to_their_markdown():
    study = Study.of(read_json(REPORTS[0] / layout.MANIFEST)["config"])
    links = '<a href="tables.html#E3">E3</a> <a href="tables.html#E4">E4</a> <a href="tables.html">all</a>'
    assert as_committed(links, study, ["tables.html"]) == links
    text = as_committed(links, study, ["tables/E3.md"])
    assert text.startswith('<a href="tables/E3.md">E3</a> <span title=')
    assert text.count("<a ") == 1


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_committed_reports_have_no_dead_links_here_and_in_the_site(report, tmp_path):
    pages = sorted(report.glob("*.html"))
    assert pages
    assert [link for page in pages for link in dead_links(page)] == []
    copy = tmp_path / "reports" / report.name
    copy_report(report, copy, has_docs=False)
    assert not (copy / "records").exists()
    copies = sorted(copy.glob("*.html"))
    assert len(copies) == len(pages)
    assert [link for page in copies for link in dead_links(page)] == []
