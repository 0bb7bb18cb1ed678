import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


@pytest.fixture(scope="session")
def pipeline(flowers):
    """A scaler and two batches."""
    classifier = ProsetClassifier(n_batches=2, lambda_v=1e-3, lambda_w=1e-8, max_prototypes=None)
    return make_pipeline(StandardScaler(), classifier).fit(*flowers)


@pytest.fixture(scope="session")
def flat(flowers):
    """The same of two features."""
    X, y = flowers
    return make_pipeline(StandardScaler(), ProsetClassifier(random_state=0)).fit(X.iloc[:, 2:], y)


@pytest.fixture(scope="session")
def few(flowers):
    """A scaler that gives no names, and few prototypes."""
    return make_pipeline(StandardScaler(), ProsetClassifier(max_prototypes=8)).fit(*flowers)


@pytest.fixture(scope="session")
def offsets():
    """Positions of all marks at a height."""

    def found(axes, zorder):
        return np.concatenate([np.asarray(c.get_offsets()) for c in axes.collections if c.get_zorder() == zorder])

    return found


@pytest.fixture(scope="session")
def texts():
    """Labels in the legend."""

    def found(axes):
        return [text.get_text() for text in axes.get_legend().get_texts()]

    return found


@pytest.fixture(scope="session")
def rows():
    """Names at the vertical axis of a display."""

    def found(display):
        return [text.get_text() for text in display.ax_.get_yticklabels()]

    return found


@pytest.fixture(scope="session")
def mixed_table():
    """Numbers, categories and ranks, the first two with gaps; labels; and a model."""
    rng = np.random.default_rng(0)
    grades = pd.Categorical(rng.choice(["low", "high"], 200), ["low", "high"], ordered=True)
    X = pd.DataFrame({"age": rng.normal(size=200), "job": rng.choice(["cook", "smith"], 200), "grade": grades})
    y = np.where((X["age"] > 0) ^ (X["job"] == "smith") ^ (X["grade"] == "low"), "yes", "no")
    X["age"] = X["age"].mask(rng.random(200) < 0.2)
    X["job"] = X["job"].mask(rng.random(200) < 0.2)
    return X, y, ProsetClassifier(max_prototypes=20, lambda_v=1e-3, lambda_w=1e-4).fit(X, y)
