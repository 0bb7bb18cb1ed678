"""Gradient by finite differences; the fast code equals the slow reference."""

import sys

import numpy as np
import pytest
from tests.build import run
from tests.reference import classifier as reference

from proset import arithmetic, library
from proset.objective import Objective, Penalty

PENALTY = {"lambda_v": 0.03, "lambda_w": 0.02, "alpha_v": 0.95, "alpha_w": 0.3}


def fast(batch, weighted=False, scale=1.0, is_sorted=False):
    X, y, candidates = batch["X"] * scale, batch["y"], batch["candidates"]
    weight = batch["sample_weight"] if weighted else np.ones(len(y))
    references = np.setdiff1d(np.arange(len(y)), candidates)
    if is_sorted:
        references = library.sort_neighbours(X, references)
    labels = y[references]
    factor = np.bincount(y, weights=weight) / np.bincount(labels, weights=weight[references])
    return Objective(
        X=X[references],
        labels=labels,
        row_weights=weight[references] * factor[labels] / weight.sum(),
        previous_q=batch["previous_q"][references],
        candidates=X[candidates],
        class_offsets=np.searchsorted(y[candidates], np.arange(batch["previous_q"].shape[1] + 1)),
        penalty=Penalty(**PENALTY),
        is_sorted=is_sorted,
    )


def slow_arguments(batch, weighted=False, scale=1.0):
    return {
        "X": batch["X"] * scale,
        **{name: batch[name] for name in ("y", "previous_q", "candidates", "v", "w")},
        **PENALTY,
        "sample_weight": batch["sample_weight"] if weighted else None,
    }


def assert_fast_equals_slow(batch, rel, *, atol=None, is_sorted=False, **settings):
    """`rel` is that of the value; `atol`, by default the same, is in units of the largest derivative."""
    value, gradient = fast(batch, is_sorted=is_sorted, **settings)(np.concatenate([batch["v"], batch["w"]]))
    arguments = slow_arguments(batch, **settings)
    with np.errstate(over="ignore", under="ignore"):
        expected = np.concatenate(reference.gradient(**arguments))
    assert value == pytest.approx(reference.objective(**arguments), rel=rel)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=(atol or rel) * np.abs(expected).max())


@pytest.mark.parametrize("weighted", [False, True])
def test_reference_gradient_is_the_five_point_difference_of_the_reference_objective(batch, weighted):
    arguments = slow_arguments(batch, weighted)
    arguments["w"] = arguments["w"] + 0.1  # differences need room below
    arguments["v"] = arguments["v"] + 0.1
    for name, analytic in zip(("v", "w"), reference.gradient(**arguments), strict=True):
        for i in range(len(analytic)):

            def value(step, name=name, i=i):
                moved = arguments[name].copy()
                moved[i] += step
                return reference.objective(**{**arguments, name: moved})

            h = 1e-3
            numeric = (value(-2 * h) - 8 * value(-h) + 8 * value(h) - value(2 * h)) / (12 * h)
            assert analytic[i] == pytest.approx(numeric, rel=1e-6, abs=1e-9), (name, i)


def class_sums(X, prototypes, class_offsets, v, w):
    return arithmetic.class_sums(X, prototypes, 0.0 * v, np.asarray(class_offsets), v, w)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e3, 1e30])
def test_fast_equals_slow_at_any_scale_of_the_features(batch, scale, weighted):
    of_scale = {**batch, "v": batch["v"] / min(scale, 1e3)}
    assert_fast_equals_slow(of_scale, 2e-6 if scale == 1.0 else 1e-5, scale=scale, weighted=weighted)


@pytest.mark.parametrize(
    ("n", "n_features", "n_classes", "n_candidates"),
    [
        *[(40, 1, 2, 7), (90, 17, 20, 33), (70, 64, 3, 16), (30, 150, 2, 10), (300, 5, 2, 250), (50, 6, 4, 48)],
        *[(400, 2, 2, 130), (2500, 13, 3, 40), (4300, 3, 2, 20)],  # more than a tile, and more than a strip
    ],
)
def test_fast_equals_slow_at_odd_sizes(rng, n, n_features, n_classes, n_candidates):
    """Blocks that are not full, fewer rows than a register block, classes without a candidate, weights at zero."""
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    empty = 1 if n_classes > 2 else -1
    candidates = rng.permutation(np.flatnonzero(y[n_classes:] != empty) + n_classes)[:n_candidates]
    candidates = candidates[np.argsort(y[candidates], kind="stable")]
    batch = {
        "X": rng.normal(size=(n, n_features)),
        "y": y,
        "previous_q": rng.uniform(0.2, 3.0, (n, n_classes)),
        "candidates": candidates,
        "v": rng.uniform(0.0, 2.0, n_features) / np.sqrt(n_features) * (rng.random(n_features) > 0.2),
        "w": rng.exponential(5.0, len(candidates)) * (rng.random(len(candidates)) > 0.5),
    }
    assert_fast_equals_slow(batch, 3e-6)
    X, C, weights = batch["X"], batch["X"][candidates], (batch["v"], batch["w"])
    sums = class_sums(X, C, np.searchsorted(y[candidates], np.arange(n_classes + 1)), *weights)
    slow = reference.unnormalised(X, np.zeros((n, n_classes)), C, y[candidates], *weights)
    np.testing.assert_allclose(sums, slow, rtol=2e-5, atol=1e-12)


