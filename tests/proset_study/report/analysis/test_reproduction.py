from dataclasses import replace
from functools import cache

import pytest
from tests.proset_study.report.analysis.stored_rows import stored_rows
from tests.proset_study.report.conftest import PUBLISHED, published_rows

from proset_study.report.analysis.published import agreement
from proset_study.report.analysis.reproduction import power_in_words, reproduction

SPREAD = (-0.02, -0.01, 0.0, 0.01, 0.02)


def stored(shift):
    """Our rows: the published numbers in five replicates with some spread, and shifted by data set."""
    rows = [
        replace(row, replicate=r, value=row.value + (SPREAD[r] - shift(row) if is_loss(row) else 0.0))
        for r in (0, 1, 2, 3, 4)
        for row in published_rows()
        if row.value is not None
    ]
    return stored_rows(rows, [0, 1, 2, 3, 4])


def replicated(shift):
    return {row.what: row for row in reproduction(stored(shift), PUBLISHED)}


@cache
def as_published():
    """What is found if ours are the published numbers, but for their spread."""
    return replicated(lambda row: 0.0)


def is_loss(row):
    return (row.section, row.name) == ("final", "log_loss")


def test_small_differences_are_equivalent_and_large_ones_are_not():
    near = replicated(lambda row: 0.002 if row.dataset == "wine" else 0.0)["log-loss, published minus ours"]
    assert near.of == 11
    assert near.value == pytest.approx(0.002 / 11)
    assert -0.01 < near.low < near.value < near.high < 0.01
    assert near.p < 0.05
    far = replicated(lambda row: 0.03 if row.dataset == "wine" else 0.02)
    assert far["log-loss, published minus ours"].p > 0.95
    assert far["log-loss, published minus ours, wine"].value == pytest.approx(0.03)


def test_the_power_of_the_equivalence_test_stands_beside_it():
    of_one = replicated(lambda row: 0.066 if row.dataset == "wine" else 0.0)  # a deviation of 0.066 / sqrt(11)
    power = of_one["probability that the equivalence test passes, if there is no difference"]
    assert (power.of, round(power.value, 3)) == (11, 0.087)
    assert of_one["data sets with which that would be 80 %"].found == 36
    precise = replicated(lambda row: 0.001 if row.dataset == "wine" else 0.0)
    assert precise["data sets with which that would be 80 %"].found == 2
    hopeless = agreement(stored(lambda row: 5.0 if row.dataset == "wine" else 0.0), PUBLISHED)
    assert power_in_words(hopeless).endswith("; 80 % would take 1,000 or more data sets.")


def test_data_sets_count_once_whatever_the_number_of_their_scores():
    found = replicated(lambda row: 0.01 if row.experiment == "E1" and row.dataset == "wine" else 0.0)
    wine = found["log-loss, published minus ours, wine"]
    assert wine.value == pytest.approx(0.01 / wine.of)
    assert found["log-loss, published minus ours"].value == pytest.approx(wine.value / 11)


def test_counts_of_the_published_numbers_themselves():
    found = as_published()
    inside = found["test scores in the 95 % prediction interval"]
    assert inside.found == inside.of == 207
    assert found["test scores within the tolerance"].found == 207
    assert found["numbers of prototypes within a factor of 2"].found == 47
    outside = replicated(lambda row: 0.5 if row.experiment == "E9" else 0.0)
    assert outside["test scores in the 95 % prediction interval"].found == 207 - 6
    assert outside["test scores within the tolerance"].found == 207 - 6


def test_the_tolerance_is_asked_about_other_experiments():
    found = replicated(lambda row: SPREAD[0])  # the first replicate is what is published
    foil = found["test scores of our E8 within the tolerance of E3"]
    assert foil.of == 18
    assert 0 < foil.found < 18


def test_the_intervals_are_asked_about_other_methods():
    found = as_published()  # proset's own published scores are its means
    what = "published {} scores in the prediction interval of our {}"
    own = found[what.format("proset", "proset")]
    assert own.found == own.of == 33
    for other in ("KNN", "XGBoost"):
        foil, on_real, on_generated = (
            found[what.format(other, "proset") + kind] for kind in ("", ", real data", ", generated data")
        )
        assert (foil.of, on_real.of, on_generated.of) == (33, 12, 21)
        assert 0 < foil.found == on_real.found + on_generated.found < 33
    assert found[what.format("E4", "E1")].of == 18
    far = replicated(lambda row: 0.5 if row.experiment in ("E3", "E10") else 0.0)
    losses = far[what.format("proset", "proset")]
    assert losses.found == 22  # all but the log-losses


def test_intervals_need_five_replicates():
    few = [replace(row, replicate=r) for r in (0, 1) for row in published_rows() if row.value is not None]
    whats = [row.what for row in reproduction(stored_rows(few, [0, 1]), PUBLISHED)]
    assert whats
    assert not [what for what in whats if "prediction interval" in what]
