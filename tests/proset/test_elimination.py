from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from tests.reference import classifier as reference

from proset import ProsetClassifier, elimination, penalty_path
from proset.elimination import Elimination
from proset.encoding import CATEGORY, ORDERED
from proset.leave_one_out import Samples, Task
from proset.objective import Penalty
from proset.parts import Part, active_features, n_prototypes, parts_of, with_only, without_feature
from proset.plot import PrototypePathDisplay

PENALTY = Penalty(3e-3, 1e-6, 0.95, 0.95)
SINGLE = 1e-7  # what single precision, in which kernels are computed in blocks, leaves of a loss of about 1


def tasks(n=120, seed=0, n_copies=1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 2))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)
    return Task.of(Samples.of(X, y, np.full(n, float(n_copies)), np.full(n, n_copies)), 2)


@pytest.fixture(scope="module")
def fitted():
    task = tasks()
    parts = (Part.of(penalty_path.minimum(task, PENALTY, 2000, 1e-5).x, task.candidates),)
    return Elimination(task, PENALTY), parts


@pytest.fixture(scope="module")
def few(iris):
    return ProsetClassifier().fit(*iris)


def without(parts, j):
    (part,) = parts
    return (replace(part, candidates=np.delete(part.candidates, j), w=np.delete(part.w, j)),)


def test_increases_of_two_batches_are_those_of_the_objective(fitted):
    search, (part,) = fitted
    parts = replace(part, w=part.w / 2), replace(part, v=part.v * 1.5, w=part.w / 3)
    of_all, n = search.score(parts)[0], len(part.w)
    expected = [search.score((*without(parts[:1], j), parts[1]))[0] - of_all for j in range(n)]
    expected += [search.score((parts[0], *without(parts[1:], j)))[0] - of_all for j in range(n)]
    np.testing.assert_allclose(search.increases(parts), expected, rtol=0.0, atol=SINGLE)


def test_a_path_stops_at_its_sizes_and_the_objective_rises(fitted):
    search, parts = fitted
    path = list(search.path(parts, also=(11,)))
    numbers = [n_prototypes(model) for model in path]
    assert numbers == sorted(numbers, reverse=True)
    assert set(numbers) <= {*elimination.SIZES, 11}
    assert 11 in numbers
    assert numbers[-1] == 1
    scores = [search.score(model)[0] for model in (parts, *path)]
    assert all(later > earlier - 1e-3 for earlier, later in pairwise(scores))


def test_an_exchange_lowers_the_objective(fitted):
    """From random prototypes; from those of a path there may be nothing to gain."""
    search, (part,) = fitted
    some = np.sort(np.random.default_rng(1).choice(len(search.task.candidates), 6, replace=False))
    start = search.refitted((Part(part.v, some, np.full(6, 10.0)),), 50, 1e-4)
    exchanged = search._exchanged(start)
    assert n_prototypes(exchanged) <= n_prototypes(start)
    assert search.score(exchanged)[0] < search.score(start)[0]


def test_four_prototypes_are_near_the_best_four_of_all():
    """Against every choice of four of 14 samples of XOR, each with all weights fitted."""
    task = tasks(14, seed=3)
    search = Elimination(task, PENALTY)
    v = np.full(2, 3.0)
    every = (Part(v, task.candidates, np.full(14, 5.0)),)
    start = search.refitted(every, 2000, 1e-6)
    path = [model for model in search.path(start) if n_prototypes(model) <= 4]
    found = search.score(search.refitted(path[0], 2000, 1e-6))[0]
    scores = []
    for chosen in combinations(range(14), 4):
        model = search.refitted((Part(v, np.array(chosen), np.full(4, 5.0)),), 2000, 1e-6)
        scores.append(search.score(model)[0])
    assert np.mean(np.array(scores) < found - 1e-9) < 0.02


@pytest.mark.parametrize("n_batches", [1, 2])
def test_a_number_is_the_largest_number_of_prototypes(n_batches):
    X, y = load_wine(return_X_y=True)
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-6, n_batches=n_batches, max_prototypes=7).fit(X, y)
    assert model.n_prototypes_ == 7
    assert model.score(X, y) > 0.9
    assert all(batch.converged for batch in model.batches_)
    sizes = model.prototype_path_["n_prototypes"]
    assert sorted(sizes) == sizes.tolist()
    assert [n for n, _ in model.sized_predict_proba(X)] == sizes.tolist()
    small = model.with_prototypes(4)
    assert small.n_prototypes_ == 4
    probabilities = dict(model.sized_predict_proba(X))
    np.testing.assert_array_equal(small.predict_proba(X), probabilities[4])
    np.testing.assert_array_equal(model.predict_proba(X), probabilities[7])
    assert small.training_familiarity_.shape == model.training_familiarity_.shape


