import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import InfluenceDisplay

ROWS = [0, 3, 5, 20, 30, 40, 60, 70]


@pytest.fixture(scope="module")
def trained(flowers):
    X, y = flowers
    labels = y[::2].copy()
    labels[5] = "virginica"  # was setosa
    return make_pipeline(StandardScaler(), ProsetClassifier()).fit(X[::2], labels), X[1::2], y[1::2]


def test_bars_are_the_table(trained, texts, rows):
    model, X, y = trained
    display = InfluenceDisplay.from_estimator(model, X, y, rows=ROWS, top=3)
    expected = model[-1].influence(model[:-1].transform(X), y, rows=ROWS)
    pd.testing.assert_frame_equal(display.influence, expected)
    loss = expected.set_index("row")["loss"]
    worst = loss[loss < 0].sort_values().head(3)
    best = loss[loss > 0].sort_values(ascending=False).head(3)
    assert display.shown_["row"].tolist() == [*best.index, *worst.index[::-1]]
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], [*best, *worst[::-1]])
    assert rows(display) == [f"row {row.row}, class {row._2}" for row in display.shown_.itertuples()]
    assert texts(display.ax_) == ["helps", "does harm", "prototype"]
    assert display.ax_.get_legend().get_title().get_text() == "8 rows tried"


def test_prototypes_have_diamonds(trained):
    model, X, y = trained
    prototypes = np.concatenate([batch.sample_index for batch in model[-1].batches_])
    display = InfluenceDisplay.from_estimator(model, X, y, rows=np.unique([*prototypes, *ROWS]))
    (marks,) = [line for line in display.ax_.lines if line.get_marker() == "D"]
    rows = display.shown_["row"].to_numpy()[marks.get_ydata().astype(int)]
    assert sorted(rows) == sorted(set(prototypes) & set(display.shown_["row"]))


def test_weights_and_colours(trained):
    model, X, y = trained
    weights = (np.arange(len(y)) % 2).astype(float)
    display = InfluenceDisplay.from_estimator(model, X, y, sample_weight=weights, rows=ROWS)
    half = model[-1].influence(model[:-1].transform(X)[1::2], y[1::2], rows=ROWS)
    np.testing.assert_allclose(display.influence["loss"], half["loss"])
    colours = {(bar.get_width() > 0, bar.get_facecolor()) for bar in display.bars_}
    assert len(colours) == len({sign for sign, _ in colours}) == 2


def test_losses_without_the_only_row_of_a_class_are_infinite():
    table = pd.DataFrame(
        {"row": [0, 1, 2], "class": ["$a$", "b", "b"], "prototype": [True, False, False], "loss": [np.inf, 0.5, 0.0]}
    )
    display = InfluenceDisplay(influence=table).plot()
    assert [bar.get_width() for bar in display.bars_] == [0.6, 0.5]
    assert [text.get_text() for text in display.ax_.texts] == ["∞", "+0.5"]
    assert display.ax_.get_yticklabels()[0].get_text() == r"row 0, class \$a\$"
    empty = InfluenceDisplay(influence=table[table["loss"] == 0.0]).plot()
    assert len(empty.bars_) == 0
    empty.figure_.canvas.draw()
