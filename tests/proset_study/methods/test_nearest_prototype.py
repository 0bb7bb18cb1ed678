import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.neighbors import KNeighborsClassifier
from tests.proset_study.methods.small import fit, make_part

from proset_study import methods
from proset_study.data.distances import CHUNK
from proset_study.methods.base import largest_complexity
from proset_study.methods.cccd import FOREIGN, dominating
from proset_study.methods.condensed_nn import condensed
from proset_study.methods.lvq import RATE, olvq1
from proset_study.methods.multiedit import PARTS, QUIET, edited
from proset_study.methods.nearest_prototype import MAX_OF_A_CLASS, PER_CLASS, nearest

SINGLE = ("nearest_neighbour", "condensed_nn", "multiedit")
PATHS = ("k_means", "k_medoids", "lvq")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(n_class=5, return_X_y=True)
    return X, y


# Six samples of each class on a line, in two groups of three.
LINE = np.array([[0.0], [1.0], [3.0], [10.0], [11.0], [13.0], [20.0], [21.0], [23.0], [30.0], [31.0], [33.0]])
LINE_CLASSES = np.repeat([0, 1, 0, 1], 3)


def test_nearest_neighbour_is_scikit_learns(digits):
    X, y = digits
    fitted = fit("nearest_neighbour", X[::2], y[::2])
    theirs = KNeighborsClassifier(1).fit(X[::2], y[::2]).predict(X[1::2])
    np.testing.assert_array_equal(fitted.predict_proba(X[1::2]), np.eye(5)[theirs])
    assert fitted.summary() == {"active_features": 64, "prototypes": len(y[::2])}


