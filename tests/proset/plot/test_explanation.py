import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import ExplanationDisplay


def test_bars_add_up_to_the_probabilities(pipeline, flowers, texts):
    X, _ = flowers
    display = ExplanationDisplay.from_estimator(pipeline, X.iloc[[70]], top=3)
    probabilities = pipeline.predict_proba(X.iloc[[70]])[0]
    widths = np.array([[bar.get_width() for bar in bars] for bars in display.bars_])
    np.testing.assert_allclose(widths.sum(axis=1), probabilities, atol=1e-12)
    expected = [f"class {name}: {p:.3f}" for name, p in zip(pipeline.classes_, probabilities, strict=True)]
    assert texts(display.ax_) == expected
    right = np.array([[bar.get_x() + bar.get_width() for bar in bars] for bars in display.bars_])
    left = np.array([[bar.get_x() for bar in bars] for bars in display.bars_])
    np.testing.assert_allclose(left[1:], right[:-1])  # classes are stacked


def test_prototypes_are_named_with_similarity_and_weight(pipeline, flowers, rows):
    X, y = flowers
    display = ExplanationDisplay.from_estimator(pipeline, X.to_numpy()[70], top=3)
    names = rows(display)
    assert (names[0], names[-1], len(names)) == ("prior", "others", 5)
    explained = pipeline[-1].explain(pipeline[:-1].transform(X.iloc[[70]]), 3)
    shown = explained[explained["term"] == "prototype"]
    assert names[1:-1] == [f"row {row}, batch {b}" for row, b in zip(shown["row"], shown["batch"], strict=True)]
    numbers = zip(shown["similarity"], shown["weight"], strict=True)
    assert [text.get_text().strip() for text in display.ax_.texts] == [f"{s:.2g} · {w:.3g}" for s, w in numbers]
    for k, bars in enumerate(display.bars_):
        for bar, row in zip(list(bars)[1:-1], shown["row"], strict=True):
            assert (bar.get_width() > 0) == (y[row] == pipeline.classes_[k])
    quantile = pipeline[-1].familiarity_quantile(pipeline[:-1].transform(X.iloc[[70]]))[0]
    assert display.ax_.get_legend().get_title().get_text() == f"familiarity quantile {quantile:.2f}"


def test_a_frame_goes_through_as_a_frame(flowers):
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), ProsetClassifier(max_prototypes=3))
    model.fit(*flowers)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of names that are not there
        ExplanationDisplay.from_estimator(model, flowers[0].iloc[[70]])


def test_a_row_with_names_is_not_read_by_position(flowers):
    X, y = flowers
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, y)
    assert ExplanationDisplay.from_estimator(model, X.iloc[70]).ax_ is not None
    unnamed = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X.to_numpy(), y)
    assert ExplanationDisplay.from_estimator(unnamed, pl.Series(X.iloc[70].tolist())).ax_ is not None
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        ExplanationDisplay.from_estimator(model, X.iloc[70][::-1])
