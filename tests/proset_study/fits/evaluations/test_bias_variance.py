import numpy as np
import pytest

from proset_study.data.generators.mixture import Mixture
from proset_study.fits.evaluations.bias_variance import BiasVariance, draw
from proset_study.fits.evaluations.decomposition import decompose
from proset_study.fits.search import Case

XOR = {"generator": "xor", "features": 2, "samples_per_orthant": 30}
KNN = Case(1, 0, "xor", "E8", "knn")


def bias_variance(final, source, settings, case):
    """Neither the data set nor its split is looked at."""
    return BiasVariance.evaluate(None, None, final, settings, case, source)


def test_parts_add_up_to_the_expected_score_by_enumeration(rng):
    predictions, truth = rng.dirichlet(np.ones(3), (4, 5)), rng.dirichlet(np.ones(3), 5)
    found = decompose(predictions, truth)
    by_label = ((predictions[..., None, :] - np.eye(3)) ** 2).sum(axis=-1)  # of every draw, point and label
    assert found["brier"] == pytest.approx((by_label * truth).sum(axis=-1).mean())
    assert found["noise"] + found["bias2"] + found["variance"] == pytest.approx(found["brier"])


def test_one_neighbour_varies_and_many_are_biased():
    settings = {"draws": 10, "test_samples": 300}
    one, many = (bias_variance({"parameters": {}, "complexity": k, "n_fit": 84}, XOR, settings, KNN) for k in (1, 80))
    assert one["variance"] > 3 * many["variance"]
    assert many["bias2"] > 3 * max(one["bias2"], 0.0)
    for record in (one, many):
        assert record["noise"] == 0.0
        assert record["bias2"] + record["variance"] == pytest.approx(record["brier"])
        assert record["n_scored"] == 300
    assert one["brier"] == pytest.approx(2 * one["error"])  # 0 or 1: both classes are off by 1
    assert one["error_deviation"] > 0


@pytest.mark.parametrize("method", ["proset", "decision_tree"])
def test_draws_are_keyed_and_any_method_goes(method):
    parameters = {"proset": {"lambda_v": 1e-3, "lambda_w": 1e-8}, "decision_tree": {"min_samples_leaf": 5}}[method]
    final, settings = {"parameters": parameters, "complexity": 1, "n_fit": 60}, {"draws": 2, "test_samples": 250}
    first, again, other = (bias_variance(final, XOR, settings, Case(seed, 0, "xor", "E", method)) for seed in (1, 1, 2))
    assert {k: v for k, v in first.items() if k != "resources"} == {k: v for k, v in again.items() if k != "resources"}
    assert first["brier"] != other["brier"]
    published = {**XOR, "published_draw": {"seed": 1, "test_fraction": 0.3}}  # one draw: not to be taken twenty times
    assert bias_variance(final, published, settings, Case(1, 0, "xor", "E", method))["brier"] == first["brier"]


def test_a_mixture_has_noise_and_its_parts_add_up_on_labels_drawn_anew():
    mixture = {"generator": "mixture", "samples_per_class": 60, "components": 2, "means_seed": 3}
    case, settings = Case(1, 0, "mixture", "E", "knn"), {"draws": 8, "test_samples": 5000}
    found = bias_variance({"parameters": {}, "complexity": 15, "n_fit": 126}, mixture, settings, case)
    assert found["noise"] + found["bias2"] + found["variance"] == pytest.approx(found["brier"])
    generated = Mixture(samples_per_class=20_000, components=2, means_seed=3)
    p = generated.probabilities(generated.draw(np.random.default_rng(0)).X)
    assert found["noise"] == pytest.approx((p * (1 - p)).sum(axis=1).mean(), abs=0.02)
    assert -0.02 < found["error"] - generated.bayes_error() < 0.06


def test_training_sets_of_a_mixture_have_all_classes_alike():
    """The generator gives one class after the other."""
    train = draw(Mixture(samples_per_class=60), 126, Case(1, 0, "mixture", "E", "knn"), "draw 0")
    assert np.bincount(train.y).tolist() == [42] * 3


def test_hand_solved_parts():
    truth = np.array([[0.8, 0.2]])
    predictions = np.array([[[0.5, 0.5]], [[0.7, 0.3]]])
    # mean 0.6: squared distance to the truth 2 * 0.04, variance (n - 1) 2 * (0.01 + 0.01), half of it in the mean
    found = decompose(predictions, truth)
    assert found["noise"] == pytest.approx(2 * 0.16)
    assert found["variance"] == pytest.approx(0.04)
    assert found["bias2"] == pytest.approx(0.08 - 0.02)