def test_few_prototypes_are_chosen_where_few_are_enough(iris, few):
    X, y = iris
    every = ProsetClassifier(max_prototypes=None).fit(X, y)
    assert few.n_prototypes_ <= every.n_prototypes_ / 3
    assert few.score(X, y) >= 0.94
    assert few.prototype_path_["n_prototypes"][-1] == every.n_prototypes_
    np.testing.assert_array_equal(few.with_prototypes(10**6).predict_proba(X), every.predict_proba(X))


def test_without_prototypes_there_is_the_class_prior(iris):
    X, y = iris
    with pytest.warns(UserWarning, match="nothing was learnt.*max_prototypes=0 allows none") as said:
        model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-6, max_prototypes=0).fit(X, y)
    assert len(said) == 1
    assert model.n_prototypes_ == 0
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3)
    assert model.with_prototypes(3).score(X, y) > 0.9


def test_the_features_without_which_the_objective_rises_least_leave():
    X, y = load_wine(return_X_y=True)
    given = {"lambda_v": 0.01, "lambda_w": 1e-6, "max_prototypes": None}
    every, few = ProsetClassifier(**given).fit(X, y), ProsetClassifier(**given, max_features=3).fit(X, y)
    assert len(few.active_features_) == 3
    assert set(few.active_features_) < set(every.active_features_)
    assert few.score(X, y) > 0.95
    task = Task.of(Samples.of(X / every.scale_, y, np.ones(len(y))), 3)
    penalty = Penalty(0.01, 1e-6, 0.95, 0.95)
    search = Elimination(task, penalty)
    parts = (Part.of(penalty_path.minimum(task, penalty, 2000, 1e-5).x, task.candidates),)
    found = search.with_features(parts, 1)
    (best,) = active_features(found)
    alone = []  # fitted with one feature only, from where it was with all
    for d in active_features(parts):
        only = np.where(np.arange(X.shape[1]) == d, parts[0].v, 0.0)
        alone.append(search.score(search.refitted((replace(parts[0], v=only),), 200, 1e-4))[0])
    assert search.score(found)[0] < np.median(alone)
    assert best in every.active_features_


def test_a_batch_that_loses_its_last_feature_has_no_prototypes():
    part = Part(np.array([0.0, 2.0]), np.array([3, 5]), np.array([1.0, 4.0]))
    (left,) = without_feature((part,), 1)
    assert (left.v.tolist(), len(left.w)) == ([0.0, 0.0], 0)
    (none,) = with_only((part,), np.zeros(2, dtype=bool))
    assert (none.v.tolist(), len(none.w)) == ([0.0, 0.0], 0)


def test_a_table_has_losses_by_features_and_prototypes():
    X, y = load_wine(return_X_y=True)
    estimator = ProsetClassifier(lambda_v=0.01, lambda_w=1e-6)
    table = estimator.size_table(X, y)
    assert table["mean_loss"].shape == (len(table["n_features"]), len(table["n_prototypes"]))
    assert table["n_features"][0] == 1
    assert table["n_prototypes"][0] == 0
    np.testing.assert_allclose(table["mean_loss"][:, 0], 1.086, atol=0.01)  # of the class proportions
    assert table["mean_loss"].min() < 0.15 < table["mean_loss"][0].min()  # one feature is not enough
    assert not hasattr(estimator, "classes_")
    two = estimator.size_table(X, y, n_features=[2])
    assert two["n_features"].tolist() == [2]
    np.testing.assert_array_equal(
        two["mean_loss"][0][:5], table["mean_loss"][table["n_features"].tolist().index(2)][:5]
    )


def wavy(n=150):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2))
    return X, ((np.sin(2 * X[:, 0]) + X[:, 1] + 0.4 * rng.normal(size=n)) > 0).astype(int)


def test_a_batch_that_is_emptied_stays_empty():
    X, y = wavy()
    given = {"lambda_v": 0.01, "lambda_w": 1e-8, "n_batches": 2, "max_features": 1}
    model = ProsetClassifier(**given, max_prototypes=2).fit(X, y)
    assert len(model.active_features_) == 1
    assert model.n_prototypes_ == 2
    assert [len(batch.labels) for batch in model.batches_] == [2, 0]


def test_recorded_losses_are_those_of_the_models_though_rows_agree_in_the_active_features(iris):
    X, y = iris
    model = ProsetClassifier(lambda_v=0.003, lambda_w=1e-3, max_prototypes=20).fit(X, y)
    sizes = model.prototype_path_["n_prototypes"]
    assert sorted(set(sizes)) == sizes.tolist()
    assert model.with_prototypes(10).n_prototypes_ == 10
    scaled = X / model.scale_
    samples = Samples.of(scaled, y, np.ones(150), np.ones(150))
    search = Elimination(Task.of(samples, 3), Penalty(model.lambda_v_, model.lambda_w_, 0.95, 0.95))
    for of_size, loss in zip(model._sized, model.prototype_path_["leave_one_out_loss"], strict=True):
        parts = parts_of(of_size, samples)
        in_scaled = tuple(replace(part, v=part.v * model.scale_) for part in parts)
        assert search.score(in_scaled)[1] == pytest.approx(loss, rel=1e-4)


