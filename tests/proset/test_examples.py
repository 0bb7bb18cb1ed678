"""The examples of docs/examples, run small; docs/evaluation.md and error-estimates.md have numbers of the whole."""

import runpy
from math import inf, log

import numpy as np
import pytest
from matplotlib import pyplot
from scipy.stats import binom
from sklearn.datasets import load_wine, make_moons
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.shared import ROOT

EXAMPLES = ROOT / "docs/examples"


def example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


@pytest.fixture(scope="module")
def tree():
    return example("ensembles/decision_tree")


@pytest.fixture(scope="module")
def tennis(tree):
    table = np.array([line.split() for line in tree["TENNIS"].splitlines()])
    return table[:, :-1], table[:, -1]


@pytest.fixture(scope="module")
def adaboost():
    return example("ensembles/adaboost")


@pytest.fixture(scope="module")
def scores():
    return example("predictions/scores")


def test_features_selected_before_cross_validation_hide_that_there_is_nothing_to_learn():
    errors = example("tuning/feature_selection")["errors"]
    wrong, right = np.mean([errors(seed) for seed in range(4)], axis=0)
    assert wrong < 0.1
    assert 0.4 < right < 0.6
    assert errors(0, n_features=500, n_selected=20) == errors(0, n_features=500, n_selected=20)


def test_what_was_selected_has_a_score_that_is_too_good():
    selection = example("tuning/selection")
    wrong, right, true = np.mean([selection["features"](seed) for seed in range(2)], axis=0)
    assert true - wrong > 0.1
    assert abs(true - right) < 0.1
    members = [KNeighborsClassifier(1), GaussianNB()]
    wrong, right, _ = np.mean([selection["method"](seed, members) for seed in range(3)], axis=0)
    assert wrong < right


class TestDecisionTree:
    """The numbers of the lecture, which has them from Mitchell's book."""

    def test_worked_example(self, tree, tennis):
        X, y = tennis
        assert tree["entropy"](y) == pytest.approx(0.940, abs=5e-4)
        gains = dict(zip(tree["NAMES"], (tree["gain"](x, y) for x in X.T), strict=True))
        assert gains["humidity"] == pytest.approx(0.151, abs=1e-3)
        assert gains["wind"] == pytest.approx(0.048, abs=5e-4)
        assert max(gains, key=gains.get) == "outlook"
        sunny = X[:, 0] == "sunny"
        below = [tree["gain"](x[sunny], y[sunny]) for x in X.T[1:]]
        assert below == pytest.approx([0.570, 0.970, 0.019], abs=1.5e-3)
        assert tree["rules"](tree["grow"](X, y, tree["gain"]), tree["NAMES"]) == [
            "if outlook = overcast: yes (4 of 4)",
            "if outlook = rain and wind = strong: no (2 of 2)",
            "if outlook = rain and wind = weak: yes (3 of 3)",
            "if outlook = sunny and humidity = high: no (3 of 3)",
            "if outlook = sunny and humidity = normal: yes (2 of 2)",
        ]

    def test_question_of_the_lecture(self, tree, tennis):
        grown = tree["grow"](*tennis, tree["gain"])
        assert grown.predict(np.array(["sunny", "hot", "high", "weak"])) == "no"
        assert grown.predict(np.array(["foggy", "hot", "high", "weak"])) == "yes"  # never seen: most days were good

    def test_impurities_by_hand(self, tree):
        y = np.array(["a", "a", "a", "b"])
        assert tree["entropy"](y) == pytest.approx(-0.75 * np.log2(0.75) + 0.25 * 2)
        assert tree["gini"](y) == pytest.approx(2 * 0.75 * 0.25)
        each = np.array(["1", "2", "3", "4"])  # as good as a number of the row
        assert tree["gain"](each, y) == tree["entropy"](y)
        assert tree["gain_ratio"](each, y) == pytest.approx(tree["entropy"](y) / 2)
        assert tree["gain_ratio"](np.repeat("1", 4), y) == 0.0

    def test_pruning_and_stopping_help_where_labels_are_noisy(self, tree):
        rng = np.random.default_rng(1)
        train, validation, test = (tree["noisy_data"](n, rng) for n in (200, 120, 500))
        error, gain = tree["error"], tree["gain"]
        steps = [
            (t.leaves(), error(t, *validation), error(t, *test))
            for t in tree["prune"](tree["grow"](*train, gain), *validation)
        ]
        leaves, held_out, tested = zip(*steps, strict=True)
        assert list(leaves) == sorted(leaves, reverse=True)
        assert leaves[-1] == 1
        best = int(np.argmin(held_out))
        assert tested[best] < tested[0] - 0.05
        stopped = tree["grow"](*train, gain, level=0.01)
        assert stopped.leaves() < leaves[0] / 3
        assert error(stopped, *test) < tested[0] - 0.05
        sizes, errors, best = tree["cost_complexity"](*((X.astype(float), y) for X, y in (train, test)))
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[best] < sizes[0] / 2
        assert errors[best] < errors[0]
        random = tree["grow"](*train, tree["by_values"](0, rng))
        assert random.leaves() > leaves[0]

    def test_an_attribute_is_chosen_by_its_number_of_values(self, tree):
        rng = np.random.default_rng(2)
        X, y = tree["with_useless"](*tree["noisy_data"](300, rng), rng)
        assert [len(np.unique(x)) for x in X.T] == [3] * 7 + [2, 10]
        for sign, first in ((-1, 7), (1, 8)):
            grown = tree["grow"](X, y, tree["by_values"](sign, rng))
            assert grown.feature == first
            assert grown.leaves() > tree["grow"](X, y, tree["gain"]).leaves()
        roots = {tree["grow"](X[:20], y[:20], tree["by_values"](0, rng)).feature for _ in range(30)}
        assert len(roots) > 5


