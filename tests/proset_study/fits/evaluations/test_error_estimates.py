import numpy as np
import pytest
from scipy.spatial import KDTree

from proset_study.data import generators
from proset_study.data.generators.mixture import Mixture
from proset_study.fits.evaluations.error_estimates import PARTS, ErrorEstimates, Fits, leave_one_out, resampled, wilson
from proset_study.fits.search import Case
from proset_study.methods.knn import FittedKNN
from proset_study.report.evaluations.error_estimates import LABELS

XOR = {"generator": "xor", "features": 2, "irrelevant": 1}
MIXTURE = {"generator": "mixture", "components": 2, "means_seed": 3}
SETTINGS = {
    "draws": 10,
    "fitted_samples": 1,
    "test_samples": 20_000,
    "sizes": {},
    "bootstrap_samples": 8,
    "leave_one_out": 0,
}


def estimates(method, size=3, n_fit=60, source=XOR, seed=1, parameters=None, **settings):
    final = {"parameters": parameters or {}, "complexity": size, "n_fit": n_fit}
    return ErrorEstimates.evaluate(None, None, final, SETTINGS | settings, Case(seed, 0, "d", "r", method), source)


def fits(method, size, n_fit=60, source=XOR, parameters=None, **settings):
    final = {"parameters": parameters or {}, "complexity": size, "n_fit": n_fit}
    return Fits(final, SETTINGS | settings, Case(1, 0, "d", "r", method), generators.of(source), 0, 2000)


def mean_of(record, name):
    """Mean of estimate minus truth."""
    return np.mean([draw["estimates"][name][0] - draw["estimates"][name][3] for draw in record["draws"]])


@pytest.fixture(scope="module")
def neighbour():
    return estimates("knn", size=1)


def test_every_estimate_is_there_labelled_and_has_its_cost(neighbour):
    forest = fits("random_forest", 2, parameters={"min_samples_leaf": 1})
    selected = fits("knn", 3)
    assert {name for found in (forest, selected) for name, _ in found.estimates()} == set(PARTS) == set(LABELS)
    costs = neighbour["resources"]
    assert all(costs[f"{name}_cpu_s"] > 0 for name in neighbour["draws"][0]["estimates"])
    assert costs["repeated_cpu_s"] > costs["stratified_5_cpu_s"]


def test_one_neighbour_shows_which_estimates_are_too_small(neighbour):
    assert all(draw["estimates"]["training"][0] == 0.0 for draw in neighbour["draws"])
    assert mean_of(neighbour, "bootstrap_naive") < mean_of(neighbour, "bootstrap_left_out") - 0.05
    assert mean_of(neighbour, "bootstrap_632") < mean_of(neighbour, "bootstrap_632_plus") - 0.02
    for name in ("stratified_10", "leave_one_out", "bootstrap_632_plus", "repeated"):
        assert abs(mean_of(neighbour, name)) < 0.08, name
    assert all(draw["standard_error"] < 0.02 for draw in neighbour["draws"])


def test_records_are_the_same_again_and_other_with_another_seed(neighbour):
    again, other = estimates("knn", size=1), estimates("knn", size=1, seed=2)
    assert neighbour["draws"] == again["draws"]
    assert neighbour["draws"] != other["draws"]


def test_all_methods_meet_the_same_splits_and_samples():
    tree, knn = fits("decision_tree", 2, parameters={"min_samples_leaf": 1}), fits("knn", 2)
    assert np.array_equal(tree.train.X, knn.train.X)
    from sklearn.model_selection import KFold

    for a, b in zip(*(f._split(KFold, n_splits=5, shuffle=True) for f in (tree, knn)), strict=True):
        assert np.array_equal(a[1], b[1])


@pytest.mark.parametrize("pseudo_observations", [0.0, 6.0])
def test_leave_one_out_of_neighbours_is_that_of_models_without_the_sample(rng, pseudo_observations):
    X, y, weight = rng.normal(size=(40, 2)), rng.choice(3, 40, p=[0.6, 0.2, 0.2]), rng.uniform(0.5, 2.0, 40)

    def model(rows):
        return FittedKNN(X[rows], y[rows], weight[rows], 3, 4, "euclidean", pseudo_observations, KDTree(X[rows]))

    without = [model(np.delete(np.arange(40), i)).predict_proba(X[[i]])[0].argmax() != y[i] for i in range(40)]
    assert leave_one_out(model(np.arange(40))).tolist() == without


def test_leave_one_out_is_fitted_up_to_a_size():
    tree = {"parameters": {"min_samples_leaf": 1}, "n_fit": 20}
    assert "leave_one_out" in dict(fits("decision_tree", 2, leave_one_out=20, **tree).estimates())
    assert "leave_one_out" not in dict(fits("decision_tree", 2, leave_one_out=19, **tree).estimates())


def test_selection_is_scored_against_the_model_that_it_selects():
    found = fits("knn", 9, n_fit=80, source=MIXTURE)
    by_name = dict(found.estimates())
    assert by_name["stratified_5"][3] == by_name["training"][3] == found.true[-1]
    assert by_name["not_nested"][3] == by_name["nested"][3]
    assert by_name["not_nested"][3] in found.true
    assert by_name["not_nested"][0] <= by_name["stratified_5"][0]
    assert by_name["validation"][0] <= by_name["holdout_20"][0]


def test_a_path_of_one_size_has_nothing_to_select():
    svm = dict(fits("svm", 1, parameters={"C": 1.0, "gamma": 0.5}).estimates())
    assert not {"nested", "not_nested"} & set(svm)
    assert "stratified_5" in svm


def test_true_error_is_not_below_that_of_the_bayes_rule():
    found = fits("knn", 15, n_fit=300, source=MIXTURE)
    assert Mixture(components=2, means_seed=3).bayes_error() - 3 * found.standard_error < found.true[-1] < 0.67


def test_what_is_not_possible_is_left_out_and_the_rest_is_there():
    """Twenty neighbours are more than the half of thirty samples."""
    found = dict(fits("knn", 20, n_fit=30).estimates())
    assert "holdout_50" not in found
    assert "stratified_10" in found


def test_draws_are_fewer_of_large_training_sets():
    assert len(estimates("knn", 1, n_fit=40, draws=14, fitted_samples=480)["draws"]) == 12
    assert len(estimates("knn", 1, n_fit=40, draws=11, fitted_samples=480)["draws"]) == 11


def test_intervals_by_hand():
    low, high = wilson(np.repeat([True, False], [3, 7]))
    z = 1.959964
    centre, half = (3 + z**2 / 2) / (10 + z**2), z * np.sqrt(0.3 * 0.7 / 10 + z**2 / 400) / (1 + z**2 / 10)
    assert (low, high) == pytest.approx((centre - half, centre + half), abs=1e-6)
    groups = [np.array([True, False]), np.array([False, False]), np.array([True, True])]
    t = 4.302653  # of two degrees of freedom
    assert np.diff(resampled(groups))[0] == pytest.approx(2 * t * 0.5 / np.sqrt(3), rel=1e-6)
    assert np.diff(resampled(groups, 0.25))[0] == pytest.approx(2 * t * 0.5 * np.sqrt(1 / 3 + 1 / 4), rel=1e-6)
