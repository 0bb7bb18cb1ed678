"""What is refused; tests of each form run what is written."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator

from proset import ProsetClassifier, to_c, to_javascript, to_onnx, to_sql
from proset.convert.attributions import background_of
from proset.convert.formula import formula

X, Y = load_iris(return_X_y=True)


def sql(model, background):
    return to_sql(model, "samples", "id", what="attributions", background=background)


FORMS = {
    "onnx": lambda model, background: to_onnx(model, background=background),
    "c": lambda model, background: to_c(model, background=background),
    "javascript": to_javascript,
    "sql": sql,
}


@cache
def of_iris():
    return ProsetClassifier(lambda_v=1e-3, lambda_w=1e-4, max_prototypes=10).fit(X, Y)


def of_many_features(n):
    """All of them active."""
    samples = np.random.default_rng(0).normal(size=(60, n))
    model = ProsetClassifier(lambda_v=1e-3, lambda_w=1e-4, max_prototypes=3).fit(samples, samples[:, 0] > 0)
    batches = (replace(batch, feature_weights=np.ones(n)) for batch in model.batches_)
    model._store(replace(model._model, batches=tuple(batches)))
    return model, samples


@pytest.mark.parametrize(("form", "most"), [("onnx", 10), ("c", 15), ("javascript", 15), ("sql", 15)])
def test_too_many_features_are_refused(form, most):
    model, samples = of_many_features(most + 1)
    said = f"background: a model with {most + 1} active features is not allowed, must have at most {most}; "
    with pytest.raises(ValueError, match=said):
        FORMS[form](model, samples[:2])


def test_the_more_features_and_prototypes_the_fewer_rows():
    model = of_iris()
    of = formula(model)
    n = 2 ** len(of.used)
    assert len(background_of(of, model, X[:5], most_points=5 * n)) == 5
    with pytest.raises(ValueError, match="background: 6 rows are not allowed, must be 1 to 5 for"):
        background_of(of, model, X[:6], most_points=5 * n)


@pytest.mark.parametrize("form", FORMS)
def test_a_base_that_always_says_the_same_is_a_prior(form):
    some = slice(0, 120)  # of the last class the fewest, unlike what the base says
    base = FrozenEstimator(DummyClassifier(strategy="uniform").fit(X[some], Y[some]))
    model = ProsetClassifier(base=base, lambda_v=1e-3, lambda_w=1e-4, max_prototypes=10)
    model.fit(X[some], Y[some], base_probabilities=np.full((120, 3), 1 / 3))
    assert FORMS[form](model, X[:2])
    assert formula(model).class_prior == pytest.approx([1 / 3] * 3)


def test_a_graph_takes_no_samples_too():
    """Onnxruntime refuses the product of a matrix and an array without samples."""
    onnxruntime = pytest.importorskip("onnxruntime")
    graph = to_onnx(of_iris(), explain=2, background=X[::30]).SerializeToString()
    session = onnxruntime.InferenceSession(graph)
    names = [output.name for output in session.get_outputs()]
    for n in (0, 1):
        found = dict(zip(names, session.run(None, {"X": X[:n].astype(np.float32)}), strict=True))
        assert found["label"].shape == (n,)
        assert found["probabilities"].shape == (n, 3)
        assert found["attributions"].shape == (n, 4, 3)
