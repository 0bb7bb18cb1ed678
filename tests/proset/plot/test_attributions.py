import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

from proset import ProsetClassifier
from proset.plot import AttributionsDisplay, AttributionSummaryDisplay


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return ProsetClassifier(max_prototypes=20).fit(X[::4], y[::4]), X


def test_bars_lead_from_the_mean_to_the_probability(pipeline, flowers, texts, rows):
    X, _ = flowers
    x, background = X.iloc[[70]], X.iloc[::3]
    display = AttributionsDisplay.from_estimator(pipeline, x, background=background)
    predicted = pipeline.classes_.tolist().index(pipeline.predict(x)[0])
    base, probability = (pipeline.predict_proba(of)[:, predicted].mean() for of in (background, x))
    starts = np.array([bar.get_x() for bar in display.bars_])
    widths = np.array([bar.get_width() for bar in display.bars_])
    assert starts[0] == pytest.approx(base, abs=1e-12)
    np.testing.assert_allclose(starts[1:], (starts + widths)[:-1])
    assert (starts + widths)[-1] == pytest.approx(probability, abs=1e-12)
    assert np.all(np.diff(np.abs(widths)) <= 0)
    values = pipeline[-1].attributions(pipeline[:-1].transform(x), pipeline[:-1].transform(background))
    order = np.argsort(-np.abs(values.values[0, :, predicted]))[: len(widths)]
    np.testing.assert_allclose(widths, values.values[0, order, predicted])
    assert rows(display) == [f"{X.columns[d]} = {x.iloc[0, d]:g}" for d in order]  # in centimetres
    shown = [f"base value: {base:.3f}", f"probability: {probability:.3f}", "raises it", "lowers it"]
    assert texts(display.ax_) == shown
    assert [text.get_text() for text in display.ax_.texts] == [f"{width:+.3f}" for width in widths]


def test_a_class_and_a_row_without_names(pipeline, flowers):
    X, _ = flowers
    frame = AttributionsDisplay.from_estimator(pipeline, X.iloc[[70]], label="setosa")
    row = AttributionsDisplay.from_estimator(pipeline, X.to_numpy()[70], label="setosa")
    assert row.number == 0
    np.testing.assert_array_equal(frame.attributions.values, row.attributions.values)
    assert row.ax_.get_xlabel() == "probability of class setosa"


def test_estimates_have_error_bars_and_small_ones_are_one_bar(digits, texts, rows):
    model, X = digits
    assert len(model.active_features_) > 15
    display = AttributionsDisplay.from_estimator(model, X[3], label=7, top=4)
    found, names = display.attributions, rows(display)
    n_zero = (found.values[0, :, 7] == 0).sum()
    assert names[-1] == f"{64 - n_zero - 4} other features"
    (bars,) = [c for c in display.ax_.containers if hasattr(c, "has_xerr")]
    segments = np.array([segment[:, 0] for segment in bars[2][0].get_segments()])
    order = np.argsort(-np.abs(found.values[0, :, 7]))[:4]
    np.testing.assert_allclose(np.diff(segments[:4])[:, 0] / 2, found.error_std[0, order, 7])
    assert "standard error" in texts(display.ax_)


def test_categories_and_missing_values(mixed_table, rows):
    X, _, model = mixed_table
    x = X[X["age"].isna() & X["job"].notna()].head(1)
    display = AttributionsDisplay.from_estimator(model, x)
    assert "age = missing" in rows(display)
    assert f"job = {x['job'].iloc[0]}" in rows(display)


def test_means_over_samples(pipeline, flowers, texts, rows):
    X, _ = flowers
    display = AttributionSummaryDisplay.from_estimator(pipeline, X.iloc[::5])
    values = pipeline[-1].attributions(pipeline[:-1].transform(X.iloc[::5])).values
    np.testing.assert_allclose(display.mean_values, np.abs(values).mean(axis=0))
    widths = np.array([[bar.get_width() for bar in bars] for bars in display.bars_]).T
    order = [X.columns.tolist().index(name) for name in rows(display)]
    np.testing.assert_allclose(widths, display.mean_values[order])
    assert np.all(np.diff(widths.sum(axis=1)) <= 0)
    assert texts(display.ax_) == [f"class {name}" for name in pipeline.classes_]


def test_two_classes_have_one_bar(mixed_table, texts):
    X, _, model = mixed_table
    display = AttributionSummaryDisplay.from_estimator(model, X.head(20))
    assert len(display.bars_) == 1
    assert texts(display.ax_) == ["either class"]
    np.testing.assert_allclose(*display.mean_values.T)


def test_means_of_small_ones_are_one_bar(digits, rows):
    model, X = digits
    display = AttributionSummaryDisplay.from_estimator(model, X[:5], top=3)
    assert rows(display)[-1].endswith("other features")
    total = sum(bar.get_width() for bars in display.bars_ for bar in bars)
    assert total == pytest.approx(display.mean_values.sum())


def test_a_search_and_a_model_without_features(flowers, rows):
    X, y = flowers
    search = GridSearchCV(ProsetClassifier(), {"lambda_v": [0.01]}, cv=2).fit(X, y)
    assert AttributionsDisplay.from_estimator(search, X.iloc[[0]]).attributions.feature_names == X.columns.tolist()
    with pytest.warns(UserWarning, match="nothing was learnt"):
        empty = ProsetClassifier(lambda_v=100.0, lambda_w=100.0).fit(pd.DataFrame({"a": np.ones(20)}), [0, 1] * 10)
    assert rows(AttributionsDisplay.from_estimator(empty, [[1.0]])) == []
    assert rows(AttributionSummaryDisplay.from_estimator(empty, [[1.0]])) == []
