import numpy as np
import pandas as pd
import pytest

from proset.plot import DriftDisplay
from proset.plot.drift import ACCENT


@pytest.fixture(scope="module")
def moved(flowers):
    X = flowers[0].copy()
    X["petal length (cm)"] += 2.0
    return X


def test_dots_and_lines_are_the_table(few, flowers, moved, texts):
    X, _ = flowers
    settings = {"level": 0.1, "confidence_level": 0.9}
    display = DriftDisplay.from_estimator(few, moved, **settings)
    expected = few[-1].drift(few[:-1].transform(moved), **settings)
    pd.testing.assert_frame_equal(display.drift.drop(columns="name"), expected.drop(columns="name"))
    features = display.drift[display.drift["of"] == "feature"]
    assert features["name"].tolist() == [X.columns[d] for d in few[-1].active_features_]
    for lines, differs in zip(display.lines_, (False, True), strict=True):
        shown = display.shown_[(display.shown_["differs"] == differs) & display.shown_["below"].notna()]
        dots, _, (bars,) = lines
        np.testing.assert_allclose(dots.get_xdata(), shown["below"])
        ends = np.array([segment[:, 0] for segment in bars.get_segments()]).reshape(-1, 2)
        np.testing.assert_allclose(ends, shown[["low", "high"]])
        assert (dots.get_color() == ACCENT) == differs
    (usual,) = [line for line in display.ax_.lines if line.get_label() == "usual"]
    np.testing.assert_allclose(usual.get_xdata(), display.shown_["usual below"])
    assert texts(display.ax_)[0] == "usual"
    assert "differs" in texts(display.ax_)


def test_rows_are_grouped_and_named(few, moved, rows):
    display = DriftDisplay.from_estimator(few, moved)
    shown, found = display.shown_, rows(display)
    assert found[0] == "all samples"
    n = (shown["of"] == "prototype").sum()
    assert found[1] == "samples nearest to prototype:"
    assert found[n + 2] == "all samples, by one feature:"
    assert len(found) == len(shown) + 2
    row = shown[shown["of"] == "prototype"].iloc[0]
    assert found[2] == f"{row['name']}, class {row['class']} (n = {row['samples']})"
    assert shown["of"].tolist() == sorted(shown["of"], key=["all", "prototype", "feature"].index)
    for _, part in shown.groupby("of"):
        assert part["differs"].is_monotonic_decreasing  # those that differ come first


def test_not_all_are_shown(few, moved, rows):
    display = DriftDisplay.from_estimator(few, moved, top=1)
    assert len(display.shown_) == 3
    n = (display.drift["of"] == "prototype").sum()
    assert f"samples nearest to prototype, 1 of {n}:" in rows(display)
    assert len(display.drift) > 3


def test_reference_and_level_of_confidence(few, moved):
    display = DriftDisplay.from_estimator(few, moved, reference=moved, confidence_level=0.9)
    assert not display.drift["differs"].any()
    assert display.ax_.get_xlabel() == "unfamiliar samples, 90 % interval"


def test_prototypes_without_samples_have_no_dot(few, flowers, recwarn):
    X, _ = flowers
    display = DriftDisplay.from_estimator(few, X.iloc[:20])  # one class only
    assert (display.shown_["samples"] == 0).any()
    n_dots = sum(len(lines[0].get_xdata()) for lines in display.lines_)
    assert n_dots == (display.shown_["samples"] > 0).sum()
    display.figure_.canvas.draw()
    assert not recwarn.list
