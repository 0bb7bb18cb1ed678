from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from tests.proset_study.report.made_up import made_up

from proset_study.report.analysis.battery import BEST
from proset_study.report.analysis.dependence import (
    BETTER,
    MIN_SIDE,
    UNCLEAR,
    WORSE,
    between_properties,
    effects,
    interval,
    rank_correlation,
    varied,
)

N = 30


def properties(rng, n=N):
    """All of them at random; half of the tables have no categories, and two thirds two classes."""
    return {
        "train_samples": rng.integers(100, 5000, n),
        "columns": rng.integers(2, 100, n),
        "classes": np.where(rng.random(n) < 0.6, 2, rng.integers(3, 10, n)),
        "noise": rng.random(n),
        "categorical": np.where(rng.random(n) < 0.5, 0.0, rng.random(n)),
        "missing": np.where(rng.random(n) < 0.4, 0.0, rng.random(n) / 10),
    }


def losses(rng, n=N, methods=5):
    return 0.5 + 0.05 * rng.normal(size=(n, methods))


def found(battery, rival, name):
    (effect,) = [e for e in effects(battery) if (e.rival, e.property) == (rival, name)]
    return effect


def test_an_effect_of_noise_is_found_with_its_direction_and_size(rng):
    """The control is better than KNN by 0.4 where there is most noise, worse by 0.4 where there is none."""
    tables, made = properties(rng), losses(rng)
    made[:, 1] += 0.8 * (tables["noise"] - 0.5)
    effect = found(made_up(made, **tables), "knn", "noise")
    assert effect.state == BETTER
    assert effect.high < 0
    above = tables["noise"] > effect.split
    assert (above == (tables["noise"] > np.median(tables["noise"]))).all()
    assert effect.above == pytest.approx((made[:, 0] - made[:, 1])[above].mean(), abs=1e-6)
    assert effect.above_high < 0 < effect.up_to_low
    ends = stats.ttest_1samp((made[:, 0] - made[:, 1])[above], 0).confidence_interval(0.95)
    assert (effect.above_low, effect.above_high) == pytest.approx(tuple(ends), abs=1e-6)


def test_the_other_direction_is_found_as_well(rng):
    tables, made = properties(rng), losses(rng)
    made[:, 0] += 2.0 * np.log10(tables["train_samples"])
    assert found(made_up(made, **tables), BEST, "train_samples").state == WORSE


def test_no_effect_is_not_significant():
    """Intervals of a family hold together: at most one study in twenty has an effect, whatever the number of rivals."""
    with_any = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        rows = effects(made_up(losses(rng, 20), **properties(rng, 20)))
        families = [[row for row in rows if (row.rival == BEST) == is_best] for is_best in (True, False)]
        with_any.append([any(row.state != UNCLEAR for row in family) for family in families])
    assert (np.mean(with_any, axis=0) <= 0.1).all()


def test_data_sets_of_one_source_count_as_one(rng):
    """Twenty copies of one data set say no more than one of them."""
    tables, made = properties(rng, 12), losses(rng, 12)
    copies = np.r_[np.zeros(19, int), np.arange(12)]
    sources = [f"{i}.csv" for i in copies]
    alone = made_up(made, **tables)
    repeated = made_up(made[copies], sources=sources, **{name: values[copies] for name, values in tables.items()})
    one, other = (found(battery, "knn", "noise") for battery in (alone, repeated))
    assert (one.sources, other.sources, other.data_sets) == (12, 12, 31)
    assert other.high - other.low == pytest.approx(one.high - one.low, abs=0.3)
    assert other.high - other.low > 1.0


def test_intervals_are_wider_where_more_is_asked(rng):
    """Of the best of the others the properties alone, of single rivals those of all rivals together."""
    battery = made_up(losses(rng), **properties(rng))
    for rival, number in ((BEST, 6), ("knn", 24)):
        effect = found(battery, rival, "columns")
        width = stats.norm.isf(0.025 / number)
        assert (effect.low, effect.high) == pytest.approx(interval(effect.correlation, N, width))


def test_chance_is_rarely_called_an_effect_with_nine_sources_or_more():
    """By all orders of a property with two values, the worst case."""
    for n in range(6, 13):
        weight = np.full(n, 1 / n)
        by_side = []
        for side in range(MIN_SIDE, n // 2 + 1):
            made = [1.0 * np.isin(np.arange(n), above) for above in combinations(range(n), side)]
            ends = [interval(rank_correlation(values, np.arange(n), weight), n, 1.96) for values in made]
            by_side.append(np.mean([low > 0 or high < 0 for low, high in ends]))
        assert max(by_side) <= (0.1 if n < 9 else 0.05)


def test_the_correlation_is_that_of_spearman(rng):
    a, b = rng.normal(size=20), rng.integers(0, 4, 20)
    assert rank_correlation(a, b, np.full(20, 1 / 20)) == pytest.approx(stats.spearmanr(a, b).statistic)
    assert rank_correlation(a, np.ones(20), np.full(20, 1 / 20)) == 0.0


def test_a_property_that_hardly_varies_is_left_out(rng):
    tables = properties(rng)
    tables["missing"] = np.r_[0.1, 0.2, np.zeros(N - 2)]
    del tables["classes"]
    battery = made_up(losses(rng), **tables)
    assert varied(battery) == ["train_samples", "columns", "noise", "categorical"]


def test_with_few_sources_nothing_is_tested(rng):
    sources = [f"{i % 5}.csv" for i in range(N)]
    assert effects(made_up(losses(rng), sources=sources, **properties(rng))) == []


def test_properties_that_go_together_are_named(rng):
    tables = properties(rng)
    tables["columns"] = 2 * tables["train_samples"]
    pairs = {(a.first, a.second): a.correlation for a in between_properties(made_up(losses(rng), **tables))}
    assert pairs["train_samples", "columns"] == pytest.approx(1.0)
    assert abs(pairs["train_samples", "noise"]) < 0.6
    assert len(pairs) == 15
