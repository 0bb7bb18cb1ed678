import numpy as np

from proset_study.report.analysis.pareto import Point, front, fronts, size_of


def test_the_front_is_that_found_by_hand():
    """Loss, size, seconds: the third is beaten by the first in all, the fifth by the fourth in size alone."""
    criteria = [
        [0.10, 500, 2.0],
        [0.20, 20, 9.0],
        [0.15, 600, 3.0],
        [0.30, 10, 0.1],
        [0.30, 11, 0.1],
        [0.90, 300, 0.01],
    ]
    assert front(np.array(criteria)).tolist() == [True, True, False, True, False, True]


def test_equal_methods_are_both_on_the_front():
    assert front(np.array([[0.1, 5.0, 1.0], [0.1, 5.0, 1.0]])).tolist() == [True, True]


def test_the_size_counts_numbers_by_what_a_method_has():
    assert size_of("svm", {"support_vectors": 40.0, "active_features": 5.0}, 100.0) == 200.0
    assert size_of("xgboost", {"leaves": 70.0, "active_features": 5.0}, 100.0) == 70.0
    assert size_of("logistic_regression", {"active_features": 5.0}, 100.0) == 5.0
    assert size_of("class_prior", {"active_features": 0.0}, 100.0) == 0.0
    assert size_of("proset", {"prototypes": 7.0, "active_features": 0.0}, 100.0) == 7.0


def test_counts_and_medians_are_by_method():
    rows = [
        Point("all", d, m, loss, prototypes, 2.0, size, 1.0, on)
        for d, m, loss, prototypes, size, on in (
            ("a", "proset", 0.1, 4.0, 8.0, "yes"),
            ("a", "knn", 0.2, None, 200.0, "no"),
            ("b", "proset", 0.3, 6.0, 12.0, "yes"),
            ("b", "knn", 0.1, None, 300.0, "yes"),
        )
    ]
    proset, knn = fronts(rows)
    assert (proset.method, proset.data_sets, proset.on_front, proset.prototypes, proset.size) == (
        "proset",
        2,
        2,
        5.0,
        10,
    )
    assert (knn.on_front, knn.prototypes, knn.size) == (1, None, 250.0)