@pytest.mark.parametrize("n_batches", [1, 2])
def test_recorded_objectives_have_the_penalties_of_all_batches(n_batches):
    X, y = load_wine(return_X_y=True)
    lambdas, alphas = {"lambda_v": 0.01, "lambda_w": 1e-3}, {"alpha_v": 0.9, "alpha_w": 0.5}
    model = ProsetClassifier(n_batches, **lambdas, **alphas).fit(X, y)
    path = model.prototype_path_
    for of_size, objective, loss in zip(model._sized, path["objective"], path["leave_one_out_loss"], strict=True):
        of_v = [reference.penalty(batch.feature_weights * model.scale_, 0.01, 0.9) for batch in of_size.batches]
        of_w = [reference.penalty(batch.prototype_weights, 1e-3, 0.5) for batch in of_size.batches]
        assert objective == pytest.approx(loss + sum(of_v) + sum(of_w), rel=1e-9)
    assert path["n_prototypes"].tolist() == [of_size.n_prototypes() for of_size in model._sized]
    assert path["n_features"].tolist() == [len(of_size.active_features()) for of_size in model._sized]


@pytest.mark.parametrize("rule", ["one_standard_error", "best"])
def test_the_number_follows_from_the_table_of_sizes(rule):
    X, y = load_wine(return_X_y=True)
    model = ProsetClassifier(lambda_v=0.01, lambda_w=1e-4, max_prototypes=rule).fit(X, y)
    table = model.size_table(X, y, n_features=[X.shape[1]])
    numbers, mean, error = table["n_prototypes"], table["mean_loss"][0], table["standard_error"][0]
    assert error[0] == 0.0  # of no gain
    assert (error[1:] > 0.0).all()
    least = mean.argmin()
    limit = mean[least] + (error[least] if rule == "one_standard_error" else 0.0)
    assert model.n_prototypes_ == numbers[np.flatnonzero(mean <= limit)[0]] < numbers[-1]
    path = model.prototype_path_
    at = np.searchsorted(numbers, path["n_prototypes"], side="right") - 1
    np.testing.assert_array_equal(path["mean_loss"], mean[at])


def test_a_smaller_model_has_no_larger_ones(iris, few):
    small = few.with_prototypes(5)
    assert small.prototype_path_["n_prototypes"].tolist() == [1, 2, 3, 4, 5]
    assert [n for n, _ in small.sized_predict_proba(iris[0])] == [1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="expecting 4 features"):
        small.sized_predict_proba(iris[0][:, :3])  # not when the first is asked for
    assert max(of_size.n_prototypes() for of_size in small._sized) == 5


def test_prototypes_are_among_the_candidates():
    X, y = wavy(300)
    model = ProsetClassifier(lambda_v=0.001, lambda_w=1e-6, n_candidates=30, random_state=0).fit(X, y)
    for of_size in model._sized:
        (batch,) = of_size.batches
        assert set(batch.sample_index) <= set(batch.candidate_index)
        assert len(batch.candidate_index) == 30


def test_a_table_of_sizes_where_no_penalties_gain_anything():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, 2, 50)
    model = ProsetClassifier()
    table = model.size_table(X, y)
    assert np.isinf(model.fit(X, y).lambda_v_)
    assert (table["n_features"].tolist(), table["n_prototypes"].tolist()) == ([1], [0])
    assert table["mean_loss"].tolist() == [[model.penalty_search_["prior_loss"]]]
    assert model.size_table(X, y, n_features=2)["n_features"].tolist() == [2]
    with pytest.raises(ValueError, match="a model without prototypes in any size is not allowed"):
        PrototypePathDisplay.from_estimator(model, X, y)
    none = ProsetClassifier(max_prototypes=0, lambda_v=1e-4, lambda_w=1e-6).fit(X, y)
    assert (PrototypePathDisplay.from_estimator(none, X, y).n_prototypes > 0).any()  # the path that it did not take


def test_smaller_models_keep_no_batches_of_a_warm_start(iris):
    model = ProsetClassifier(warm_start=True, lambda_v=0.01, lambda_w=1e-4).fit(*iris)
    for small in (model.with_prototypes(3), model.shrink()):
        assert not hasattr(small, "_last_growth")


def test_a_shrunk_model_knows_which_of_its_own_columns_are_categories():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"noise": rng.normal(size=300), "kind": rng.integers(0, 3, 300), "size": rng.normal(size=300)})
    X["size"] = pd.cut(X["size"], [-9, -1, -0.3, 0.3, 1, 9], labels=[*"abcde"])  # ranks
    y = (X["kind"] == 1) ^ (X["size"] > "b")
    model = ProsetClassifier(categorical_features=["kind"], lambda_v=1e-2, lambda_w=1e-5).fit(X, y)
    assert model.active_features_.tolist() == [1, 2]
    small = model.shrink()
    again = clone(small).fit(X[["kind", "size"]], y)
    assert again._encoding.kinds == small._encoding.kinds == (CATEGORY, ORDERED)
    assert again.categories_ == small.categories_
