from math import sqrt

import numpy as np
from tests.proset_study.report.conftest import PUBLISHED

from proset_study.report.analysis.selection_rules import rules, selections
from proset_study.report.catalogue import overview_figures
from proset_study.report.figures.rules import rules_figure


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


def test_the_figure_has_panels_for_the_stages_of_its_rows(stored):
    assert "rules" in {drawn.name for drawn in overview_figures(stored, PUBLISHED)}
    rows = rules(stored)
    some = [r for r in rows if (r["dataset"], r["stage"]) != ("cross", "stage1")]
    assert len(rules_figure(some).figure.axes) == 4
    assert len(rules_figure([r for r in rows if r["stage"] == "stage2"]).figure.axes) == 2
