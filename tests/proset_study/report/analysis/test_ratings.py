import numpy as np
import pytest
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from tests.proset_study.report.made_up import made_up

from proset_study.report.analysis.ratings import beats, elo, normalised, ratings, resamples
from proset_study.report.analysis.statistics import PRIOR

N = 20


def rated(losses, **options):
    return {rating.method: rating for rating in ratings(made_up(losses, **options), seed=1)}


def test_a_method_that_wins_all_has_the_elo_of_its_odds():
    """20 wins, none lost, and one prior tie of weight 1/2: odds of 20.25 to 0.25, against each of two others alike."""
    losses = np.tile([0.1, 0.5, 0.5], (N, 1))
    found = rated(losses)
    assert found["proset"].elo == 1000.0
    rest = 1000.0 - 400 * np.log10(20.25 / 0.25)
    assert (found["knn"].elo, found["xgboost"].elo) == pytest.approx((rest, rest), abs=1e-3)
    assert next(iter(found)) == "proset"


def test_the_random_forest_has_1000_where_there_is_one(rng):
    found = rated(rng.random((N, 5)))
    forest = found["random_forest"]
    assert (forest.elo, forest.elo_low, forest.elo_high) == (1000.0, 1000.0, 1000.0)
    assert rated(rng.random((N, 4)))["proset"].elo == 1000.0
    assert [r.elo for r in found.values()] == sorted((r.elo for r in found.values()), reverse=True)


def test_elo_is_the_maximum_of_the_likelihood(rng):
    """The same fit by a generalized linear model of statsmodels."""
    wins = beats(rng.random((N, 4)) + 0.3 * np.arange(4)).sum(axis=0)
    i, j = np.triu_indices(4, 1)
    design = np.zeros((len(i), 4))
    design[np.arange(len(i)), i], design[np.arange(len(i)), j] = 1.0, -1.0
    counts = np.column_stack([wins[i, j], wins[j, i]]) + PRIOR / 2
    strength = np.append(0.0, GLM(counts, design[:, 1:], family=Binomial()).fit().params)
    assert elo(wins[None], 0)[0] == pytest.approx(1000 + 400 / np.log(10) * strength, abs=1e-4)


def test_ties_are_half_a_win_for_both():
    assert beats(np.array([[0.1, 0.1, 0.3]]))[0].tolist() == [[0, 0.5, 1], [0.5, 0, 1], [0, 0, 0]]


def test_the_normalised_score_is_1_for_the_best_and_0_from_the_median_on():
    scores = normalised(np.array([[0.1, 0.3, 0.2, 5.0, 0.4], [2.0, 1.0, 1.0, 1.0, 2.0]]))
    assert scores.tolist() == [[1.0, 0.0, 0.5, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0, 0.0]]
    found = rated(np.tile([0.1, 0.3, 0.2, 5.0, 0.4], (N, 1)))
    assert [found[m].normalised for m in ("proset", "xgboost", "knn")] == [1.0, 0.5, 0.0]
    assert (found["xgboost"].normalised_low, found["xgboost"].normalised_high) == (0.5, 0.5)


def test_intervals_resample_sources_not_data_sets(rng):
    """The data sets of a source are drawn together, so that fewer sources give wider intervals."""
    weights = resamples(np.array([0, 0, 0, 1, 2]), rng)
    assert weights[0].tolist() == [1.0] * 5
    assert (weights[1:, 0] == weights[1:, 2]).all()
    assert (weights[1:, 0] + weights[1:, 3:].sum(axis=1) == 3).all()
    by_source = np.repeat(rng.random((5, 5)), 4, axis=0)
    few, many = (rated(by_source, sources=s) for s in ([f"{i // 4}" for i in range(N)], None))
    widths = [
        [r.elo_high - r.elo_low for m, r in sorted(found.items()) if m != "random_forest"] for found in (few, many)
    ]
    assert np.mean(widths[0]) > 1.5 * np.mean(widths[1])


def test_ratings_are_the_same_every_time(rng):
    losses = rng.random((N, 4))
    assert rated(losses) == rated(losses)
