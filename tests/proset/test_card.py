import re
import sys

import numpy as np
import pandas as pd
import pytest
import skops.io
from markdown_it import MarkdownIt
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skops.card import Card
from tests.proset.pages import Page

import proset
from proset import ProsetClassifier, model_card
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


def page_of(text):
    return Page(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text))


def printed(name):
    """A name in one line."""
    return "".join(c if c.isprintable() else " " for c in name).strip()


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
    rows = page_of(text).rows
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
    page = page_of(model_card(fitted, X, y).render())
    assert page.links == []
    assert not page.names & {"script", "img", "a", "em", "i", "b", "s"}
    assert page.names >= {"table", "h1", "pre"}
    headings = [row for row in page.rows if row[:2] == ["feature", "weight"] or row[:1] == ["batch"]]
    assert len(headings) == 2
    names = [name for d, name in enumerate(X.columns) if fitted[-1].feature_weights_.max(axis=0)[d] > 0]
    assert len(names) > 3
    assert {printed(name) for name in names} <= {cell.replace("\u200b", "") for cell in page.cells}
    assert {len(row) for row in page.rows if row[0] == "1"} == {len(headings[1])}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_shown_as_it_is(name):
    (row,) = [row for row in page_of(f"| a | b |\n|---|---|\n| {plain(name)} | c |\n").rows if "c" in row]
    assert row[0].replace("\u200b", "").strip() == printed(name)
    assert [tag for tag, _ in page_of("x " + plain(name)).tags] == ["p"]


def test_names_that_look_alike_are_columns_of_their_own():
    X, y = load_wine(return_X_y=True)
    X = pd.DataFrame(X[:, 9:], columns=["a\n", "a\t", "a\r", "a\0"])
    model = clone(PROSET).fit(X, y)
    page = page_of(model_card(model).render())
    (heading,) = [row for row in page.rows if row[0] == "batch"]
    assert len(set(heading)) == len(heading) == 4 + len(model.active_features_)


def test_what_is_not_asked_for_is_not_there(wine, fitted):
    text = model_card(fitted, n_prototypes=0).render()
    assert "| batch |" not in text
    assert "[More Information Needed]" in text.partition("# Evaluation Results")[2]
    few = [row for row in page_of(model_card(fitted, n_prototypes=2).render()).rows if row[0] == "1"]
    assert len(few) == 2
    assert "<style" in model_card(fitted, model_diagram=True).render()
    assert "Weights per standard deviation of a feature" in model_card(PROSET.fit(*wine)).render()
    by_unit = clone(PROSET).set_params(scale=False).fit(*wine)
    assert "Weights per unit of a feature" in model_card(by_unit).render()
    nothing = ProsetClassifier(n_batches=0).fit(*wine)
    assert "0 prototypes" in model_card(nothing).render()


@pytest.mark.parametrize("wrap", [FrozenEstimator, lambda model: GridSearchCV(model, {"lambda_v": [1e-3]}, cv=2)])
def test_what_a_model_may_be_in(wine, wrap):
    X, y = wine
    model = clone(PROSET).fit(X, y)
    found, alone = model_card(wrap(model).fit(X, y)).render(), model_card(model).render()
    for part in ("## Features", "## Prototypes"):
        assert found.partition(part)[2].partition("\n# ")[0] == alone.partition(part)[2].partition("\n# ")[0]


def test_what_no_file_takes_is_kept_by_skops(wine):
    X, y = wine
    based = ProsetClassifier(base=make_pipeline(StandardScaler(), LogisticRegression()), lambda_v=0.01, lambda_w=1e-4)
    for model in (based.fit(X, y), FrozenEstimator(ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, y))):
        text = str(model_card(model).render())
        assert "save_model" not in text
        assert "skops.io.dump" in text


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


def test_skops_is_needed(fitted, monkeypatch):
    for name in ("skops", "skops.card"):
        monkeypatch.setitem(sys.modules, name, None)
    said = "model_card needs skops, which is not installed: pip install skops, or 'proset-study[card]'"
    with pytest.raises(ImportError, match=f"^{re.escape(said)}$"):
        model_card(fitted)
