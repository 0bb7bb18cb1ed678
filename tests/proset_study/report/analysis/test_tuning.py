import numpy as np
import pytest
from tests.proset_study.report.made_up import made_up

from proset_study.report.analysis.tuning import gains_of

N = 14


def test_ranks_are_side_by_side_and_the_gain_is_that_of_tuning():
    before = np.tile([0.6, 0.5, 0.4], (N, 1)) + 0.01 * np.arange(N)[:, None]
    after = before - np.array([0.3, 0.0, 0.1])
    rows = gains_of(made_up(after, name="tuned"), made_up(before, name="defaults"))
    assert [(row.method, row.rank_tuned, row.rank_defaults) for row in rows] == [
        ("proset", 1.5, 3.0),
        ("xgboost", 1.5, 1.0),
        ("knn", 3.0, 2.0),
    ]
    assert [(row.tuned, row.defaults, row.data_sets) for row in rows] == [("tuned", "defaults", N)] * 3
    assert [row.gain for row in rows] == pytest.approx([0.3, 0.1, 0.0])
    assert (rows[0].low, rows[0].high) == pytest.approx((0.3, 0.3))


def test_methods_and_data_sets_of_both_count_only(rng):
    tuned = made_up(rng.random((N, 4)), name="tuned")
    defaults = made_up(rng.random((N + 3, 3)), name="defaults")
    rows = gains_of(tuned, defaults)
    assert {row.method for row in rows} == {"proset", "knn", "xgboost"}
    assert {row.data_sets for row in rows} == {N}


def test_too_few_common_data_sets_are_not_compared(rng):
    assert gains_of(made_up(rng.random((11, 3))), made_up(rng.random((N, 3)))) == []


def test_the_interval_has_sources_as_units(rng):
    before, after = rng.random((N, 3)), rng.random((N, 3))
    sources = [f"{i // 7}.csv" for i in range(N)]
    rows = gains_of(made_up(after, sources=sources), made_up(before, sources=sources))
    assert {row.low for row in rows} == {None}  # two sources have no useful interval
