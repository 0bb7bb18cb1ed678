import numpy as np
import pytest
from scipy import stats

from proset_study.report.analysis import hierarchical as module
from proset_study.report.analysis.hierarchical import hierarchical

ROPE = 0.01


def one_pair(differences, overlap=None, seed=0):
    overlap = np.zeros(len(differences)) if overlap is None else overlap
    (found,) = hierarchical([np.array([d]) for d in differences], overlap, ROPE, np.random.default_rng(seed))
    return found


def by_integration(differences, overlap, nodes=60):
    """The same probabilities by sums over a grid of centre, spread and degrees of freedom.

    The likelihood of delta_i with sigma_i integrated out is a Student density; it is folded with that of the delta_i at
    the quantiles of the narrower of the two.
    """
    means = np.array([d.mean() for d in differences])
    scale = np.ptp(means) + max(d.std() for d in differences) / 2
    u, quantiles = np.linspace(-6, 6, 91), (np.arange(nodes) + 0.5) / nodes
    centre, weight = means.mean() + scale * np.sinh(u) / 30, np.cosh(u)
    a, b = np.meshgrid(np.linspace(0.5, 5, 30), np.linspace(0.05, 0.15, 30))
    won = np.zeros(3)
    for log_excess in np.linspace(np.log(0.05), np.log(150), 9):
        excess = np.exp(log_excess)
        prior = stats.gamma.pdf(excess, a, scale=1 / b).mean() * excess
        of_spread = stats.t.ppf(quantiles, 1 + excess)
        for spread in scale * np.exp(np.linspace(-5, 5, 31)):
            density = prior * spread * weight
            for d, ratio in zip(differences, overlap, strict=True):
                n, rho = len(d), ratio / (1 + ratio)
                error = np.sqrt(d.var() * n / (1 - rho) * (1 + (n - 1) * rho) / n / (n - 2))
                if error > spread:
                    at = (centre[:, None] + spread * of_spread - d.mean()) / error
                    density = density * stats.t.pdf(at, n - 2).mean(axis=1) / error
                else:
                    at = (d.mean() + error * stats.t.ppf(quantiles, n - 2) - centre[:, None]) / spread
                    density = density * stats.t.pdf(at, 1 + excess).mean(axis=1) / spread
            below = stats.t.cdf((-ROPE - centre) / spread, 1 + excess)
            above = stats.t.sf((ROPE - centre) / spread, 1 + excess)
            won += np.bincount(np.argmax([below, 1 - below - above, above], axis=0), density, minlength=3)
    return won / won.sum()


def test_posterior_is_that_of_the_model():
    rng = np.random.default_rng(5)
    differences = [rng.normal(shift, 0.03, 8) for shift in (0.0, 0.03, 0.01, 0.02)]
    overlap = np.array([0.4, 0.0, 0.4, 0.4])
    assert one_pair(differences, overlap) == pytest.approx(by_integration(differences, overlap), abs=0.02)


def test_what_is_clear_is_found_in_every_direction(rng):
    noise = [rng.normal(0.0, 0.002, 10) for _ in range(8)]
    below, inside, above = (one_pair([d + shift for d in noise]) for shift in (-0.05, 0.0, 0.05))
    assert (below[0], inside[1], above[2]) > (0.99, 0.99, 0.99)
    assert below == pytest.approx(above[::-1], abs=0.01)


def test_a_noisy_data_set_counts_less_than_a_sure_one(rng):
    sure = [rng.normal(0.03, 0.002, 10) for _ in range(4)]
    noise = rng.normal(0.0, 1.0, 10)
    assert one_pair([*sure, noise - noise.mean() - 0.3])[2] > 0.9
    assert one_pair([*sure, np.full(10, -0.3) + noise / 1000])[2] < 0.9


def test_samples_that_replicates_share_make_it_less_sure(rng):
    differences = [0.02 + 0.04 * stats.zscore(rng.normal(size=10)) for _ in range(5)]
    assert one_pair(differences, np.full(5, 0.43))[2] < one_pair(differences)[2] - 0.02


def test_few_chains_say_the_same_of_many_data_sets(rng, monkeypatch):
    differences = [rng.normal(rng.normal(0.01, 0.02), 0.02, (1, 5)) for _ in range(120)]
    few = hierarchical(differences, np.zeros(120), ROPE, np.random.default_rng(1))
    monkeypatch.setattr(module, "FEW_DATA_SETS", 120)
    assert few == pytest.approx(hierarchical(differences, np.zeros(120), ROPE, np.random.default_rng(1)), abs=0.05)


def test_pairs_do_not_depend_on_each_other_and_equal_methods_are_equivalent(rng):
    differences = [np.stack([rng.normal(0.03, 0.01, 6), np.zeros(6)]) for _ in range(4)]
    first, equal = hierarchical(differences, np.zeros(4), ROPE, np.random.default_rng(0))
    assert first == pytest.approx(one_pair([d[0] for d in differences]), abs=0.02)
    assert equal[1] > 0.99
    assert np.isfinite([first, equal]).all()
