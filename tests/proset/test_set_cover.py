import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from proset import SetCoverClassifier

RANKS = SetCoverClassifier(n_neighbors=3)
PRECOMPUTED = SetCoverClassifier(metric="precomputed")


def not_met(estimator):
    """Checks of scikit-learn that these settings cannot meet, and why."""
    if estimator.metric == "precomputed":
        # check_nonsquare_error passes because its data are negative; other tables need not be square, by intention
        return {"check_positive_only_tag_during_fit": "negative dissimilarities are refused in words of our own"}
    failed = {"check_class_weight_classifiers": "where a class is alone it has prototypes, however little it weighs"}
    if estimator.n_neighbors is not None:
        failed["check_sample_weight_equivalence_on_dense_data"] = "ranks count samples, not weights"
    return failed


@parametrize_with_checks(
    [SetCoverClassifier(), SetCoverClassifier(method="lp", random_state=0), RANKS, PRECOMPUTED],
    expected_failed_checks=not_met,
)
def test_scikit_learn_check(estimator, check):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no ball is worth its cost")
        check(estimator)


def line(x, y, **parameters):
    return SetCoverClassifier(**{"eps": 1.5, "cost": 0.25, **parameters}).fit(np.reshape(x, (-1, 1)).astype(float), y)


@pytest.mark.parametrize("method", ["greedy", "lp"])
def test_two_clusters_on_a_line(method):
    """Class a at 0, 1, 2 is covered by the ball at 1, class b at 10 by its own: two prototypes, nothing wrong."""
    model = line([0, 1, 2, 10], ["a", "a", "a", "b"], method=method, random_state=0)
    assert model.prototype_index_.tolist() == [1, 3]
    assert model.prototype_labels_.tolist() == ["a", "b"]
    assert model.prototypes_.tolist() == [[1.0], [10.0]]
    np.testing.assert_allclose(model.objective_path_, [4.0, 1.25, 0.5])
    assert model.objective_ == 0.5
    assert (model.covered_.tolist(), model.newly_covered_.tolist()) == ([3, 1], [3, 1])
    assert model.miscovered_.tolist() == [0, 0]
    assert model.predict([[5.4], [5.6]]).tolist() == ["a", "b"]
    if method == "lp":
        assert model.lower_bound_ == pytest.approx(0.5)
    else:
        assert not hasattr(model, "lower_bound_")


def test_a_sample_may_stand_for_another_class():
    """Only the ball at 0 holds both samples of class a; that is worth the one of class b in its middle."""
    model = line([-1, 0, 1], ["a", "b", "a"])
    assert model.prototype_index_.tolist() == [1]
    assert model.prototype_labels_.tolist() == ["a"]
    assert (model.covered_.tolist(), model.miscovered_.tolist()) == ([2], [1])
    assert model.objective_ == 2.25  # wrongly covered, left uncovered, one prototype


def test_without_a_ball_that_is_worth_it_the_heaviest_class_is_predicted():
    with pytest.warns(UserWarning, match="no ball is worth its cost"):
        model = line([0, 1, 0.5], ["a", "b", "b"], eps=0.7, cost=2.0)
    assert len(model.prototype_index_) == 0
    assert model.prototypes_.shape == (0, 1)
    assert model.objective_ == 3.0
    assert model.predict([[-5.0]]).tolist() == ["b"]


def test_the_distance_of_a_ball_is_open():
    """Two samples at a distance of 1: with eps = 1 each is alone in its ball."""
    assert len(line([0, 1], ["a", "a"], eps=1.0).prototype_index_) == 2
    assert len(line([0, 1], ["a", "a"], eps=1.0 + 1e-12).prototype_index_) == 1


def test_at_the_smallest_distance_it_is_one_nearest_neighbour(wine):
    """Statement of section 6.2 of the source."""
    X, y = wine
    model = SetCoverClassifier(eps=pdist(X).min()).fit(X, y)
    assert sorted(model.prototype_index_) == list(range(len(y)))
    new = X[::3] + np.random.default_rng(0).normal(size=X[::3].shape)
    np.testing.assert_array_equal(model.predict(new), KNeighborsClassifier(1).fit(X, y).predict(new))


