import io
import pickle
import zipfile
from copy import copy, deepcopy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit
from skops.io import dumps

from proset import (
    ConformalClassifier,
    ProsetClassifier,
    ProsetClassifierCV,
    RejectOptionClassifier,
    SetCoverClassifier,
    SetCoverClassifierCV,
    load_model,
    save_model,
)


@pytest.fixture(scope="module")
def trained(iris):
    return iris[0], ProsetClassifier().fit(*iris)


def test_rows_leave_the_process_as_prototypes_alone(trained, tmp_path):
    X, model = trained
    save_model(model, tmp_path / "model.npz")
    files = {pickle.dumps(model): model._sized, (tmp_path / "model.npz").read_bytes(): [model._model]}
    with zipfile.ZipFile(io.BytesIO(dumps(model))) as archive:
        files[b"".join(archive.read(name) for name in archive.namelist())] = model._sized
    for content, models in files.items():
        prototypes = np.concatenate([batch.prototypes for of_size in models for batch in of_size.batches])
        others = X[~(X[:, None] == prototypes).all(axis=2).any(axis=1)]
        assert len(others) > 100
        assert not any(row.tobytes() in content for row in others)
    for other in (pickle.loads(pickle.dumps(model)), deepcopy(model), load_model(tmp_path / "model.npz")):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        with pytest.raises(ValueError, match="have prototypes only"):
            other.influence()


def test_a_smaller_model_keeps_them(trained):
    X, model = trained
    assert not hasattr(copy(model), "_training")
    assert model.with_prototypes(2)._training is model._training
    assert len(model.with_prototypes(2).influence()) == len(X)


PROSET = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4)
SEARCH, RADII = ProsetClassifierCV(n_iter=1, n_batches=1, cv=3, random_state=0), SetCoverClassifierCV(2, cv=3)
DRAWS = {"cv": ShuffleSplit(3), "criterion": "confidence"}
FROZEN = FrozenEstimator(LogisticRegression().fit([[0.0] * 2, [1.0] * 2], [0, 1]))


@pytest.mark.parametrize(
    ("estimator", "changes", "columns", "given", "message"),
    [  # parameters, how many columns, and what else the second fit has; from what is looked at first to what is last
        (PROSET, {}, 4, {"y": np.zeros(150)}, "one class"),
        (PROSET, {}, 3, {"y": np.arange(150) % 3 + 3, "base_probabilities": np.full((150, 3), 1 / 3)}, "without base"),
        (PROSET, {}, 40, {"y": np.arange(150) % 3 + 3, "base_probabilities": np.full((150, 3), 1 / 3)}, "without base"),
        (SetCoverClassifier(eps=0.5), {"n_neighbors": 200}, 2, {"y": np.arange(150) % 2}, "200 is not allowed"),
        *[(search, {}, 4, {"y": np.zeros(149)}, "inconsistent numbers of samples") for search in (SEARCH, RADII)],
        *[(search, {}, 2, {"y": np.arange(150) // 149}, "has no sample of class") for search in (SEARCH, RADII)],
        (RejectOptionClassifier(PROSET), DRAWS, 2, {"y": [0, 1] * 75}, "has to be in one test set"),
        (ConformalClassifier(PROSET), {"estimator": FROZEN}, 2, {"y": np.arange(150) % 3}, "2 is not allowed"),
    ],
)
def test_a_fit_that_fails_leaves_the_one_before(iris, estimator, changes, columns, given, message):
    """Of other columns, too: the model would otherwise be asked for features that its prototypes do not have."""
    X, y = iris
    model = clone(estimator).fit(X, y)
    before, predicted = dict(vars(model)), model.predict(X)
    with pytest.raises(ValueError, match=message):
        model.set_params(**changes).fit(np.tile(X, 10)[:, :columns], **given)
    assert {name: value for name, value in vars(model).items() if name not in changes} == {
        name: value for name, value in before.items() if name not in changes
    }
    np.testing.assert_array_equal(model.set_params(**estimator.get_params(deep=False)).predict(X), predicted)
    if estimator is PROSET:
        assert len(model.influence()) == 150
