"""The C file, compiled and run."""

import ctypes
import os
import re
import subprocess

import numpy as np
import pytest
from tests.build import ROOT, setup
from tests.proset.convert import models

from proset import to_c

STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]


def prefix(name):
    return re.sub(r"\W", "_", name)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A function that compiles all C files of a folder."""
    cache = str(tmp_path_factory.mktemp("cache"))
    environment = {"ZIG_GLOBAL_CACHE_DIR": cache, **os.environ, "ZIG_LOCAL_CACHE_DIR": cache}

    def compiled(folder, name, *options):
        command = [*setup.compiler(), *STRICT, "-O1", *options, "-o", folder / name, *sorted(folder.glob("*.c")), "-lm"]
        subprocess.run(command, check=True, env=environment)
        return folder / name

    return compiled


@pytest.fixture(scope="module")
def library(compiled, tmp_path_factory):
    """All models in one library."""
    folder = tmp_path_factory.mktemp("models")
    given = {name: [models.of_numbers(name)[0]] for name in models.NUMBERS}
    given |= {name: [model] for name, (model, _) in models.mixed_models().items()}
    given |= {f"random {i}": [of.model, of.background] for i, of in enumerate(models.random_models())}
    given |= {"uncounted": models.one_that_does_not_count()[:1], "base": models.with_linear_base()[:1]}
    for name, (model, *background) in given.items():
        (folder / f"{prefix(name)}.c").write_text(to_c(model, prefix(name), *background), encoding="ascii")
    return ctypes.CDLL(str(compiled(folder, "library.so", "-fPIC", "-shared")))


def strings(library, name, count):
    return [text.decode("utf-8") for text in (ctypes.c_char_p * count).in_dll(library, name)]


class Value(ctypes.Structure):
    _fields_ = (("number", ctypes.c_double), ("text", ctypes.c_char_p))


def values_of(row):
    """A sample of a table with categories, as the C file takes it."""
    found = (Value * len(row))()
    for value, given in zip(found, row, strict=True):
        if isinstance(given, float):
            value.number = given
        elif isinstance(given, bool | np.bool_):
            value.text = b"true" if given else b"false"
        else:
            value.text = None if given is None else str(given).encode()
    return found


def samples_of(X):
    if isinstance(X, np.ndarray):
        return [np.array(x).ctypes for x in X]
    rows = X.astype(object).where(X.notna(), None)
    return [values_of(row) for row in rows.assign(**X.select_dtypes("float")).to_numpy()]


def predictions(library, name, samples):
    return np.array([getattr(library, f"{prefix(name)}_predict")(x) for x in samples])


def probabilities(library, name, samples, n_classes):
    """Rows that it refuses are left at -1."""
    found = np.full((len(samples), n_classes), -1.0)
    predict_proba = getattr(library, f"{prefix(name)}_predict_proba")
    return [predict_proba(x, row.ctypes) for x, row in zip(samples, found, strict=True)], found


@pytest.mark.parametrize("name", [*models.NUMBERS, *models.MIXED])
def test_labels_and_probabilities(library, name):
    model, X = models.named(name)
    samples, found = samples_of(X), None
    if hasattr(model, "predict_proba"):
        status, found = probabilities(library, name, samples, len(model.classes_))
        assert not any(status)
    models.check_predictions(name, model.classes_[predictions(library, name, samples)], found)


def test_a_sample_whose_squares_overflow_is_as_far_from_all_prototypes(library):
    model, X = models.of_numbers("euclidean")
    far = np.full((1, X.shape[1]), 1e200)
    assert model.predict(far) != model[-1].classes_[model[-1]._majority]
    assert model.classes_[predictions(library, "euclidean", samples_of(far))] == model.predict(far)


@pytest.mark.parametrize("number", range(models.N_RANDOM))
def test_random_models_say_why(library, number):
    of, name = models.random_models()[number], f"random_{number}"
    explain, attributions = (getattr(library, f"{name}_{what}") for what in ("explain", "attributions"))
    (n, n_classes), n_prototypes = of.probabilities.shape, len(of.shares)
    tables = ((ctypes.c_int * n_prototypes).in_dll(library, f"{name}_prototype_{what}") for what in ("batches", "rows"))
    names = list(zip(*tables, strict=True))
    base_values = (ctypes.c_double * n_classes).in_dll(library, f"{name}_base_values")
    start, values = np.empty((n, n_classes)), np.empty(of.attributions.shape)
    samples = [values_of(row) if of.is_mixed else np.array(row).ctypes for row in of.samples()]
    for j, x in enumerate(samples):
        assert attributions(x, values[j].ctypes) == 0
        for top in (n_prototypes + 2, 2):
            prototypes, shares = (ctypes.c_int * top)(), (ctypes.c_double * top)()
            n_listed = explain(x, top, start[j].ctypes, prototypes, shares)
            assert n_listed == min(top, n_prototypes)
            listed = [(names[place], share) for place, share in zip(prototypes, shares, strict=True)][:n_listed]
            of.check_explanation(j, listed, 1e-12)
    status, found = probabilities(library, name, samples, n_classes)
    assert not any(status)
    labels = of.model.classes_[predictions(library, name, samples)]
    of.check(1e-12, labels, probabilities=found, start=start, attributions=values, base_values=base_values)


def test_a_category_without_weight_has_its_place_in_a_sample(library):
    model, X = models.one_that_does_not_count()
    assert (model.classes_[predictions(library, "uncounted", samples_of(X))] == model.predict(X)).all()


def test_shares_of_a_base_which_takes_no_missing_number(library):
    _, X, start, shares = models.with_linear_base()
    found, listed, prototypes = np.empty_like(start), np.empty_like(shares), (ctypes.c_int * shares.shape[1])()
    for x, of_start, of_prototypes in zip(samples_of(X), found, listed, strict=True):
        n = library.base_explain(x, shares.shape[1], of_start.ctypes, prototypes, of_prototypes.ctypes)
        assert n == shares.shape[1]
    assert models.largest_difference(found, start) < 1e-5
    assert models.largest_difference(listed, shares) < 1e-5
    assert predictions(library, "base", samples_of(np.where(np.arange(4) == 2, np.nan, X[:1]))) == [-1]


@pytest.mark.parametrize("name", models.NUMBERS)
def test_names_of_classes_and_features(library, name):
    model, X = models.of_numbers(name)
    assert strings(library, f"{prefix(name)}_classes", len(model.classes_)) == [str(label) for label in model.classes_]
    names = [f"x{d}" for d in range(X.shape[1])]
    assert strings(library, f"{prefix(name)}_features", X.shape[1]) == names


def test_features_without_weight_are_not_read_and_no_other_may_be_infinite(library):
    model, X = models.of_numbers("two classes")
    active = model[-1].active_features_
    rows = np.full((4, X.shape[1]), np.nan)
    rows[:, active] = X[0, active]
    rows[[1, 2, 3], active[0]] = [np.nan, np.inf, -np.inf]
    status, found = probabilities(library, "two classes", samples_of(rows), 2)
    assert status == [0, 0, -1, -1]
    assert models.largest_difference(found[0], models.exact_probabilities(model, X[:1])[0]) < 1e-12
    gap = np.where(np.arange(X.shape[1]) == active[0], np.nan, X[:1])
    assert models.largest_difference(found[1], model.predict_proba(gap)[0]) < 1e-5
    assert (found[2:] == -1.0).all()
    assert predictions(library, "two classes", samples_of(rows))[2:].tolist() == [-1, -1]


def test_the_page_does_what_it_says(compiled, tmp_path, monkeypatch):
    """The blocks of docs/conversion.md."""
    page = (ROOT / "docs/conversion.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w+)\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    variables = {}
    for block in (block for language, block in blocks if language == "python"):
        exec(block, variables)
    expected, x = variables["label"][0], variables["X"].to_numpy()[0]
    for language, block in blocks:
        if language == "c":
            (tmp_path / "main.c").write_text(block, encoding="ascii")
            found = subprocess.run([compiled(tmp_path, "program")], capture_output=True, text=True, check=True).stdout
            assert found.strip() == str(expected)
        if language != "python":
            assert [float(number) for number in re.search(r"\d+\.[\d., ]+", block)[0].split(",")] == x.tolist()