def test_a_cost_of_one_buys_no_prototype_for_a_single_sample(wine):
    """Statement of section 6.2: with lambda >= 1 the algorithm does not become 1-NN; with 1 / n it ends there."""
    X, y = wine
    small, large = (SetCoverClassifier(eps=2.0, cost=cost).fit(X, y) for cost in (None, 1.0))
    assert (large.newly_covered_ >= 2).all()
    assert small.newly_covered_[-1] == 1
    assert np.count_nonzero(small.newly_covered_ >= 2) == len(large.newly_covered_)
    assert small.objective_path_[0] == len(y)


def test_a_class_that_varies_more_gets_more_prototypes():
    """Statement of sections 1 and 6.2: as the ball has one radius for all."""
    X, y = make_blobs(200, centers=[[0, 0], [20, 0]], cluster_std=[0.5, 3.0], random_state=0)
    counts = np.bincount(SetCoverClassifier(eps=1.0).fit(X, y).prototype_labels_)
    assert counts[1] > 5 * counts[0]


@pytest.mark.parametrize("metric", ["cityblock", "cosine", lambda a, b: np.abs(a - b).max()])
def test_any_metric(wine, metric):
    X, y = wine
    D = cdist(X, X, metric)
    eps = np.quantile(D[D > 0], 0.05)
    model = SetCoverClassifier(eps=eps, metric=metric).fit(X, y)
    given = SetCoverClassifier(eps=eps, metric="precomputed").fit(D, y)
    assert abs(model.objective_ - given.objective_) < 1e-9
    assert model.score(X, y) == given.score(D, y) > 0.9


def test_balls_of_the_nearest_samples(wine):
    X, y = wine
    model = SetCoverClassifier(n_neighbors=8).fit(X, y)
    assert (model.covered_ + model.miscovered_ == 8).all()
    alone = SetCoverClassifier(n_neighbors=1).fit(X, y)
    assert sorted(alone.prototype_index_) == list(range(len(y)))
    # Ranks do not change under a monotone transformation of the distance.
    squared = SetCoverClassifier(n_neighbors=8, metric="sqeuclidean").fit(X, y)
    np.testing.assert_array_equal(model.prototype_index_, squared.prototype_index_)
    given = SetCoverClassifier(n_neighbors=8, metric="precomputed").fit(cdist(X, X), y)
    np.testing.assert_array_equal(model.prototype_index_, given.prototype_index_)


@pytest.mark.parametrize("metric", ["l2", "cosine", "l1", lambda a, b: np.abs(a - b).sum()])
def test_balls_do_not_depend_on_the_chunks_of_the_distances(wine, metric, monkeypatch):
    """The distance of a pair is the same whatever other rows it is computed with, which ranks rely on."""
    X, y = wine[0][:60], wine[1][:60]
    whole = SetCoverClassifier(n_neighbors=8, metric=metric).fit(X, y)
    monkeypatch.setattr("proset.cover.CHUNK", 7 * len(X))
    model = SetCoverClassifier(n_neighbors=8, metric=metric).fit(X, y)
    assert (model.covered_ + model.miscovered_ == 8).all()
    np.testing.assert_array_equal(model.prototype_index_, whole.prototype_index_)


def test_distances_on_a_sphere():
    X = np.radians([[0.0, 0.0], [0.0, 10.0], [80.0, 0.0], [80.0, 90.0]])
    model = SetCoverClassifier(eps=np.radians(20), metric="haversine").fit(X, [0, 0, 1, 1])
    assert len(model.prototype_index_) == 2
    assert model.predict(np.radians([[5.0, 5.0], [75.0, 40.0]])).tolist() == [0, 1]


