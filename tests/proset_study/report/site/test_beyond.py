"""What goes beyond the original, from the records that are there."""

import shutil
from statistics import median

import pandas as pd
import pytest
from scipy.stats import ttest_rel
from tests.shared import ROOT

from proset_study.report.rows import pick, read_table
from proset_study.report.site.beyond import (
    CORRECTED,
    FEW,
    base_table,
    battery_tables,
    corrected_table,
    curve_grid,
    estimates_table,
    few_prototypes,
    few_table,
    response_curves,
    share_better,
    typical,
)

BASELINE = {"samples": "1000", "classes": "2", "clusters per class": "4", "order of interaction": "2"}
BASELINE |= {"irrelevant features": "4", "correlation": "0", "angle (degrees)": "0", "label noise": "0"}
BASELINE["imbalance (1 to ...)"] = "1"
BATTERY_FILES = ("manifest.json", "results.csv.xz", "findings/ranks.csv", "findings/pairs.csv")


def test_few_prototypes_are_medians_and_losses_means_over_replicates():
    found = few_prototypes(ROOT)
    wine = next(few for few in found if few.data_set == "wine")
    of_wine = pick(read_table(ROOT / FEW), data_set="wine", method="default")
    assert wine.kept == median(row["prototypes"] for row in of_wine)
    assert wine.loss == pytest.approx(sum(row["log_loss"] for row in of_wine) / len(of_wine))
    before, after, _ = typical(found)
    assert after < before
    assert [row[0] for row in few_table(found)[1:]] == [few.data_set for few in found]


def test_a_change_is_marked_where_its_interval_does_not_contain_0():
    found = {few.data_set: few for few in few_prototypes(ROOT)}
    assert {name for name, few in found.items() if few.is_significant} == {
        *("digits", "checker", "checker_rot", "xor_6f", "xor_4f", "xor_5f", "xor_6_6f")
    }
    marked = {row[0] for row in few_table(list(found.values())) if row[-1].endswith("*")}
    assert marked == {name for name, few in found.items() if few.is_significant}


def test_without_records_there_are_no_tables(tmp_path):
    assert few_prototypes(tmp_path) == []
    assert base_table(tmp_path) == corrected_table(tmp_path) == estimates_table(tmp_path) == []
    assert battery_tables(tmp_path) == {}


def test_halves_of_the_battery_are_there_once_their_reports_are(tmp_path):
    report = "reports/battery"
    for name in BATTERY_FILES:
        (tmp_path / report / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / report / name, tmp_path / report / name)
    ((title, (heading, *ranked)),) = battery_tables(tmp_path).items()
    assert title == "25 tables on which choices were allowed"
    ranks = pick(read_table(ROOT / report / "findings/ranks.csv"), comparison="tuned", score="log-loss", group="all")
    assert [float(row[1]) for row in ranked] == sorted(round(row["average_rank"], 1) for row in ranks)
    assert (heading[-1], ranked[-1][0], ranked[-1][-1]) == ("on real tables", "class prior", "")


def test_a_grid_says_where_it_is_better():
    curves = response_curves(ROOT)
    names, lines = curve_grid(curves, "proset_leave_one_out")
    assert "KNN" in names
    marks = {(property_, value): dict(zip(names, marks, strict=True)) for property_, value, marks in lines}
    assert marks["classes", "20"]["KNN"][0] == "✓"
    assert marks["order of interaction", "7"]["KNN"][0] == "·"
    assert marks["samples", "100"]["decision tree"] is None
    varied = [dict(zip(names, of_line, strict=True)) for name, value, of_line in lines if BASELINE[name] != value]
    own = [mark for line in varied for name, mark in line.items() if mark and not name.startswith("proset")]
    assert share_better(curves, names, lines) == (sum(mark[0] == "✓" for mark in own), len(own))


def test_base_models_and_estimates_have_their_tables():
    assert len(base_table(ROOT)) > 2
    assert len(estimates_table(ROOT)[0]) == 6


def test_corrected_models_are_compared_with_their_bases():
    scores = pd.read_csv(ROOT / CORRECTED / "results.csv.xz").query("section == 'final' and quantity == 'log_loss'")
    _, *lines = corrected_table(ROOT)
    bases = ("logistic", "forest", "boosting", "explainable_boosting")
    for base, (title, *numbers, lower, higher) in zip(bases, lines, strict=True):
        losses = scores.pivot(index=["dataset", "replicate"], columns="experiment", values="value")
        losses = losses[[f"base_{base}", f"proset_on_{base}"]]
        assert "corrected by prototypes" in title
        assert numbers[:2] == [f"{value:.3f}" for value in losses.groupby("dataset").mean().mean()]
        found = {True: 0, False: 0}
        for data_set in (name for name in losses.index.levels[0] if name.startswith(("checker", "xor"))):
            test = ttest_rel(*losses.loc[data_set].to_numpy().T)
            found[bool(test.statistic > 0)] += test.pvalue < 0.05
        assert int(lower) >= found[True]
        assert int(higher) >= found[False]
        assert int(lower) + int(higher) <= sum(found.values()) + 4
