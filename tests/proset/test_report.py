import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.proset.pages import Page

from proset import ProsetClassifier, group_rates, load_model, save_model

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}", "'; & </td>", "灰 ü\u202e"]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = pd.DataFrame(X, columns=[*HOSTILE, *map(str, range(8))])
    return X, np.array([HOSTILE[0], HOSTILE[1], "plain"])[y]


def page_of(model, folder, *transformer, **settings):
    """The text of the page."""
    model.report(folder / "model.html", *transformer, **settings)
    return (folder / "model.html").read_text(encoding="utf-8")


def test_the_page_has_the_model_and_nothing_from_elsewhere(wine, tmp_path):
    X, y = wine
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier(n_batches=2, lambda_v=1e-4, random_state=0)).fit(X, y)
    model = pipeline[-1]
    text = page_of(model, tmp_path, pipeline, title=HOSTILE[1])
    page = Page(text)
    assert not page.names & {"script", "img", "iframe", "object", "form"}
    assert page.links == ["data:,"]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert not re.search(r"https?://|url[(]", text)
    assert page.cells >= {X.columns[d] for d in model.active_features_} | set(model.classes_)
    rows = [row for batch in model.batches_ for row in batch.sample_index]
    assert all(str(row) in page.cells for row in rows)
    heaviest = max((batch.prototype_weights.max(), b) for b, batch in enumerate(model.batches_))
    assert f"{heaviest[0]:,.4g}" in page.cells
    first = model.active_features_[0]
    assert f"{X.iloc[rows[0], first]:,.6g}" in page.cells  # in the units of the table
    assert "StandardScaler" in text
    assert "178" in text


def test_a_model_that_learnt_nothing_says_so(wine, tmp_path):
    X, y = wine
    assert "Nothing was learnt" in page_of(ProsetClassifier(n_batches=0).fit(X, y), tmp_path)


@pytest.mark.parametrize(
    ("package", "method", "arguments"),
    [("pandas", "explain", [[[0.0]]]), ("pandas", "export", []), ("jinja2", "report", ["model.html"])],
)
def test_a_missing_package_is_named(package, method, arguments, monkeypatch):
    model = ProsetClassifier(n_batches=0).fit([[0.0], [1.0]] * 4, [0, 1] * 4)
    monkeypatch.setitem(sys.modules, package, None)
    said = f"{method} needs {package}, which is not installed: pip install {package}, or 'proset-study[report]'"
    with pytest.raises(ImportError, match=f"^{re.escape(said)}$"):
        getattr(model, method)(*arguments)


def test_the_page_has_the_answers_of_the_model(wine, tmp_path):
    X, y = wine
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier()).fit(X[::2], y[::2])
    model, rest = pipeline[-1], X[1::2]
    groups = np.where(np.arange(len(rest)) % 3, HOSTILE[4], HOSTILE[0])
    page = Page(page_of(model, tmp_path, pipeline, X=rest, y=y[1::2], groups=groups))
    assert not page.names & {"script", "img"}
    values = np.abs(model.attributions(pipeline[:-1].transform(rest)[:100]).values).mean(axis=0)
    turned = model.counterfactuals(pd.DataFrame(model.batches_[0].prototypes).to_numpy())
    assert {f"{cost:,.4g}" for cost in turned["cost"]} & page.cells
    numbers = [values[model.active_features_].max(), *model.suspicious_labels(10)["probability"]]
    numbers += [*group_rates(pipeline, rest, y[1::2], groups)["error"]]
    numbers += [model.drift(rest, transformer=pipeline)["below"][0]]
    assert {f"{number:,.4g}" for number in numbers} | {HOSTILE[0], HOSTILE[4]} <= page.cells
    changes = re.findall(r"([\w/ ]+): ([\d.,-]+) \u2192 ([\d.,-]+)", "\n".join(page.cells))
    assert changes
    for name, *ends in changes:  # in the units of the table
        values = [float(value.replace(",", "")) for value in ends]
        assert X[name].min() * 0.99 <= min(values) < max(values) <= X[name].max() * 1.01


