import io
import pickle
import zipfile
from copy import copy, deepcopy

import numpy as np
import pytest
from skops.io import dumps

from proset import ProsetClassifier, load_model, save_model


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


@pytest.mark.parametrize(("columns", "message"), [(4, "one class"), (3, "without base"), (40, "without base")])
def test_a_fit_that_fails_leaves_the_one_before(iris, columns, message):
    """Of other columns, too: the model would otherwise be asked for features that its prototypes do not have."""
    X, y = iris
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, y)
    before, n_moved = model.predict_proba(X), len(model.influence())
    other, labels = np.tile(X, 10)[:, :columns], np.zeros(150) if columns == 4 else y + 3
    with pytest.raises(ValueError, match=message):
        model.fit(other, labels, base_probabilities=None if columns == 4 else np.full((150, 3), 1 / 3))
    assert model.predict_proba(X).tobytes() == before.tobytes()
    assert model.classes_.tolist() == [0, 1, 2]
    assert len(model.influence()) == n_moved
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.predict(np.tile(X, 10))


def test_a_draw_is_the_same_each_time(trained):
    _, model = trained
    first, second = model._training.sample(100), model._training.sample(100)
    assert first.tolist() == second.tolist() == np.unique(first).tolist()
    assert len(first) == 100
    assert model._training.sample(1000).tolist() == list(range(150))
