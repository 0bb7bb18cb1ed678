import numpy as np

from proset import RejectOptionClassifier, risk_coverage_curve
from proset.plot import RiskCoverageDisplay


def test_curve_of_predictions_with_its_area(texts):
    display = RiskCoverageDisplay.from_predictions([0, 0, 1, 1], [0, 1, 1, 1], [0.9, 0.5, 0.8, 0.6], name="a")
    np.testing.assert_allclose(display.line_.get_xdata(), [0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(display.line_.get_ydata(), [0.0, 0.0, 0.0, 0.25])
    assert texts(display.ax_) == ["a (AURC = 0.0312)"]  # a triangle


def test_scores_of_a_pipeline_on_the_same_axes(pipeline, flowers, texts):
    X, y = flowers
    first = RiskCoverageDisplay.from_estimator(pipeline, X, y)
    second = RiskCoverageDisplay.from_estimator(pipeline, X, y, criterion="confidence", ax=first.ax_)
    score = pipeline[-1].familiarity_quantile(pipeline[:-1].transform(X))
    for display, values in ((first, score), (second, pipeline.predict_proba(X).max(axis=1))):
        coverage, risk, _ = risk_coverage_curve(y, pipeline.predict(X), values)
        np.testing.assert_allclose(display.line_.get_xdata(), coverage)
        np.testing.assert_allclose(display.line_.get_ydata(), risk)
    assert [text.split(" (")[0] for text in texts(first.ax_)] == ["familiarity quantile", "confidence"]
    assert first.line_.get_color() != second.line_.get_color()


def test_a_reject_option_brings_its_score(pipeline, flowers):
    X, y = flowers
    model = RejectOptionClassifier(pipeline, criterion="confidence", cv=2).fit(X, y)
    display = RiskCoverageDisplay.from_estimator(model, X, y)
    expected = risk_coverage_curve(y, model.estimator_.predict(X), model.predict_proba(X).max(axis=1))
    np.testing.assert_allclose(display.risk, expected[1])
    assert display.name == "confidence"
