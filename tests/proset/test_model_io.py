import io
import json
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from enum import Enum

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from proset import ProsetClassifier, load_model, model_io, save_model, to_javascript
from proset.files import replacing


@pytest.fixture(scope="module")
def model():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return ProsetClassifier(n_batches=2, random_state=0).fit(X, np.array(["Setosa", "ß", "virginica"])[y]), X


@pytest.fixture
def saved(model, tmp_path):
    path = tmp_path / "model.npz"
    save_model(model[0], path)
    return path


@pytest.mark.parametrize("of", ["numbers", "mixed"])
def test_a_loaded_model_is_the_same(of, model, mixed, tmp_path):
    original, X = model if of == "numbers" else (mixed[2], mixed[0])
    save_model(original, tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    assert loaded.get_params() == original.get_params()
    assert loaded.feature_names_in_.tolist() == list(X.columns)
    assert loaded.categories_ == original.categories_
    for ours, theirs in zip(loaded.batches_, original.batches_, strict=True):
        for name in vars(theirs):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for answer in (
        lambda model: model.predict(X),
        lambda model: model.predict_proba(X),
        lambda model: model.familiarity_quantile(X),
        lambda model: model.attributions(X.head(2), background=X).values,
    ):
        np.testing.assert_array_equal(answer(loaded), answer(original))
    for table in (
        lambda model: model.export(),
        lambda model: model.explain(X.head(9)),
        lambda model: model.counterfactuals(X.head(5)),
        lambda model: model.drift(X.head(99), reference=X),
    ):
        pd.testing.assert_frame_equal(table(loaded), table(original))


def test_features_of_very_small_units_are_kept(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.repeat([0, 1], 15)
    X[:, 0] = y * 3e-100 + X[:, 0] * 1e-101
    tiny = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, y)
    assert tiny.batches_[0].feature_weights[0] > 1e100
    save_model(tiny, tmp_path / "model.npz")
    np.testing.assert_array_equal(load_model(tmp_path / "model.npz").predict_proba(X), tiny.predict_proba(X))


def test_the_names_in_a_file_stay(saved):
    """Files that were written earlier have these; another name is another version of the format."""
    batch = ["feature_weights", "prototypes", "labels", "prototype_weights", "sample_index", "candidate_index", "fit"]
    names = {"header", "classes", "feature_names_in", "class_prior", "centre", "n_batches"}
    names |= {"n_samples_fit", "training_familiarity", "scale", "lambda_v", "lambda_w", "feature_range"}
    names |= {"levels", "category", "spread", "has_gaps"}
    with np.load(saved) as archive:
        assert set(archive) == names | {f"batch_{b}_{name}" for b in (0, 1) for name in batch}
        fit = {"objective", "n_iter", "n_evaluations", "converged", "message"}
        assert set(json.loads(str(archive["batch_1_fit"]))) == fit
        assert json.loads(str(archive["header"])).keys() == {"format", "version", "parameters"}


def test_unfitted_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(ProsetClassifier(), tmp_path / "m.npz")
    assert not list(tmp_path.iterdir())


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


def _rewrite(path, change):
    with np.load(path) as archive:
        arrays = dict(archive)
    change(arrays)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda arrays: arrays.pop("batch_1_labels"), r"not a complete proset model.*batch_1_labels"),
        (
            lambda arrays: arrays.update(batch_0_prototype_weights=np.ones(1)),
            "batch 1 has weights or labels that do not fit",
        ),
    ],
)
def test_arrays_that_are_missing_or_do_not_fit(saved, change, said):
    _rewrite(saved, change)
    with pytest.raises(ValueError, match=said):
        load_model(saved)


