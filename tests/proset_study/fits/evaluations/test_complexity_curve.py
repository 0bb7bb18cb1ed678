import numpy as np
import pytest

from proset_study.fits.evaluations.complexity_curve import ComplexityCurve
from proset_study.fits.evaluations.decomposition import both_losses
from proset_study.fits.search import Case

XOR = {"generator": "xor", "features": 2, "samples_per_orthant": 30}
MIXTURE = {"generator": "mixture", "components": 2, "means_seed": 3}


def curve(method, sizes, source=XOR, draws=6, seed=1, parameters=None):
    final = {"parameters": parameters or {}, "complexity": 1, "n_fit": 80}
    settings = {"draws": draws, "test_samples": 400, "sizes": {"r": sizes}}
    return ComplexityCurve.evaluate(None, None, final, settings, Case(seed, 0, "d", "r-leaf=2", method), source)


def test_zero_one_loss_splits_by_enumeration(rng):
    predictions, truth = rng.dirichlet(np.ones(3), (5, 40)), rng.dirichlet(np.ones(3), 40)
    found = both_losses(predictions, truth)["zero_one"]
    wrong = [1 - truth[np.arange(40), p.argmax(axis=1)] for p in predictions]
    assert found["brier"] == pytest.approx(np.mean(wrong))
    assert found["noise"] == pytest.approx(np.mean((1 - (truth**2).sum(axis=1)) / 2))
    # Kohavi and Wolpert's own formulas, of which ours are the unbiased estimates
    q = np.mean([np.eye(3)[p.argmax(axis=1)] for p in predictions], axis=0)
    assert found["variance"] == pytest.approx(5 / 4 * np.mean((1 - (q**2).sum(axis=1)) / 2))
    assert found["noise"] + found["bias2"] + found["variance"] == pytest.approx(found["brier"])


def test_more_neighbours_vary_less_and_are_more_biased_on_noisy_data():
    points = curve("knn", [1, 5, 60], MIXTURE)["points"]
    assert [point["size"] for point in points] == [1, 5, 60]
    for loss in ("squared", "zero_one"):
        one, few, many = (point[loss] for point in points)
        assert one["variance"] > few["variance"]
        assert many["bias2"] > one["bias2"]
        assert one["noise"] == few["noise"] == many["noise"] > 0
    assert points[0]["squared"]["brier"] == pytest.approx(2 * points[0]["zero_one"]["brier"])  # it predicts 0 or 1


def test_sizes_of_one_path_are_those_of_separate_fits_and_draws_are_keyed():
    parameters = {"min_samples_leaf": 2}
    path = curve("decision_tree", [0, 2], parameters=parameters)["points"]
    (alone,) = curve("decision_tree", [2], parameters=parameters)["points"]
    assert path[1] == alone
    assert path[0]["squared"]["variance"] < path[1]["squared"]["variance"]
    assert curve("decision_tree", [2], parameters=parameters, seed=2)["points"] != [alone]


def test_a_size_that_the_method_has_not_is_refused():
    with pytest.raises(ValueError, match=r"complexity_curve\.sizes: 0 is not allowed, knn has at least 1"):
        curve("knn", [0, 3])


def test_a_method_that_is_not_named_has_the_size_of_its_final_model():
    final = {"parameters": {}, "complexity": 3, "n_fit": 40}
    settings = {"draws": 2, "test_samples": 50, "sizes": {}}
    record = ComplexityCurve.evaluate(None, None, final, settings, Case(0, 0, "d", "r", "knn"), XOR)
    assert [point["size"] for point in record["points"]] == [3]
