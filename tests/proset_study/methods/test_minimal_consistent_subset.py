from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from tests.proset_study.methods.small import fit

from proset_study.methods import minimal_consistent_subset
from proset_study.methods.condensed_nn import condensed
from proset_study.methods.minimal_consistent_subset import smallest, thinned_out


def is_consistent(between, y, kept):
    """Whether the nearest kept sample of every one, strictly nearer than those of other classes, has its class."""
    kept = np.array(kept)
    own = [between[i, kept[y[kept] == y[i]]].min(initial=np.inf) for i in range(len(y))]
    foreign = [between[i, kept[y[kept] != y[i]]].min(initial=np.inf) for i in range(len(y))]
    return all(a < b for a, b in zip(own, foreign, strict=True))


def test_it_is_the_smallest_of_all_subsets(rng):
    for _ in range(20):
        X, y = rng.normal(size=(9, 2)), np.concatenate([[0, 1, 2], rng.integers(0, 3, 6)])
        between = cdist(X, X)
        kept = smallest(between, y)
        assert is_consistent(between, y, kept)
        fewer = (subset for size in range(1, len(kept)) for subset in combinations(range(9), size))
        assert not any(is_consistent(between, y, subset) for subset in fewer)


def test_thinning_leaves_a_consistent_subset_of_which_nothing_can_go(rng):
    X, y = load_iris(return_X_y=True)
    X = X + 1e-3 * rng.normal(size=X.shape)
    between = cdist(X, X)
    first = condensed(lambda j: between[:, j], y, rng.permutation(len(y)))
    left = thinned_out(between, y, first)
    assert set(left) < set(first)
    assert is_consistent(between, y, left)
    assert not any(is_consistent(between, y, [i for i in left if i != j]) for j in left)
    assert len(smallest(between, y)) < len(left)


def test_a_search_that_finds_nothing_leaves_the_thinned_subset(rng, monkeypatch):
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    monkeypatch.setattr(minimal_consistent_subset, "NODES", 0)
    assert smallest(cdist(X, X), y) is None
    found = fit("minimal_consistent_subset", X, y)
    monkeypatch.setattr(minimal_consistent_subset, "EXACT", 0)
    assert found.summary() == fit("minimal_consistent_subset", X, y).summary()
    assert (found.predict_proba(X).argmax(axis=1) == y).all()


@pytest.mark.parametrize("exact", [0, 1000])
def test_samples_that_lie_on_others_of_another_class_ask_for_nothing(exact, monkeypatch):
    monkeypatch.setattr(minimal_consistent_subset, "EXACT", exact)
    X = np.array([[0.0], [0.0], [1.0], [5.0], [6.0]])
    fitted = fit("minimal_consistent_subset", X, [0, 1, 0, 1, 1])
    predicted = fitted.predict_proba(X).argmax(axis=1)
    assert predicted[2:].tolist() == [0, 1, 1]
    assert fitted.summary()["prototypes"] <= 3
