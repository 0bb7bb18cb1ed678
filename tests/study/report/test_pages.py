from html.parser import HTMLParser

import pytest

from proset.study.page import write_page
from proset.study.records import write_json
from proset.study.results import write_rows

NASTY = '<b>"x"&'


class Page(HTMLParser):
    """Tags that are open at the end, ids, links and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.text, self.external = [], set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in ("meta", "br", "img", "link"):
            self.open.append(tag)
        self.ids |= {attrs["id"]} if "id" in attrs else set()
        self.links += [attrs["href"]] if "href" in attrs else []
        self.external += [v for k, v in attrs.items() if k in ("src", "href") and not v.startswith("#")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture
def page(tmp_path):
    names = {"replicate": 0, "experiment": "E3", "method": "proset", "dataset": NASTY, "variant": ""}
    rows = [
        {**names, "section": "final", "quantity": "log_loss", "value": 0.123},
        {**names, "section": "final", "quantity": "roc_auc", "value": 0.9},
    ]
    write_rows(tmp_path / "E3.csv", rows)
    (tmp_path / "published.csv").write_text(
        "experiment,method,dataset,variant,section,quantity,value,text\n", encoding="utf-8"
    )
    experiments = {"E3": {"title": NASTY}, "E9": {"title": "not run"}}
    config = {"study": "s", "seed": 1, "replicates": [0], "experiments": experiments, "comparisons": {}}
    manifest = {
        "config": config,
        "commit": None,
        "kernel": "compiled",
        "machine": {"processor": NASTY, "cores": 2, "system": "Linux"},
        "versions": {"numpy": "2"},
        "cost": {"proset": {"fits": 1234, "fit_cpu_s": 1.5, "score_cpu_s": 0.5}},
        "not_converged": ["replicate_0/a, trial 3"],
    }
    write_json(tmp_path / "manifest.json", manifest)
    out = tmp_path / "index.html"
    write_page([tmp_path / "E3.csv"], tmp_path / "published.csv", tmp_path / "manifest.json", out)
    return out.read_text(encoding="utf-8")


def test_page_is_well_formed_self_contained_and_its_links_resolve(page):
    parsed = Page(page)
    assert parsed.open == []
    assert parsed.external == []
    assert {link.removeprefix("#") for link in parsed.links} <= parsed.ids


def test_names_are_escaped(page):
    assert NASTY not in page
    assert NASTY in "".join(Page(page).text)


def test_numbers_and_holes_are_shown(page):
    text = "".join(Page(page).text)
    assert "0.12" in text
    assert "snakemake --cores 2 E9" in text
    assert "1,234" in text
    assert "replicate_0/a, trial 3" in text
