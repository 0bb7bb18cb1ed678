"""Settings that are compared fold by fold."""

import numpy as np
import pytest

from proset.race import CLEARLY, Race

FOLDS = [np.ones(50), np.ones(50)]


def race(means, tried):
    """Losses of settings around their means; all see the same noise, and a little of their own."""

    def losses(setting, fold):
        tried.append((setting, fold))
        rng = np.random.default_rng([fold, int(1000 * means[setting])])
        return means[setting] + np.random.default_rng(fold).normal(size=50) + 0.1 * rng.normal(size=50)

    return Race(losses, FOLDS)


def test_a_clearly_worse_setting_is_tried_on_one_fold_only():
    tried: list = []
    found = race({"good": 0.5, "near": 0.501, "bad": 2.0}, tried)
    found.run(["good", "near", "bad"])
    assert [len(found.found[s]) for s in ("good", "near", "bad")] == [2, 2, 1]
    mean, error = found.difference("bad", "good")
    assert mean == pytest.approx(1.5, abs=0.1)
    assert mean > CLEARLY * error
    assert found.is_out("bad", "good")


def test_a_walk_ends_where_it_gets_clearly_worse():
    tried: list = []
    means = dict(enumerate([0.9, 0.5, 0.7, 0.1]))
    assert race(means, tried).walk([0, 1, 2, 3]) == 1
    assert {setting for setting, _ in tried} == {0, 1, 2}


def test_nothing_is_tried_twice():
    tried: list = []
    found = race({0: 0.5, 1: 0.6}, tried)
    found.run([0, 1])
    found.run([0, 1])
    assert len(tried) == len(set(tried))