def _hostile(rng, arrays):
    """Change a model as somebody might who wants it to deceive, drawn at random: the name of the change."""
    numbers = [name for name, array in arrays.items() if array.dtype.kind in "fiu" and array.size]
    name = str(rng.choice(numbers))
    array = arrays[name].copy()
    header = json.loads(str(arrays["header"]))

    def put(value):
        array.reshape(-1)[rng.integers(array.size)] = value

    def parameter(key, value):
        header["parameters"][key] = value

    deep = "[" * 5000 + "]" * 5000
    changes = {
        "nan": lambda: array.dtype.kind == "f" and put(np.nan),
        "infinite": lambda: array.dtype.kind == "f" and put(rng.choice([np.inf, -np.inf])),
        "negative": lambda: put(-1),
        "huge": lambda: put(1e308 if array.dtype.kind == "f" else 2**62),
        "longer": lambda: arrays.update({name: np.append(array, array.reshape(-1)[:1])}),
        "shorter": lambda: arrays.update({name: array[:-1] if array.ndim else np.array([])}),
        "flat": lambda: arrays.update({name: array.reshape(-1, 1, 1)}),
        "scalar": lambda: arrays.update({name: np.array(array.reshape(-1)[0])}),
        "text": lambda: arrays.update({name: array.astype(str)}),
        "complex": lambda: arrays.update({name: array.astype(complex) + 1j}),
        "lost": lambda: arrays.pop(name),
        "unknown": lambda: arrays.update({f"more_{name}": array}),
        "bomb": lambda: arrays.update(more=np.zeros(2**20)),
        "batches": lambda: arrays.update(n_batches=np.array(rng.choice([-1, 10**12]))),
        "labels": lambda: arrays.update(batch_0_labels=arrays["batch_0_labels"][::-1].copy()),
        "classes": lambda: arrays.update(classes=arrays["classes"][rng.choice([[0, 0, 1], [2, 1, 0]])]),
        "prior": lambda: arrays.update(class_prior=arrays["class_prior"] * 2),
        "names": lambda: arrays.update(feature_names_in=np.arange(4)),
        "deep": lambda: arrays.update(batch_0_fit=np.array(deep)),
        "fit": lambda: arrays.update(batch_0_fit=np.array('{"objective": NaN}')),
        "parameter": lambda: parameter(str(rng.choice(["n_batches", "lambda_v", "tol"])), -1.0),
        "type": lambda: parameter("n_candidates", [deep]),
        "state": lambda: parameter("random_state", {"a": 1}),
        "key": lambda: parameter("__class__", "x"),
        "parameters": lambda: header.update(parameters=[1, 2]),
    }
    kind = str(rng.choice(list(changes)))
    if kind in ("nan", "infinite", "negative", "huge"):
        arrays[name] = array
    changes[kind]()
    arrays["header"] = np.array(json.dumps(header))
    return kind


def test_a_hundred_hostile_models_are_refused_in_one_line_or_predict_probabilities(model, saved, tmp_path, monkeypatch):
    monkeypatch.setattr(model_io, "MAX_BYTES", 2**22)  # a bomb need not have gigabytes
    X = model[1]
    with np.load(saved) as archive:
        honest = dict(archive)
    rng, harmless = np.random.default_rng(5), []
    for i in range(100):
        arrays, path = dict(honest), tmp_path / f"{i}.npz"
        kind = _hostile(rng, arrays)
        np.savez_compressed(path, **arrays)
        try:
            probabilities = load_model(path).predict_proba(X)
        except ValueError as error:
            said = str(error)
            assert said.startswith(f"{path} is "), said
            assert "\n" not in said
            assert len(said) < 500
        else:
            harmless.append(kind)
            assert ((probabilities >= 0) & (probabilities <= 1)).all()
            np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        path.unlink()
    assert len(harmless) < 20, harmless