def test_centres_of_k_means_as_candidates(wine):
    """Section 4.2 of the source: candidates that are no samples can only lower the optimum; here also for greedy."""
    X, y = wine
    centres = np.vstack([KMeans(4, random_state=0, n_init=1).fit(X[y == k]).cluster_centers_ for k in range(3)])
    candidates = np.vstack([X, centres])
    plain = SetCoverClassifier(eps=2.5).fit(X, y)
    model = SetCoverClassifier(eps=2.5).fit(X, y, candidates=candidates)
    np.testing.assert_array_equal(model.prototypes_, candidates[model.prototype_index_])
    assert (model.prototype_index_ >= len(X)).any()
    assert model.objective_ < plain.objective_
    assert len(model.prototype_index_) < len(plain.prototype_index_)
    given = SetCoverClassifier(eps=2.5, metric="precomputed").fit(cdist(X, candidates), y)
    np.testing.assert_array_equal(given.prototype_index_, model.prototype_index_)
    np.testing.assert_array_equal(given.predict(cdist(X, candidates)), model.predict(X))
    bounds = [
        SetCoverClassifier(eps=2.5, method="lp", random_state=0).fit(X, y, candidates=c).lower_bound_
        for c in (X, candidates)
    ]
    assert bounds[1] <= bounds[0]


@pytest.mark.parametrize("method", ["greedy", "lp"])
def test_the_order_of_samples_and_the_names_of_classes_do_not_matter(wine, method):
    """With weights that leave no ties; those go to the sample with the lowest index."""
    X, y = wine
    rng = np.random.default_rng(4)
    weight, order = rng.uniform(0.5, 2.0, len(y)), rng.permutation(len(y))
    parameters = {"eps": 2.4, "cost": 0.1, "method": method, "random_state": 0}
    model = SetCoverClassifier(**parameters).fit(X, y, weight)
    names = np.array(["c", "b", "a"])
    other = SetCoverClassifier(**parameters).fit(X[order], names[y[order]], weight[order])
    if method == "greedy":  # not the indices: two balls may hold the same samples
        np.testing.assert_allclose(other.objective_path_, model.objective_path_)
        np.testing.assert_allclose(other.newly_covered_, model.newly_covered_)
        np.testing.assert_array_equal(other.prototype_labels_, names[model.prototype_labels_])
    else:
        assert other.objective_ == pytest.approx(model.objective_, rel=0.01)
        assert other.lower_bound_ == pytest.approx(model.lower_bound_, abs=1e-6)


def test_weights_count_like_copies(wine):
    X, y = wine
    copies = np.random.default_rng(0).integers(0, 4, len(y))
    model = SetCoverClassifier(eps=2.4).fit(X, y, copies)
    repeated = SetCoverClassifier(eps=2.4).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_array_equal(model.prototypes_, repeated.prototypes_)
    np.testing.assert_allclose(model.objective_path_, repeated.objective_path_)
    assert (copies[model.prototype_index_] > 0).all()


@pytest.mark.parametrize("method", ["greedy", "lp"])
def test_the_unit_of_small_weights_changes_nothing(wine, method):
    """Weights that add up to 1 give the prototypes that weights of 1 give."""
    X, y = wine
    plain, small, tiny = (
        SetCoverClassifier(eps=2.4, method=method, random_state=0).fit(X, y, np.full(len(y), w))
        for w in (1.0, 1 / len(y), 1e-9)
    )
    for model, w in ((small, 1 / len(y)), (tiny, 1e-9)):
        np.testing.assert_array_equal(model.prototype_index_, plain.prototype_index_)
        assert model.objective_ == pytest.approx(w * plain.objective_)
        if method == "lp":
            assert model.lower_bound_ == pytest.approx(w * plain.lower_bound_)


def test_rounding_depends_on_the_seed_only():
    X, y = make_blobs(150, centers=3, cluster_std=4.0, random_state=1)
    models = [SetCoverClassifier(eps=2.5, method="lp", random_state=s).fit(X, y) for s in (0, 0, 1)]
    np.testing.assert_array_equal(models[0].prototype_index_, models[1].prototype_index_)
    assert models[0].lower_bound_ == models[2].lower_bound_ <= models[2].objective_
    assert models[0].lower_bound_ <= SetCoverClassifier(eps=2.5).fit(X, y).objective_


