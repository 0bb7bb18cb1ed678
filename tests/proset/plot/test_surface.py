import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from proset import ProsetClassifier, RejectOptionClassifier, SetCoverClassifier
from proset.plot import DecisionSurfaceDisplay
from proset.plot.surface import shade

SAMPLES, WRONG, CIRCLES, POINT = 2, 2.2, 2.4, 2.6  # heights of marks


def test_shade_is_white_without_information_and_mixes_classes():
    two = shade(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]))
    np.testing.assert_allclose(two[1], 1.0)
    assert np.abs(two[0] - two[2]).max() > 0.3
    np.testing.assert_allclose(shade(np.full((1, 3), 1 / 3)), 1.0)
    first, second, _ = 1.0 - shade(np.eye(3))  # what each class takes from white
    mixed = 1.0 - shade(np.array([[0.6, 0.4, 0.0]]))[0]  # 0.4 and 0.1 of the way from 1/3 to 1
    np.testing.assert_allclose(mixed, 0.4 * first + 0.1 * second)


def test_two_features_in_the_units_of_the_data(flat, flowers, offsets, texts):
    X, y = flowers[0].iloc[:, 2:], flowers[1]
    display = DecisionSurfaceDisplay.from_estimator(flat, X, y, grid_resolution=12)
    axes, (batch,) = display.ax_, flat[-1].batches_
    assert (axes.get_xlabel(), axes.get_ylabel()) == tuple(X)
    for row, column in ((0, 0), (3, 9), (11, 4)):
        point = X.iloc[[0]].copy()
        point[:] = [[display.x[column], display.y[row]]]
        np.testing.assert_allclose(display.probabilities[row, column], flat.predict_proba(point)[0], atol=1e-6)
    np.testing.assert_allclose(offsets(axes, CIRCLES)[: len(batch.labels)], X.to_numpy()[batch.sample_index])
    (sizes, _) = (c.get_sizes() for c in axes.collections if c.get_zorder() == CIRCLES)
    np.testing.assert_allclose(sizes / sizes.max(), batch.prototype_weights / batch.prototype_weights.max())
    wrong = flat.predict(X) != y
    assert 0 < wrong.sum() == len(offsets(axes, WRONG))
    assert len(offsets(axes, SAMPLES)) == (~wrong).sum()
    assert texts(axes)[:3] == ["class setosa", "class versicolor", "class virginica"]
    assert texts(axes)[3:] == ["misclassified", "prototype, area by weight"]


def test_a_plane_through_a_point_shows_what_prototypes_weigh_there(pipeline, flowers, offsets):
    X, _ = flowers
    plane, place = ["petal length (cm)", "sepal width (cm)"], X.iloc[70]
    display = DecisionSurfaceDisplay.from_estimator(pipeline, X, features=plane, point=place, grid_resolution=8)
    np.testing.assert_allclose(offsets(display.ax_, POINT), np.tile(place[plane], (2, 1)).astype(float))
    first = pipeline[-1].batches_[0]
    row = first.sample_index[0]
    there = place.copy()
    there[plane] = X.iloc[row][plane]  # the point of the plane below the first prototype
    found = pipeline[-1].batches_[0]
    z = pipeline[0].transform(there.to_frame().T)[0] - found.prototypes[0]
    expected = found.prototype_weights[0] * np.exp(-0.5 * ((found.feature_weights * z) ** 2).sum())
    assert display.prototype_weights[0] == pytest.approx(expected)
    np.testing.assert_allclose(display.prototypes[0], X.iloc[row][plane].astype(float))
    cell = place.copy()
    cell[plane] = display.x[2], display.y[5]
    np.testing.assert_allclose(display.probabilities[5, 2], pipeline.predict_proba(cell.to_frame().T)[0], atol=1e-6)


def test_two_classes_have_a_bar(flowers):
    X, y = flowers[0].to_numpy()[:100, 2:], flowers[1][:100]
    display = DecisionSurfaceDisplay.from_estimator(ProsetClassifier(random_state=0).fit(X, y), X, grid_resolution=8)
    _, bar = display.figure_.axes
    assert bar.get_xlabel() == "probability of class versicolor"
    assert display.ax_.get_xlabel() == "x0"
    assert display.plot(legend=False).ax_.get_legend() is None


def test_classifiers_without_probabilities_or_prototypes(flowers, texts):
    X, y = flowers[0].to_numpy()[:, 2:], flowers[1]
    cover = SetCoverClassifier(eps=0.7).fit(X, y)
    display = DecisionSurfaceDisplay.from_estimator(cover, X, y, grid_resolution=8, feature_names=["l", "w"])
    np.testing.assert_array_equal(display.prototypes, cover.prototypes_)
    assert set(display.probabilities.ravel()) == {0.0, 1.0}
    assert texts(display.ax_)[-1] == "prototype"
    assert display.ax_.get_ylabel() == "w"
    other = DecisionSurfaceDisplay.from_estimator(LogisticRegression().fit(X, y), X, grid_resolution=8)
    assert other.prototypes is None


def test_prototypes_of_principal_components_have_no_place_in_the_data(flowers):
    X, y = flowers[0].iloc[:, 2:], flowers[1]
    model = make_pipeline(PCA(2), ProsetClassifier(random_state=0)).fit(X, y)
    assert DecisionSurfaceDisplay.from_estimator(model, X, grid_resolution=8).prototypes is None


def test_a_rejected_sample_is_no_class(flowers):
    X, y = flowers[0].iloc[:, 2:], flowers[1]
    model = RejectOptionClassifier(ProsetClassifier(max_prototypes=5), rejection_rate=0.2).fit(X, y)
    display = DecisionSurfaceDisplay.from_estimator(model, X, y)
    rejected = model.predict(X) == model._reject_label
    np.testing.assert_array_equal(display.predicted == -1, rejected)
    assert 0 < rejected.sum() < len(y)