class TestAdaBoost:
    def test_weights_of_rules_at_the_ends(self, adaboost):
        alpha = adaboost["alpha_of"]
        assert alpha(0.5) == 0.0
        assert alpha(0.0) == inf
        assert alpha(0.25) == pytest.approx(log(3) / 2)
        assert alpha(0.75) == -alpha(0.25)

    def test_two_rounds_by_hand(self, adaboost):
        X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1, 1, -1, 1])
        model = adaboost["boost"](X, y, 2)
        # The first stump has one of four wrong, which then weighs one half.
        assert model.alphas[0] == pytest.approx(log(3) / 2)
        first = model.stumps[0].predict(X) != y
        assert first.sum() == 1
        weights = np.where(first, 1 / 2, 1 / 6)
        second = model.stumps[1].predict(X) != y
        error = weights[second].sum()
        assert model.alphas[1] == pytest.approx(log((1 - error) / error) / 2)
        assert model.weights[second].sum() == pytest.approx(0.5)  # of the next round, this rule knows nothing

    def test_a_perfect_rule_is_the_ensemble_and_a_useless_one_ends_it(self, adaboost):
        X = np.array([[0.0], [1.0], [2.0], [3.0]])
        perfect = adaboost["boost"](X, np.array([-1, -1, 1, 1]), 10)
        assert len(perfect.stumps) == 1
        assert np.array_equal(perfect.margins(X, np.array([-1, -1, 1, 1])), np.ones(4))
        xor = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        assert len(adaboost["boost"](xor, np.array([1, -1, -1, 1]), 10).stumps) == 0  # every stump has error 1/2

    def test_a_round_lowers_the_exponential_loss_by_a_factor_of_its_error(self, adaboost):
        X, y, _ = adaboost["rings"](200, np.random.default_rng(0))
        model = adaboost["boost"](X, y, 30)
        loss = adaboost["exponential_loss"](model, X, y)
        errors = 1 / (1 + np.exp(2 * model.alphas))
        np.testing.assert_allclose(loss, np.cumprod(2 * np.sqrt(errors * (1 - errors))))
        assert (adaboost["errors"](model, X, y) <= loss).all()

    def test_three_half_planes_that_err_are_right_together(self, adaboost):
        X, y = adaboost["TEN_POINTS"], adaboost["TEN_CLASSES"]
        model = adaboost["boost"](X, y, 3)
        assert all((stump.predict(X) != y).any() for stump in model.stumps)
        assert adaboost["errors"](model, X, y)[-1] == 0
        figure, axes = pyplot.subplots(1, 4)
        adaboost["draw_rounds"](axes, X, y)
        sizes = [np.concatenate([marks.get_sizes() for marks in panel.collections[1:]]) for panel in axes]
        np.testing.assert_allclose(sizes[0], 90.0)
        wrong = model.stumps[0].predict(X) != y
        assert sizes[1][wrong].min() > sizes[1][~wrong].max()
        pyplot.close(figure)

    def test_test_error_falls_after_the_training_error_is_small_and_margins_grow(self, adaboost):
        rng = np.random.default_rng(0)
        (X, y, _), (X_test, y_test, _) = adaboost["rings"](200, rng), adaboost["rings"](500, rng)
        model = adaboost["boost"](X, y, 300)
        tested = adaboost["errors"](model, X_test, y_test)
        assert tested[-1] < tested[30]
        few = type(model)(model.stumps[:30], model.alphas[:30], model.weights)
        assert model.margins(X, y).min() > few.margins(X, y).min()

    def test_flipped_labels_have_the_largest_weights(self, adaboost):
        X, y, flipped = adaboost["rings"](300, np.random.default_rng(0), noise=0.1)
        assert adaboost["flipped_among_heaviest"](adaboost["boost"](X, y, 100), flipped) > 3 * flipped.mean()


