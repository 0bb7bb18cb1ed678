from dataclasses import fields

import numpy as np
import pytest
from tests.proset_study.small_study import WithLosses

from proset.losses import log_loss
from proset_study.report.analysis.variance import Noise, components, noise, variance_rows
from proset_study.store.results import Row, by_fit_seed, read_rows, write_rows


def row_of(rows, experiment, data_set, score="log-loss"):
    (row,) = (r for r in rows if (r.experiment, r.dataset, r.score) == (experiment, data_set, score))
    return row


def test_components_are_unbiased():
    """Means over simulated layouts, within five standard errors."""
    rng = np.random.default_rng(0)
    n, r, s, splits, seeds = 1000, 6, 4, 2.0, 3.0
    drawn = rng.normal(0, np.sqrt(splits), (n, r, 1)) + rng.normal(0, np.sqrt(seeds), (n, r, s))
    found = [components(scores.tolist()) for scores in drawn]
    within = np.array([c.seeds for c in found])
    between = np.array([c.of_means for c in found]) - within / s  # before it is set to 0
    for values, true in ((within, seeds), (between, splits)):
        assert abs(values.mean() - true) < 5 * values.std() / np.sqrt(n)
    assert [c.truncated for c in found] == (between < 0).tolist()
    assert [c.splits for c in found] == pytest.approx(np.maximum(between, 0.0))


def test_rows_have_the_scores_of_every_fit(stored):
    final = stored.final("E3", "cross")
    losses = [log_loss(p, final.y, final.weight) for p in final.probabilities_of_fits]
    assert len(losses) == 3
    row = row_of(variance_rows(stored), "E3", "cross")
    assert (row.replicates, row.fit_seeds, row.between_splits, row.standard_error) == (1, 3, None, None)
    assert row.mean == pytest.approx(np.mean(losses))
    assert row.between_seeds == pytest.approx(np.std(losses, ddof=1))
    assert row.between_seeds > 0
    neighbours = row_of(variance_rows(stored), "E8", "cross")
    assert (neighbours.fit_seeds, neighbours.between_seeds) == (1, None)


def test_over_two_replicates(stored):
    two = WithLosses(stored, lambda row, replicate: row.value + 0.1 * replicate, range(2))
    row, single = (row_of(variance_rows(s), "E3", "flowers") for s in (two, stored))
    assert row.mean == pytest.approx(single.mean + 0.05)
    assert row.between_seeds == pytest.approx(single.between_seeds)
    of_means = 0.1**2 / 2
    assert row.between_splits**2 == pytest.approx(max(0.0, of_means - single.between_seeds**2 / 3))
    assert row.one_fit**2 == pytest.approx(row.between_splits**2 + row.between_seeds**2)
    assert row.standard_error**2 == pytest.approx((1 / 2 + row.overlap) * of_means)
    assert row.overlap > 0


def test_rows_without_refits_carry_the_values_of_all_seeds():
    names = (0, "E3", "proset", "cross", "")
    rows = [
        Row(*names, section, "log_loss", value, fit_seed=seed)
        for section, value, seed in (("final", 0.5, 0), ("stage2", 0.4, 0), ("final", 0.7, 1), ("final", 0.6, 2))
    ]
    assert list(by_fit_seed(rows)) == [(rows[0], [0.5, 0.7, 0.6]), (rows[1], [0.4])]


def test_files_and_front_page(stored, tmp_path):
    write_rows(tmp_path / "variance.csv", variance_rows(stored), Noise)
    lines = (tmp_path / "variance.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",") == [field.name for field in fields(Noise)]
    assert len(lines) == 1 + len(variance_rows(stored))
    assert {(r.method, r.score) for r in noise(stored)} == {
        (method, "log-loss") for method in ("proset", "knn", "xgboost")
    }
    assert {r.fit_seed for r in read_rows(stored.folder / "replicate_0/E3.csv", Row)} == {0, 1, 2}
