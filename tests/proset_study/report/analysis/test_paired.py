from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from proset_study.report.analysis.paired import MIN_REPLICATES, Mean, among_the_best, mean_difference


def by_replicate(values):
    return dict(enumerate(values))


def test_independent_replicates_have_the_ordinary_t_test(rng):
    differences = rng.normal(0.1, 0.2, 10)
    mean = mean_difference(differences.tolist())
    test = stats.ttest_1samp(differences, 0)
    assert mean.p() == pytest.approx(test.pvalue)
    assert mean.interval(0.9) == pytest.approx(test.confidence_interval(0.9))
    assert mean.above(0.05) == pytest.approx(stats.ttest_1samp(differences, 0.05, alternative="greater").pvalue)


def test_overlap_widens_the_error():
    differences = [0.1, 0.2, 0.4, 0.3]
    assert mean_difference(differences, 0.5).error == pytest.approx(np.sqrt(1 / 4 + 0.5) * np.std(differences, ddof=1))


def test_equivalent_if_the_90_percent_interval_is_inside_the_margin(rng):
    for shift in (0.0, 0.004, 0.02):
        mean = mean_difference(rng.normal(shift, 0.01, 10).tolist())
        low, high = mean.interval(0.9)
        for margin in (0.002, 0.01, 0.05):
            assert (mean.equivalence(margin) < 0.05) == (-margin < low and high < margin)


def test_small_p_values_are_those_of_the_other_side():
    for value in (1.0, -1.0):
        mean = Mean(value, 0.01, 9)
        assert mean.p() == pytest.approx(2 * stats.t.sf(100, 9), rel=1e-9)
        assert mean.above(2 * value) + mean.below(2 * value) == pytest.approx(1)
    assert Mean(0.0, 0.01, 9).equivalence(1.0) == pytest.approx(stats.t.sf(100, 9), rel=1e-9)


def test_differences_without_any_spread():
    assert (Mean(0.0, 0.0, 9).p(), Mean(0.0, 0.0, 9).equivalence(0.01)) == (1.0, 0.0)
    assert (Mean(0.1, 0.0, 9).p(), Mean(0.1, 0.0, 9).equivalence(0.01)) == (0.0, 1.0)


def test_among_the_best_are_those_that_no_test_tells_from_it():
    best = [0.10, 0.12, 0.11, 0.13, 0.12]
    near = [0.12, 0.11, 0.12, 0.12, 0.13]
    far = [value + 0.2 + 0.01 * i for i, value in enumerate(best)]
    losses = {"best": by_replicate(best), "near": by_replicate(near), "far": by_replicate(far)}
    assert among_the_best(losses, 0.4) == {"best", "near"}
    once = {"once": {0: 0.01}}  # one replicate cannot be tested and does not take the others' replicates away
    assert among_the_best({**losses, **once}, 0.4) == {"best", "near"}
    assert among_the_best({"best": losses["best"], **once}, 0.4) == set()
    for n in (1, MIN_REPLICATES - 1):  # nearly everything would be, however far it is
        fewer = {method: by_replicate(list(values.values())[:n]) for method, values in losses.items()}
        assert among_the_best(fewer, 0.4) == set()


def test_the_truly_best_is_among_the_best_as_often_as_promised(rng):
    """All methods equal: every one of them is a best one, and has to be in the set in 95 % of the studies."""
    studies = 400
    kept = fmean(
        "m0" in among_the_best({f"m{i}": by_replicate(rng.normal(0.5, 0.1, 10)) for i in range(5)}, 0.0)
        for _ in range(studies)
    )
    assert kept > 0.95 - 2 * np.sqrt(0.05 * 0.95 / studies)
