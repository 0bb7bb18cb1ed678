import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import skops.io
from markdown_it import MarkdownIt
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skops.card import Card

import proset
from proset import ProsetClassifier, SetCoverClassifier, model_card
from proset.card import plain

PROSET = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-6)
HOSTILE = [
    "<script>alert(1)</script>",
    "a | b",
    "[x](javascript:alert(1))",
    "![x](http://elsewhere.example/x.png)",
    "*bold* __init__ `code` $x$",
    "two\nlines\n\n# Heading",
    "https://elsewhere.example/ www.elsewhere.example",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt; \\",
    "\u202e",
    " ",
]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return pd.DataFrame(X, columns=[*HOSTILE, "12", "13"]), np.array([*HOSTILE[:2], "plain"])[y]


@pytest.fixture(scope="module")
def fitted(wine):
    return make_pipeline(StandardScaler(), clone(PROSET)).fit(*wine)


class _Page(HTMLParser):
    """What a browser would see of the Markdown: tags, links and the rows of tables."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.rows, self.inside = set(), [], [], False
        self.feed(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text))

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def test_sections_of_skops_and_of_the_model(wine, fitted):
    X, y = wine
    card = model_card(fitted, X, y, intended_uses="To tell wines apart.")
    assert isinstance(card, Card)
    text = card.render()
    assert re.findall(r"^#+ (.*)$", re.sub(r"(?s)```.*?```", "", text), re.MULTILINE) == [
        "Model description",
        "Intended uses & limitations",
        "Training Procedure",
        "Hyperparameters",
        "Evaluation Results",
        "Features",
        "Prototypes",
        "How to Get Started with the Model",
        "Model Card Authors",
        "Model Card Contact",
        "Citation",
    ]
    rows = _Page(text).rows
    metrics = {row[0]: row[1] for row in rows if len(row) == 2}
    assert float(metrics["log loss"]) == pytest.approx(log_loss(y, fitted.predict_proba(X)), rel=1e-3)
    assert float(metrics["accuracy"].split()[0]) == pytest.approx(fitted.score(X, y), rel=1e-3)
    assert metrics["prosetclassifier__lambda_v"] == "0.001"
    prototypes = fitted[-1].export(fitted)
    prototypes = prototypes[prototypes["batch"] > 0].sort_values("weight", ascending=False, kind="stable")
    found = [row for row in rows if len(row) > 2]
    assert found[0][:4] == ["batch", "row", "class", "weight"]
    assert [int(row[1]) for row in found[1:]] == prototypes["row"].head(20).tolist()
    assert "To tell wines apart." in card.select("Model description/Intended uses & limitations").content
    assert "rows of the training data" in card.select("Model description/Prototypes").content
    assert "178 samples after `StandardScaler`" in text


def test_names_of_strangers_are_text(wine, fitted):
    X, y = wine
    page = _Page(model_card(fitted, X, y).render())
    assert page.links == []
    assert not page.tags & {"script", "img", "a", "em", "i", "b", "s"}
    assert page.tags >= {"table", "h1", "pre"}
    headings = [row for row in page.rows if row[:2] == ["feature", "weight"] or row[:1] == ["batch"]]
    assert len(headings) == 2
    cells = {cell for row in page.rows for cell in row}
    names = [name for d, name in enumerate(X.columns) if fitted[-1].feature_weights_.max(axis=0)[d] > 0]
    assert len(names) > 3
    for name in names:
        line = "".join(c if c.isprintable() else " " for c in name).strip()
        assert line in {cell.replace("\u200b", "") for cell in cells}, name
    assert {len(row) for row in page.rows if row[0] == "1"} == {len(headings[1])}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_shown_as_it_is(name):
    (row,) = [row for row in _Page(f"| a | b |\n|---|---|\n| {plain(name)} | c |\n").rows if "c" in row]
    assert row[0].replace("\u200b", "").strip() == "".join(c if c.isprintable() else " " for c in name).strip()
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render("x " + plain(name))
    assert re.findall(r"<(/?\w+)", html) == ["p", "/p"]


def test_names_that_look_alike_are_columns_of_their_own():
    X, y = load_wine(return_X_y=True)
    X = pd.DataFrame(X[:, 9:], columns=["a\n", "a\t", "a\r", "a\0"])
    model = clone(PROSET).fit(X, y)
    page = _Page(model_card(model).render())
    (heading,) = [row for row in page.rows if row[0] == "batch"]
    assert len(set(heading)) == len(heading) == 4 + len(model.active_features_)


def test_what_is_not_asked_for_is_not_there(wine, fitted):
    text = model_card(fitted, n_prototypes=0).render()
    assert "| batch |" not in text
    assert "[More Information Needed]" in text.partition("# Evaluation Results")[2]
    few = [row for row in _Page(model_card(fitted, n_prototypes=2).render()).rows if row[0] == "1"]
    assert len(few) == 2
    assert "<style" in model_card(fitted, model_diagram=True).render()
    nothing = ProsetClassifier(n_batches=0).fit(*wine)
    assert "0 prototypes" in model_card(nothing).render()


@pytest.mark.parametrize("wrap", [FrozenEstimator, lambda model: GridSearchCV(model, {"lambda_v": [1e-3]}, cv=2)])
def test_what_a_model_may_be_in(wine, wrap):
    X, y = wine
    model = clone(PROSET).fit(X, y)
    found, alone = model_card(wrap(model).fit(X, y)).render(), model_card(model).render()
    for part in ("## Features", "## Prototypes"):
        assert found.partition(part)[2].partition("\n# ")[0] == alone.partition(part)[2].partition("\n# ")[0]


def test_the_code_to_get_started_runs(tmp_path, monkeypatch):
    X, y = load_wine(return_X_y=True)
    monkeypatch.chdir(tmp_path)
    for model in (make_pipeline(StandardScaler(), clone(PROSET)).fit(X, y), clone(PROSET).fit(X, y)):
        text = model_card(model).select("How to Get Started with the Model").content
        keep = re.search(r"^`(.*?)` keeps", text).group(1)
        (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        space = {"model": model, "X": X, "skops": skops, "proset": proset}
        exec(keep, space)
        del space["model"]
        exec(code, space)
        np.testing.assert_array_equal(space["model"].predict_proba(X), model.predict_proba(X))


def test_bad_input_is_refused(wine, fitted):
    X, y = wine
    with pytest.raises(ValueError, match="y: None is not allowed, X and y belong together"):
        model_card(fitted, X)
    with pytest.raises(ValueError, match="n_prototypes: -1 is not allowed, must be at least 0"):
        model_card(fitted, n_prototypes=-1)
    for model in (DummyClassifier().fit(X, y), SetCoverClassifier().fit(X, y)):
        name = type(model).__name__
        with pytest.raises(
            ValueError, match=f"model: {name} is not allowed, must be a ProsetClassifier, or a Pipeline"
        ):
            model_card(model)
    with pytest.raises(ValueError, match="not fitted"):
        model_card(ProsetClassifier())


def test_skops_is_needed(child_environment):
    code = """
import sys
sys.modules["skops"] = None
import proset
proset.model_card(proset.ProsetClassifier(lambda_v=1).fit([[0.0], [1.0]] * 9, [0, 1] * 9))
"""
    found = subprocess.run([sys.executable, "-c", code], env=child_environment, capture_output=True, text=True)
    said = "ImportError: model_card needs skops, which is not installed: pip install skops, or 'proset-study[card]'"
    assert found.stderr.splitlines()[-1] == said
