import numpy as np
from matplotlib.colors import to_hex

from proset.plot import ParallelCoordinatesDisplay, PrototypesDisplay
from proset.plot.style import COLOURS


def test_prototypes_of_a_batch_in_its_heaviest_features(pipeline, flowers, offsets, texts):
    X, y = flowers
    display = PrototypesDisplay.from_estimator(pipeline, X, y, batch=2)
    batch = pipeline[-1].batches_[1]
    features = np.argsort(-batch.feature_weights, kind="stable")[:2]
    assert display.feature_names == [X.columns[d] for d in features]
    assert display.ax_.get_xlabel() == X.columns[features[0]]
    expected = X.to_numpy()[batch.sample_index][:, features]
    np.testing.assert_allclose(offsets(display.ax_, 3), expected)  # both are in the order of the classes
    sizes = np.concatenate([c.get_sizes() for c in display.ax_.collections if c.get_zorder() == 3])
    np.testing.assert_allclose(sizes / sizes.max(), batch.prototype_weights / batch.prototype_weights.max())
    samples = np.concatenate([X.to_numpy()[y == name][:, features] for name in np.unique(y)])
    np.testing.assert_allclose(offsets(display.ax_, 2), samples)
    largest = batch.prototype_weights.max()
    assert texts(display.ax_)[3:] == [f"weight {largest * share:.3g}" for share in (1.0, 0.25, 0.0625)]


def test_parallel_coordinates_are_between_the_smallest_and_largest_values(pipeline, flowers):
    X, _ = flowers
    display = ParallelCoordinatesDisplay.from_estimator(pipeline, batch=1)
    batch = pipeline[-1].batches_[0]
    names = [label.get_text() for label in display.ax_.get_xticklabels()]
    values = X.iloc[batch.sample_index][names].to_numpy()
    low, high = values.min(axis=0), values.max(axis=0)
    for line, row, k in zip(display.lines_, values, batch.labels, strict=True):
        np.testing.assert_allclose(line.get_ydata(), (row - low) / (high - low), atol=1e-12)
        assert to_hex(line.get_color()).upper() == COLOURS[k]
    width = np.array([line.get_linewidth() for line in display.lines_])
    assert width.argmax() == batch.prototype_weights.argmax()
    shown = [text.get_text() for text in display.ax_.texts]
    assert shown == [f"{value:,.4g}" for ends in zip(low, high, strict=True) for value in ends]


def test_parallel_coordinates_of_all_batches_and_few_features(pipeline):
    display = ParallelCoordinatesDisplay.from_estimator(pipeline, n_features=2)
    assert len(display.lines_) == pipeline[-1].n_prototypes_
    assert len(display.lines_[0].get_xdata()) == 2
