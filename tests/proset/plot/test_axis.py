"""Figures of models of mixed tables: categories by name, missing values in a strip of their own."""

import numpy as np
import pandas as pd

from proset import SetCoverClassifier
from proset.plot import (
    BallsDisplay,
    BatchPathDisplay,
    DecisionSurfaceDisplay,
    DifferenceDisplay,
    DriftDisplay,
    ExplanationDisplay,
    InfluenceDisplay,
    ParallelCoordinatesDisplay,
    PrototypesDisplay,
)
from proset.plot.axis import Axis


def labels(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def test_places_and_pixels_of_categories():
    axis = Axis.of(np.array([0.0, 1.0, 2.0]), ("a", None), 0.05)
    assert axis.levels == ("a", None, "(not in the training data)")
    assert sorted(set(axis.pixels(30)[1])) == [0.0, 1.0, 2.0]
    assert (np.rint(axis.places(np.repeat([0.0, 2.0], 50), 1)) == np.repeat([0.0, 2.0], 50)).all()
    assert axis.ticks()[1][:2] == ["a", "missing"]


def test_a_surface_over_a_number_and_a_category(mixed_table):
    X, y, model = mixed_table
    display = DecisionSurfaceDisplay.from_estimator(model, X, y, features=["age", "job"], grid_resolution=60)
    assert labels(display.ax_.yaxis) == ["cook", "smith", "missing"]
    assert labels(display.ax_.xaxis)[0] == "missing"
    assert np.isfinite(display.samples).all()
    middle = X["grade"].mode()[0]
    row = pd.DataFrame(
        {"age": [np.nan], "job": ["smith"], "grade": pd.Categorical([middle], X["grade"].cat.categories, ordered=True)}
    )
    at = np.abs(display.y - 1.0).argmin(), 0
    np.testing.assert_allclose(display.probabilities[at], model.predict_proba(row)[0])


def test_a_point_is_given_as_a_row_of_the_table(mixed_table):
    X, y, model = mixed_table
    display = DecisionSurfaceDisplay.from_estimator(model, X, y, features=[0, 2], point=[0.5, "smith", "low"])
    assert labels(display.ax_.yaxis) == ["low", "high"]
    assert display.point[0] == 0.5


def test_prototypes_and_lines_name_categories(mixed_table):
    X, y, model = mixed_table
    display = PrototypesDisplay.from_estimator(model, X, y, features=["job", "age"])
    assert labels(display.ax_.xaxis) == ["cook", "smith", "missing"]
    assert np.isfinite(display.prototypes).all()
    lines = ParallelCoordinatesDisplay.from_estimator(model)
    assert {"cook", "smith"} <= {text.get_text() for text in lines.ax_.texts}
    assert all(np.isfinite(line.get_ydata()).all() for line in lines.lines_)


def test_balls_explanations_and_paths(mixed_table):
    X, y, model = mixed_table
    cover = SetCoverClassifier(eps=0.8).fit(X, y)
    balls = BallsDisplay.from_estimator(cover, X, y, features=["age", "job"], grid_resolution=50)
    assert labels(balls.ax_.yaxis) == ["cook", "smith", "missing"]
    frame, row = (ExplanationDisplay.from_estimator(model, x) for x in (X[:1], X.iloc[0].tolist()))
    np.testing.assert_array_equal(frame.explanation["share"], row.explanation["share"])
    assert BatchPathDisplay.from_estimator(model, X, y).ax_ is not None


def test_changes_drift_and_influence(mixed_table, rows):
    X, y, model = mixed_table
    changes = DifferenceDisplay.from_estimators(model, model.edited(pin={"job": 0.0}), X)
    assert changes.shown_[1].set_index("feature")["weight then"]["job"] == 0.0
    assert {"age", "job", "grade"} <= set(rows(DriftDisplay.from_estimator(model, X)))
    assert len(InfluenceDisplay.from_estimator(model, X.head(50), y[:50], rows=range(4)).influence) == 4