@pytest.mark.parametrize("how", ["bzip2", "twice", "claims more", "unpacked"])
def test_archives_that_swell_are_refused_before_they_do(saved, how, monkeypatch):
    monkeypatch.setattr(model_io, "MAX_BYTES", 2**22)
    content = io.BytesIO()
    np.save(content, np.zeros(2**17))
    compression = zipfile.ZIP_BZIP2 if how == "bzip2" else zipfile.ZIP_DEFLATED
    with warnings.catch_warnings(), zipfile.ZipFile(saved, "a", compression) as archive:
        warnings.simplefilter("ignore")  # zipfile warns of the second one
        if how == "claims more":
            archive.writestr("centre2.npy", content.getvalue()[:128].replace(b"131072", b"999999"))
        for i in range(9 if how == "unpacked" else 1):
            archive.writestr("centre.npy" if how == "twice" else f"more_{i}.npy", content.getvalue())
    with pytest.raises(ValueError, match=r"model.npz .*(another way|a duplicate|of the size it claims|are allowed)"):
        load_model(saved)


def of_labels(labels, **parameters):
    """Samples, their classes, the second one where the first number is positive, and a model."""
    X = np.random.default_rng(0).normal(size=(40, 2)).round()
    y = labels[(X[:, 0] > 0).astype(int)]
    return X, y, ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=5, **parameters).fit(X, y)


@pytest.mark.parametrize(
    ("labels", "class_weight"), [(["left", "right"], "balanced"), ([3, 7], {3: 2.0, 7: 1.0})], ids=["text", "numbers"]
)
def test_parameters_of_any_type_are_kept(tmp_path, labels, class_weight):
    costs = pd.DataFrame([[0.0, 5.0], [1.0, 0.0]], index=labels[::-1], columns=labels[::-1])
    given = {"cost_matrix": costs, "class_weight": class_weight, "categorical_features": [np.int64(1)]}
    X, _, model = of_labels(np.array(labels), **given)
    save_model(model, tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded._costs(), [[0.0, 1.0], [5.0, 0.0]])
    assert loaded.categorical_features == [1]
    assert loaded.class_weight == class_weight


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (np.array(["2026", "2027"], "datetime64[D]"), "classes_ must be numbers, booleans or strings to be saved"),
        (np.array(["a", "a\0"], object), r"classes_: 'a\\x00' is not allowed in a file; must not end with a NUL"),
    ],
    ids=["days", "NUL"],
)
def test_labels_that_a_file_cannot_hold_are_refused_when_it_is_written(tmp_path, labels, said):
    with pytest.raises((TypeError, ValueError), match=said):
        save_model(of_labels(labels)[2], tmp_path / "model.npz")
    assert not (tmp_path / "model.npz").exists()


Side = Enum("Side", {"LEFT": "left", "RIGHT": "right"}, type=str)


class Annotated(str):
    """Text that is shown with something else, as in tables with units or links."""

    def __str__(self):
        return f"{str.__str__(self)} (side)"


@pytest.mark.parametrize("kind", [Side, Annotated, np.str_, str])
def test_labels_are_kept_by_what_they_are_not_by_how_they_are_shown(tmp_path, kind):
    labels = np.empty(2, dtype=object)
    labels[:] = [kind("left"), kind("right")]
    X, y, model = of_labels(labels)
    save_model(model, tmp_path / "model.npz")
    assert model.classes_.tolist() == load_model(tmp_path / "model.npz").classes_.tolist() == ["left", "right"]
    assert model.score(X, y) == load_model(tmp_path / "model.npz").score(X, y) > 0.9
    assert 'export const classes = ["left", "right"];' in to_javascript(model)


def test_labels_of_an_array_with_metadata_are_saved_without_a_warning(tmp_path):
    X, _, model = of_labels(np.array(["b", "a"], np.dtype("U1", metadata={"unit": "none"})))
    with warnings.catch_warnings(action="error"):
        save_model(model, tmp_path / "model.npz")
    np.testing.assert_array_equal(load_model(tmp_path / "model.npz").predict(X), model.predict(X))


def test_threads_that_write_one_file_do_not_disturb_each_other(tmp_path):
    texts = [bytes([i]) * 200_000 for i in range(8)]

    def write(text):
        with replacing(tmp_path / "a", durable=False) as file:
            file.write(text)
        return (tmp_path / "a").read_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(write, 5 * texts)) <= set(texts)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
