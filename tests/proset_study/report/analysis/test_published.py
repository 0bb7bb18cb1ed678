from dataclasses import replace

import pytest
from tests.proset_study.report.analysis.stored_rows import stored_rows
from tests.proset_study.report.conftest import PUBLISHED, published_rows

from proset_study.report.analysis.published import Agreement, agreement, allowed_range, summary
from proset_study.store.results import read_rows, with_role, write_rows


def ours(changes=None, replicate=0, of=lambda row: True):
    """Our rows: the published numbers themselves, with some of them changed."""
    rows = [replace(row, replicate=replicate) for row in published_rows() if of(row)]
    return [replace(row, value=(changes or {}).get(place(row), row.value)) for row in rows]


def place(row):
    return row.experiment, row.dataset, row.section, with_role(row.quantity, row.role)


def stored(*rows):
    return stored_rows([row for group in rows for row in group], [0, 1])


def cell(cells, *key):
    (found,) = (c for c in cells if place(c) == key)
    return found


def test_the_published_numbers_agree_with_themselves():
    cells = agreement(stored(ours()), PUBLISHED)
    assert len(cells) == 1351
    assert {c.within for c in cells} == {"yes", ""}
    assert all(c.difference == 0 for c in cells if c.ours is not None)
    *by_experiment, everything = summary(cells)
    assert [row.experiment for row in by_experiment] == [f"E{i}" for i in range(1, 13)]
    assert (everything.within, everything.compared, everything.missing) == (207, 207, 0)
    assert everything.repeated is None


@pytest.mark.parametrize(
    ("key", "value", "within"),
    [
        (("E3", "wine", "final", "roc_auc"), 0.976, "yes"),  # published 1.00; prints as 0.98
        (("E3", "wine", "final", "roc_auc"), 0.974, "no"),
        (("E3", "digits", "final", "balanced_accuracy"), 0.934, "yes"),  # published 0.97
        (("E3", "digits", "final", "balanced_accuracy"), 0.924, "no"),
        (("E3", "digits", "final", "active_features"), 21, "yes"),  # published 18: 3.6 more or less
        (("E3", "digits", "final", "active_features"), 22, "no"),
        (("E3", "digits", "final", "prototypes"), 266, "no"),  # published 533
        (("E3", "digits", "final", "prototypes"), 1066, "yes"),
        (("E3", "digits", "data", "test_samples"), 541, "no"),
    ],
)
def test_tolerances(key, value, within):
    assert cell(agreement(stored(ours({key: value})), PUBLISHED), *key).within == within


def test_log_loss_may_differ_by_the_larger_of_three_hundredths_and_the_standard_error():
    theirs = {row.key: row.value for row in published_rows()}
    for key, value in theirs.items():
        if key[4:] != ("final", "", "log_loss"):
            continue
        stage = "cv" if key[1] == "knn" else "stage2"
        error = theirs[(*key[:4], stage, "", "threshold")] - theirs[(*key[:4], stage, "optimal", "log_loss")]
        low, high = allowed_range(key, value, theirs)
        assert (value - low, high - value) == (pytest.approx(max(0.03, error)),) * 2


def test_chosen_parameters_are_shown_and_not_judged():
    key = ("E3", "wine", "stage1", "selected_lambda_v")
    found = cell(agreement(stored(ours({key: 0.5})), PUBLISHED), *key)
    assert (found.ours, found.within) == (0.5, "")


def test_what_was_not_run_of_an_experiment_is_missing():
    cells = agreement(stored(ours(of=lambda row: (row.experiment, row.dataset) != ("E9", "wine"))), PUBLISHED)
    found = {c.within for c in cells if (c.experiment, c.dataset) == ("E9", "wine") and c.published is not None}
    assert found == {"missing"}
    assert next(row for row in summary(cells) if row.experiment == "E9").missing == 3


def test_experiments_that_are_not_in_the_study_are_not_listed():
    assert {c.experiment for c in agreement(stored(ours(of=lambda row: row.experiment == "E8")), PUBLISHED)} == {"E8"}
    mine = [replace(row, experiment="mine") for row in ours(of=lambda row: row.experiment == "E8")]
    assert agreement(stored(mine), PUBLISHED) == []


def test_mean_and_deviation_over_replicates():
    key = ("E3", "wine", "final", "log_loss")
    rows = ours({key: 0.1}), ours({key: 0.3}, replicate=1)
    found = cell(agreement(stored(*rows), PUBLISHED), *key)
    assert (found.ours, found.replicates) == (0.1, 2)
    assert found.mean == pytest.approx(0.2)
    assert found.standard_deviation == pytest.approx(0.02**0.5)


@pytest.mark.parametrize(
    ("values", "published_by_chance", "repeated"),
    [
        ((0.10, 0.12, 0.11, 0.10, 0.12), "yes", 1.0),
        ((0.30, 0.31, 0.30, 0.31, 0.30), "no", 1.0),
        ((0.05, 0.30, 0.31, 0.05, 0.30), "yes", 8 / 20),
        ((0.30, 0.31, 0.30), "", 1.0),  # too few to tell
    ],
)
def test_published_numbers_against_the_spread_of_replicates(values, published_by_chance, repeated):
    key = ("E3", "wine", "final", "log_loss")  # published 0.10, tolerance 0.08
    groups = [ours({key: value}, replicate=r) for r, value in enumerate(values)]
    cells = agreement(stored(*groups), PUBLISHED)
    found = cell(cells, *key)
    assert found.chance == published_by_chance
    assert found.repeated == pytest.approx(repeated)


def test_two_runs_agree_on_prototypes_within_a_factor_of_two():
    key = ("E3", "wine", "final", "prototypes")  # published 23
    groups = [ours({key: value}, replicate=r) for r, value in enumerate((10, 19, 21, 45))]
    found = cell(agreement(stored(*groups), PUBLISHED), *key)
    assert found.repeated == pytest.approx(4 / 12)  # 10 and 19, 19 and 21, in both orders; 21 and 45 are further apart


def test_the_file_has_a_line_for_every_published_number_and_is_read_as_it_was_written(tmp_path):
    both = stored(ours(), ours(replicate=1))
    write_rows(tmp_path / "c.csv", agreement(both, PUBLISHED), Agreement)
    found = read_rows(tmp_path / "c.csv", Agreement)
    assert len(found) == 1351
    shown = ("key", "published", "ours", "within", "chance", "repeated", "replicates")
    for number, again in zip(agreement(both, PUBLISHED), found, strict=True):
        assert [getattr(number, name) for name in shown] == [getattr(again, name) for name in shown]
