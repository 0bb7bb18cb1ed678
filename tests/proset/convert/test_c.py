"""The C file, compiled and run."""

import ctypes
import os
import re
import subprocess

import numpy as np
import pytest
from tests.build import ROOT, setup
from tests.proset.convert.models import (
    exact_probabilities,
    largest_difference,
    mixed_models,
    one_that_does_not_count,
    proset_models,
    random_models,
    regression_and_gap,
    set_cover_models,
    with_linear_base,
)

from proset import to_c

MODELS = {**proset_models(), **set_cover_models()}
STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]


def prefix(name):
    return name.replace(" ", "_")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A function that compiles all C files of a folder."""
    cache = str(tmp_path_factory.mktemp("cache"))
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache}

    def compiled(folder, name, *options):
        command = [*setup.compiler(), *STRICT, "-O1", *options, "-o", folder / name, *sorted(folder.glob("*.c")), "-lm"]
        subprocess.run(command, check=True, env=environment)
        return folder / name

    return compiled


@pytest.fixture(scope="module")
def library(compiled, tmp_path_factory):
    """All models in one library."""
    folder = tmp_path_factory.mktemp("models")
    for name, (model, _) in MODELS.items():
        (folder / f"{prefix(name)}.c").write_text(to_c(model, prefix(name)), encoding="ascii")
    return ctypes.CDLL(str(compiled(folder, "library.so", "-fPIC", "-shared")))


def strings(library, name, count):
    return [text.decode("utf-8") for text in (ctypes.c_char_p * count).in_dll(library, name)]


def predictions(library, name, X):
    predict = getattr(library, f"{prefix(name)}_predict")
    return np.array([predict(np.ascontiguousarray(x).ctypes) for x in X])


def probabilities(library, name, X, n_classes):
    """Rows that it refuses are left at -1."""
    found = np.full((len(X), n_classes), -1.0)
    predict_proba = getattr(library, f"{prefix(name)}_predict_proba")
    status = [predict_proba(np.ascontiguousarray(x).ctypes, row.ctypes) for x, row in zip(X, found, strict=True)]
    return status, found


@pytest.mark.parametrize("name", proset_models())
def test_probabilities(library, name):
    model, X = MODELS[name]
    status, found = probabilities(library, name, X, len(model.classes_))
    assert not any(status)
    assert largest_difference(found, exact_probabilities(model, X)) < 1e-12
    assert largest_difference(found, model.predict_proba(X)) < 1e-5


class Value(ctypes.Structure):
    _fields_ = (("number", ctypes.c_double), ("text", ctypes.c_char_p))


def values_of(row):
    """A sample as the C file takes it."""
    found = (Value * len(row))()
    for value, given in zip(found, row, strict=True):
        if isinstance(given, float):
            value.number = given
        elif isinstance(given, bool | np.bool_):
            value.text = b"true" if given else b"false"
        else:
            value.text = None if given is None else str(given).encode()
    return found


def test_mixed_tables(compiled, tmp_path):
    names = {}
    for number, (name, (model, _)) in enumerate(mixed_models().items()):
        names[name] = f"mixed_{number}"
        (tmp_path / f"{names[name]}.c").write_text(to_c(model, names[name]), encoding="ascii")
    library = ctypes.CDLL(str(compiled(tmp_path, "library.so", "-fPIC", "-shared")))
    for name, (model, X) in mixed_models().items():
        rows = X.astype(object).where(X.notna(), None).to_numpy()
        rows[:, 0] = X["x"].to_numpy()
        samples = [values_of(row) for row in rows]
        predict = getattr(library, f"{names[name]}_predict")
        assert (model.classes_[[predict(sample) for sample in samples]] == model.predict(X)).all(), name
        if not hasattr(model, "predict_proba"):
            continue
        found = np.empty((len(X), len(model.classes_)))
        predict_proba = getattr(library, f"{names[name]}_predict_proba")
        assert {predict_proba(sample, row.ctypes) for sample, row in zip(samples, found, strict=True)} == {0}
        assert largest_difference(found, exact_probabilities(model, X)) < 1e-12
        assert largest_difference(found, model.predict_proba(X)) < 1e-5


def test_random_models_say_why(compiled, tmp_path):
    drawn = random_models()
    for i, of in enumerate(drawn):
        (tmp_path / f"random_{i}.c").write_text(to_c(of.model, f"random_{i}", of.background), encoding="ascii")
    library = ctypes.CDLL(str(compiled(tmp_path, "library.so", "-fPIC", "-shared")))
    for i, of in enumerate(drawn):
        predict, predict_proba, explain, attributions = (
            getattr(library, f"random_{i}_{what}") for what in ("predict", "predict_proba", "explain", "attributions")
        )
        (n, n_classes), n_prototypes = of.probabilities.shape, len(of.shares)
        tables = [
            (ctypes.c_int * n_prototypes).in_dll(library, f"random_{i}_prototype_{what}")
            for what in ("batches", "rows")
        ]
        names = list(zip(*tables, strict=True))
        base_values = (ctypes.c_double * n_classes).in_dll(library, f"random_{i}_base_values")
        assert largest_difference(base_values, of.base_values) < 1e-12
        found, start = np.empty((2, n, n_classes))
        values = np.empty(of.attributions.shape)
        samples = [values_of(row) if of.is_mixed else np.array(row).ctypes for row in of.samples()]
        for j, x in enumerate(samples):
            assert predict_proba(x, found[j].ctypes) == attributions(x, values[j].ctypes) == 0
            for top in (n_prototypes + 2, 2):
                prototypes, shares = (ctypes.c_int * top)(), (ctypes.c_double * top)()
                n_listed = explain(x, top, start[j].ctypes, prototypes, shares)
                assert n_listed == min(top, n_prototypes)
                listed = [(names[place], share) for place, share in zip(prototypes, shares, strict=True)][:n_listed]
                of.check_explanation(j, listed, 1e-12)
        assert largest_difference(found, of.probabilities) < 1e-12
        assert largest_difference(start, of.start) < 1e-12
        assert largest_difference(values, of.attributions) < 1e-12
        assert (of.model.classes_[[predict(x) for x in samples]] == of.model.predict(of.X)).all()


def test_a_category_without_weight_has_its_place_in_a_sample(compiled, tmp_path):
    model, X = one_that_does_not_count()
    (tmp_path / "model.c").write_text(to_c(model), encoding="ascii")
    library = ctypes.CDLL(str(compiled(tmp_path, "library.so", "-fPIC", "-shared")))
    found = [library.model_predict(values_of(row)) for row in X.to_numpy()]
    assert (model.classes_[found] == model.predict(X)).all()


def test_shares_of_a_base(compiled, tmp_path):
    model, X, start, shares = with_linear_base()
    (tmp_path / "model.c").write_text(to_c(model), encoding="ascii")
    library = ctypes.CDLL(str(compiled(tmp_path, "library.so", "-fPIC", "-shared")))
    found, listed, prototypes = np.empty_like(start), np.empty_like(shares), (ctypes.c_int * shares.shape[1])()
    for i, x in enumerate(X):
        n = library.model_explain(x.copy().ctypes, shares.shape[1], found[i].ctypes, prototypes, listed[i].ctypes)
        assert n == shares.shape[1]
    assert largest_difference(found, start) < 1e-5
    assert largest_difference(listed, shares) < 1e-5


def test_a_logistic_regression_takes_no_missing_number(compiled, tmp_path):
    model, x = regression_and_gap()
    (tmp_path / "model.c").write_text(to_c(model), encoding="ascii")
    library = ctypes.CDLL(str(compiled(tmp_path, "library.so", "-fPIC", "-shared")))
    assert library.model_predict(x.ctypes) == -1


@pytest.mark.parametrize("name", MODELS)
def test_labels_and_names(library, name):
    model, X = MODELS[name]
    assert (model.classes_[predictions(library, name, X)] == model.predict(X)).all()
    assert strings(library, f"{prefix(name)}_classes", len(model.classes_)) == [str(label) for label in model.classes_]
    names = [f"x{d}" for d in range(X.shape[1])]
    assert strings(library, f"{prefix(name)}_features", X.shape[1]) == names


def test_features_without_weight_are_not_read_and_no_other_may_be_infinite(library):
    model, X = MODELS["two classes"]
    active = model[-1].active_features_
    rows = np.full((4, X.shape[1]), np.nan)
    rows[:, active] = X[0, active]
    rows[[1, 2, 3], active[0]] = [np.nan, np.inf, -np.inf]
    status, found = probabilities(library, "two classes", rows, 2)
    assert status == [0, 0, -1, -1]
    assert largest_difference(found[0], exact_probabilities(model, X[:1])[0]) < 1e-12
    gap = np.where(np.arange(X.shape[1]) == active[0], np.nan, X[:1])
    assert largest_difference(found[1], model.predict_proba(gap)[0]) < 1e-5
    assert (found[2:] == -1.0).all()
    assert predictions(library, "two classes", rows)[2:].tolist() == [-1, -1]


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
