"""What axe finds on a page."""


def violations(page, rules=None):
    """Rules that a page breaks, of all or of some, each with the elements that break it."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": rules} if rules else None).response["violations"]
    return [(rule["id"], [node["html"][:80] for node in rule["nodes"]]) for rule in found]
