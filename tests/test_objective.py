"""Gradient by finite differences; the fast code equals the slow reference."""

import numpy as np
import pytest

from conftest import PENALTY
from proset import kernel, reference
from proset.objective import Objective, Penalty


def fast(batch, weighted=False, scale=1.0):
    X, y, candidates = batch["X"] * scale, batch["y"], batch["candidates"]
    weight = batch["sample_weight"] if weighted else np.ones(len(y))
    n_classes = batch["scores"].shape[1]
    is_reference = np.ones(len(y), dtype=bool)
    is_reference[candidates] = False
    labels = y[is_reference]
    class_weight = np.bincount(y, weights=weight)
    factor = class_weight / np.bincount(labels, weights=weight[is_reference])
    return Objective(
        X=X[is_reference],
        labels=labels,
        row_weights=weight[is_reference] * factor[labels] / weight.sum(),
        scores=batch["scores"][is_reference],
        candidates=X[candidates],
        blocks=np.searchsorted(y[candidates], np.arange(n_classes + 1)),
        penalty=Penalty(**PENALTY),
    )


def slow_arguments(batch, weighted=False, scale=1.0):
    return {
        "X": batch["X"] * scale,
        **{name: batch[name] for name in ("y", "scores", "candidates", "feature_weights", "prototype_weights")},
        **PENALTY,
        "sample_weight": batch["sample_weight"] if weighted else None,
    }


def theta(batch):
    return np.concatenate([batch["feature_weights"], batch["prototype_weights"]])


@pytest.mark.parametrize("weighted", [False, True])
def test_reference_gradient_is_the_five_point_difference_of_the_reference_objective(batch, weighted):
    arguments = slow_arguments(batch, weighted)
    arguments["prototype_weights"] = arguments["prototype_weights"] + 0.1  # differences need room below
    arguments["feature_weights"] = arguments["feature_weights"] + 0.1
    for name, analytic in zip(("feature_weights", "prototype_weights"), reference.gradient(**arguments), strict=True):
        for i in range(len(analytic)):

            def value(step, name=name, i=i):
                moved = arguments[name].copy()
                moved[i] += step
                return reference.objective(**{**arguments, name: moved})

            h = 1e-3
            numeric = (value(-2 * h) - 8 * value(-h) + 8 * value(h) - value(2 * h)) / (12 * h)
            assert analytic[i] == pytest.approx(numeric, rel=1e-6, abs=1e-9), (name, i)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("tile_entries", [1, 100, kernel.TILE_ENTRIES])
@pytest.mark.parametrize("max_error", [kernel.MAX_EXPONENT_ERROR, 0.0], ids=["expanded", "direct"])
def test_fast_equals_slow(batch, weighted, tile_entries, max_error, monkeypatch):
    monkeypatch.setattr(kernel, "TILE_ENTRIES", tile_entries)
    monkeypatch.setattr(kernel, "MAX_EXPONENT_ERROR", max_error)
    value, gradient = fast(batch, weighted)(theta(batch))
    expected = np.concatenate(reference.gradient(**slow_arguments(batch, weighted)))
    tolerance = 2e-6 if max_error else 1e-12
    assert value == pytest.approx(reference.objective(**slow_arguments(batch, weighted)), rel=tolerance)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1e3, 1e30])
def test_fast_equals_slow_at_any_scale_of_the_features(batch, scale):
    batch["feature_weights"] = batch["feature_weights"] / min(scale, 1e3)
    value, gradient = fast(batch, scale=scale)(theta(batch))
    arguments = slow_arguments(batch, scale=scale)
    with np.errstate(over="ignore", under="ignore"):
        expected = np.concatenate(reference.gradient(**arguments))
    assert value == pytest.approx(reference.objective(**arguments), rel=1e-5)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_class_sums_equal_the_reference(batch):
    y, candidates = batch["y"], batch["candidates"]
    blocks = np.searchsorted(y[candidates], np.arange(4))
    arguments = (batch["X"], batch["X"][candidates])
    weights = (batch["feature_weights"], batch["prototype_weights"])
    expected = reference.class_scores(arguments[0], np.zeros((60, 3)), arguments[1], y[candidates], *weights)
    np.testing.assert_allclose(kernel.class_sums(*arguments, blocks, *weights), expected, rtol=1e-5, atol=1e-12)


def test_no_array_grows_with_rows_times_prototypes(rng):
    import tracemalloc

    X, C = rng.normal(size=(20_000, 3)), rng.normal(size=(1000, 3))
    blocks = np.array([0, 500, 1000])
    tracemalloc.start()
    kernel.loss_and_contractions(
        X,
        np.repeat([0, 1], 10_000),
        np.full(20_000, 5e-5),
        np.full((20_000, 2), 0.5),
        C,
        blocks,
        np.ones(3),
        np.ones(1000),
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6  # all kernel values at once would be 80 MB in float32


def test_hand_solved_objective_of_two_references_and_one_candidate_each():
    """Two classes on a line: references at 0 and 2, candidates at 0 and 2, v = 1, w = 1, prior one half."""
    X, y = np.array([[0.0], [2.0], [0.0], [2.0]]), np.array([0, 1, 0, 1])
    far = np.exp(-2.0)  # kernel at distance 2
    p_own = (0.5 + 1.0) / (1.0 + 1.0 + far)
    # Each class: N_k / N_ref,k = 2, one reference; penalties: 0.1 (0.5 / 2 + 0.5) and 0.2 * 2 (1 / 2).
    expected = -2 * np.log(p_own) * 2 / 4 + 0.1 * 0.75 + 0.2
    settings = {"lambda_v": 0.1, "lambda_w": 0.2, "alpha_v": 0.5, "alpha_w": 1.0}
    arguments = (X, y, np.full((4, 2), 0.5), np.array([2, 3]), np.ones(1), np.ones(2))
    assert reference.objective(*arguments, **settings) == pytest.approx(expected, rel=1e-14)
