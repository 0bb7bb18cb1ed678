from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from proset import SetCoverClassifier
from proset_study import methods
from proset_study.data.sources import make
from proset_study.data.splits import select_fold
from proset_study.data.splitting import split
from proset_study.methods.set_cover import find_radii
from proset_study.methods.set_cover_quantiles import equally_spaced

SEED = np.random.SeedSequence(3)


@pytest.fixture(scope="module")
def wine():
    data = make({"sklearn": "wine"}, 0, "wine", 0)
    return select_fold(data, split(data.y, 5, 0.3, 0), 0, scaled=True)


@pytest.mark.parametrize("largest", [None, 2.0, 0.01])
def test_every_step_is_the_estimator_with_its_radius(wine, largest, monkeypatch):
    monkeypatch.setattr("proset.cover.MEMORY", 1)  # so that there is a pass for every radius
    weight = None if largest is None else np.random.default_rng(0).uniform(0.25, 1.0, len(wine.y)) * largest
    bound = replace(wine, weight=weight)
    fitted = methods.get("set_cover")(bound).fit({}, 16, SEED)
    for step, stage in enumerate(fitted.staged_predict_proba(wine.X_score)):
        model = SetCoverClassifier(eps=fitted.radii[step]).fit(wine.X, wine.y, weight)
        np.testing.assert_array_equal(stage.argmax(axis=1), model.predict(wine.X_score))
        assert fitted.staged_summary()["prototypes"][step] == len(model.prototype_index_)
        assert fitted.staged_summary()["objective"][step] == pytest.approx(model.objective_)
    assert fitted.staged_summary()["prototypes"][0] >= 0.9 * len(wine.y)  # whatever the unit of the weights


def test_radii_grow_from_single_samples_to_most_of_them(wine):
    radii = find_radii(wine, 18)
    distances = pdist(wine.X)
    assert (np.diff(radii) > 0).all()
    assert distances.min() <= radii[0] < np.quantile(distances, 0.001)
    assert np.quantile(distances, 0.5) < radii[-1] < distances.max()
    np.testing.assert_array_equal(find_radii(wine, 5), radii[:5])


def test_radii_leave_out_samples_that_are_the_same(wine):
    same = replace(wine, X=np.ones((20, 2)), y=np.zeros(20, dtype=int))
    np.testing.assert_array_equal(find_radii(same, 3), [1.0, 1.0, 1.0])
    repeated = replace(wine, X=np.repeat(wine.X[:30], 10, axis=0), y=np.repeat(wine.y[:30], 10))
    assert find_radii(repeated, 1)[0] >= pdist(wine.X[:30]).min()


def test_the_linear_program_reports_its_bound_and_centres_become_prototypes(wine):
    rounded = methods.get("set_cover_lp")(wine).fit({}, 14, SEED).staged_summary()
    assert (np.array(rounded["lower_bound"]) <= rounded["objective"]).all()
    fitted = methods.get("set_cover_centres")(wine).fit({"cost": 0.1}, 14, SEED)
    assert "lower_bound" not in fitted.staged_summary()
    assert len(fitted.candidates) == len(wine.X) + 30
    np.testing.assert_array_equal(fitted.candidates[: len(wine.X)], wine.X)
    assert any((cover.index >= len(wine.X)).any() for cover in fitted.covers)


def test_a_class_with_fewer_samples_than_centres_has_each_of_them_as_one(wine):
    few = np.flatnonzero(np.cumsum(wine.y == 2) <= 4)
    small = replace(wine, X=wine.X[few], y=wine.y[few])
    fitted = methods.get("set_cover_centres")(small).fit({}, 1, SEED)
    centres, samples = fitted.candidates[len(few) + 20 :], small.X[small.y == 2]
    assert len(centres) == 4
    np.testing.assert_allclose(centres[np.argsort(centres[:, 0])], samples[np.argsort(samples[:, 0])])


