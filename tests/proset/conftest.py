import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale


@pytest.fixture(scope="session")
def wine():
    """Scaled; some modules have a wine of their own."""
    X, y = load_wine(return_X_y=True)
    return scale(X), y
