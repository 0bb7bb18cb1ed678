from dataclasses import replace

import numpy as np
import pytest

from proset.losses import error_rate, log_loss
from proset_study.base.seeds import generator
from proset_study.data.sources import make
from proset_study.data.splits import TEST
from proset_study.fits.evaluations.bootstrap import Bootstrap, class_losses, estimates
from proset_study.fits.resampling import bootstrap_sample
from proset_study.fits.search import Case

CASE = Case(1, 0, "xor", "E8", "knn")
FINAL = {"parameters": {}, "complexity": 1}


def bootstrap(data, folds, final, settings, case):
    return Bootstrap.evaluate(data, folds, final, settings, case, {})


def test_hand_solved_estimates():
    held_out = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0]], dtype=bool)
    losses = np.array([[1.0, 9, 9, 9], [0, 1, 9, 9], [9, 1, 0, 9]])  # 9: not left out, must not count
    fitted = np.array([[0.0, 1], [1, 0], [0, 1], [0, 1]])  # predicted 0, 1, 0, 0
    y = np.array([0, 1, 0, 1])
    found = estimates(losses, held_out, fitted, y, np.ones(4))
    # by sample 1/2, 1, 0 and no draw that leaves the last one out
    assert found["leave_one_out"] == pytest.approx(0.5)
    assert found["standard_error"] == pytest.approx(np.std([0.5, 1, 0], ddof=1) / np.sqrt(3))
    assert found["training"] == 0.25
    assert found["no_information"] == pytest.approx(0.5 * 0.25 + 0.5 * 0.75)  # wrong if y is 0, if it is 1
    assert found["632"] == pytest.approx(0.368 * 0.25 + 0.632 * 0.5)
    assert found["632_plus"] == pytest.approx(0.5)  # no better than no information: all weight outside
    weighted = estimates(losses, held_out, fitted, y, np.array([2.0, 1, 1, 4]))
    assert weighted["leave_one_out"] == pytest.approx((2 * 0.5 + 1 + 0) / 4)


def test_correction_lies_between_when_overfitting_is_partial():
    outside = np.full((1, 2), 0.3)
    fitted = np.array([[0.1, 0.9], [0.9, 0.1]])
    found = estimates(outside, np.ones((1, 2), dtype=bool), fitted, np.array([0, 1]), np.ones(2))
    overfitting = (0.3 - 0.1) / (0.5 - 0.1)
    part = 0.632 / (1 - 0.368 * overfitting)
    assert found["632_plus"] == pytest.approx((1 - part) * 0.1 + part * 0.3)
    assert found["632"] < found["632_plus"] < found["leave_one_out"]
    assert found["standard_error"] == 0.0


def test_related_samples_give_one_deviation_together():
    losses, held_out = np.array([[0.0, 0, 1, 1]]), np.ones((1, 4), dtype=bool)
    fitted, y = np.zeros((4, 2)), np.array([0, 1, 0, 1])
    alone = estimates(losses, held_out, fitted, y, np.ones(4))
    pairs = estimates(losses, held_out, fitted, y, np.ones(4), group=np.array([7, 7, 8, 8]))
    assert alone["standard_error"] == pytest.approx(np.std([0, 0, 1, 1], ddof=1) / 2)
    assert pairs["standard_error"] == pytest.approx(np.std([0, 1], ddof=1) / np.sqrt(2))


def test_draws_that_leave_nothing_out_are_refused():
    with pytest.raises(ValueError, match=r"bootstrap\.samples: 2 draws leave out no sample, there must be more"):
        estimates(np.zeros((2, 3)), np.zeros((2, 3), dtype=bool), np.zeros((3, 2)), np.array([0, 1, 1]), np.ones(3))


def test_losses_are_those_of_the_scores(rng):
    p, y = rng.dirichlet(np.ones(3), 20), rng.integers(0, 3, 20)
    p[0] = [1.0, 0.0, 0.0]
    own = {name: losses[np.arange(20), y].mean() for name, losses in class_losses(p).items()}
    assert own == {"log_loss": pytest.approx(log_loss(p, y)), "error": pytest.approx(error_rate(p, y))}
    with pytest.raises(FloatingPointError, match="not finite"):
        class_losses(np.array([[np.nan, 1.0]]))


def test_the_nearest_neighbour_by_brute_force(data, folds):
    found = bootstrap(data, folds, FINAL, {"samples": 15}, CASE)
    train = folds != TEST
    X = (data.X[train] - data.X[train].mean(axis=0)) / data.X[train].std(axis=0)
    y, wrong = data.y[train], [[] for _ in range(train.sum())]
    for b in range(15):
        rows = np.unique(bootstrap_sample(y, generator(1, "bootstrap", "xor", 0, b)))  # copies are weights
        scale = data.X[train][rows].std(axis=0)  # of the sample alone, as in a fold
        for i in set(range(len(y))) - set(rows.tolist()):
            distance = (((data.X[train][rows] - data.X[train][i]) / scale) ** 2).sum(axis=1)
            wrong[i].append(y[rows[distance.argmin()]] != y[i])
    by_sample = [np.mean(w) for w in wrong if w]
    assert found["error"]["leave_one_out"] == pytest.approx(np.mean(by_sample))
    assert found["error"]["standard_error"] == pytest.approx(np.std(by_sample, ddof=1) / np.sqrt(len(by_sample)))
    assert found["error"]["training"] == 0.0
    assert found["never_left_out"] == sum(not w for w in wrong)
    assert found["n_fit"] == len(X)
    again = bootstrap(data, folds, FINAL, {"samples": 15}, CASE)
    assert {k: v for k, v in again.items() if k != "resources"} == {k: v for k, v in found.items() if k != "resources"}


def test_labels_without_meaning_are_seen_through(rng):
    """One nearest neighbour fits them without error; the truth is 1/2 (Efron and Tibshirani's example)."""
    data = make({"generator": "xor", "features": 2, "samples_per_orthant": 200}, 0, "xor", 0)
    shuffled = replace(data, y=rng.permutation(data.y))
    found = bootstrap(shuffled, np.zeros(len(data.y), dtype=int), FINAL, {"samples": 20}, CASE)["error"]
    assert found["632"] < 0.4
    assert found["632_plus"] == pytest.approx(0.5, abs=0.06)


def test_groups_are_left_out_whole(data):
    """Every sample has a twin: with twins apart the nearest neighbour is nearly perfect, with groups it is not."""
    noise = replace(data, y=np.arange(len(data.y)) % 2)
    twins = noise.take(np.repeat(np.arange(len(data.y)), 2))
    grouped = replace(twins, group=np.repeat(np.arange(len(data.y)), 2))
    folds = np.zeros(len(twins.y), dtype=int)
    apart, together = (
        bootstrap(d, folds, FINAL, {"samples": 10}, CASE)["error"]["leave_one_out"] for d in (twins, grouped)
    )
    assert apart < together - 0.1


def test_samples_of_weight_zero_are_neither_drawn_nor_counted(data):
    """One class has three samples of positive weight: draws of all samples would often lose it."""
    weight = np.ones(len(data.y))
    weight[np.flatnonzero(data.y == 0)[3:]] = 0.0
    weighted, kept = replace(data, sample_weight=weight), np.flatnonzero(weight)
    folds = np.zeros(len(data.y), dtype=int)
    found = bootstrap(weighted, folds, FINAL, {"samples": 15}, CASE)
    assert found["n_fit"] == len(kept)
    without = bootstrap(weighted.take(kept), folds[kept], FINAL, {"samples": 15}, CASE)
    assert found | {"resources": {}} == without | {"resources": {}}
