import numpy as np
import pytest
from tests.proset_study.report.made_up import made_up

from proset_study.report.analysis.battery import PROPERTIES
from proset_study.report.analysis.dependence import effects
from proset_study.report.analysis.pays import MAX_WORDS, sentences

N = 24
NOISE = np.linspace(0.02, 0.98, N)


def of(losses, **properties):
    battery = made_up(losses, noise=NOISE, **properties)
    return sentences(battery, effects(battery))


def test_where_the_control_and_where_a_rival_is_better_is_said_with_the_size(rng):
    """KNN is worse by 0.9 with noise and better by 0.5 without; logistic regression is worse by 1 everywhere."""
    losses = 0.8 + 0.01 * rng.normal(size=(N, 4))
    losses[:, 1] += np.where(NOISE > 0.5, 0.9, -0.5) + 0.1 * (NOISE - 0.5)
    losses[:, 2:] += 1.0
    overall, better, worse, pairs, others = of(losses, train_samples=rng.permutation(N))
    assert overall == (
        "proset has the lowest log-loss on 12 of 24 tables; each of 4 equal methods would have it on 6.0."
    )
    assert better.startswith("On tables with noise above 0.48, proset is better than the best other by 0.9")
    assert worse.startswith("On tables with noise up to 0.48, the best other is better than proset by 0.5")
    assert pairs == (
        "By signed ranks proset is better than 3 of 3 methods and worse than 0; 0 differences are not significant."
    )
    assert others.startswith("Nothing can be said about training rows, columns, classes, categorical columns and")
    assert "correlations are significant" in others


def test_a_rival_that_gains_without_getting_better_is_named(rng):
    """KNN is behind by 0.4 without noise, and by nothing where there is most of it."""
    losses = 0.5 + 0.001 * rng.normal(size=(N, 2))
    losses[:, 1] += 0.4 * (1 - NOISE)
    _, better, worse, *_ = of(losses)
    assert better.startswith("On tables with noise up to 0.48, proset is better than the best other by 0.3")
    assert worse == "With more noise the best other gains on proset, but is significantly better on neither half."
    _, better, worse, *_ = of(losses[:, ::-1])
    assert better == "With more noise proset gains on the best other, but is significantly better on neither half."
    assert worse.startswith("On tables with noise up to 0.48, the best other is better than proset by 0.3")


def test_an_advantage_with_less_of_a_property_is_no_gain_with_more(rng):
    losses = 0.5 + 0.001 * rng.normal(size=(N, 2))
    losses[:, 1] += 0.4 * NOISE
    _, better, worse, *_ = of(losses)
    assert better.startswith("On tables with noise above 0.48, proset is better than the best other by 0.3")
    assert worse == "Where a property matters, no rival is significantly better than proset on either half."
    _, better, *_ = of(losses[:, ::-1])
    assert better == "Where a property matters, proset is significantly better on neither half."


def test_without_effects_it_is_said_that_none_is_found(rng):
    overall, pairs, others = of(0.5 + 0.1 * rng.normal(size=(N, 4)))
    assert overall.endswith(" of 24 tables; each of 4 equal methods would have it on 6.0.")
    assert "better than 0 of 3 methods and worse than 0; 3 differences are not" in pairs
    assert others.startswith("Where it pays is not known: none of 4 correlations with ")
    assert "noise" in others


def test_a_single_difference_is_written_so(rng):
    losses = 0.5 + 0.01 * rng.normal(size=(N, 3))
    losses[:, 1] += 0.3
    assert of(losses)[-2].endswith("better than 1 of 2 methods and worse than 0; 1 difference is not significant.")
    losses[:, 1] -= 0.6
    assert " better than 0 of 2 methods and worse than 1; " in of(losses)[-2]


def test_few_sources_are_named():
    battery = made_up(np.linspace(0, 1, N * 3).reshape(N, 3), sources=[f"{i % 2}.csv" for i in range(N)])
    overall, *_, others = sentences(battery, effects(battery))
    assert overall.startswith("proset has the lowest log-loss on 24 of 24 tables; ")
    assert others == "With 2 sources nothing can be said about properties of the tables."


@pytest.mark.parametrize("control", ["proset", "proset_on_forest", "set_cover_unlabelled"])
@pytest.mark.parametrize("name", PROPERTIES)
def test_every_sentence_has_less_than_25_words(control, name, rng):
    values = np.linspace(0.01, 0.99, N) if name not in ("train_samples", "columns", "classes") else np.arange(N) + 1000
    losses = 0.5 + 0.001 * rng.normal(size=(N, 4))
    losses[:, 1] += np.where(values > np.median(values), 0.2, -0.2)
    methods = (control, "set_covering_machine_lp", "hist_gradient_boosting", "proset_on_logistic")
    battery = made_up(losses, methods, **{name: values})
    found = sentences(battery, effects(battery))
    assert len(found) == 5
    assert "set covering machine" in found[1]
    for sentence in found:
        assert 5 < len(sentence.split()) < MAX_WORDS, sentence
        assert sentence.endswith(".")
