import numpy as np

from proset.plot import FeatureWeightsDisplay
from proset.plot.feature_weights import shown_features


def test_order_of_features():
    w = np.zeros((2, 30))
    w[0, [4, 7]], w[1, 9] = (1.0, 3.0), 5.0
    shown, active, total = shown_features([w, np.zeros((0, 30))])
    assert (shown.tolist(), active.tolist(), total) == ([7, 4, 9], [7, 4, 9], 30)
    shown, active, _ = shown_features([w[:, 3:10]])
    assert sorted(shown.tolist()) == list(range(7))  # few features are shown whole
    assert len(active) == 3


def test_cells_are_the_weights_of_the_batches(pipeline, flowers, rows):
    display = FeatureWeightsDisplay.from_estimator(pipeline)
    names = rows(display)
    assert sorted(names) == sorted(flowers[0])
    cells = display.image_.get_array()
    for d, name in enumerate(names):
        for b, batch in enumerate(pipeline[-1].batches_):
            weight = batch.feature_weights[list(flowers[0]).index(name)]
            assert cells[d, b] == weight if weight else cells.mask[d, b]
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["1", "2"]
    assert display.figure_.axes[1].get_ylabel() == "feature weight v (1 / standard deviation)"


def test_names_of_the_caller(pipeline, rows):
    display = FeatureWeightsDisplay.from_estimator(pipeline, feature_names=["a", "b", "c", "$d$"])
    assert r"\$d\$" in rows(display)
