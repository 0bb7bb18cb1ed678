from math import sqrt

import numpy as np
import pytest
from scipy import stats
from tests.proset_study.report.conftest import PUBLISHED
from tests.proset_study.small_study import WithLosses

from proset_study.report.analysis.findings import (
    methods_over_replicates,
    rules,
    selected_features,
    selections,
)
from proset_study.report.catalogue import overview_figures
from proset_study.report.figures import over_data_sets
from proset_study.report.figures.rules import rules_figure


@pytest.fixture
def repeated(stored):
    """Four replicates."""
    return WithLosses(stored, lambda row, r: 0.5 + 0.01 * r**2 * (1 + (row.method == "knn")), range(4))


def pair(row):
    return row["dataset"], row["score"], row["first"], row["second"]


def test_rules_by_hand(stored):
    final = stored.final("E3", "cross")
    n_folds, key = final.folds.max() + 1, lambda s: s["lambda_v"] * s["lambda_w"]
    selection = final.stage1
    best = int(np.argmin(selection["mean"]))
    for rule, part in (("one standard error", 1 / sqrt(n_folds)), ("one standard deviation", 1.0)):
        limit = selection["mean"][best] + part * selection["standard_deviation"][best]
        within = [i for i, m in enumerate(selection["mean"]) if m <= limit]
        expected = max(within, key=lambda i: key(selection["settings"][i]))
        assert selections(final, "stage1", selection)[rule] == expected
    assert selections(final, "stage1", selection)["best"] == best
    assert selections(final, "stage1", selection)["one standard deviation"] == selection["selected"]


def test_rules_have_costs_and_complexities_of_the_records(stored):
    rows = rules(stored)
    assert {r["excess"] for r in rows if r["rule"] == "best"} == {0.0}
    assert all(r["excess"] >= 0 for r in rows)
    assert not [r for r in rows if (r["experiment"], r["stage"]) == ("E4", "stage1")]  # that is E3's
    assert [r for r in rows if (r["experiment"], r["stage"]) == ("E4", "stage2")]
    final = stored.final("E3", "cross")
    (row,) = (
        r for r in rows if (r["experiment"], r["dataset"], r["stage"], r["rule"]) == ("E3", "cross", "stage1", "best")
    )
    trial = final.stage1["trials"][final.stage1["optimal"]]
    assert row["prototypes"] == np.mean([t["summary"]["prototypes"] for t in final.trials if t["trial"] == trial])


def test_corrected_t_test_by_hand_and_of_independent_draws(stored, repeated):
    rows = methods_over_replicates(repeated)
    (row,) = (r for r in rows if pair(r) == ("flowers", "log-loss", "proset", "knn"))
    differences = np.array([-0.01 * r**2 for r in range(4)])
    final = stored.final("E3", "flowers")
    overlap = final.fit["n_scored"] / final.fit["n_fit"]
    error = np.sqrt(1 / 4 + overlap) * differences.std(ddof=1)
    assert (row["replicates"], row["first_better"]) == (4, 3)
    assert row["difference"] == pytest.approx(differences.mean())
    assert row["standard_error"] == pytest.approx(error)
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(differences.mean()) / error, 3))
    assert row["high"] - row["low"] == pytest.approx(2 * stats.t.ppf(0.975, 3) * error)
    (row,) = (r for r in rows if pair(r) == ("cross", "log-loss", "proset", "knn"))
    assert row["overlap"] == 0
    differences = [-0.01 * r**2 for r in range(4)]
    assert row["p"] == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)


def test_selected_features_are_those_of_the_models(stored):
    rows = [r for r in selected_features(stored) if (r["experiment"], r["dataset"]) == ("E3", "cross")]
    active = stored.final("E3", "cross").model.fitted.model.active_features()
    assert [r["selected"] for r in rows] == [int(d in active) for d in range(3)]
    assert {r["replicates"] for r in rows} == {1}


def test_figures_show_the_rows(stored, repeated):
    rows = [r for r in methods_over_replicates(repeated) if (r["score"], r["first"]) == ("log-loss", "proset")]
    panels = over_data_sets.methods_figure(rows).figure.axes
    assert [panel.get_title() for panel in panels] == ["minus KNN", "minus XGBoost"]
    shown = sorted(bars.lines[0].get_xdata()[0] for panel in panels for bars in panel.containers)
    assert {panel.get_xscale() for panel in panels} == {"linear"}
    assert shown == pytest.approx(sorted(r["difference"] for r in rows))
    assert "rules" in {drawn.name for drawn in overview_figures(stored, PUBLISHED)}
    rows = rules(stored)
    some = [r for r in rows if (r["dataset"], r["stage"]) != ("cross", "stage1")]
    assert len(rules_figure(some).figure.axes) == 4
    assert len(rules_figure([r for r in rows if r["stage"] == "stage2"]).figure.axes) == 2
