"""The data of the explorer, of the smallest report."""

from statistics import fmean

import pytest
from tests.shared import ROOT

from proset_study.report.article.topics import Reported
from proset_study.report.site import compare
from proset_study.report.site.compare import MEASURES, comparison_data
from proset_study.store.results import by_fit_seed

REPORT = ROOT / "reports/published_draws"


def test_every_final_score_is_there_once():
    data = comparison_data([REPORT])
    rows = Reported(REPORT).rows
    places = [tuple(row[:5]) for row in data["rows"]]
    assert len(set(places)) == len(places)
    wanted = {(r.experiment, r.dataset, r.variant) for r in rows if r.quantity == "log_loss" and r.section == "final"}
    assert len(places) == len(wanted)
    for _, d, m, e, variant, values in data["rows"][::20]:
        (data_set, kind), (experiment, _) = data["data_sets"][d], data["experiments"][e]
        assert kind == ("real" if data_set in ("iris_2f", "wine", "cancer", "digits") else "generated")
        names = (experiment, data_set, variant, "final", "log_loss")
        of_model = [r.value for r in rows if (r.experiment, r.dataset, r.variant, r.section, r.quantity) == names]
        assert values[MEASURES.index("log_loss")] == {0: pytest.approx(fmean(of_model), rel=1e-3)}
        assert values[MEASURES.index("seconds")][0] > 0
        assert data["methods"][m]


def test_the_first_rows_are_sorted_and_those_of_one_data_set(monkeypatch):
    monkeypatch.setattr(compare, "FIRST", ("published_draws", "wine"))
    heading, *rows = compare.first_rows(compare.comparison_data([REPORT]))
    assert heading[:2] == ["method, wine", "Log-loss"]
    values = [float(value) for _, value, *_ in rows]
    assert values == sorted(values)
    of_data_set = [row for row in Reported(REPORT).rows if (row.dataset, row.section) == ("wine", "final")]
    losses = [fmean(seeds) for row, seeds in by_fit_seed(of_data_set) if row.quantity == "log_loss"]
    assert values == pytest.approx(sorted(losses), abs=6e-4)


def test_rules_that_predict_labels_have_no_scores_of_probabilities():
    data = comparison_data([REPORT.parent / "prototype_variants"])
    measured = {e[0]: [bool(v) for v in row[5]] for row in data["rows"] for e in [data["experiments"][row[3]]]}
    of_probabilities = [MEASURES.index(name) for name in ("log_loss", "brier_score")]
    for experiment, expected in (("set_cover", False), ("proset_few", True)):
        assert [measured[experiment][i] for i in of_probabilities] == [expected, expected]
        assert measured[experiment][MEASURES.index("balanced_accuracy")]
