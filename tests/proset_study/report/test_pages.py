import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from proset_study.data.splits import TEST
from proset_study.records import read_text, write_text
from proset_study.report.claims import write_claims
from proset_study.report.explanations import _point, explained_points
from proset_study.report.figures.catalogue import missing_records, write_figures
from proset_study.report.front import constant_models, headline, zero_probability_samples
from proset_study.report.manifest import manifest
from proset_study.report.pages import write_data_set, write_index
from proset_study.store.stored import Stored

PUBLISHED = Path(__file__).parents[3] / "data/published/published.csv"
CHROMIUM = shutil.which("chromium")


class Page(HTMLParser):
    """Tags that are open at the end, ids, links, what is loaded, and text of a page."""

    def __init__(self, path):
        super().__init__()
        self.open, self.ids, self.links, self.loaded, self.text = [], set(), [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in ("meta", "br", "img", "link"):
            self.open.append(tag)
        self.ids |= {attrs["id"]} if "id" in attrs else set()
        self.links += [attrs["href"]] if tag == "a" else []
        self.loaded += [v for k, v in attrs.items() if k in ("src", "srcset") or (k == "href" and tag != "a")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="session")
def report(stored, tmp_path_factory):
    """The report of the small study: a folder with index.html and data_sets/."""
    folder = tmp_path_factory.mktemp("report")
    config = {**stored.study.config, "experiments": {**stored.study.config["experiments"]}}
    config["experiments"]["E99"] = {**config["experiments"]["E8"], "title": "<i>not run</i>"}
    whole = Stored(stored.folder, type(stored.study).of(config))
    write_figures(whole, folder / "figures/overview")
    for data_set in stored.study.data_sets:
        write_figures(stored, folder / "figures" / data_set, data_set)
        write_data_set(folder / f"data_sets/{data_set}.html", stored, data_set, folder / "figures" / data_set)
    write_claims(folder / "claims.csv", whole, PUBLISHED)
    known = manifest(whole) | {"not_converged": {"0": ["replicate_0/<a>, trial 3"]}}
    write_index(folder / "index.html", whole, PUBLISHED, folder / "claims.csv", known, folder / "figures/overview")
    return folder


@pytest.fixture(scope="session", params=["index", "data_sets/flowers", "data_sets/cross", "data_sets/odd"])
def path(request, report):
    return report / f"{request.param}.html"


def test_pages_are_well_formed_and_load_nothing(path):
    page = Page(path)
    assert page.open == []
    assert all(source.startswith("data:") for source in page.loaded)
    assert len([source for source in page.loaded if source.startswith("data:image/webp")]) >= 3
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest", path.read_text(encoding="utf-8"))


def test_every_link_resolves(path):
    for link in Page(path).links:
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        assert not anchor or anchor in Page(target).ids, link


def test_names_are_escaped(report):
    html = (report / "data_sets/odd.html").read_text(encoding="utf-8")
    text = "".join(Page(report / "data_sets/odd.html").text)
    for name in ("$x$ <b>_", '_"y"&', "$<b>_"):
        assert name in text
        assert name not in html.replace("$x$ &lt;b&gt;_", "")
    assert "replicate_0/<a>, trial 3" in "".join(Page(report / "index.html").text)


def test_holes_are_shown_with_the_command_that_fills_them(report):
    text = "".join(Page(report / "index.html").text)
    assert "snakemake E99 --cores 2" in text
    assert "not run" in text
    assert "E9 has not been run" in "".join(Page(report / "data_sets/odd.html").text)


def test_headline_marks_what_the_published_rule_allows_and_with_one_replicate_no_best(stored):
    names, rows = headline(stored)
    assert names == ["proset", "knn", "xgboost"]
    assert [row["data_set"] for row in rows] == ["flowers", "cross", "odd"]
    assert rows[2]["cells"][2] is None
    for row in rows:
        cells = [c for c in row["cells"] if c]
        best = min(cells, key=lambda c: c["log_loss"])
        assert (row["verdict"], {c["best"] for c in cells}) == ("", {False})
        for cell in cells:
            run = next(f for f in stored.finals(data_set=row["data_set"]) if f.run.name == cell["run"])
            own = run.probabilities_of_fits[:, np.arange(len(run.y)), run.y].clip(1e-15, 1 - 1e-15)
            assert cell["log_loss"] == pytest.approx(np.average(-np.log(own), weights=run.weight, axis=1).mean())
            assert cell["within_rule"] == (cell is best or cell["log_loss"] <= best["threshold"])


def test_a_constant_model_is_named(stored, tmp_path):
    def named(study):
        return {(final.label, final.data_set) for final in constant_models(study)}

    shutil.copytree(stored.folder, tmp_path / "small")
    predictions = tmp_path / "small/replicate_0/cross/E8/predictions.csv"
    head, *lines = read_text(predictions).splitlines()
    constant = [",".join([*line.split(",")[:3], "0.4", "0.6"]) for line in lines]
    write_text(predictions, "\n".join([head, *constant]) + "\n")
    assert named(Stored(tmp_path / "small", stored.study)) - named(stored) == {("E8", "cross")}


def test_a_probability_of_zero_is_named_with_the_loss_of_the_others(stored, tmp_path):
    shutil.copytree(stored.folder, tmp_path / "small")
    predictions = tmp_path / "small/replicate_0/cross/E3/predictions.csv"
    head, first, *rest = read_text(predictions).splitlines()
    row, y, weight, _, _, *refits = first.split(",")
    wrong = "0.0,1.0" if y == "0" else "1.0,0.0"
    write_text(predictions, "\n".join([head, ",".join([row, y, weight, wrong, *refits]), *rest]) + "\n")
    found = {
        (f.label, f.data_set): (n, loss)
        for f, n, loss in zero_probability_samples(Stored(tmp_path / "small", stored.study))
    }
    n, loss = found["E3", "cross"]
    final = stored.final("E3", "cross")
    own = final.probabilities[np.arange(len(final.y)), final.y]
    assert n == 1
    assert loss == pytest.approx(-np.log(own[1:]).mean())


def test_pages_of_a_part_of_the_study_say_what_it_leaves_out(stored):
    config = {**stored.study.config, "only": {"E3": ["flowers"]}}
    part = type(stored.study).of(config).of_data_set("flowers").config
    missing = missing_records(Stored(stored.folder, type(stored.study).of(part)), "flowers")
    assert {target for _, _, target in missing} == {"E4", "E5", "E8", "E9"}


def test_explained_points_are_the_best_the_worst_and_the_least_familiar(stored):
    best, worst, least = explained_points(stored, "flowers")
    final = stored.final("E3", "flowers")
    own = final.probabilities[np.arange(len(final.y)), final.y]
    assert (best["own"], worst["own"]) == (own.max(), own.min())
    assert least["familiarity"] <= min(best["familiarity"], worst["familiarity"])
    for point in (best, worst, least):
        shares = [term["share"] for term in point["terms"]]
        assert shares == sorted(shares, reverse=True)
        for term in point["terms"]:
            assert term["similarity"] == pytest.approx(np.prod(term["by_feature"]))  # two features: all are shown


def test_explanations_name_the_rows_of_prototypes_and_what_was_filled_in(stored):
    """In a data set with rows of weight 0, which are never prototypes, and missing values."""
    final = next(
        f for f in stored.finals(data_set="odd") if f.run.method == "proset" and f.fit["summary"]["prototypes"]
    )
    data, rows = final.data, np.flatnonzero(final.folds == TEST)
    missing = int(np.flatnonzero(np.isnan(data.X[rows, 0]))[0])
    point = _point(final, "", missing, int(rows[missing]))
    filled_in = dict(zip(point["features"], point["filled_in"], strict=True))
    assert filled_in.get(data.feature_names[0], True)
    assert not filled_in.get(data.feature_names[1], False)
    assert np.isfinite(point["position"]).all()
    x = final.scaled(data.X)
    named = [t for t in point["terms"] if t["name"] != "prior"]
    assert named
    for term in named:
        row, batch = map(int, re.fullmatch(r"row (\d+), batch (\d+)", term["name"]).groups())
        v = final.model.fitted.model.batches[batch - 1].feature_weights
        distance = (v * (x[row] - x[rows[missing]])) ** 2
        assert term["similarity"] == pytest.approx(np.exp(-distance.sum() / 2))
        assert term["class"] == data.class_names[data.y[row]]
        assert data.sample_weight[row] > 0


PROBE = Path(__file__).with_name("probe.js").read_text(encoding="utf-8")


@pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
@pytest.mark.parametrize("width", [500, 1600])  # Chromium's windows are at least 500 wide; 400 is a frame, below
def test_in_a_browser(path, width, tmp_path):
    found = browse(path, tmp_path, width, column=1 if path.stem == "index" else 2)
    assert found["errors"] == []
    assert found["requests"] == []
    assert found["images"]
    assert found["width"] <= found["inner"]
    assert found["open_width"] <= found["inner"]
    assert found["font"] >= 14
    rising = [float(v) for v in found["rising"] if v]
    assert rising == sorted(rising)
    assert [float(v) for v in found["falling"] if v] == rising[::-1]
    if path.stem == "index":
        assert set(found["shown"]) <= {"holds"}


@pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
def test_at_the_width_of_a_phone(path, tmp_path):
    found = browse(path, tmp_path, 1600, column=1 if path.stem == "index" else 2, frame=400)
    assert found["inner"] == 400
    assert max(found["width"], found["open_width"]) <= 400


def browse(path, folder, width, column, frame=None):
    """What the probe found in a page, shown in a window or in a frame of it."""
    page = folder / "page.html"
    probe = PROBE.replace("COLUMN", str(column))
    html = path.read_text(encoding="utf-8").replace("<head>", f"<head><script>{probe}</script>", 1)
    page.write_text(html, encoding="utf-8")
    if frame:
        outer = (
            f'<title></title><iframe src="page.html" style="width:{frame}px;height:900px;border:0"></iframe><script>'
        )
        outer += "window.onload = () => { document.title = frames[0].document.title; };</script>"
        page = folder / "frame.html"
        page.write_text(outer, encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
    command += ["--disable-background-networking", "--disable-component-update", "--allow-file-access-from-files"]
    command += [f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1000"]
    command += ["--virtual-time-budget=10000", "--dump-dom", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    return json.loads(re.search("<title>PROBE(.*?)PROBE</title>", dom, re.DOTALL)[1].replace("&amp;", "&"))