def test_the_first_of_equals_is_the_nearest_and_many_are_found_in_parts(rng):
    prototypes = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    chosen, distance = nearest(np.array([[1.0, 0.0], [0.0, 0.0], [5.0, 4.0]]), prototypes, np.ones(3))
    assert chosen.tolist() == [0, 0, 1]
    assert distance.tolist() == [1.0, 0.0, 5.0]
    many, X = rng.normal(size=(CHUNK // 100, 1)), rng.normal(size=(250, 1))
    chosen, distance = nearest(X, many, np.full(len(many), 2.0))
    np.testing.assert_allclose(distance, np.abs(X[:, 0] - many[chosen, 0]) / 2)
    np.testing.assert_allclose(distance[::50], np.abs(X[::50] - many[:, 0]).min(axis=1) / 2)


def test_means_by_hand():
    fitted = fit("k_means", LINE, LINE_CLASSES, 2)
    assert fitted.staged_summary() == {"active_features": [1, 1], "prototypes": [2, 4]}
    assert fitted.labels.tolist() == [0, 1, 0, 0, 1, 1]
    np.testing.assert_allclose(fitted.X[:2, 0], [34 / 3, 64 / 3])
    np.testing.assert_allclose(np.sort(fitted.X[2:, 0]), [4 / 3, 34 / 3, 64 / 3, 94 / 3])


def test_medoids_by_hand():
    """Alone, 3 is as good a medoid as 20, and 13 as 30; two are the middle ones of the two groups."""
    fitted = fit("k_medoids", LINE, LINE_CLASSES, 2)
    first, second = fitted.X[:2, 0]
    assert first in (3.0, 20.0)
    assert second in (13.0, 30.0)
    assert fitted.X[2:, 0].tolist() == [1.0, 21.0, 11.0, 31.0]
    one, two = fitted.staged_predict_proba(LINE)
    assert np.mean(one.argmax(axis=1) == LINE_CLASSES) < 1
    np.testing.assert_array_equal(two.argmax(axis=1), LINE_CLASSES)


@pytest.mark.parametrize("name", PATHS)
def test_sizes_of_the_path_are_per_class_and_end_with_the_samples(name):
    """Iris with two features has equal samples, of one class and of several."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::2, :2], y[::2]
    different = [len(np.unique(X[y == k], axis=0)) for k in range(3)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # k-means warns of more clusters than different samples
        fitted = fit(name, X, y, 9)
    assert max(different) < PER_CLASS[8]
    assert fitted.staged_summary()["prototypes"] == [sum(min(n, d) for d in different) for n in PER_CLASS[:9]]
    for size in range(1, 10):
        labels = fitted.labels[fitted.size == size]
        assert np.bincount(labels).tolist() == [min(PER_CLASS[size - 1], d) for d in different]
    last = fitted.X[fitted.size == 9]
    if name != "lvq":
        np.testing.assert_allclose(np.unique(last.round(9), axis=0), np.unique(X, axis=0))


def test_olvq1_is_the_textbooks(rng):
    """Every rate of its own falls when its prototype is right, rises when it is wrong, and never above the first."""
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    prototypes, labels = rng.normal(size=(6, 3)), np.array([0, 0, 0, 1, 1, 1])
    moved, rates = prototypes.copy(), [RATE] * 6
    for x, k in zip(X, y, strict=True):
        c = min(range(6), key=lambda j: sum((x - moved[j]) ** 2))
        s = 1 if labels[c] == k else -1
        moved[c] = moved[c] + s * rates[c] * (x - moved[c])
        rates[c] = min(RATE, rates[c] / (1 + s * rates[c]))
    assert min(rates) < RATE
    first = prototypes.copy()
    np.testing.assert_allclose(olvq1(prototypes, labels, X, y), moved, rtol=1e-9)
    np.testing.assert_array_equal(prototypes, first)


def test_lvq_draws_heavy_samples_more_often(rng):
    X, y = rng.normal(size=(300, 2)), np.repeat([0, 1], 150)
    light, heavy = (
        fit("lvq", X, y, 5, weight).predict_proba(X)[:, 1].mean()
        for weight in (np.ones(300), np.where(y == 1, 20.0, 1.0))
    )
    assert heavy > light + 0.03


def test_condensed_set_by_hand():
    x = np.arange(6.0)
    y = np.array([0, 0, 0, 1, 1, 1])
    # 0 is the first; 3 is wrong and added; 2 is nearer to 3, so it is added too; then all are right.
    assert condensed(lambda i: np.abs(x - x[i]), y, np.arange(6)) == [0, 3, 2]
    assert condensed(lambda i: np.abs(x - x[i]), y, np.array([2, 3, 0, 1, 4, 5])) == [2, 3]


def test_equal_samples_of_two_classes_end_though_their_distance_is_not_quite_zero():
    x = np.array([0.0, 1.0, 1.0])
    assert condensed(lambda i: np.abs(x - x[i]) + 1e-9, np.array([0, 0, 1]), np.arange(3)) == [0, 2, 1]


def test_condensed_set_makes_no_error_on_the_samples(digits):
    X, y = digits
    fitted = fit("condensed_nn", X, y)
    np.testing.assert_array_equal(fitted.predict_proba(X).argmax(axis=1), y)
    assert fitted.summary()["prototypes"] < len(y) / 3
    assert all((p == X).all(axis=1).any() for p in fitted.X)
    other = methods.get("condensed_nn")(make_part(X, y)).fit({}, 1, np.random.SeedSequence(4))
    assert other.X.tobytes() != fitted.X.tobytes()


def test_condensed_set_of_samples_that_contradict_each_other():
    """It ends, and the one that was added first decides."""
    x, y = np.array([0.0, 0.0, 5.0, 5.0]), np.array([0, 1, 1, 0])
    assert condensed(lambda i: np.abs(x - x[i]), y, np.arange(4)) == [0, 2]


def test_balls_by_hand():
    """Class 0: -2, 0, 1, 2 and class 1: 4, 5. Radii 6, 4, 3, 2 (to 4) and 2, 3 (to 2)."""
    X, y = [[-2.0], [0.0], [1.0], [2.0], [4.0], [5.0]], [0, 0, 0, 0, 1, 1]
    fitted = fit("cccd", X, y)
    # The ball of -2 covers all of its class, that of 4 both of its own.
    assert fitted.X[:, 0].tolist() == [-2.0, 4.0]
    assert fitted.radius.tolist() == [6.0, 2.0]
    # 2.4 is nearer to 4, but 4.4 / 6 < 1.6 / 2; at 2.8, 4.8 / 6 > 1.2 / 2.
    assert fitted.predict_proba(np.array([[2.4], [2.8], [-50.0]])).argmax(axis=1).tolist() == [0, 1, 0]


def test_balls_with_foreign_samples_by_hand():
    """As above, with an own sample of class 1 at 1.5. The ball of -2 reaches to 1.5, then to 4, 5, and no farther."""
    X, y = [[-2.0], [0.0], [1.0], [2.0], [4.0], [5.0], [1.5]], [0, 0, 0, 0, 1, 1, 1]
    fitted = fit("cccd", X, y, 4)
    sets = [fitted.size == size for size in (1, 2, 3, 4)]
    assert fitted.X[sets[0]][fitted.labels[sets[0]] == 0][:, 0].tolist() == [-2.0, 2.0]
    assert fitted.radius[sets[0]][:2].tolist() == [3.5, 0.5]
    of_first = [(fitted.X[s][0, 0], fitted.radius[s][0]) for s in sets]
    assert of_first == [(-2.0, 3.5), (-2.0, 6.0), (-2.0, 7.0), (-2.0, 7.0)]
    assert [int((fitted.labels[s] == 0).sum()) for s in sets] == [2, 1, 1, 1]


@pytest.mark.parametrize("uncovered", [0.0, 0.2])
def test_balls_hold_as_many_foreign_samples_and_leave_out_as_many_as_allowed(uncovered, digits):
    X, y = digits
    fitted = fit("cccd", X, y, 6, uncovered=uncovered)
    for size, allowed in enumerate(FOREIGN[:6], start=1):
        there = fitted.size == size
        inside = np.linalg.norm(X[:, None] - fitted.X[there], axis=2) < fitted.radius[there] * (1 - 1e-12)
        own = y[:, None] == fitted.labels[there]
        foreign = (inside & ~own).sum(axis=0)
        assert foreign.max() == allowed
        left = [np.mean(~(inside & own)[y == k].any(axis=1)) for k in range(5)]
        assert max(left) <= uncovered
        assert (uncovered == 0) == (max(left) == 0)


def test_numbers_in_proportion_to_the_size_of_a_class(digits):
    X, y = digits
    some = np.concatenate([np.flatnonzero(y == k)[:size] for k, size in enumerate((100, 50, 30, 15, 5))])
    for name in PATHS:
        fitted = fit(name, X[some], y[some], 5, by_class_size=1)
        by_size = [np.bincount(fitted.labels[fitted.size == size]).tolist() for size in range(1, 6)]
        assert by_size == [[2, 1, 1, 1, 1], [5, 2, 2, 1, 1], [8, 4, 2, 1, 1], [12, 6, 4, 2, 1], [18, 9, 5, 3, 1]]


def slowly_edited(X, y, rng):
    """From the definition, sample by sample."""
    kept, quiet = list(range(len(y))), 0
    while quiet < QUIET:
        parts = np.array_split(rng.permutation(kept), PARTS)
        wrong = set()
        for i, part in enumerate(parts):
            teachers = parts[(i + 1) % PARTS]
            for sample in part:
                nearest_one = min(teachers, key=lambda t: np.linalg.norm(X[sample] - X[t]))
                if y[nearest_one] != y[sample]:
                    wrong.add(int(sample))
        quiet = 0 if wrong else quiet + 1
        kept = [sample for sample in kept if sample not in wrong]
    return kept


def test_multiedit_is_that_of_the_definition(rng):
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(loc=1.5, size=(60, 2))])
    y = np.repeat([0, 1], 60)
    kept = edited(make_part(X, y), np.random.default_rng(4))
    assert kept.tolist() == slowly_edited(X, y, np.random.default_rng(4))
    assert 0.4 * len(y) < len(kept) < 0.95 * len(y)
    rest = KNeighborsClassifier(1).fit(X[kept], y[kept])
    middle = X[:, 0] + X[:, 1] < 1.5
    assert np.mean(rest.predict(X) == np.where(middle, 0, 1)) > 0.9  # the border is nearly that of Bayes


def test_multiedit_of_samples_that_all_contradict_each_other_keeps_some():
    kept = edited(make_part([[0.0]] * 8, [0, 1, 0, 1, 0, 1, 0, 1]), np.random.default_rng(0))
    assert len(kept)


def test_greedy_cover_takes_the_most_of_what_is_left():
    covers = np.zeros((6, 6), dtype=bool)
    for row, columns in enumerate([(0, 1, 2), (1, 2, 3, 4), (0, 5), (3,), (4,), (5,)]):
        covers[row, list(columns)] = True
    assert dominating(covers) == [1, 2]
    assert dominating(covers, may_be_left=2) == [1]
    assert dominating(covers, may_be_left=6) == [1]


def test_samples_on_foreign_ones_have_no_ball():
    fitted = fit("cccd", [[0.0], [0.0], [1.0], [3.0]], [0, 1, 0, 1])
    assert fitted.X[:, 0].tolist() == [1.0, 3.0]
    with pytest.raises(ValueError, match="cccd finds no ball: every training sample lies on one of another class"):
        fit("cccd", [[0.0], [0.0]], [0, 1])


@pytest.mark.parametrize("name", [*SINGLE, "cccd", "k_means", "k_medoids"])
def test_sample_weights_are_refused(name):
    with pytest.raises(ValueError, match=f"method: '{name}' has no sample weights; leave out the key weight"):
        fit(name, LINE, LINE_CLASSES, 1, np.ones(len(LINE)))


@pytest.mark.parametrize("name", [*SINGLE, *PATHS, "gmlvq", "cccd", "convex_sets"])
def test_a_path_that_is_too_long_is_refused(name):
    longest = largest_complexity(methods.get(name))
    with pytest.raises(ValueError, match=f"complexity: {longest + 1} is not allowed, at most {longest}"):
        fit(name, LINE, LINE_CLASSES, longest + 1)


@pytest.mark.parametrize("name", ["k_medoids", "cccd"])
def test_too_large_a_class_is_refused(name):
    y = np.append(np.zeros(MAX_OF_A_CLASS + 1, dtype=int), 1)
    with pytest.raises(ValueError, match=r"a class of 10,001 training samples is not allowed, at most 10,000"):
        fit(name, y[:, None], y)
