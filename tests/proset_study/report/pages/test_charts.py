"""Pages in a browser: nothing is loaded from elsewhere, all works with mouse and keys, on phones and on paper."""

import os
import re
import shutil
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest
from tests.shared import ROOT

from proset_study.base.records import read_json, write_json
from proset_study.report.pages.data_set import write_data_set
from proset_study.study import layout

STUDY = ROOT / "reports/study"
PAGES = ("index", "tables", "explore", "data_sets/flowers", "data_sets/odd")
SCREENS = {"screen": (1400, 900), "tablet": (800, 1000), "phone": (390, 800)}
A4 = 703  # CSS pixels between margins of 12 mm
TAB_STOPS = """() => [...document.querySelectorAll('a[href],button,input,select,summary,[tabindex="0"]')]
    .filter((element) => element.checkVisibility()).length"""


SAID_ABOVE = """() => [...document.querySelectorAll('figure')].filter((f) => f.checkVisibility()).map((figure) => {
    const [said, image] = ['.finding', 'img'].map((part) => figure.querySelector(part));
    const [above, below] = [said, image].map((part) => part.getBoundingClientRect());
    return [said.checkVisibility() && (!image.checkVisibility() || above.bottom <= below.top), image.checkVisibility()];
})"""


@contextmanager
def shown(browser, path, size="screen", hash="", **options):
    """A page in a window; at the end all that was loaded is in its report, and no error or warning has been logged."""
    width, height = SCREENS[size]
    page = browser.new_page(viewport={"width": width, "height": height}, **options)
    logged, requests = [], []
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri() + hash)
    yield page
    page.close()
    assert logged == []
    folder = path.parents[1] if path.parent.name == "data_sets" else path.parent
    own = (f"{folder.as_uri()}/", (folder.parent / layout.VEGA).as_uri(), "data:", "blob:")
    assert [url for url in requests if not url.startswith(own)] == []


def drawn(page, form, marks="path, image"):
    """A chart once it is drawn."""
    page.locator(form).scroll_into_view_if_needed()
    page.locator(f"{form}[data-drawn] .canvas svg").wait_for(timeout=60_000)
    return page.locator(f"{form} .canvas svg")


def redrawn(page, form, change):
    """How many rows a chart shows after a change."""
    page.locator(form).evaluate("(form) => form.removeAttribute('data-drawn')")
    change()
    page.locator(f"{form}[data-drawn]").wait_for(timeout=60_000)
    return int(page.locator(form).get_attribute("data-drawn"))


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_window(browser, report, name):
    with shown(browser, report / f"{name}.html", "phone") as page:
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        for width, height in sorted(SCREENS.values()):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= 14


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_use_it(browser, report, name):
    from axe_playwright_python.sync_playwright import Axe

    with shown(browser, report / f"{name}.html") as page:
        for form in page.locator("form.chart").all():
            drawn(page, f"#{form.get_attribute('id')}")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            only = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}  # nothing else differs
            found = Axe().run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
            assert [(rule["id"], [node["html"][:80] for node in rule["nodes"]]) for rule in found] == [], scheme


@pytest.mark.parametrize("size", SCREENS)
def test_the_first_screen_has_question_verdict_figure_and_table(browser, size):
    with shown(browser, STUDY / "index.html", size) as page:
        for part in ("h1", "ul.verdict", "#headline img", "#headline-table tbody tr:last-child"):
            box = page.locator(part).bounding_box()
            assert box["y"] >= 0, part
            assert box["y"] + 0.7 * box["height"] <= SCREENS[size][1], part
        if folder := os.environ.get("SCREENSHOTS"):
            page.screenshot(path=Path(folder) / f"{size}.png")


def test_the_front_page_of_the_study_is_short(browser):
    assert (STUDY / "index.html").stat().st_size <= 3e6
    with shown(browser, STUDY / "index.html") as page:
        for form in page.locator("form.chart").all():
            drawn(page, f"#{form.get_attribute('id')}")
        assert page.evaluate("document.querySelectorAll('*').length") <= 15_000
        assert page.evaluate("document.documentElement.scrollHeight") <= 15 * 900
        assert page.evaluate(TAB_STOPS) <= 300


def test_pages_of_data_sets_are_short_however_many_figures_they_have(browser, stored, report, tmp_path):
    """Those of the study, if it has been run here, and one with the figures of several data sets."""
    listed = []
    for data_set in stored.study.data_sets:
        shutil.copytree(report / "figures" / data_set, tmp_path, dirs_exist_ok=True)
        listed += read_json(tmp_path / "figures.json")["figures"]
    write_json(tmp_path / "figures.json", {"figures": listed, "missing": []})
    write_data_set(tmp_path / "all.html", stored, "cross", tmp_path)
    for path in (tmp_path / "all.html", *sorted((STUDY / "data_sets").glob("*.html"))):
        with shown(browser, path) as page:
            assert page.evaluate("document.documentElement.scrollHeight") <= 12 * 900, path.name
            assert page.evaluate(TAB_STOPS) <= 300, path.name


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("name", ["index", "data_sets/flowers"])
def test_what_is_to_be_seen_is_said_above_every_figure(browser, report, name, scripts):
    with shown(browser, report / f"{name}.html", "phone", java_script_enabled=scripts) as page:
        for (width, height), media in product(sorted(SCREENS.values()), ("screen", "print")):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(media=media)
            found = page.evaluate(SAID_ABOVE)
            assert found
            assert all(said for said, _ in found)
            assert all(drawn for _, drawn in found) == (media == "print" or not scripts or name != "index")


