import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from proset import ProsetClassifier
from proset.plot.fitted import Fitted, Plane

NAMES = ["a", "b", "c"]


def test_a_search_inside_a_pipeline(flowers):
    X, y = flowers
    search = GridSearchCV(make_pipeline(MinMaxScaler(), ProsetClassifier(random_state=0)), {}, cv=2)
    fitted = Fitted(make_pipeline(StandardScaler(), search).fit(X, y))
    assert isinstance(fitted.proset(), ProsetClassifier)
    scaled = fitted.scaled(X)
    assert (scaled.min(), scaled.max()) == (0.0, 1.0)
    np.testing.assert_allclose(fitted.to_units(scaled), X)


def test_a_frozen_pipeline(pipeline, flowers):
    X, _ = flowers
    fitted = Fitted(FrozenEstimator(pipeline))
    assert fitted.proset() is pipeline[-1]
    np.testing.assert_allclose(fitted.to_units(fitted.scaled(X)), X)


def test_principal_components_are_shown_as_such(flowers):
    X, y = flowers
    fitted = Fitted(make_pipeline(StandardScaler(), PCA(2), ProsetClassifier(random_state=0)).fit(X, y))
    assert (fitted.units, fitted.names) == (False, ["pca0", "pca1"])


def test_a_plane_goes_through_the_medians_or_a_point(pipeline, flowers):
    X, _ = flowers
    plane = Plane(Fitted(pipeline), X, [3, "sepal length (cm)"], None, None)
    x, y, points = plane.grid(50)
    assert points.shape == (2500, 4)
    np.testing.assert_allclose(points[:50, 3], x)  # row by row
    np.testing.assert_allclose(points[::50, 0], y)
    np.testing.assert_allclose(points[:, [1, 2]], np.tile(np.median(X, axis=0)[[1, 2]], (2500, 1)))
    assert x[0] < X.iloc[:, 3].min() < X.iloc[:, 3].max() < x[-1]
    through = Plane(Fitted(pipeline), X, None, X.iloc[7], None)
    np.testing.assert_array_equal(through.point, X.iloc[7])


def test_columns_in_another_order_are_refused_not_renamed(flowers):
    X, y = flowers
    fitted = Fitted(ProsetClassifier().fit(X, y))
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        fitted.model.predict(fitted.table(X[X.columns[::-1]]))
