import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.datasets import load_iris

from proset import ProsetClassifierCV, SetCoverClassifierCV
from proset.plot import SearchPathDisplay, SearchPlaneDisplay, SearchProfileDisplay
from proset.plot.search import loss_axis
from proset.plot.style import scale


@pytest.fixture(scope="module")
def found():
    """A pair of penalties that learns nothing is among those that were tried."""
    grids = {"lambda_v": [1e-4, 1e-2, 100.0], "lambda_w": [1e-8, 1e-4]}
    X, y = load_iris(return_X_y=True)
    return ProsetClassifierCV(**grids, n_batches=2, cv=3, early_stopping=False, random_state=0).fit(X, y)


def _marks(axes, label):
    (marks,) = [c for c in axes.collections if c.get_label() == label]
    return np.asarray(marks.get_offsets())


def _losses(results):
    return -np.array([results[f"split{fold}_test_score"] for fold in range(3)])


def test_plane_shows_every_setting_and_what_was_chosen(found, texts):
    display = SearchPlaneDisplay.from_estimator(found)
    tried = np.array([[setting["lambda_v"], setting["lambda_w"]] for setting in found.cv_results_["params"]])
    np.testing.assert_allclose(display.points_.get_offsets(), tried)
    losses = _losses(found.cv_results_).mean(axis=0)
    np.testing.assert_allclose(display.points_.get_array(), losses)
    ringed = np.array(display.points_.get_linewidths()) > 1
    np.testing.assert_array_equal(ringed, found.cv_results_["within_threshold"])
    optimum, chosen = (np.asarray(c.get_offsets())[0] for c in display.ax_.collections if c.get_zorder() >= 6)
    np.testing.assert_allclose(optimum, tried[losses.argmin()])
    np.testing.assert_allclose(chosen, [found.best_params_[name] for name in ("lambda_v", "lambda_w")])
    (crosses,) = [np.asarray(c.get_offsets()) for c in display.ax_.collections if c.get_zorder() == 4]
    np.testing.assert_allclose(crosses, tried[losses >= np.log(3)])
    assert len(crosses) >= 2
    assert display.ax_.get_xlabel() == r"$\lambda_v$ (penalty on feature weights)"
    assert texts(display.ax_) == ["within the threshold", "no better than the prior", "optimum", "selection"]
    assert display.figure_.axes[1].get_xlabel() == "mean log-loss over folds (nats)"


def test_settings_that_were_stopped_are_drawn_with_the_folds_they_have():
    X, y = load_iris(return_X_y=True)
    found = ProsetClassifierCV(lambda_v=[1e-4, 1e-2, 100.0], lambda_w=[1e-8, 1e-4], cv=3, random_state=0).fit(X, y)
    assert found.cv_results_["stopped"].any()
    drawn = SearchPlaneDisplay.from_estimator(found).points_.get_array()
    np.testing.assert_allclose(drawn, -found.cv_results_["mean_test_score"])
    SearchProfileDisplay.from_estimator(found, parameter="lambda_v")


def test_profile_has_the_deviation_of_the_rule(found):
    axes = SearchProfileDisplay.from_estimator(found, parameter="lambda_w").ax_
    losses = _losses(found.cv_results_)
    ends = np.array(axes.containers[0].lines[2][0].get_segments())[:, :, 1]
    np.testing.assert_allclose(ends.mean(axis=1), losses.mean(axis=0))
    np.testing.assert_allclose(np.ptp(ends, axis=1) / 2, losses.std(axis=0, ddof=1), atol=1e-12)
    within = found.cv_results_["within_threshold"]
    np.testing.assert_allclose(_marks(axes, "within the threshold")[:, 1], losses.mean(axis=0)[within])
    np.testing.assert_allclose(_marks(axes, "selection")[0, 0], found.best_params_["lambda_w"])
    with pytest.raises(ValueError, match="parameter: 'alpha_v' is not allowed, must be one of lambda_v, lambda_w"):
        SearchProfileDisplay.from_estimator(found, parameter="alpha_v")


def test_path_of_batches(found, texts):
    axes = SearchPathDisplay.from_estimator(found).ax_
    losses = _losses(found.stage2_results_).mean(axis=0)
    line = axes.containers[0].lines[0]
    np.testing.assert_array_equal(line.get_xdata(), [0, 1, 2])
    np.testing.assert_allclose(line.get_ydata(), losses)
    number = found.best_params_["n_batches"]
    np.testing.assert_allclose(_marks(axes, "selection"), [[number, losses[number]]])
    (threshold,) = [line for line in axes.lines if line.get_label() == "threshold"]
    assert set(threshold.get_ydata()) == {-found.stage2_threshold_}
    assert set(texts(axes)) == {"threshold", "optimum", "selection", "mean over folds"}


def test_path_of_radii(flowers):
    search = SetCoverClassifierCV(eps=[0.2, 0.4, 0.8, 1.6], cv=3).fit(*flowers)
    axes = SearchPathDisplay.from_estimator(search).ax_
    np.testing.assert_allclose(_marks(axes, "selection")[0, 0], search.best_params_["eps"])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("radius of the balls", "mean error rate over folds")


def test_long_paths_are_lines_with_a_band():
    sizes = np.arange(1.0, 21.0)
    selection = {"mean": 1 / sizes, "standard_deviation": np.full(20, 0.01), "threshold": 0.07, "within": [14]}
    display = SearchPathDisplay(
        sizes=sizes, selection=selection | {"optimal": 19, "selected": 14}, name="", loss_name=""
    )
    axes = display.plot().ax_
    (line,) = [line for line in axes.lines if line.get_label() == "mean over folds"]
    np.testing.assert_array_equal(line.get_xdata(), sizes)
    assert not (np.array(axes.get_xticks()) % 1).any()
    assert axes.get_yscale() == "log"


def test_the_prior_is_in_the_legend_where_it_is_in_view():
    for prior, labels in ((0.45, ["class prior"]), (0.9, [])):
        axes = pyplot.subplots()[1]
        loss_axis([axes], np.array([0.4, 0.5]), np.array([0.05, 0.05]), prior)
        assert axes.get_legend_handles_labels()[1] == labels
        assert axes.get_ylim() == pytest.approx((0.34, 0.56))


def test_scales_of_parameters():
    axes = pyplot.subplots()[1]
    axes.set(xlim=(1, 3), ylim=(1e-6, 1e-1))
    scale(axes, "x", np.array([1.0, 2.0, 3.0]), "depth")
    scale(axes, "y", np.array([1e-6, 1e-1]), "penalty")
    assert axes.get_xticks().tolist() == [1.0, 2.0, 3.0]
    assert axes.get_yscale() == "log"
