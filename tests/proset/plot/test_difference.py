import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier, diff
from proset.plot import DifferenceDisplay


@pytest.fixture(scope="module")
def second(few):
    return few[-1].edited(pin={int(few[-1].active_features_[-1]): 0.0})


def dots(axes):
    """Weights before and after."""
    return [np.asarray(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"]


def test_dots_are_the_weights(few, second, flowers, texts, rows):
    X, _ = flowers
    display = DifferenceDisplay.from_estimators(few, second, X)
    expected = diff(few[-1], second, few[:-1].transform(X))
    for axes, table, shown in zip(
        (display.ax_, display.features_ax_), (expected.prototypes, expected.features), display.shown_, strict=True
    ):
        before, after = dots(axes)
        order = np.argsort(-np.abs(table["weight then"] - table["weight"]), kind="stable")
        np.testing.assert_array_equal(before, table["weight"].to_numpy()[order])
        np.testing.assert_array_equal(after, table["weight then"].to_numpy()[order])
        assert len(shown) == len(table)
    names = [label.get_text() for label in display.features_ax_.get_yticklabels()]
    assert set(names) == {X.columns[d] for d in few[-1].active_features_}
    turned = (few.predict(X) != second.predict(few[:-1].transform(X))).sum()
    title = display.features_ax_.get_legend().get_title().get_text()
    assert title == f"{turned} of 150 predictions\ndiffer ({turned / 150:.1%})"
    assert texts(display.features_ax_) == ["before", "after"]
    pairs = display.shown_[0][["row", "class"]].to_numpy()
    assert rows(display) == [f"row {row}, class {label}" for row, label in pairs]


def test_titles_say_what_was_left_out(few, second):
    display = DifferenceDisplay.from_estimators(few, second, top=1)
    title = display.ax_.get_title(loc="left")
    assert title.startswith("prototypes: ")
    assert title.endswith("; 1 shown")
    assert display.features_ax_.get_title(loc="left") == "features: 1 removed, 1 changed; 1 shown"
    assert len(display.difference.predictions) == 100  # of the training data


def test_two_pipelines(few, flowers):
    X, y = flowers
    again = make_pipeline(StandardScaler(), ProsetClassifier(max_prototypes=8)).fit(X, y)
    display = DifferenceDisplay.from_estimators(few, again, X)
    assert display.ax_.get_title(loc="left") == f"prototypes: {len(display.shown_[0])} same"
