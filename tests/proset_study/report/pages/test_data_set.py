import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest
from tests.proset_study.report.conftest import PUBLISHED

from proset_study.base.records import read_json, read_text, write_text
from proset_study.data.dataset import DataSet
from proset_study.data.splits import TEST
from proset_study.report.analysis.cautions import constant_models, repeated_rows, zero_probability_samples
from proset_study.report.analysis.explanations import _point, explained_points
from proset_study.report.pages.data_set import description
from proset_study.report.pages.front_page import write_index
from proset_study.store.stored import Stored


class Page(HTMLParser):
    """Tags that are open at the end, ids, links, what is loaded, and text of a page."""

    def __init__(self, path):
        super().__init__()
        self.open, self.ids, self.links, self.loaded, self.text = [], set(), [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in ("meta", "br", "img", "link", "input", "source"):
            self.open.append(tag)
        self.ids |= {attrs["id"]} if "id" in attrs else set()
        self.links += [attrs["href"]] if tag == "a" else []
        self.loaded += [v for k, v in attrs.items() if k in ("src", "srcset") or (k == "href" and tag != "a")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="session", params=["index", "tables", "explore", "data_sets/flowers", "data_sets/odd"])
def path(request, report):
    return report / f"{request.param}.html"


def test_pages_are_well_formed_and_load_pictures_of_their_report_only(path, report):
    page = Page(path)
    assert page.open == []
    files = [(path.parent / unquote(source)).resolve() for source in page.loaded if not source.startswith("data:")]
    assert all(file.is_file() and file.is_relative_to(report.resolve() / "figures") for file in files)
    assert not re.search(r"@import|url\((?!%23|#)|fetch\((?!`data:)|XMLHttpRequest", path.read_text(encoding="utf-8"))
    assert len([i for i in page.ids if not i]) == 0


def test_every_link_resolves(path):
    for link in Page(path).links:
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        assert not anchor or anchor in Page(target).ids, link


def test_every_figure_over_data_sets_has_a_place_on_a_page(report):
    drawn = [figure["name"] for figure in read_json(report / "figures/overview/figures.json")["figures"]]
    pages = "".join(page.read_text(encoding="utf-8") for page in report.glob("*.html"))
    lost = [name for name in drawn if f"figures/overview/{name}.svg" not in pages]
    assert not lost, f"{', '.join(lost)}: no place in src/proset_study/report/pages/templates/index.html.j2"


def test_names_are_escaped_and_holes_shown_with_the_command_that_fills_them(report):
    html = (report / "data_sets/odd.html").read_text(encoding="utf-8")
    text = "".join(Page(report / "data_sets/odd.html").text)
    for name in ("$x$ <b>_", '_"y"&', "$<b>_"):
        assert name in text
        assert name not in html.replace("$x$ &lt;b&gt;_", "")
    assert "replicate_0/<a>, trial 3" in "".join(Page(report / "index.html").text)
    text = "".join(Page(report / "index.html").text)
    assert "snakemake E99 --cores 2" in text
    assert "E9 has not been run" in "".join(Page(report / "data_sets/odd.html").text)


def test_the_page_of_a_data_set_says_where_the_data_come_from(report):
    text = "".join(Page(report / "data_sets/flowers.html").text)
    assert "Iris plants" in text
    assert "CC-BY-4.0" in text
    text = "".join(Page(report / "data_sets/cross.html").text)
    assert "features 2, samples_per_orthant 30, irrelevant 1" in text


def predicting(stored, folder, run, change):
    """A copy of the study with other predictions of a run on the cross: their lines as `change` gives them."""
    copy = shutil.copytree(stored.folder, folder / "small")
    predictions = copy / f"replicate_0/cross/{run}/predictions.csv"
    head, *lines = read_text(predictions).splitlines()
    write_text(predictions, "\n".join([head, *change(lines)]) + "\n")
    return Stored(copy, stored.study)


def test_a_constant_model_is_named(stored, tmp_path):
    def named(study):
        return {(final.label, final.data_set) for final in constant_models(study)}

    def constant(lines):
        return [",".join([*line.split(",")[:3], "0.4", "0.6"]) for line in lines]

    assert named(predicting(stored, tmp_path, "E8", constant)) - named(stored) == {("E8", "cross")}


def test_a_probability_of_zero_is_named_with_the_loss_of_the_others(stored, tmp_path):
    def first_is_wrong(lines):
        row, y, weight, _, _, *refits = lines[0].split(",")
        wrong = "0.0,1.0" if y == "0" else "1.0,0.0"
        return [",".join([row, y, weight, wrong, *refits]), *lines[1:]]

    changed = predicting(stored, tmp_path, "E3", first_is_wrong)
    found = {(f.label, f.data_set): (n, loss) for f, n, loss in zero_probability_samples(changed)}
    n, loss = found["E3", "cross"]
    final = stored.final("E3", "cross")
    own = final.probabilities[np.arange(len(final.y)), final.y]
    assert n == 1
    assert loss == pytest.approx(-np.log(own[1:]).mean())


def test_test_samples_that_equal_a_training_sample_are_counted(stored, report):
    found = repeated_rows(stored)
    assert "flowers" in found  # measured to a tenth of a centimetre
    for data_set in stored.study.data_sets:
        shares = []
        for replicate in stored.replicates:
            final = stored.final("E3", data_set, replicate=replicate)
            trained = {tuple(x) for x in final.X_train.tolist()}
            shares.append(np.mean([tuple(x) in trained for x in final.X_test.tolist()]))
        low, high, *_ = found.get(data_set, (0.0, 0.0))
        assert (low, high) == pytest.approx((min(shares), max(shares)))
    *_, distinct, n = found["flowers"]
    assert f"{distinct} of {n} rows are distinct" in (report / "index.html").read_text(encoding="utf-8")


def test_rows_with_the_same_gaps_are_equal(stored, tmp_path):
    shutil.copytree(stored.folder, tmp_path / "small")
    path = tmp_path / "small/replicate_0/flowers/data.npz"
    data = DataSet.load(path)
    replace(data, X=np.full_like(data.X, np.nan)).save(path)
    found = repeated_rows(Stored(tmp_path / "small", stored.study))["flowers"]
    assert found == (1.0, 1.0, 1, len(data.y))


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
    assert np.isfinite([float(value) for value in point["position"]]).all()
    x = final.model.scaled(data.X)
    named = [t for t in point["terms"] if t["name"] != "prior"]
    assert named
    for term in named:
        row, batch = map(int, re.fullmatch(r"row (\d+), batch (\d+)", term["name"]).groups())
        v = final.model.fitted.model.batches[batch - 1].feature_weights
        distance = (v * (x[row] - x[rows[missing]])) ** 2
        assert term["similarity"] == pytest.approx(np.exp(-distance.sum() / 2))
        assert term["class"] == data.class_names[data.y[row]]
        assert data.sample_weight[row] > 0


@pytest.mark.parametrize("commit", ["0123456789ab", "0123456789ab-dirty", None])
def test_the_front_page_says_if_the_code_had_changes(report, stored, tmp_path, commit):
    folder = shutil.copytree(report, tmp_path / "small")
    text = json.dumps(read_json(report / "manifest.json") | {"commit": commit})
    (folder / "manifest.json").write_text(f"{text}\n", encoding="utf-8")
    write_index(folder, stored, PUBLISHED)
    said = "The code of this run had uncommitted changes." in (folder / "index.html").read_text(encoding="utf-8")
    assert said == (commit == "0123456789ab-dirty")


def test_a_page_says_that_rows_have_weights_and_which_are_never_fitted(stored):
    said = {name: description(stored.finals(data_set=name)[0]) for name in ("odd", "flowers")}
    assert said["odd"].endswith(", missing values imputed (median), weighted (12 of weight 0, which are never fitted)")
    assert "weight" not in said["flowers"]
