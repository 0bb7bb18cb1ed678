"""What claims measure of final models, on models that are really fitted."""

from math import erfc, sqrt

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.metrics import balanced_accuracy_score
from tests.proset_study.small_study import compute, config_of

from proset_study.report.analysis.response_curves import response_rows, true_probabilities
from proset_study.report.claims import CLAIMS, decide, measures
from proset_study.report.claims.evidence import StoredEvidence
from proset_study.store.stored import Stored

CLEAN = {"generator": "clusters", "test_samples": 200}


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Stored:
    """Methods that claims look into, on clusters, with wrong labels and without."""
    experiment = {"data_sets": ["noise_10"], "stage2": {"complexity": 5}}
    leaf = {"parameters": {"min_samples_leaf": 3}}
    boosting = {"method": "adaboost", "parameters": {"max_depth": 2, "learning_rate": 0.5}, "selection_rule": "best"}
    experiments = {
        "curve_adaboost": {**experiment, **boosting, "stage2": {"complexity": 30}},
        "random_forest": {**experiment, "method": "random_forest", **leaf, "data_sets": ["clean", "noise_10"]},
        "curve_decision_tree": {**experiment, "method": "decision_tree", **leaf},
        "set_cover": {**experiment, "method": "set_cover"},
        "set_cover_lp": {**experiment, "method": "set_cover_lp"},
    }
    config = config_of("measured", {"clean": CLEAN, "noise_10": {**CLEAN, "label_noise": 0.1}}, experiments)
    return compute(config, tmp_path_factory.mktemp("measured"))


@pytest.fixture(scope="module")
def truth(stored):
    def of(final, X):
        return true_probabilities(stored.study.config, final.data_set, final.replicate, X)

    return of


def test_the_heaviest_are_those_that_the_weights_of_boosting_single_out(stored, truth):
    final = stored.final("curve_adaboost", "noise_10")
    estimator, X, y = final.model.fitted.estimator, final.part.X, final.part.y
    weight = np.ones(len(y))
    for tree, alpha in zip(estimator.estimators_, estimator.estimator_weights_, strict=False):  # as SAMME does
        weight *= np.where(tree.predict(X) == y, 1.0, np.exp(alpha))
        weight /= weight.sum()
    wrong = truth(final, final.X_train).argmax(axis=1) != y
    heaviest = np.argsort(-weight, kind="stable")[:100]
    found = measures.mislabelled_among_heaviest(final, truth(final, final.X_train), 0.1)
    assert found == pytest.approx(wrong[heaviest].mean())
    assert measures.mislabelled_among_heaviest(final, truth(final, final.X_train), 1.0) == wrong.mean()
    assert 0.05 < wrong.mean() < 0.2  # labels that were replaced, and some between two clusters
    assert found > 2 * wrong.mean()


def test_excess_errors_are_those_of_the_curves(stored, truth):
    rows = {(r["replicate"], r["dataset"], r["experiment"]): r for r in response_rows(stored)}
    assert len(rows) == 6
    for (replicate, data_set, experiment), row in rows.items():
        final = stored.final(experiment, data_set, replicate=replicate)
        found = measures.excess_error(final, truth(final, final.X_test))
        assert found == pytest.approx(row["excess_error"])
        guess = measures.excess_of_guess(truth(final, final.X_test))
        assert found < guess < 0.5 - row["bayes_error"] + 0.05


def test_votes_of_a_forest(stored):
    final = stored.final("random_forest", "clean")
    votes = np.array([tree.predict(final.X_test) for tree in final.model.fitted.estimator.estimators_])
    majority = [np.bincount(column).argmax() for column in votes.astype(int).T]  # of equal counts the first class
    expected = balanced_accuracy_score(final.y, majority)
    assert measures.balanced_accuracy_of_votes(final) == pytest.approx(expected)
    assert 0.6 < expected < 1.0


def test_prototypes_and_variation_of_classes(stored):
    final = stored.final("set_cover", "noise_10")
    cover = final.model.fitted.covers[-1]
    last = max((i for i, n in enumerate(cover.newly_covered, start=1) if n > 1), default=0)
    assert measures.steps_that_cover_more(final) == last
    X, y = final.part.X, final.part.y
    own = [X[y == k] for k in (0, 1)]
    variation = [cdist(points, points).sum() / (len(points) * (len(points) - 1)) for points in own]
    prototypes = [(cover.labels == k).sum() / (y == k).sum() for k in (0, 1)]
    expected = spearmanr(variation, prototypes).statistic
    assert measures.correlation_of_variation(final) == pytest.approx(expected, nan_ok=True)


def test_objectives_are_means_over_the_folds(stored):
    greedy, rounded = (stored.final(e, "noise_10") for e in ("set_cover", "set_cover_lp"))
    for final in (greedy, rounded):
        by_fold = [record["staged_summary"]["objective"] for record in final.paths]
        assert measures.objectives(final) == pytest.approx(np.mean(by_fold, axis=0))
    bound = np.mean([record["staged_summary"]["lower_bound"] for record in rounded.paths], axis=0)
    assert (np.array(measures.objectives(greedy)) >= bound - 1e-9).all()


def test_folds_of_the_study_are_stratified(stored):
    final = stored.final("set_cover", "noise_10")
    assert measures.imbalance_of_folds(final) <= 1
    assert measures.overlap_of_training(final) == 1000 / 200


def test_significance_of_the_first_split(stored):
    final = stored.final("curve_decision_tree", "noise_10")
    tree, X, y = final.model.fitted, final.part.X, final.part.y
    left = X[:, tree.feature[0]] <= tree.threshold[0]
    (a, b), (c, d) = ([(side & (y == k)).sum() for k in (0, 1)] for side in (left, ~left))
    chi_squared = len(y) * (a * d - b * c) ** 2 / ((a + b) * (c + d) * (a + c) * (b + d))
    splits = sum(len(set(x)) - 1 for x in X.T)
    assert measures.p_of_first_split(final) == pytest.approx(min(1.0, splits * erfc(sqrt(chi_squared / 2))))


@pytest.mark.parametrize("claim_id", ["B8", "C8"])
def test_claims_are_decided_by_records(stored, claim_id):
    for replicate in stored.replicates:
        decided = {v.data_set: v for v in decide(claim_id, StoredEvidence(stored, replicate))}
        assert decided["noise_10"].verdict in ("holds", "fails"), decided["noise_10"]
        assert {v.verdict for d, v in decided.items() if d != "noise_10"} == {"not decidable"}
    assert set(decided) == set(CLAIMS[claim_id].data_sets)
