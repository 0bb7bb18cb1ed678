"""Paths of penalties, the folds they are scored on, and what is chosen."""

import numpy as np
import pytest

from proset import ProsetClassifier, penalty_path
from proset.leave_one_out import Samples, Task
from proset.penalty_path import LAMBDA_V, LAMBDA_W, weaker


def noisy(n=240, seed=0, flip=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(n) < flip)).astype(int)


@pytest.mark.parametrize("lambda_v", LAMBDA_V)
def test_every_pair_of_the_grid_is_reached_from_the_first_fit(lambda_v):
    for lambda_w in LAMBDA_W:
        pair, steps = (lambda_v, lambda_w), 0
        while (before := weaker(*pair)) is not None:
            assert before[0] <= pair[0]
            assert before[1] <= pair[1]
            assert before != pair
            pair, steps = before, steps + 1
        assert pair == (min(lambda_v, 1e-2), 1e-8)
        assert steps <= len(LAMBDA_V) + len(LAMBDA_W)


def test_folds_score_every_row_once_and_fit_the_others():
    """Copies of a row, too: those held out and those fitted to are all of them."""
    X, y = noisy(60)
    copies = np.where(np.arange(60) < 5, 7.0, 1.0)
    task = Task.of(Samples.of(X, y, copies, copies), 2)
    parts = list(penalty_path.folds(task, 0.95, 0.95))
    assert len(parts) == penalty_path.FOLDS
    assert sum(part.weight.sum() for part in parts) == copies.sum()
    for part in parts:
        fitted = part.path.task.samples.copies
        assert fitted.sum() + part.weight.sum() == copies.sum()
        assert fitted[fitted > 1].min() >= 5  # of seven copies, one or two are held out


def test_a_model_with_the_chosen_penalties_is_the_model_without_arguments():
    X, y = noisy()
    model = ProsetClassifier().fit(X, y)
    again = ProsetClassifier(lambda_v=model.lambda_v_, lambda_w=model.lambda_w_).fit(X, y)
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    found = model.penalty_search_
    best = found["mean_loss"].argmin()
    assert (model.lambda_v_, model.lambda_w_) == (found["lambda_v"][best], found["lambda_w"][best])
    assert found["mean_loss"][best] < found["prior_loss"]
    assert found["standard_error"][best] == 0.0  # of its difference from itself
    assert (np.delete(found["standard_error"], best) > 0.0).all()


def test_a_fit_reports_its_own_choices_only():
    X, y = noisy()
    model = ProsetClassifier(max_prototypes="best").fit(X, y)
    assert len(set(model.penalty_search_["lambda_v"])) > 1
    assert "mean_loss" in model.prototype_path_
    model.set_params(lambda_v=0.01, max_prototypes=5).fit(X, y)
    assert set(model.penalty_search_["lambda_v"]) == {model.lambda_v_} == {0.01}
    assert "mean_loss" not in model.prototype_path_
    for settings in ({"lambda_w": 1e-4, "max_prototypes": None}, {"lambda_v": "auto", "references": "split"}):
        model.set_params(**settings).fit(X, y)
        assert not hasattr(model, "penalty_search_")
        assert not hasattr(model, "prototype_path_")


def test_no_seed_and_no_thread_has_a_part_above_a_thousand_rows():
    X, y = noisy(1050)
    first = ProsetClassifier(random_state=0).fit(X, y)
    second = ProsetClassifier(random_state=1, n_jobs=2).fit(X, y)
    assert np.array_equal(first.predict_proba(X), second.predict_proba(X))


def test_labels_without_information_give_the_class_proportions():
    X, y = noisy(300)
    shuffled = np.random.default_rng(1).permutation(y)
    with pytest.warns(UserWarning, match="nothing was learnt"):
        model = ProsetClassifier().fit(X, shuffled)
    assert np.isinf([model.lambda_v_, model.lambda_w_]).all()
    assert np.array_equal(model.predict_proba(X), np.tile(model.class_prior_, (300, 1)))


def test_the_scale_of_a_column_changes_no_prediction():
    """Powers of two change no bit of a standard deviation but its exponent."""
    X, y = noisy()
    factors = np.array([1.0, 1024.0, 2.0**-12, 1.0])
    model, scaled = ProsetClassifier().fit(X, y), ProsetClassifier().fit(X * factors, y)
    assert np.array_equal(model.predict_proba(X), scaled.predict_proba(X * factors))
    assert np.array_equal(scaled.scale_, model.scale_ * factors)
    assert np.array_equal(scaled.feature_weights_, model.feature_weights_)


def test_the_start_is_wide_enough_that_references_see_candidates():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 8)), rng.integers(0, 2, 200)
    task = Task.of(Samples.of(X, y, np.ones(200)), 2)
    v, w = np.split(penalty_path.start(task), [8])
    assert v[0] < 10 / 8  # where the median sample sees nothing
    kernel = np.exp(-0.5 * (v[0] ** 2) * ((X[:, None] - X) ** 2).sum(axis=2))
    assert np.median(kernel.sum(axis=1) - 1.0) >= penalty_path.NEIGHBOURS
    assert (w == 1.0).all()
