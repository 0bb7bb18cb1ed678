import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss

from proset import ProsetClassifier
from proset.plot import BatchPathDisplay, PrototypePathDisplay, SizeTableDisplay


def test_losses_of_the_first_batches(pipeline, flowers, texts):
    X, y = flowers
    display = BatchPathDisplay.from_estimator(pipeline, X, y, name="training")
    prior, _, both = display.line_.get_ydata()
    assert prior == pytest.approx(np.log(3))
    assert both == pytest.approx(log_loss(y, pipeline.predict_proba(X)))
    (top,) = display.ax_.child_axes
    first, second = (len(batch.labels) for batch in pipeline[-1].batches_)
    assert [label.get_text() for label in top.get_xticklabels()] == ["0", str(first), str(first + second)]
    assert texts(display.ax_) == ["training"]


def test_weighted_errors_on_the_same_axes(pipeline, flowers, texts):
    X, y = flowers
    weight = np.where(pipeline.predict(X) == y, 1.0, 3.0)
    first = BatchPathDisplay.from_estimator(pipeline, X, y, criterion="error", name="plain")
    options = {"sample_weight": weight, "criterion": "error", "name": "weighted", "ax": first.ax_}
    second = BatchPathDisplay.from_estimator(pipeline, X, y, **options)
    expected = 1 - accuracy_score(y, pipeline.predict(X), sample_weight=weight)
    assert second.losses[-1] == pytest.approx(expected)
    assert first.losses[-1] < second.losses[-1]
    assert first.line_.get_color() != second.line_.get_color()
    assert texts(first.ax_) == ["plain", "weighted"]
    assert len(first.ax_.child_axes) == 1
    assert first.ax_.get_ylabel() == "error rate"


def test_losses_of_all_sizes(few, flowers, texts, offsets):
    X, y = flowers
    display = PrototypePathDisplay.from_estimator(few, X, y, name="training")
    model = few[-1]
    assert display.n_prototypes.tolist() == model.prototype_path_["n_prototypes"].tolist()
    at = display.n_prototypes.tolist().index(model.n_prototypes_)
    assert display.losses[at] == pytest.approx(log_loss(y, few.predict_proba(X)))
    np.testing.assert_allclose(offsets(display.ax_, 7), [[model.n_prototypes_, display.losses[at]]])
    assert texts(display.ax_) == ["training"]
    error = PrototypePathDisplay.from_estimator(few, X, y, criterion="error", ax=display.ax_)
    assert error.losses[-1] == pytest.approx(1 - few[-1].with_prototypes(10**6).score(few[:-1].transform(X), y))
    assert error.line_.get_color() != display.line_.get_color()


def test_cells_within_one_standard_error_are_framed(flowers):
    X, y = flowers
    display = SizeTableDisplay.from_estimator(ProsetClassifier(lambda_v=0.01, lambda_w=1e-6), X, y, n_features=[1, 2])
    loss, error = display.table["mean_loss"], display.table["standard_error"]
    assert [text.get_text() for text in display.ax_.texts] == [f"{value:.2f}" for value in loss.ravel()]
    best = np.unravel_index(loss.argmin(), loss.shape)
    assert len(display.ax_.patches) == (loss <= loss[best] + error[best]).sum()
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["1", "2"]
