import numpy as np
import pytest

from proset import ProsetClassifier, group_rates, load_model, save_model
from proset.familiarity import MAX_POINTS, quantile, training_familiarity


@pytest.mark.parametrize("max_prototypes", [None, 20])
def test_training_samples_are_no_prototypes_or_are_seen_without_their_own(wine, max_prototypes):
    X, y = wine
    model = ProsetClassifier(n_batches=2, lambda_v=1e-4, lambda_w=1e-6, max_prototypes=max_prototypes).fit(X, y)
    assert (2 * len(np.unique(model._model.prototypes.rows)) > len(X)) == (max_prototypes is None)
    for n_batches, found in enumerate(model.training_familiarity_):
        expected, left_out = np.zeros(len(X)), np.zeros(len(X), dtype=bool)
        for batch in model.batches_[:n_batches]:
            squares = ((X[:, None] - batch.prototypes) * batch.feature_weights) ** 2
            terms = batch.prototype_weights * np.exp(-0.5 * squares.sum(axis=2))
            terms[batch.sample_index, np.arange(len(batch.labels))] = 0.0
            expected += terms.sum(axis=1)
            left_out[batch.sample_index] = True
        usual = np.sort(expected[~left_out] if 2 * left_out.sum() <= len(X) else expected)
        ranks = np.arange(1, len(X) + 1) * (len(usual) + 1) / (len(X) + 1)
        expected = np.interp(ranks, np.arange(len(usual) + 1), [0.0, *usual])
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_quantiles_with_fewer_batches_are_those_of_the_smaller_model(wine):
    X, y = wine
    large, small = (ProsetClassifier(n_batches=b, lambda_v=1e-4, max_prototypes=None).fit(X, y) for b in (3, 1))
    np.testing.assert_array_equal(large.familiarity_quantile(X, n_batches=1), small.familiarity_quantile(X))
    assert large.familiarity_quantile(X, n_batches=0).tolist() == [178 / 179] * 178  # all the same


def test_of_many_samples_the_permilles_are_kept(rng):
    X = rng.normal(size=(5000, 2))
    given = {"lambda_v": 0.01, "lambda_w": 1e-4, "max_prototypes": None, "n_candidates": 200, "random_state": 0}
    model = ProsetClassifier(**given).fit(X, X[:, 0] > rng.normal(size=5000))
    assert model.training_familiarity_.shape == (2, MAX_POINTS)
    everyone = np.sort(training_familiarity(model._model, X)[-1])
    own = np.zeros(5000)
    own[model.batches_[0].sample_index] = model.batches_[0].prototype_weights
    others = model.familiarity(X) - own
    assert (others[own == 0.0] < everyone[99]).mean() == pytest.approx(0.1, abs=1e-3)


def test_quantiles_are_monotonic_and_within_bounds(rng):
    points = np.sort(rng.exponential(size=50))
    found = quantile(points, np.linspace(0.0, 2 * points[-1], 1000))
    assert found[0] == 0.0
    assert found[-1] == 50 / 51
    assert (np.diff(found) >= 0).all()
    np.testing.assert_allclose(quantile(points, points), np.arange(1, 51) / 51)
    assert quantile(np.array([0.0, 0.0, 3.0]), np.array([0.0])).item() == 0.5  # as many are at most as familiar


def test_files_keep_the_yardstick_and_older_ones_say_that_it_is_missing(wine, tmp_path):
    X, y = wine
    model = ProsetClassifier(random_state=0).fit(X, y)
    save_model(model, tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.familiarity_quantile(X), model.familiarity_quantile(X))
    assert loaded.n_samples_fit_ == len(y)
    with np.load(tmp_path / "model.npz") as archive:
        older = {name: archive[name] for name in archive if name not in ("n_samples_fit", "training_familiarity")}
    np.savez_compressed(tmp_path / "older.npz", **older)
    loaded = load_model(tmp_path / "older.npz")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.explain(X[:1])["familiarity quantile"].isna().all()
    loaded.report(tmp_path / "older.html")
    assert "unknown" in (tmp_path / "older.html").read_text(encoding="utf-8")
    with pytest.raises(AttributeError, match="saved by an earlier version; fit it again"):
        loaded.familiarity_quantile(X)
    for question in (
        lambda: loaded.drift(X, reference=X),
        lambda: loaded.counterfactuals(X[:1], min_familiarity_quantile=0.1),
    ):
        with pytest.raises(AttributeError, match="saved by an earlier version; fit it again"):
            question()
    assert "unfamiliar" not in group_rates(loaded, X, y, np.arange(len(y)) % 2)
    assert "unfamiliar" in group_rates(model, X, y, np.arange(len(y)) % 2)
