"""The page to play with: it computes what the classifier does, in a browser if there is one."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from proset import ProsetClassifier, to_html
from proset.convert.formula import formula
from proset.convert.page import _controls

HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), HOSTILE: rng.choice(["red", "blue"], 300)})
    y = np.where(X["a"] + X["b"] + (X[HOSTILE] == "red") > 0.5, "yes", HOSTILE)
    X.loc[::9, "b"] = np.nan
    return X, ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=10).fit(X, y)


def show(browser, text):
    page, errors = browser.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: errors.append(request.url) if request.url.startswith("http") else None)
    page.set_content(text)
    return page, errors


def numbers(page, table):
    return [float(text) for text in page.locator(f"#{table} td.number").all_inner_texts()]


def test_nothing_of_strangers_is_executed_or_loaded(mixed):
    X, model = mixed
    text = to_html(model, X.head(5), title=HOSTILE)
    assert HOSTILE not in text
    assert not re.search(r"https?://", text)
    assert text.count("<script") == 1


def test_the_page_says_what_the_model_says(mixed, browser):
    X, model = mixed
    page, errors = show(browser, to_html(model, X.head(40), title="Mixed"))
    start = _controls(model, formula(model))["first"]
    sample = pd.DataFrame([start], columns=X.columns)
    np.testing.assert_allclose(numbers(page, "probabilities"), model.predict_proba(sample)[0], atol=6e-4)
    page.get_by_label("a", exact=True).fill("-1.5")
    page.get_by_label(HOSTILE).select_option("blue")
    changed = sample.assign(a=-1.5, **{HOSTILE: "blue"})
    probabilities = model.predict_proba(changed)[0]
    np.testing.assert_allclose(numbers(page, "probabilities"), probabilities, atol=6e-4)
    assert page.locator("#class").inner_text() == model.predict(changed)[0]
    found = model.attributions(changed, background=X.head(40))
    k = probabilities.argmax()
    shown = numbers(page, "attributions")
    assert shown[0] == pytest.approx(found.base_values[0, k], abs=6e-4)
    np.testing.assert_allclose(np.sort(shown[1:]), np.sort(found.values[0, :, k]), atol=6e-4)
    terms = model.explain(changed, top=5)
    shares = terms.loc[terms["term"] == "prototype", "share"]
    np.testing.assert_allclose(numbers(page, "prototypes")[:5], shares, atol=6e-4)
    assert errors == []
    page.get_by_role("button").click()
    np.testing.assert_allclose(numbers(page, "probabilities"), model.predict_proba(sample)[0], atol=6e-4)


def test_a_missing_number_and_what_turns_the_class(mixed, browser):
    X, model = mixed
    page, errors = show(browser, to_html(model))
    sample = pd.DataFrame([_controls(model, formula(model))["first"]], columns=X.columns)
    page.get_by_label("b, as a number").fill("")
    gap = sample.assign(b=np.nan)
    np.testing.assert_allclose(numbers(page, "probabilities"), model.predict_proba(gap)[0], atol=6e-4)
    assert page.locator("#attributed").is_hidden()
    turns = page.locator("#turns tr").all_inner_texts()
    single = model.counterfactuals(gap)
    assert single["n_changed"][0] == 1
    feature, change, then = turns[0].split("\t")
    assert (feature, then) == (single["changed"][0], single["class then"][0])
    new = single[f"new value of {feature}"][0]
    assert (
        change.endswith(str(new)) if isinstance(new, str) else float(change.split()[-1]) == pytest.approx(new, rel=2e-3)
    )
    assert errors == []


def test_a_missing_rank_is_shown_and_can_be_chosen(rng, browser):
    known = rng.random(200) < 0.3
    X = pd.DataFrame({"a": rng.normal(size=200), "grade": rng.choice(["low", "mid", "high"], 200)})
    y = np.where(X["a"] + 2 * known * (X["grade"] == "high") > 0.3, "yes", "no")
    X["grade"] = pd.Categorical(X["grade"].where(known), ["low", "mid", "high"], ordered=True)
    model = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-5).fit(X, y)
    page, errors = show(browser, to_html(model))
    sample = pd.DataFrame([_controls(model, formula(model))["first"]], columns=X.columns).astype(X.dtypes)
    assert sample["grade"].isna()[0]
    grade = page.get_by_label("grade")
    assert grade.locator("option:checked").inner_text() == "missing"
    for level in ("high", "missing"):
        grade.select_option(label=level)
        sample["grade"] = pd.Categorical(
            [None if level == "missing" else level], X["grade"].cat.categories, ordered=True
        )
        np.testing.assert_allclose(numbers(page, "probabilities"), model.predict_proba(sample)[0], atol=6e-4)
    assert errors == []


def test_what_turns_the_class_is_in_the_range_of_the_table_whatever_is_typed(rng, browser):
    """Far away the more frequent class is predicted, and nearer than the end of the range the other one."""
    X = pd.DataFrame({"a": rng.uniform(-1, 1, 300)})
    model = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-5).fit(X, np.where(X["a"] > -0.2, "high", "low"))
    page, errors = show(browser, to_html(model, X))
    page.get_by_label("a, as a number").fill("-9")
    assert page.locator("#class").inner_text() == "high"
    ((feature, change, then),) = (text.split("\t") for text in page.locator("#turns tr").all_inner_texts())
    assert (feature, then) == ("a", "low")
    assert float(change.split()[-1].replace("\N{MINUS SIGN}", "-")) == pytest.approx(X["a"].min(), abs=0.01)
    for typed in np.linspace(-0.9, 0.9, 7):
        page.get_by_label("a, as a number").fill(str(typed))
        for text in page.locator("#turns tr").all_inner_texts():
            _, change, then = text.split("\t")
            assert model.predict(pd.DataFrame({"a": [float(change.split()[-1])]})) == [then]  # as it is written
    assert errors == []


def test_the_page_is_accessible(mixed, browser):
    from axe_playwright_python.sync_playwright import Axe

    X, model = mixed
    page, _ = show(browser, to_html(model, X.head(5)))
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()], ids=["standard", "minmax"])
def test_ranges_and_the_first_sample_are_those_of_the_table(scaler):
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(scaler, ProsetClassifier()).fit(X, y)
    what = formula(pipeline)
    found = _controls(pipeline, what)
    np.testing.assert_allclose(found["ranges"], np.array([X.min(axis=0), X.max(axis=0)]).T[what.used])
    np.testing.assert_allclose(found["spreads"], X.std(axis=0)[what.used], rtol=1e-4)
    (batch,) = pipeline[-1].batches_
    row = batch.sample_index[batch.prototype_weights.argmax()]
    np.testing.assert_allclose(np.array(found["first"])[what.used].astype(float), X[row, what.used])


def test_models_with_a_linear_base_and_costs(browser):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X[:, :4])
    model = ProsetClassifier(base=LogisticRegression(), cost_matrix=[[0, 50], [1, 0]], lambda_v=0.01, lambda_w=1e-4)
    page, errors = show(browser, to_html(model.fit(X, y)))
    start = np.array([_controls(model, formula(model))["first"]], dtype=float)
    np.testing.assert_allclose(numbers(page, "probabilities"), model.predict_proba(start)[0], atol=6e-4)
    assert page.locator("#class").inner_text() == str(model.predict(start)[0])
    assert errors == []