def test_variance_of_a_forest_is_that_of_the_formula_and_a_vote_beats_its_voters():
    forest = example("ensembles/forest")
    few, all_features = (forest["variances"](m, n_sets=8, n_trees=10, n_samples=100) for m in ("sqrt", 20))
    for found in (few, all_features):
        assert found["forest"] == pytest.approx(found["formula"], rel=0.25)
        assert found["forest"] < found["tree"] / 2
    assert few["correlation"] < all_features["correlation"]
    majority, alone = forest["consensus"](0.5, 60, np.random.default_rng(0))
    assert majority > alone + 1
    assert majority > 2 * 10 * (15 * 0.5 + 35 * 0.25) / 50  # what one of all 50 decides rightly
    ignorant, _ = forest["consensus"](0.25, 60, np.random.default_rng(0))
    assert ignorant == pytest.approx(2.5, abs=0.6)


def test_a_mean_of_trees_smooths_a_curved_pattern_and_misses_a_straight_line():
    planes = example("ensembles/planes")
    curved = planes["compared"](
        make_moons(150, noise=0.35, random_state=0), make_moons(2000, noise=0.35, random_state=1)
    )
    assert max(curved["bagging"], curved["random forest"]) < curved["tree"]
    train, test = (planes["line"](n, seed) for n, seed in ((150, 0), (2000, 1)))
    straight = planes["compared"](train, test)
    assert straight["logistic regression"] < straight["bagging"] / 2
    figure, axes = pyplot.subplots(1, 6)
    planes["draw"](axes, *train, straight)
    assert axes[2].get_title() == f"bagging\ntest error {100 * straight['bagging']:.1f} %"
    assert [len(panel.collections) for panel in axes] == [1, 3, 3, 3, 3, 3]
    pyplot.close(figure)