def test_a_mixed_table_and_a_model_from_a_file(mixed, tmp_path):
    X, y, model = mixed
    whole = page_of(model, tmp_path, X=X, y=y, groups="colour")
    assert "Errors by group" in whole
    assert "Labels worth a look" in whole
    assert "blue, green, red, missing" in whole
    assert "S &lt; M &lt; L" in whole
    assert "A missing number has the same similarity to all numbers" in whole
    save_model(model, tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    of_loaded = page_of(loaded, tmp_path, X=X, y=y)
    assert "What features do to probabilities" in of_loaded
    assert "Labels worth a look" not in of_loaded
    assert "What would have to be different" in page_of(loaded, tmp_path)


@pytest.mark.parametrize(
    "groups", ["colour", 2, lambda X: X["age"] > 40, [0, 1] * 200], ids=["name", "number", "function", "labels"]
)
def test_rates_on_the_page_are_those_of_the_groups(mixed, tmp_path, groups):
    X, y, model = mixed
    rows = Page(page_of(model, tmp_path, X=X, y=y, groups=groups)).rows
    for label, rates in group_rates(model, X, y, groups).iterrows():
        row = ["missing" if label is None else str(label), *(f"{rate:,.4g}" for rate in rates)]
        assert row in rows


def test_unfamiliar_samples_on_the_page_are_those_of_drift(mixed, tmp_path):
    X, _, model = mixed
    X = X.head(60).assign(age=X["age"] + 15.0)
    text = page_of(model, tmp_path, X=X)
    assert "Errors" not in text  # without classes
    for row in model.drift(X).to_dict("records"):
        numbers = [f"{row[name]:,.4g}" for name in ("below", "low", "high", "usual below")]
        differs = "differs" if row["differs"] else ""
        assert [row["of"], row["name"], str(row["samples"]), *numbers, differs] in Page(text).rows


def test_categories_through_a_pipeline(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": 1000 * rng.normal(size=200), "colour": rng.choice(["red", "blue"], 200)})
    y = (X["a"] + 2000 * (X["colour"] == "red") > 1000).astype(int)
    steps = make_column_transformer((StandardScaler(), ["a"]), ("passthrough", ["colour"])).set_output(
        transform="pandas"
    )
    pipeline = make_pipeline(steps, ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=6)).fit(X, y)
    text = page_of(pipeline[-1], tmp_path, pipeline, X=X, y=y, groups="colour")
    assert re.search(r"(red|blue) \u2192 (red|blue)|a: -?[\d.,]{3,} \u2192 -?[\d.,]{3,}", text)


def test_categories_of_several_types(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(size=80), "code": pd.Categorical([1, "a"] * 40)})
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=5)
    model.fit(X, (X["age"] > 0) ^ (X["code"] == 1))
    assert "What features do to probabilities" in page_of(model, tmp_path, X=X)


def test_what_is_set_after_the_fit_is_not_said_of_it(tmp_path):
    X, y = load_wine(return_X_y=True)
    split = ProsetClassifier.published(random_state=0).fit(X, y).set_params(references="leave_one_out", lambda_v=0.25)
    page = page_of(split, tmp_path)
    assert "&#39;split&#39;" in page
    assert "0.25" not in page
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, y).set_params(references="split")
    assert "leave_one_out" in page_of(model, tmp_path)


def test_what_is_missing_before_and_after_is_no_change(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + X[:, 2] > 0).astype(int)
    X[rng.random(300) < 0.3, 0] = np.nan
    page = page_of(ProsetClassifier(lambda_v=1e-3, lambda_w=1e-5).fit(X, y), tmp_path)
    assert "\u2192" in page
    assert "missing \u2192 missing" not in page
