import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import PrototypePathDisplay, SizeTableDisplay


@pytest.fixture(scope="module")
def few(flowers):
    return make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.01, lambda_w=1e-6)).fit(*flowers)


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


def test_unknown_criterion(few, flowers):
    with pytest.raises(ValueError, match="criterion: 'loss' is not allowed"):
        PrototypePathDisplay.from_estimator(few, *flowers, criterion="loss")