def test_digits_need_the_fewest_prototypes_for_zeros_and_are_recognised():
    X, y = load_digits(return_X_y=True)
    model = SetCoverClassifier(eps=22.0)
    assert cross_val_score(model, X, y, cv=3).min() > 0.92
    counts = np.bincount(model.fit(X, y).prototype_labels_)
    assert counts.argmin() == 0


def test_nothing_of_an_earlier_fit_is_left(wine):
    X, y = wine
    model = SetCoverClassifier(eps=2.0, method="lp", random_state=0).fit(X, y)
    assert model.lower_bound_ <= model.objective_
    model.set_params(method="greedy", metric="precomputed").fit(cdist(X, X), y)
    assert not hasattr(model, "lower_bound_")
    assert not hasattr(model, "prototypes_")


def test_explanations_say_which_balls_cover(wine):
    X, y = wine
    model = SetCoverClassifier(eps=2.0, cost=0.0).fit(X, y)
    frame = model.explain(X[:9])
    near = cdist(X[:9], model.prototypes_)
    for i, rows in frame.groupby("sample"):
        own, prototypes = rows.iloc[0], rows.iloc[1:]
        assert own["term"] == "sample"
        assert own["class"] == model.predict(X[[i]]).item() == prototypes["class"].iloc[0]  # that of the nearest
        assert prototypes["distance"].tolist() == sorted(near[i])
        assert prototypes["covers"].sum() == (near[i] < 2.0).sum()
        assert model.familiarity(X[[i]]).item() == 2.0 - near[i].min()
        np.testing.assert_array_equal(prototypes.filter(like="value of"), X[prototypes["row"]])
    short = model.explain(X[:9], top=1)
    assert short["distance"].dropna().tolist() == near.min(axis=1).tolist()


def test_balls_by_rank_have_radii_that_hold_their_points(wine):
    X, y = wine
    model = SetCoverClassifier(n_neighbors=12).fit(X, y)
    table = model.export()
    inside = cdist(X, model.prototypes_) < table["radius"].to_numpy()
    assert (inside.sum(axis=0) == 12).all()
    of_class = (inside & (y[:, None] == table["class"].to_numpy())).sum(axis=0)
    assert of_class.tolist() == table["covered"].tolist()
    assert table["row"].tolist() == model.prototype_index_.tolist()


def test_explanations_of_given_dissimilarities_and_of_no_prototype(wine):
    X, y = wine
    D = cdist(X, X)
    given = SetCoverClassifier(eps=2.0, metric="precomputed").fit(D, y)
    computed = SetCoverClassifier(eps=2.0).fit(X, y)
    names = ["sample", "term", "row", "class", "distance", "radius", "covers"]
    assert given.explain(D[:5]).columns.tolist() == names
    assert given.explain(D[:5]).equals(computed.explain(X[:5])[names])
    assert given.export().columns.tolist() == ["row", "class", "radius", "covered", "newly covered", "miscovered"]
    np.testing.assert_array_equal(given.familiarity(D), computed.familiarity(X))
    with pytest.warns(UserWarning, match="no ball is worth its cost"):
        empty = SetCoverClassifier(eps=2.0, cost=1e3).fit(X, y)
    assert empty.explain(X[:2])["class"].tolist() == [empty.majority_class_] * 2
    assert empty.familiarity(X[:2]).tolist() == [-np.inf] * 2
    assert len(empty.export()) == 0


def test_class_weights_are_sample_weights(wine):
    X, y = wine
    weight = np.array([1.0, 5.0, 1.0])[y]
    balanced = len(y) / (3 * np.bincount(y)[y])
    for class_weight, same in (({1: 5.0}, weight), ("balanced", balanced)):
        model = SetCoverClassifier(eps=3.0, class_weight=class_weight).fit(X, y)
        expected = SetCoverClassifier(eps=3.0).fit(X, y, same)
        assert model.prototype_index_.tolist() == expected.prototype_index_.tolist()
        assert model.objective_ == expected.objective_