def test_balanced_weights_are_those_of_equal_classes(wine):
    """As weights of the data that are given with them."""
    by_class = len(wine.y) / 3 / np.bincount(wine.y)
    fitted = methods.get("set_cover")(wine).fit({"balanced": 1}, 14, SEED)
    expected = methods.get("set_cover")(replace(wine, weight=by_class[wine.y])).fit({}, 14, SEED)
    for ours, theirs in zip(fitted.covers, expected.covers, strict=True):
        np.testing.assert_array_equal(ours.index, theirs.index)
        assert ours.objective == pytest.approx(theirs.objective)
    plain = methods.get("set_cover")(wine).fit({}, 14, SEED)
    assert plain.covers[-1].objective != pytest.approx(fitted.covers[-1].objective)


def test_a_plain_cover_covers_every_sample_of_every_class(wine):
    fitted = methods.get("set_cover")(wine).fit({"foreign_cost": 0.0}, 16, SEED)
    for radius, cover in zip(fitted.radii, fitted.covers, strict=True):
        inside = np.linalg.norm(wine.X[:, None] - wine.X[cover.index], axis=2) < radius
        assert (inside & (wine.y[:, None] == cover.labels)).any(axis=1).all()
        assert cover.objective == pytest.approx(len(cover.index) / len(wine.y))


def test_the_ratio_is_another_choice(wine):
    by_gain, by_ratio = (methods.get("set_cover")(wine).fit({"ratio": ratio}, 16, SEED) for ratio in (0, 1))
    assert by_gain.covers[-1].index.tolist() != by_ratio.covers[-1].index.tolist()
    assert by_ratio.covers[-1].miscovered.sum() <= by_gain.covers[-1].miscovered.sum()


@pytest.mark.parametrize("unlabelled", [0, 1])
def test_of_few_labels_all_samples_or_the_labelled_ones_are_candidates(wine, unlabelled):
    """The estimator that is given the same samples, and the others as candidates, chooses the same."""
    settings = {"labelled": 0.25, "unlabelled": unlabelled}
    method = methods.get("set_cover_unlabelled")(wine)
    fitted, rows = method.fit(settings, 13, SEED), method.labelled(settings, SEED)
    assert np.bincount(wine.y[rows]).tolist() == [round(0.25 * n) for n in np.bincount(wine.y)]
    candidates = wine.X if unlabelled else wine.X[rows]
    model = SetCoverClassifier(eps=fitted.radii[-1]).fit(wine.X[rows], wine.y[rows], candidates=candidates)
    np.testing.assert_array_equal(fitted.prototypes().X, model.prototypes_)
    np.testing.assert_array_equal(fitted.predict_proba(wine.X_score).argmax(axis=1), model.predict(wine.X_score))
    assert fitted.covers[-1].objective_path[0] == pytest.approx(len(rows))


def test_radii_at_equally_spaced_quantiles_go_from_the_smallest_distance_to_the_median(wine):
    fitted = methods.get("set_cover_quantiles")(wine).fit({}, 21, SEED)
    distances = pdist(wine.X)
    np.testing.assert_allclose(fitted.radii[[0, 4, -1]], np.quantile(distances, [0.0, 0.1, 0.5]))
    numbers = fitted.staged_summary()["prototypes"]
    assert numbers[0] == len(wine.y)  # a ball of the smallest distance holds its own sample only
    assert 3 <= numbers[-1] < 20
    same = replace(wine, X=np.ones((20, 2)), y=np.zeros(20, dtype=int))
    np.testing.assert_array_equal(equally_spaced(same, 0.1, 3), [1.0, 1.0, 1.0])


@pytest.mark.parametrize("parameters", [{}, {"cost": 0.7}, {"balanced": 1}])
def test_at_the_same_radius_it_does_not_matter_which_grid_the_radius_is_on(wine, parameters, monkeypatch):
    spaced = methods.get("set_cover_quantiles")(wine).fit({"step": 0.05, **parameters}, 8, SEED)
    monkeypatch.setattr("proset_study.methods.set_cover.find_radii", lambda data, complexity: spaced.radii)
    geometric = methods.get("set_cover")(wine).fit(parameters, 8, SEED)
    for one, other in zip(spaced.covers, geometric.covers, strict=True):
        np.testing.assert_array_equal(one.index, other.index)
        np.testing.assert_array_equal(one.objective_path, other.objective_path)
    assert spaced.majority == geometric.majority
