import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss

from proset.plot import BatchPathDisplay


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


def test_unknown_criterion(pipeline, flowers):
    with pytest.raises(ValueError, match="criterion: 'loss' is not allowed, must be one of log_loss, error"):
        BatchPathDisplay.from_estimator(pipeline, *flowers, criterion="loss")
