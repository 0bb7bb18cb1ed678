"""Published numbers next to ours, as the page shows them."""

from tests.shared import ROOT

from proset_study.report.analysis.published import Agreement
from proset_study.report.article.study import STUDY
from proset_study.report.rows import pick
from proset_study.report.site.reproduction import by_experiment, failing, outside, strips
from proset_study.store.results import read_rows
from proset_study.study import layout


def test_a_published_loss_is_outside_of_its_bar_where_the_records_say_so():
    numbers = read_rows(ROOT / STUDY / layout.COMPARISON, Agreement)
    found = strips(numbers)
    every = [strip for rows in found.values() for strip in rows]
    assert len(every) > 50
    losses = [n for n in pick(numbers, section="final", quantity="log_loss") if n.chance]
    assert sum(not strip.is_inside for strip in every) == len(pick(losses, chance="no"))
    for strip in every:
        assert 0 <= strip.low <= strip.mean <= strip.high <= 100
        assert strip.is_inside or not strip.low <= strip.published <= strip.high
    # Published numbers are rounded to two decimals, which may carry one over the end of a bar.
    assert sum(strip.low <= strip.published <= strip.high for strip in every) > 0.85 * len(every)


def test_tables_have_what_the_comparison_has():
    numbers = read_rows(ROOT / STUDY / layout.COMPARISON, Agreement)
    assert len(outside(numbers)) - 1 == len(pick(numbers, is_test_score=True, chance="no"))
    *_, (name, within, compared, _) = by_experiment(numbers)
    assert (name, int(within)) == ("all", len(pick(numbers, is_test_score=True, within="yes")))
    assert int(within) < int(compared)


def test_findings_that_fail_say_where_and_why():
    found = failing(ROOT)
    assert found
    assert all(text and where and evidence for text, where, evidence in found)
