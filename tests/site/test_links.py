"""The site in a browser: every link leads somewhere, pages are accessible, fit screens and paper, and answer.

As `test_site`, `make docs` runs this on what it has built.
"""

from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from markdown_it import MarkdownIt
from tests.shared import ROOT
from tests.site.conftest import violations

SITE = ROOT / "site"
DOCS = SITE / "docs"
NAMES = ("index", "try", "compare", "reproduction", "beyond")
COMMITTED = [ROOT / "reports/index.html", *sorted(ROOT.glob("reports/*/*.html"))]
DRAWN = {"compare": "#scores[data-rows]", "try": "main[data-built]"}  # what scripts leave when they have drawn a page
WIDTHS = {"screen": (1400, 900), "tablet": (768, 1024), "phone": (390, 844)}
BY_SCRIPT = ("explore.html",)  # of a report: what stands after "#" is a choice of its script
LINKS = "[...document.querySelectorAll('a[href]')].map(a => new URL(a.getAttribute('href'), document.baseURI).href)"
PLACES = "[...document.querySelectorAll('[id], a[name]')].map(place => place.id || place.name)"


def visit(page, path, **options):
    """Open a file, and wait for what scripts draw on a page of the site."""
    page.goto(path.as_uri(), **options)
    if path.parent == SITE and path.stem in DRAWN:
        page.locator(DRAWN[path.stem]).wait_for()


@contextmanager
def shown(browser, name, size="screen", **options):
    """A page of the site in a window; nothing of the network is loaded, and nothing is logged."""
    width, height = WIDTHS[size]
    page, logged = browser.new_page(viewport={"width": width, "height": height}, **options), []
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.on("request", lambda request: logged.append(request.url) if request.url.startswith("http") else None)
    visit(page, SITE / f"{name}.html")
    yield page
    page.close()
    assert logged == []


def test_every_link_leads_somewhere(browser):
    """Of all pages as scripts leave them, and of the README; in a clone reports link to the documentation's sources."""
    links, places, page = {}, {}, browser.new_page()
    for path in [*SITE.rglob("*.html"), *COMMITTED]:
        visit(page, path, wait_until="domcontentloaded")
        links[path], places[path] = page.evaluate(LINKS), set(page.evaluate(PLACES))
    text = MarkdownIt("commonmark").render((ROOT / "README.md").read_text(encoding="utf-8"))
    page.set_content(f'<base href="{ROOT.as_uri()}/">{text}')
    links[ROOT / "README.md"] = page.evaluate(LINKS)
    page.close()
    assert sum(map(len, links.values())) > 1000
    dead = []
    for path, addresses in links.items():
        for address in dict.fromkeys(addresses):
            parts = urlparse(address)
            target = Path(unquote(parts.path))
            if parts.scheme == "file" and not target.is_file():
                dead.append(f"{path.relative_to(ROOT)}: {address}")
            # Sphinx itself refuses to build a page of the documentation that links to a place that is not there.
            has_places = target in places and target.name not in BY_SCRIPT and DOCS not in path.parents
            if parts.fragment and has_places and unquote(parts.fragment) not in places[target]:
                dead.append(f"{path.relative_to(ROOT)}: {address} is no place of it")
    assert dead == []


@pytest.mark.parametrize("name", NAMES)
def test_everybody_can_use_it(browser, name):
    with shown(browser, name) as page:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [], scheme


@pytest.mark.parametrize("size", WIDTHS)
def test_nothing_is_wider_than_the_window_and_each_page_says_what_not_to_conclude(browser, size):
    for name in NAMES:
        with shown(browser, name, size) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[size][0], name
            first, last = page.locator(".shows").inner_text(), page.locator("main > :last-child").inner_text()
            assert first.startswith("This page "), name
            assert last.startswith("Do not conclude "), name


def test_the_answer_is_one_screen(browser):
    with shown(browser, "index") as page:
        assert page.evaluate("document.documentElement.scrollHeight") <= WIDTHS["screen"][1]


def test_pictures_are_drawn_on_paper_and_without_scripts(browser):
    with shown(browser, "index", java_script_enabled=False) as page:
        page.emulate_media(media="print")
        assert page.locator(".forest circle.mean").count() >= 4
        assert page.locator(".scatter circle.ring").first.is_visible()


def test_the_explorer_filters_sorts_and_keeps_its_state_in_the_address(browser):
    with shown(browser, "compare") as page:
        table = page.locator("#scores")
        n_first = int(table.get_attribute("data-rows"))
        assert n_first > 5
        page.get_by_label("data set").select_option("wine")
        page.get_by_label("measure").select_option("roc_auc")
        page.get_by_label("containing").fill("knn")
        assert 0 < int(table.get_attribute("data-rows")) < n_first
        assert set(table.locator("tbody td:nth-child(1)").all_inner_texts()) == {"wine"}
        page.get_by_label("containing").fill("")
        page.locator("th", has_text="ROC-AUC").click()
        page.locator("th", has_text="ROC-AUC").click()
        values = [float(text) for text in table.locator("tbody td:nth-child(3)").all_inner_texts()]
        assert values in (sorted(values), sorted(values, reverse=True))
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("data_set,method,value,")
        assert len(lines) == 1 + len(values)
        address, texts = page.url, table.locator("tbody").inner_text()
        assert "data_set=wine" in address
        page.goto("about:blank")
        page.goto(address)
        page.locator(DRAWN["compare"]).wait_for()
        assert table.locator("tbody").inner_text() == texts


def test_a_slider_moves_the_nearest_examples_and_their_shares(browser):
    with shown(browser, "try") as page:
        before = page.locator("#prototypes").inner_text(), page.locator("#class").inner_text()
        page.get_by_label("bill length (mm), as a number").fill("36")
        page.get_by_label("bill depth (mm), as a number").fill("19")
        page.get_by_label("island", exact=True).select_option(label="Torgersen")
        after = page.locator("#prototypes").inner_text(), page.locator("#class").inner_text()
        assert after[0] != before[0]
        assert after[1] == "Adelie"
        assert page.locator("#attributions tr").count() == 4  # the mean, and three features


def test_the_search_finds_sections_of_all_pages(browser):
    with shown(browser, "index") as page:
        search = page.get_by_label("Search")
        search.fill("examples correct another model")
        page.locator(".search[data-found]").wait_for()
        assert page.locator(".search a").first.get_attribute("href") == "beyond.html#base"
        search.fill("zzzz")
        page.locator(".search[data-found='0']").wait_for()
        assert page.locator(".search li").inner_text() == "Nothing found."