def test_a_majority_of_independent_voters_is_right_almost_surely():
    """By simulation, next to the distribution that the figure of the example has; statement B11."""
    wrong = np.random.default_rng(0).random((500, 1001)) < 0.45
    shares = [(wrong[:, :number].mean(axis=1) > 0.5).mean() for number in (1, 101, 1001)]
    assert shares == pytest.approx(binom.sf(np.array([0, 50, 500]), [1, 101, 1001], 0.45), abs=0.05)
    assert shares[0] > shares[1] > 10 * shares[2]


def test_votes_and_stacks_are_as_good_as_most_of_their_members():
    combination = example("ensembles/combination")
    found = combination["compared"](*load_wine(return_X_y=True))
    members = sorted(found[name] for name in combination["MEMBERS"])
    for together in ("majority vote", "mean probability", "stacking"):
        assert found[together] <= members[len(members) // 2]


class TestAnswers:
    """What the examples say of what they show."""

    @pytest.fixture(autouse=True)
    def close(self):
        yield
        pyplot.close("all")

    def test_attributions_are_exact(self):
        shown = example("predictions/attributions")
        assert shown["found"].error_std is None
        np.testing.assert_allclose(shown["total"], shown["model"].predict_proba(shown["X_test"]), atol=1e-12)

    def test_there_is_no_counterfactual_that_fulfils_all(self):
        found = example("predictions/counterfactuals")["found"].iloc[0]
        assert not found["found"]
        assert found["proved"]

    def test_flipped_labels_are_found_and_the_model_without_them_is_better(self):
        shown = example("predictions/rows_on_trial")
        assert shown["found"]["row"].isin(shown["flipped"]).sum() == 9
        losses = [log_loss(shown["y_test"], shown[of].predict_proba(shown["X_test"])) for of in ("model", "less")]
        assert losses[1] < losses[0]

    def test_a_feature_that_is_left_out_is_not_active(self):
        shown = example("predictions/edit_and_diff")
        assert [shown["X"].columns[d] for d in shown["other"].active_features_] == shown["names"][1:]

    def test_the_feature_that_is_measured_otherwise_differs(self):
        shown = example("predictions/drift")
        table = shown["model"][-1].drift(shown["changed"], transformer=shown["model"])
        differs = table[(table["of"] != "prototype") & table["differs"]]
        assert differs["name"].tolist() == [shown["name"]]


class TestScores:
    def test_numbers_by_hand(self, scores):
        y, p = np.array([1, 0, 1, 0]), np.array([0.9, 0.6, 0.55, 0.1])
        # bins 0.9 (one positive, 0.1 off), 0.6 (no positive, 0.6), 0.5 (one, 0.45), 0.1 (none, 0.1)
        assert scores["calibration_error"](y, p) == pytest.approx((0.1 + 0.6 + 0.45 + 0.1) / 4)
        assert scores["lift"](y, p) == pytest.approx([2.0, 1.0, 4 / 3, 1.0])
        # a missed positive costs 1: alarm above 1/2, one false alarm; costs 9: alarm above 0.1
        assert scores["expected_cost"](y, p, np.array([1.0, 9.0])) == pytest.approx([0.25, 0.25])
        one, other = np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1])
        assert scores["mcnemar"](y, one, other) == pytest.approx(2 * 0.5**4)
        assert scores["mcnemar"](y, one, one) == 1.0

    def test_intervals_have_the_score_inside_and_shrink(self, scores, rng):
        y = rng.integers(2, size=400)
        p = np.clip(0.5 + 0.3 * (y - 0.5) + 0.2 * rng.normal(size=400), 0, 1)
        area = scores["SCORES"]["area under the ROC curve"]
        low, high = scores["interval"](area, y[:100], p[:100], samples=100)
        assert low < area(y[:100], p[:100]) < high
        narrow = np.diff(scores["interval"](area, y, p, "percentile", samples=100))
        assert narrow < high - low
        band = scores["roc_band"](y, p, np.array([0.1, 0.5]), samples=50)
        assert (band[0] < band[1]).all()