def test_a_chart_answers_to_mouse_and_keys(browser, report):
    form = "#explore-methods"
    with shown(browser, report / "index.html") as page:
        chart = drawn(page, form)
        before = int(page.locator(form).get_attribute("data-drawn"))
        chart.locator(".mark-symbol path").first.hover()
        page.locator("#vg-tooltip-element.visible").wait_for()
        assert "method" in page.locator("#vg-tooltip-element").inner_text()
        page.locator(f"{form} input[value=KNN]").focus()
        fewer = redrawn(page, form, lambda: page.keyboard.press("Space"))
        assert fewer == before - 3  # data sets
        select = page.locator(f"{form} select[name=data_set]")
        assert redrawn(page, form, lambda: select.select_option("cross")) == 2
        measure = page.locator(f"{form} select[name=score]")
        redrawn(page, form, lambda: measure.select_option("Brier score"))
        redrawn(page, form, lambda: page.locator(f"{form} summary").click())
        assert page.locator(f"{form} .numbers tbody tr").count() == 2


def test_the_ledger_is_searched_and_filtered(browser):
    with shown(browser, STUDY / "index.html") as page:
        ledger = page.locator(".ledger").first
        rows = ledger.locator("tbody tr")
        assert rows.count() == 25
        assert set(ledger.locator("tbody tr td:last-child").all_inner_texts()) == {"outside"}
        ledger.locator("button").click()
        assert rows.count() > 25
        ledger.locator("select[name='data set']").select_option("wine")
        ledger.locator("select[name=tolerance]").select_option("")
        ledger.locator("input").fill("E8 log-loss")
        texts = rows.all_inner_texts()
        assert texts
        assert all("E8" in text and "wine" in text and "og-loss" in text for text in texts)
        ledger.locator("input").fill("no such words")
        assert rows.count() == 0
        assert ledger.locator("output").inner_text().startswith("0 of ")


def test_tables_are_sorted_by_click_and_key(browser, report):
    with shown(browser, report / "data_sets/flowers.html") as page:
        head = page.locator("#final-models thead th").nth(2)

        def values():
            cells = page.locator("#final-models tbody tr td:nth-child(3)").all()
            return [float(value) for cell in cells if (value := cell.get_attribute("data-value"))]

        head.click()
        rising = values()
        assert rising == sorted(rising)
        assert head.get_attribute("aria-sort") == "ascending"
        head.press("Enter")
        assert values() == rising[::-1]


def test_a_hash_opens_folds_and_chooses_a_search(browser, report):
    with shown(browser, report / "data_sets/flowers.html", hash="#E3") as page:
        assert page.locator("h3#E3").is_visible()
    with shown(browser, report / "explore.html", hash="#cross") as page:
        drawn(page, "#explore-searches")
        assert page.locator("#explore-searches select").input_value().startswith("cross: ")


def test_the_keyboard_reaches_the_content_first(browser, report):
    with shown(browser, report / "index.html") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"


def test_searches_mark_a_setting_in_all_panels(browser, report):
    form = "#explore-searches"
    with shown(browser, report / "explore.html") as page:
        chart = drawn(page, form)
        assert chart.locator(".mark-symbol.role-mark").count() == 3  # the plane, and a panel for each parameter
        chart.locator(".mark-symbol.role-mark").nth(1).locator("path").first.hover(force=True)
        page.locator("#vg-tooltip-element.visible").wait_for()


def test_without_scripts_there_are_the_figures(browser, report):
    with shown(browser, report / "index.html", java_script_enabled=False) as page:
        assert page.locator("#headline img").is_visible()
        assert page.locator("#bootstrap img").is_visible()
        assert not page.locator("form.chart").first.is_visible()


def test_paper_has_few_pages_and_nothing_is_cut(browser, tmp_path):
    with shown(browser, STUDY / "index.html") as page:
        page.emulate_media(media="print")
        page.set_viewport_size({"width": A4, "height": 1000})
        wide = page.evaluate(
            "() => [...document.querySelectorAll('table, figure img, p')].filter((e) => e.checkVisibility())"
            ".map((e) => [e.id || e.tagName, e.getBoundingClientRect().right])"
        )
        assert [(name, right) for name, right in wide if right > A4 + 1] == []
        assert not page.locator("form.chart").first.is_visible()
        page.pdf(path=tmp_path / "index.pdf", format="A4", prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "index.pdf").read_bytes())) <= 20
        assert page.evaluate("[...document.images].filter((i) => i.checkVisibility() && !i.naturalWidth).length") == 0
