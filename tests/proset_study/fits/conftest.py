import pytest

from proset_study.data.sources import make
from proset_study.data.splitting import split


@pytest.fixture(scope="session")
def data():
    return make({"generator": "xor", "features": 2, "samples_per_orthant": 30}, 0, "xor", 0)


@pytest.fixture(scope="session")
def folds(data):
    return split(data.y, 3, 0.3, 0)
