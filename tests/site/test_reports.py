"""The committed reports in a browser: their pages are accessible, and on phones what is wide is moved in its own box.

axe looks at every page on a phone, without rows of a table that have nothing new, and at some pages in the other
scheme, at other widths and with all folds open. Dark pages differ by their colours only.
"""

from contextlib import contextmanager

import pytest
from tests.shared import ROOT
from tests.site.conftest import violations

REPORTS = ROOT / "reports"
PAGES = sorted(str(path.relative_to(REPORTS)) for path in REPORTS.glob("*/**/*.html") if "data_sets" not in path.parts)
SAMPLE = (
    ("set_cover/index.html", "dark", 768),
    ("chapter_claims/index.html", "light", 1400),
    ("open_track/findings/when_does_it_pay.html", "dark", 1400),
)
OPEN = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
# Rows whose cells look like those above them would only take time.
ALIKE = """() => document.querySelectorAll('tbody').forEach((body) => {
    const seen = new Set();
    for (const row of [...body.rows]) {
        const kindOf = (cell, i) => [i, cell.tagName, cell.className, cell.innerHTML[0] === '<'].join();
        const kinds = [...row.cells].map(kindOf);
        if (kinds.every((kind) => seen.has(kind))) row.remove();
        kinds.forEach((kind) => seen.add(kind));
    }
})"""
# Of every table that is wider than its box: whether its first column and the mark of the edge are as they should be.
MOVED = """() => [...document.querySelectorAll('.wide')].map((box) => {
    const name = box.querySelector('tbody th');
    if (!name || box.scrollWidth <= box.clientWidth + 1) return null;
    const was = box.classList.contains('more');
    box.scrollLeft = box.scrollWidth;
    const stays = Math.abs(name.getBoundingClientRect().left - box.getBoundingClientRect().left) < 2;
    return [box.getAttribute('aria-label'), was, stays, box.scrollLeft > 0];
}).filter((found) => found)"""


@contextmanager
def shown(browser, name, width=390, scheme="light"):
    page, logged = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme), []
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.goto((REPORTS / name).as_uri())
    yield page
    page.close()
    assert logged == []


def violations_of(page, rules=None):
    page.evaluate(ALIKE)
    return violations(page, rules)


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_use_a_report_on_a_phone_where_wide_tables_move_and_names_of_rows_stay(browser, name):
    with shown(browser, name) as page:
        assert violations_of(page) == []
        page.evaluate(OPEN)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert [found for found in page.evaluate(MOVED) if not all(found[1:])] == []


@pytest.mark.parametrize(("name", "scheme", "width"), SAMPLE)
def test_everybody_can_use_a_report_in_the_dark_on_screens_and_with_open_folds(browser, name, scheme, width):
    with shown(browser, name, width, scheme) as page:
        page.evaluate(OPEN)
        assert violations_of(page, ["color-contrast"] if scheme == "dark" else None) == []
