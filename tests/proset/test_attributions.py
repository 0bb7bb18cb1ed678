import tracemalloc
from itertools import permutations

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.proset.convert.models import N_RANDOM, largest_difference, random_models

from proset import ProsetClassifier, attributions


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X, ProsetClassifier(n_batches=2, max_prototypes=20, lambda_v=0.01, lambda_w=1e-4).fit(X, y)


@pytest.mark.parametrize("number", range(N_RANDOM))
def test_values_are_those_of_the_definition(number):
    """Of models of numbers and of mixed tables, with one batch and with two."""
    of = random_models()[number]
    found = of.classifier.attributions(of.X, of.background, transformer=None if of.is_mixed else of.model)
    assert largest_difference(found.values, of.attributions) < 2e-6  # kernels in float32
    assert largest_difference(found.base_values, of.base_values) < 2e-6
    assert found.feature_names == list(of.X)
    assert found.error_std is None


def test_values_add_up_to_the_prediction(wine, mixed):
    for X, model in (wine, (mixed[0].head(40), mixed[2])):
        found = model.attributions(X)
        totals = found.base_values + found.values.sum(axis=1)
        np.testing.assert_allclose(totals, model.predict_proba(X), atol=1e-12, rtol=0)
        np.testing.assert_allclose(found.values.sum(axis=2), 0.0, atol=1e-12)  # what one class gains, others lose
        inactive = np.setdiff1d(np.arange(X.shape[1]), model.active_features_)
        assert (found.values[:, inactive] == 0.0).all()
    assert found.display_data[1].tolist()[2:] == [X["colour"][1], X["size"][1]]


def test_many_features_are_estimated_with_an_error_that_holds(wine, monkeypatch):
    X, model = wine
    exact = model.attributions(X[:20])
    monkeypatch.setattr(attributions, "MAX_ENUMERATED", 3)
    found = model.attributions(X[:20])
    features = model.active_features_
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), model.predict_proba(X[:20]), atol=1e-12)
    off = np.abs(found.values - exact.values)[:, features] / np.maximum(found.error_std[:, features], 1e-9)
    assert 0 < found.error_std.max() < 0.05
    assert (off < 4).mean() > 0.98
    monkeypatch.setattr(attributions, "PERMUTATIONS", 8)
    assert model.attributions(X[:20]).error_std.mean() > 1.5 * found.error_std.mean()


def test_all_orders_give_the_exact_values(wine, monkeypatch):
    X, model = wine
    smaller = model.edited(pin=dict.fromkeys(model.active_features_[3:].tolist(), 0.0))
    n = len(smaller.active_features_)
    orders = [np.array(order) for order in permutations(range(n))]
    exact = smaller.attributions(X[:5])
    monkeypatch.setattr(attributions, "MAX_ENUMERATED", 1)
    monkeypatch.setattr(attributions, "PERMUTATIONS", 2 * len(orders))
    monkeypatch.setattr(attributions, "_orders", lambda n, number: iter(orders))
    np.testing.assert_allclose(smaller.attributions(X[:5]).values, exact.values, atol=1e-12)


def test_values_depend_on_neither_tiles_nor_other_samples(wine, monkeypatch):
    X, model = wine
    whole = model.attributions(X[:30]).values
    np.testing.assert_allclose(model.attributions(X[3]).values, whole[3:4], atol=1e-14)
    monkeypatch.setattr(attributions, "ENTRIES", 1000)
    np.testing.assert_allclose(model.attributions(X[:30]).values, whole, atol=1e-14)


def test_the_background_is_training_samples_by_their_weights():
    X, y = load_iris(return_X_y=True)
    weight = np.where(y == 0, 3.0, 1.0)
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X[::2], y[::2], weight[::2])
    found = model.attributions(X[:4])
    twice = np.repeat(X[::2], weight[::2].astype(int), axis=0)
    np.testing.assert_allclose(found.values, model.attributions(X[:4], background=twice).values, atol=1e-12)
    larger = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(np.tile(X, (3, 1)), np.tile(y, 3))
    assert len(larger._background(None)[0]) == 100
    np.testing.assert_array_equal(larger.attributions(X[:4]).values, larger.attributions(X[:4]).values)


def test_a_pipeline_gives_names_and_values_of_the_table():
    X, y = load_iris(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier()).fit(X, y)
    found = pipeline[-1].attributions(X.head(3), transformer=pipeline)
    assert found.feature_names == list(X.columns)
    np.testing.assert_allclose(found.display_data, X.head(3))
    scaled = pipeline[0].transform(X)
    np.testing.assert_array_equal(found.values, pipeline[-1].attributions(scaled[:3]).values)
    given = pipeline[-1].attributions(X.head(3), background=X, transformer=pipeline)
    np.testing.assert_allclose(given.base_values[0], pipeline.predict_proba(X).mean(axis=0))


def test_nothing_learnt_has_no_attributions():
    X, y = load_iris(return_X_y=True)
    model = ProsetClassifier(n_batches=0).fit(X, y)
    found = model.attributions(X[:2])
    assert not found.values.any()
    np.testing.assert_allclose(found.base_values, model.predict_proba(X[:2]))


def test_shap_draws_them_and_agrees():
    import shap  # takes a second

    X, y = load_iris(return_X_y=True)
    model = ProsetClassifier(n_batches=2, lambda_v=0.01, lambda_w=1e-4, random_state=0).fit(X, y)
    found = model.attributions(X[::5], background=X[::9])
    explanation = found.to_shap()
    for draw in (shap.plots.bar, shap.plots.beeswarm, shap.plots.heatmap):
        draw(explanation[..., 1], show=False)
        plt.close("all")
    shap.plots.waterfall(explanation[0, :, 1], show=False)
    plt.close("all")
    explainer = shap.KernelExplainer(model.predict_proba, X[::9])  # exact, of so few features it takes all sets
    np.testing.assert_allclose(found.values[:2], explainer.shap_values(X[::5][:2], silent=True), atol=2e-6)


def test_many_prototypes_are_estimated_and_memory_is_bounded(wine, monkeypatch):
    X, model = wine
    assert model.attributions(X[:5], background=X[:50]).error_std is None
    monkeypatch.setattr(attributions, "MAX_PRODUCTS", 1000)
    assert model.attributions(X[:5], background=X[:50]).error_std is not None
    monkeypatch.setattr(attributions, "MAX_PRODUCTS", 10**8)
    tracemalloc.start()
    model.attributions(np.tile(X, (50, 1)), background=X[:1])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6
