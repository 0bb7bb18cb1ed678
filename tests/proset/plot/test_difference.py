import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier, diff
from proset.plot import DifferenceDisplay


@pytest.fixture(scope="module")
def first(flowers):
    return make_pipeline(StandardScaler(), ProsetClassifier(max_prototypes=8)).fit(*flowers)


@pytest.fixture(scope="module")
def second(first):
    return first[-1].edited(pin={int(first[-1].active_features_[-1]): 0.0})


def dots(axes):
    """Weights before and after."""
    return [np.asarray(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"]


def test_dots_are_the_weights(first, second, flowers, texts):
    X, _ = flowers
    display = DifferenceDisplay.from_estimators(first, second, X)
    expected = diff(first[-1], second, first[:-1].transform(X))
    for axes, table, shown in zip(
        (display.ax_, display.features_ax_), (expected.prototypes, expected.features), display.shown_, strict=True
    ):
        before, after = dots(axes)
        order = np.argsort(-np.abs(table["weight then"] - table["weight"]), kind="stable")
        np.testing.assert_array_equal(before, table["weight"].to_numpy()[order])
        np.testing.assert_array_equal(after, table["weight then"].to_numpy()[order])
        assert len(shown) == len(table)
    names = [label.get_text() for label in display.features_ax_.get_yticklabels()]
    assert set(names) == {X.columns[d] for d in first[-1].active_features_}
    turned = (first.predict(X) != second.predict(first[:-1].transform(X))).sum()
    title = display.features_ax_.get_legend().get_title().get_text()
    assert title == f"{turned} of 150 predictions\ndiffer ({turned / 150:.1%})"
    assert texts(display.features_ax_) == ["before", "after"]
    rows = [label.get_text() for label in display.ax_.get_yticklabels()]
    table = display.shown_[0]
    assert rows == [f"row {row}, class {label}" for row, label in zip(table["row"], table["class"], strict=True)]


def test_titles_say_what_was_left_out(first, second):
    display = DifferenceDisplay.from_estimators(first, second, top=1)
    title = display.ax_.get_title(loc="left")
    assert title.startswith("prototypes: ")
    assert title.endswith("; 1 shown")
    assert display.features_ax_.get_title(loc="left") == "features: 1 removed, 1 changed; 1 shown"
    assert len(display.difference.predictions) == 100  # of the training data


def test_two_pipelines_and_other_axes(first, flowers):
    X, y = flowers
    again = make_pipeline(StandardScaler(), ProsetClassifier(max_prototypes=8)).fit(X, y)
    figure, pair = pyplot.subplots(1, 2)
    display = DifferenceDisplay.from_estimators(first, again, X, ax=pair)
    assert (display.ax_, display.features_ax_, display.figure_) == (*pair, figure)
    assert display.ax_.get_title(loc="left") == f"prototypes: {len(display.shown_[0])} same"
    assert display.plot().ax_ is not pair[0]


def test_categories_and_missing_values(mixed_table):
    X, _, model = mixed_table
    display = DifferenceDisplay.from_estimators(model, model.edited(pin={"job": 0.0}), X)
    assert display.shown_[1].set_index("feature")["weight then"]["job"] == 0.0


def test_bad_input(first, second, flowers, mixed_table):
    X, y = flowers
    with pytest.raises(ValueError, match="other: must have the features and the classes of model"):
        DifferenceDisplay.from_estimators(first, mixed_table[2])
    with pytest.raises(ValueError, match="other: steps before the classifier give other values than those of model"):
        DifferenceDisplay.from_estimators(first, make_pipeline(StandardScaler(), ProsetClassifier()).fit(2 * X, y), X)
    with pytest.raises(ValueError, match="top: 0 is not allowed"):
        DifferenceDisplay.from_estimators(first, second, top=0)
    with pytest.raises(ValueError, match="estimator: LogisticRegression is not allowed"):
        DifferenceDisplay.from_estimators(first, LogisticRegression(max_iter=1000).fit(X, y))
