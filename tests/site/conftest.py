"""A browser for all tests of pages that are built or committed, and what axe finds there."""

import shutil

import pytest


@pytest.fixture(scope="session")
def browser():
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("Debian's chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


def violations(page, rules=None):
    """Rules that a page breaks, of all or of some, each with the elements that break it."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": rules} if rules else None).response["violations"]
    return [(rule["id"], [node["html"][:80] for node in rule["nodes"]]) for rule in found]
