from itertools import product

import numpy as np
import pytest
from scipy import stats

from proset_study.report.analysis import statistics

# Table 6 of Demsar (2006): AUC of four variants of C4.5 on 14 data sets; on the last but one the third is ahead of the
# fourth by less than is printed.
DEMSAR = 1 - np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.97501, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_ranks_and_friedman_of_demsars_example():
    """He gives 9.28 without the correction for ties; ties are two of two, one of two of three, one of all four."""
    assert statistics.rank(DEMSAR).mean(axis=0) == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    n, k = DEMSAR.shape
    tied = [np.unique(row, return_counts=True)[1] for row in statistics.rank(DEMSAR)]
    correction = 1 - sum((t**3 - t).sum() for t in tied) / (n * k * (k**2 - 1))
    assert correction < 1
    assert statistics.friedman(DEMSAR)["chi2"] * correction == pytest.approx(9.28, abs=5e-3)


def test_iman_and_davenports_f_is_that_of_an_analysis_of_variance_of_the_ranks():
    ranks = statistics.rank(DEMSAR)
    n, k = ranks.shape
    between = n * ((ranks.mean(axis=0) - ranks.mean()) ** 2).sum()
    rest = ((ranks - ranks.mean(axis=1, keepdims=True)) ** 2).sum() - between
    found = statistics.friedman(DEMSAR)
    assert found["f"] == pytest.approx((between / (k - 1)) / (rest / ((k - 1) * (n - 1))))
    assert found["f_p"] == pytest.approx(stats.f.sf(found["f"], 3, 39))


def test_friedman_where_all_data_sets_agree_and_where_all_methods_are_equal():
    same = statistics.friedman(np.tile([0.1, 0.2, 0.3], (6, 1)))
    assert (same["chi2"], same["f"], same["f_p"]) == (pytest.approx(12.0), np.inf, 0.0)
    assert statistics.friedman(np.tile([[0.1], [0.2]], (3, 4)))["f_p"] == 1.0


@pytest.mark.parametrize(("n", "k", "expected"), [(14, 4, 1.25), (30, 5, 1.11), (10, 2, 0.62)])
def test_critical_differences_from_printed_quantiles(n, k, expected):
    """1.25 is Demsar's; the others follow from his table of q: 2.728 for 5 methods, 1.960 for 2."""
    assert statistics.critical_difference(n, k) == pytest.approx(expected, abs=5e-3)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1, 2, 3, 4, 5, -6], 2 * 14 / 64),  # of 64 signs 14 have a sum of negative ranks of at most 6
        ([0.5, 0.1, 0.2, 0.3, 0.4, 0.6], 2 / 64),
        ([1, 2, 3, 4, 5, -6, 0, 0], 2 * 14 / 64),
        ([0, 0, 0], 1.0),
    ],
)
def test_signed_rank_by_hand(differences, p):
    assert statistics.signed_rank(np.array(differences)) == pytest.approx(p)


def test_signed_rank_with_ties_by_enumeration():
    """Demsar's first two columns; he finds R- = 12 with zeros shared out, significant at 0.05."""
    differences = DEMSAR[:, 0] - DEMSAR[:, 1]
    nonzero = np.round(differences[np.abs(differences) > 1e-9], 3)
    ranks = stats.rankdata(np.abs(nonzero))
    sums = np.array(list(product([-1, 1], repeat=len(ranks)))) @ ranks
    expected = np.mean(np.abs(sums) >= abs(ranks @ np.sign(nonzero)))
    assert len(np.unique(ranks)) < len(ranks) == 12
    assert expected < 0.05
    assert statistics.signed_rank(differences) == pytest.approx(expected)


def test_the_smallest_p_is_that_of_equal_signs():
    assert statistics.smallest_p(11) == pytest.approx(statistics.signed_rank(np.arange(1, 12)))


def test_holm_by_hand():
    assert statistics.holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert statistics.holm([0.5, 0.6]) == [1.0, 1.0]


def test_bayesian_signed_rank_from_the_definition():
    rng = np.random.default_rng(1)
    differences, weights = rng.normal(0.02, 0.05, 7), statistics.dirichlet_weights(7, rng)[:300]
    wins = [0, 0, 0]
    for w in weights:
        mass = [0.0, 0.0, 0.0]
        for (a, x), (b, y) in product(zip(w, [0.0, *differences], strict=True), repeat=2):
            mean = (x + y) / 2
            mass[0 if mean < -0.01 else 2 if mean > 0.01 else 1] += a * b
        wins[int(np.argmax(mass))] += 1
    assert statistics.bayesian_signed_rank(differences, 0.01, weights) == pytest.approx(np.array(wins) / 300)


def test_bayesian_signed_rank_turns_round_with_the_methods():
    rng = np.random.default_rng(2)
    differences, weights = rng.normal(0.02, 0.05, 9), statistics.dirichlet_weights(9, rng)
    below, inside, above = statistics.bayesian_signed_rank(differences, 0.01, weights)
    assert statistics.bayesian_signed_rank(-differences, 0.01, weights) == (above, inside, below)
    assert statistics.bayesian_signed_rank(0 * differences, 0.01, weights) == (0.0, 1.0, 0.0)


def test_bayesian_signed_rank_of_many_data_sets_is_that_of_all_pairs(monkeypatch):
    rng = np.random.default_rng(3)
    differences = np.round(rng.normal(0.008, 0.012, 150), 3)  # with ties, and means at the ends of the region
    weights = statistics.dirichlet_weights(150, rng)
    assert weights.shape == (2_000, 151)
    found = statistics.bayesian_signed_rank(differences, 0.01, weights)
    monkeypatch.setattr(statistics, "FEW_DATA_SETS", 150)
    assert found == statistics.bayesian_signed_rank(differences, 0.01, weights)
    assert found[1] > 0


@pytest.mark.parametrize("n", [3, 11, 40])
def test_power_of_the_equivalence_test_is_that_of_a_simulation(n):
    differences = np.random.default_rng(0).normal(0.0, 0.019, (20_000, n))
    tests = [
        stats.ttest_1samp(differences, sign * 0.01, axis=1, alternative=alternative)
        for sign, alternative in ((-1, "greater"), (1, "less"))
    ]
    passed = np.maximum(*(test.pvalue for test in tests)) < statistics.ALPHA
    assert statistics.equivalence_power(0.019, n, 0.01) == pytest.approx(passed.mean(), abs=0.01)


def test_detectable_shift_where_only_equal_signs_reject():
    """With six data sets 0.05 needs six equal signs: Phi(shift)^6 = 0.8."""
    shift = statistics.detectable_shift(6, 0.05, np.random.default_rng(0))
    assert shift == pytest.approx(stats.norm.ppf(0.8 ** (1 / 6)), abs=0.1)
    assert statistics.detectable_shift(5, 0.05, np.random.default_rng(0)) is None


def test_likeness_by_hand():
    ranks = np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1]])
    found = statistics.likeness(ranks, ["xor", "xor", "wine"])
    assert found == pytest.approx({"alike_within": 1.0, "alike_between": -1.0, "effective": 9 / 5})
    different = statistics.likeness(ranks, ["xor", "wine", "xor"])  # less alike within: no more than three
    assert different["effective"] == 3
