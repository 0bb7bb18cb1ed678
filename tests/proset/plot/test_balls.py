import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import SetCoverClassifier
from proset.plot import BallsDisplay


def _edges(display):
    return [np.concatenate(ball.allsegs[0]) for ball in display.balls_]


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_edges_are_at_the_radius(flowers, metric, texts):
    X, y = flowers[0].to_numpy()[:, 2:], flowers[1]
    model = SetCoverClassifier(eps=0.8, metric=metric).fit(X, y)
    display = BallsDisplay.from_estimator(model, X, y)
    for centre, edge in zip(model.prototypes_, _edges(display), strict=True):
        np.testing.assert_allclose(
            cdist([centre], edge, metric)[0], 0.8, atol=display.x[1] - display.x[0]
        )  # corners are cut
    assert display.ax_.get_aspect() == 1.0
    inside = cdist(X, model.prototypes_, metric) < 0.8
    same = y[:, None] == model.prototype_labels_
    np.testing.assert_array_equal(display.covered, (inside & same).any(axis=1))
    np.testing.assert_array_equal(display.miscovered, (inside & ~same).any(axis=1))
    assert display.miscovered.any()
    assert not display.covered.all()
    assert texts(display.ax_)[3:] == [
        "prototype with its ball",
        "in no ball of its class",
        "in a ball of another class",
    ]


def test_balls_of_scaled_features_in_the_units_of_the_data(flowers, offsets):
    X, y = flowers[0].iloc[:, 2:], flowers[1]
    model = make_pipeline(StandardScaler(), SetCoverClassifier(eps=0.6)).fit(X, y)
    display = BallsDisplay.from_estimator(model, X, y)
    scale, cover = model[0].scale_, model[-1]
    for centre, edge in zip(cover.prototypes_, _edges(display), strict=True):
        np.testing.assert_allclose(cdist([centre], (edge - model[0].mean_) / scale)[0], 0.6, atol=0.01)
    np.testing.assert_allclose(offsets(display.ax_, 4), X.to_numpy()[cover.prototype_index_])


def test_a_plane_cuts_balls_and_misses_some(flowers):
    X, y = flowers[0].to_numpy(), flowers[1]
    model = SetCoverClassifier(eps=0.8).fit(X, y)
    point = model.prototypes_[0]
    display = BallsDisplay.from_estimator(model, X, y, features=[2, 3], point=point)
    away = np.linalg.norm((model.prototypes_ - point)[:, :2], axis=1)
    reached = away < 0.8
    assert 1 <= len(display.balls_) <= reached.sum() < len(away)
    radius = np.linalg.norm(_edges(display)[0] - point[2:], axis=1)
    np.testing.assert_allclose(radius, 0.8, atol=0.01)  # its own centre is in the plane


def test_balls_of_neighbours_have_radii_of_their_own(flowers):
    X, y = flowers[0].to_numpy()[:, 2:], flowers[1]
    model = SetCoverClassifier(n_neighbors=30).fit(X, y)
    display = BallsDisplay.from_estimator(model, X, y)
    assert len(set(display.radii)) > 1
    inside = cdist(X, model.prototypes_) < display.radii
    assert (inside.sum(axis=0) <= 30).all()
    np.testing.assert_array_equal((inside & (y[:, None] == model.prototype_labels_)).sum(axis=0), model.covered_)


def test_no_balls_and_balls_that_hold_everything(flowers):
    X, y = flowers[0].to_numpy()[:, 2:], flowers[1]
    with pytest.warns(UserWarning, match="no ball is worth its cost"):
        none = SetCoverClassifier(eps=1e-6, cost=200.0).fit(X, y)
    display = BallsDisplay.from_estimator(none, X, y, grid_resolution=20)
    assert (display.balls_, display.covered.any()) == ([], False)
    display.radii, display.labels = np.array([np.inf]), np.array([0])
    display.prototypes, display.distances = X[:1], np.ones((20, 20, 1))
    assert display.plot().balls_ == []  # its edge is nowhere
    assert len(display.ax_.collections) > 0
