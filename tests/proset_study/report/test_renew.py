"""A report for committing: other code renews what follows from numbers, and links lead to what is committed."""

import re
import shutil

import pytest
from tests.shared import dead_links

from proset_study.report.pages.links import as_committed
from proset_study.report.renew import PARTS, SCRIPTS, renew, replaced
from proset_study.report.write import write_report
from proset_study.study import layout

PAGES = (layout.INDEX, layout.TABLE_PAGE, layout.EXPLORE)


@pytest.fixture(scope="module")
def fresh(written, whole, published, tmp_path_factory):
    """The small report with the pages over all data sets; its other pages are there, but are not read."""
    folder = shutil.copytree(written, tmp_path_factory.mktemp("project") / "reports/small")
    write_report(whole, folder, published, ["overview"])
    return folder


@pytest.fixture
def pages(fresh):
    return {name: (fresh / name).read_text(encoding="utf-8") for name in PAGES}


def test_what_the_same_code_has_written_changes_only_by_its_links(fresh, pages, whole, published, tmp_path):
    folder = shutil.copytree(fresh, tmp_path / "reports/small")
    changed = renew(folder, published)
    files = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    assert changed == [layout.INDEX, layout.EXPLORE]  # which take the library from the folder of all reports
    for name, text in pages.items():
        assert (folder / name).read_text(encoding="utf-8") == as_committed(text, whole.study, files)
    assert "data_sets/flowers.html" in pages[layout.INDEX]
    shutil.rmtree(folder / "data_sets")
    assert [link for name in PAGES for link in dead_links(folder / name) if not link.startswith("../../")] == []


def test_what_other_code_has_written_is_renewed_where_it_follows_from_numbers(fresh, pages, published, tmp_path):
    folder = shutil.copytree(fresh, tmp_path / "reports/small")
    text = pages[layout.INDEX]
    older = re.sub("<h1>.*?</h1>", "<h1>Which?</h1>", text).replace('<h2 id="choice">', '<h2 id="choice">My own ')
    older = older.replace('<h2 id="data-sets">', '<p>from records</p><h2 id="data-sets">')
    (folder / layout.INDEX).write_text(re.sub(r"<td[^>]*>", "<td>", older), encoding="utf-8")
    table = layout.TABLE.format(table="E3", suffix="md")
    others = (layout.HEADLINE, table, layout.METHODS, layout.COMPARISON)
    for name in others:
        (folder / name).write_text("older\n", encoding="utf-8")
    (folder / layout.VARIANCE).unlink()
    tests = folder / "findings/over_data_sets.csv"
    tests.write_text(tests.read_text(encoding="utf-8").replace(",all,3,2,1,", ",all,3,2,9,"), encoding="utf-8")
    others += ("findings/over_data_sets.csv",)
    assert {*others, layout.VARIANCE} <= set(renew(folder, published))
    renewed = (folder / layout.INDEX).read_text(encoding="utf-8")
    assert "<h1>Which?</h1>" not in renewed
    assert '<h2 id="choice">My own ' not in renewed
    assert "<p>from records</p>" in renewed
    verdict = re.search(r'<section class="first".*?</section>', text, re.DOTALL)[0]
    assert verdict in renewed
    assert f'href="{layout.VARIANCE}"' in renewed
    for name in others:
        assert (folder / name).read_bytes() == (fresh / name).read_bytes()


def test_pictures_that_need_records_are_written_as_they_would_be_today(fresh, published, tmp_path):
    folder = shutil.copytree(fresh, tmp_path / "reports/small")
    picture = folder / layout.FIGURES.format(data_set="overview") / "rules.svg"
    today = picture.read_text(encoding="utf-8")
    picture.write_text(today.replace("><", ">\n<").replace("<svg ", '<svg id="svg" '), encoding="utf-8")
    assert str(picture.relative_to(folder)) in renew(folder, published)
    assert picture.read_text(encoding="utf-8") == today


def test_a_part_is_replaced_only_where_both_pages_have_it():
    old, new = "<title>a</title><p>1</p>", "<title>b</title><style>c</style>"
    assert replaced(old, new, PARTS) == "<title>b</title><p>1</p>"
    assert replaced(old, "", (*PARTS, SCRIPTS)) == old
