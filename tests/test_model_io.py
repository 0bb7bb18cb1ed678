import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from proset import ProsetClassifier, load_model, save_model


@pytest.fixture
def model():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return ProsetClassifier(n_batches=2, random_state=0).fit(X, np.array(["Setosa", "ß", "virginica"])[y]), X


@pytest.fixture
def saved(model, tmp_path):
    path = tmp_path / "model.npz"
    save_model(model[0], path)
    return path


def test_round_trip(model, saved):
    original, X = model
    loaded = load_model(saved)
    np.testing.assert_array_equal(loaded.predict(X), original.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), original.predict_proba(X))
    assert loaded.get_params() == original.get_params()
    assert loaded.feature_names_in_.tolist() == list(X.columns)
    for ours, theirs in zip(loaded.batches_, original.batches_, strict=True):
        for name in vars(theirs):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def test_unfitted_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(ProsetClassifier(), tmp_path / "m.npz")
    assert not list(tmp_path.iterdir())


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none.npz")


@pytest.mark.parametrize("keep", [0, 10, 0.5, 0.99])
def test_truncated_file(saved, keep):
    content = saved.read_bytes()
    saved.write_bytes(content[: int(keep if keep == 0 or keep > 1 else keep * len(content))])
    with pytest.raises(ValueError, match="is damaged or not a proset"):
        load_model(saved)


def test_a_flipped_byte_is_found_or_harmless(model, saved):
    original, X = model
    content = saved.read_bytes()
    found = 0
    for position in range(0, len(content), len(content) // 60):
        damaged = bytearray(content)
        damaged[position] ^= 0xFF
        saved.write_bytes(bytes(damaged))
        try:
            loaded = load_model(saved)
        except ValueError:
            found += 1
        else:  # for example in the time stamp of a member
            np.testing.assert_array_equal(loaded.predict_proba(X), original.predict_proba(X))
    assert found > 40


class _Evil:
    def __reduce__(self):
        return print, ("executed",)


@pytest.mark.parametrize("inside_archive", [False, True])
def test_pickles_are_not_executed(tmp_path, capsys, inside_archive):
    path = tmp_path / "model.npz"
    if inside_archive:
        buffer = io.BytesIO()
        np.save(buffer, np.array([_Evil()], dtype=object), allow_pickle=True)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.npy", buffer.getvalue())
    else:
        path.write_bytes(pickle.dumps(_Evil()))
    with pytest.raises(ValueError, match="damaged"):
        load_model(path)
    assert capsys.readouterr().out == ""


def _rewrite(path, change):
    with np.load(path) as archive:
        arrays = dict(archive)
    change(arrays)
    np.savez(path, **arrays)


def test_other_version(saved):
    def change(arrays):
        arrays["header"] = np.array(json.dumps({**json.loads(str(arrays["header"])), "version": 99}))

    _rewrite(saved, change)
    with pytest.raises(ValueError, match="version 99; this version of proset reads"):
        load_model(saved)


def test_missing_array(saved):
    _rewrite(saved, lambda arrays: arrays.pop("batch_1_labels"))
    with pytest.raises(ValueError, match=r"not a complete proset model.*batch_1_labels"):
        load_model(saved)


def test_wrong_shape(saved):
    _rewrite(saved, lambda arrays: arrays.update(batch_0_prototype_weights=np.ones(1)))
    with pytest.raises(ValueError, match="batch 1 has weights or labels that do not fit"):
        load_model(saved)