@pytest.mark.parametrize(
    ("n_features", "size"),
    [(3, 600.0), (12, 50.0), (6, 25.0), (40, 50.0), (12, 600.0), (3, 1e5), (12, 1e5)],  # each algorithm up to its limit
)
def test_the_stated_bound_of_the_exponent_holds(rng, n_features, size):
    """Kernel values of single pairs, compiled."""
    X = rng.normal(size=(400, n_features))
    X *= size / np.linalg.norm(X, axis=1, keepdims=True)
    C = X + rng.normal(size=X.shape) * 5.0 / np.sqrt(n_features)
    ones, exact = np.ones(n_features), np.exp(-0.5 * ((X - C) ** 2).sum(axis=1))
    found = [class_sums(X[i : i + 1], C[i : i + 1], [0, 1], ones, np.ones(1))[0, 0] for i in range(len(X))]
    seen = exact > 2.0**-49
    assert seen.sum() > 300
    assert np.abs(np.log(np.array(found)[seen]) - np.log(exact[seen])).max() < 1e-3


@pytest.mark.parametrize("is_sorted", [False, True])
@pytest.mark.parametrize("spread", [1.0, 30.0, 1e3, 1e6])
@pytest.mark.parametrize("n_features", [2, 4, 6, 12])
def test_every_form_of_the_library_equals_the_slow_code(rng, n_features, spread, is_sorted):
    """Clouds far apart on the scale of the kernel: tiles in reach of some blocks only, at any distance from 0."""
    n, n_classes = 600, 2
    clouds = rng.integers(0, 4, n)
    X = rng.normal(size=(n, n_features)) + spread * rng.normal(size=(4, n_features))[clouds]
    y = rng.integers(0, n_classes, n)
    candidates = [rng.choice(np.flatnonzero(y == k), 75, replace=False) for k in range(n_classes)]
    if is_sorted:
        candidates = [library.sort_neighbours(X, c) for c in candidates]
    batch = {
        "X": X,
        "y": y,
        "candidates": np.concatenate(candidates),
        "v": rng.uniform(0.5, 1.5, n_features),
        "w": rng.exponential(5.0, 150) * (rng.random(150) > 0.5),
        "previous_q": rng.uniform(0.2, 3.0, (n, n_classes)),
    }
    assert_fast_equals_slow(batch, 1e-4 if spread == 30.0 else 1e-5, atol=1e-4, is_sorted=is_sorted)


@pytest.mark.parametrize("n", [1, 8, 9, 100, 1000])
def test_neighbours_are_a_permutation_with_compact_groups(rng, n):
    X = rng.integers(0, 50, (n, 2)).astype(float)  # with ties
    rows = rng.permutation(n)
    order = library.sort_neighbours(X, rows)
    assert sorted(order) == sorted(rows)
    assert (library.sort_neighbours(X, rows) == order).all()
    if n == 1000:
        widths = [
            np.ptp(X[group], axis=0).mean() for group in (order.reshape(-1, 8), rows.reshape(-1, 8)) for group in group
        ]
        assert np.mean(widths[:125]) < 0.2 * np.mean(widths[125:])


LARGE_OBJECTIVE = """
import resource, numpy as np
from proset.objective import Objective, Penalty
rng = np.random.default_rng(0)
X, C = rng.normal(size=(100_000, 3)), rng.normal(size=(1000, 3))
objective = Objective(X, np.repeat([0, 1], 50_000), np.full(100_000, 1e-5), np.full((100_000, 2), 0.5), C,
                      np.array([0, 500, 1000]), Penalty(0.0, 0.0, 0.5, 0.5))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
objective(objective.start())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units, or not at all")
def test_no_array_grows_with_rows_times_prototypes(child_environment):
    grown = int(run(sys.executable, "-c", LARGE_OBJECTIVE, env=child_environment))
    assert grown < 20_000  # KiB; all kernel values at once would be 400 MB in float32


@pytest.mark.parametrize(
    "compute", [Objective.__call__, Objective.increases, lambda f, theta: f.minimum(10, 1e-5, start=theta)]
)
def test_memory_that_cannot_be_had_is_an_error(compute):
    """Scratch memory for 2^44 candidates is more than a process can address; nothing is read before it is there."""
    X = np.array([[0.0], [2.0]])
    objective = Objective(
        X=X,
        labels=np.array([0, 1]),
        row_weights=np.full(2, 0.5),
        previous_q=np.full((2, 2), 0.5),
        candidates=X,
        class_offsets=np.array([0, 1, 2**44]),
        penalty=Penalty(**PENALTY),
    )
    with pytest.raises(MemoryError, match="no memory for"):
        compute(objective, np.ones(3))


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
