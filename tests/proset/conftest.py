import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from proset import ProsetClassifier

settings.register_profile("tests", deadline=None, derandomize=True, database=None)  # the same everywhere, however busy
settings.load_profile("tests")


@pytest.fixture(scope="session")
def wine():
    """Scaled; some modules have a wine of their own."""
    X, y = load_wine(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="session")
def iris():
    """As it is."""
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def flowers():
    """Samples of four features with names, and labels that are text."""
    iris = load_iris(as_frame=True)
    return iris.data, iris.target_names[iris.target]


@pytest.fixture(scope="session")
def mixed():
    """Numbers, categories and ranks, one of each of the first two with gaps; labels; and a model."""
    rng, n = np.random.default_rng(0), 400
    X = pd.DataFrame({"age": rng.normal(40, 10, n), "income": rng.normal(50, 20, n)})
    X["colour"] = rng.choice(["red", "green", "blue"], n)
    X["size"] = pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True)
    score = (X["age"] - 40) / 10 + (X["income"] - 50) / 20 + (X["colour"] == "red") - X["size"].cat.codes
    y = np.where(score + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    X.loc[::9, "income"] = np.nan
    X.loc[::13, "colour"] = None
    return X, y, ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=20).fit(X, y)
