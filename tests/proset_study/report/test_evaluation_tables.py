from copy import copy
from dataclasses import replace

import pytest
from tests.proset_study.report.conftest import drawn
from tests.shared import ROOT

from proset_study.report.article.topics import Reported
from proset_study.report.catalogue import missing_records
from proset_study.report.evaluation_tables import class_rows, confusion_rows, evaluation_tables, write_evaluation
from proset_study.report.evaluations.bias_variance import bias_variance_figure, variance_rows
from proset_study.report.evaluations.bootstrap import COLUMNS, bootstrap_rows
from proset_study.report.evaluations.complexity_curve import curve_rows as size_rows
from proset_study.report.evaluations.complexity_curve import curves_figure
from proset_study.report.evaluations.error_estimates import advice, estimate_rows, pooled
from proset_study.report.evaluations.learning_curve import curve_rows, learning_curve_figure
from proset_study.report.rows import groups, read_cells
from proset_study.store.stored import Stored


def test_every_final_model_has_scores_for_every_class(stored):
    finals = stored.finals(data_set="flowers")
    rows = class_rows(finals)
    assert len(rows) == 3 * len(finals)
    for final in finals:
        own = [row for row in rows if row["experiment"] == final.run.experiment]
        assert sum(row["sensitivity"] for row in own) / 3 == pytest.approx(final.scores["balanced_accuracy"])
        confusion = [row["samples"] for row in confusion_rows([final])]
        assert sum(confusion) == len(final.y)
        assert confusion[::4] == [row["true_positive"] for row in own]  # the diagonal


def test_undefined_scores_are_empty_in_the_file(stored, tmp_path):
    write_evaluation(tmp_path, stored)
    rows = read_cells(tmp_path / "evaluation/class_scores.csv.xz")
    never = [row for row in rows if int(row["true_positive"]) + int(row["false_positive"]) == 0]
    assert never
    assert all(row["positive_predictive_value"] == row["false_discovery_rate"] == "" for row in never)
    assert "nan" not in {value.lower() for row in rows for value in row.values()}
    tables = {name for name, (_, rows) in evaluation_tables(stored).items() if rows}
    written = {path.name.partition(".")[0] for path in (tmp_path / "evaluation").iterdir()}
    assert written == tables == set(evaluation_tables(stored))


def test_curve_has_a_row_a_size_and_counts_what_cannot_be_fitted(stored):
    rows = curve_rows(stored.evaluated("learning_curve"))
    assert [row["fraction"] for row in rows if row["experiment"] == "E3"] == [0.05, 0.5, 1.0]
    smallest, half, whole = (row for row in rows if row["experiment"] == "E3")
    assert (smallest["n_fit"], half["n_fit"], whole["n_fit"]) == (4, 42, 84)
    assert half["fits"] == 2
    assert half["log_loss_deviation"] > 0
    assert whole["log_loss"] == pytest.approx(stored.final("E3", "cross").scores["log_loss"])
    assert (whole["fits"], whole["log_loss_deviation"]) == (1, None)
    assert (smallest["fits"], smallest["not_fitted"], smallest["error"]) == (0, 2, None)  # 2 samples of a class
    neighbours = next(row for row in rows if row["experiment"] == "E8")
    assert stored.final("E8", "cross").fit["complexity"] > 4
    assert (neighbours["fits"], neighbours["not_fitted"], neighbours["error"]) == (0, 2, None)


def test_estimates_stand_beside_cross_validation_and_test(stored):
    rows = bootstrap_rows(stored.evaluated("bootstrap"))
    assert all(set(row) == set(COLUMNS) for row in rows)
    shown = {(row["dataset"], row["experiment"]) for row in rows}
    assert shown == {("flowers", "E3"), ("flowers", "E8"), ("odd", "E8")}  # E9 has no model there
    final = stored.final("E3", "flowers")
    loss = next(
        row for row in rows if (row["dataset"], row["experiment"], row["score"]) == ("flowers", "E3", "log_loss")
    )
    assert loss["cross_validation"] == pytest.approx(final.stage2["mean"][final.stage2["selected"]])
    assert loss["test"] == final.scores["log_loss"]
    assert loss["leave_one_out"] > loss["training"]


def test_what_figures_lack(stored):
    assert ("bootstrap", "E9 on odd", "results/small/replicate_0/odd/E9/bootstrap.json") in missing_records(stored)
    config = {**stored.study.config}
    config["evaluations"] = {**config["evaluations"], "learning_curve": {"of": {"E4": ["cross"]}}}
    other = Stored(stored.folder, type(stored.study).of(config))
    assert ("cross_learning_curve", "E4 on cross", "cross") in missing_records(other, "cross")
    assert drawn(other, "cross", "learning_curve")[0] is None


def test_bars_are_not_negative_and_the_caption_knows_which_data_have_noise(stored):
    row = {**variance_rows(stored.evaluated("bias_variance"))[0], "bias2": -1e-3, "variance": 0.2}
    (axes,) = bias_variance_figure([row]).figure.axes
    assert [bar.get_width() for bar in axes.patches] == [0.0, 0.2, 0.0]
    row = variance_rows(stored.evaluated("bias_variance"))[0]
    noisy = {**row, "dataset": "blobs", "noise": 0.3}
    without = "labels follow from the features, so there is no noise."
    assert bias_variance_figure([row]).caption.endswith(f"first; {without}")
    assert bias_variance_figure([row, noisy]).caption.endswith(f"first; except on blobs, {without}")
    assert bias_variance_figure([noisy]).caption.endswith("first.")


def test_the_caption_knows_how_parts_are_drawn(stored):
    final = stored.final("E8", "cross")
    assert "nested parts of the training samples;" in learning_curve_figure([final]).caption
    grouped = copy(final)
    grouped.__dict__["data"] = replace(final.data, group=final.data.y)
    assert "nested parts of whole groups;" in learning_curve_figure([grouped]).caption


def test_estimates_are_counted_against_their_own_truth(stored):
    (final,) = stored.evaluated("error_estimates")
    rows = {row["estimate"]: row for row in estimate_rows([final])}
    draws = [draw["estimates"] for draw in final.evaluation("error_estimates")["draws"]]
    off = [draw["nested"][0] - draw["nested"][3] for draw in draws]
    assert rows["nested"]["bias"] == pytest.approx(sum(off) / len(off))
    assert rows["nested"]["rmse"] == pytest.approx((sum(o**2 for o in off) / len(off)) ** 0.5)
    inside = [low <= true <= high for _, low, high, true in (draw["holdout_20"] for draw in draws)]
    assert rows["holdout_20"]["coverage"] == inside.count(True) / len(draws)
    assert rows["training"]["bias"] < rows["stratified_10"]["bias"]
    assert rows["stratified_5"]["cpu_s"] < rows["repeated"]["cpu_s"]


def test_advice_is_five_sentences_with_the_numbers_of_the_rows(stored):
    rows = estimate_rows(stored.evaluated("error_estimates"))
    sentences = advice(rows)
    assert len(sentences) == 5
    off = next(row["bias"] for row in rows if row["estimate"] == "training")
    assert f"training error, whose bias is {off:+.3f} (84 samples)" in sentences[1]
    assert advice([row for row in rows if row["estimate"] != "nested"]) == advice([]) == []


def test_pooled_rows_are_those_of_a_size_over_methods(stored):
    (row, *_) = estimate_rows(stored.evaluated("error_estimates"))
    other = {**row, "method": "svm", "possible": row["draws"] - 2, "bias": row["bias"] + 0.2, "rmse": 3 * row["rmse"]}
    larger = {**row, "n_fit": 1000}
    both, alone = pooled([row, larger, other])
    assert (both["n_fit"], both["models"], alone["n_fit"]) == (84, 2, 1000)
    assert (both["not_possible"], alone["not_possible"]) == (2, 0)
    assert both["bias"] == pytest.approx(row["bias"] + 0.1)
    assert both["rmse"] == pytest.approx(5**0.5 * row["rmse"])
    assert both["bias_standard_error"] == pytest.approx(row["bias_standard_error"])  # one data set: no more is known


def test_complexity_curves_have_a_row_a_loss_and_size_that_adds_up(stored):
    (final,) = stored.evaluated("complexity_curve")
    rows = size_rows([final])
    assert [(row["loss"], row["value"]) for row in rows] == [
        (loss, size) for size in (1, 5, 20) for loss in ("squared", "zero_one")
    ]
    for row in rows:
        assert row["along"] == "k"
        assert row["noise"] + row["bias2"] + row["variance"] == pytest.approx(row["expected"])
    figure = curves_figure([final])
    assert [len(axes.lines[0].get_xdata()) for axes in figure.figure.axes] == [3, 3]
    assert "KNN along k" in figure.alt


def test_the_page_on_estimates_says_what_the_committed_records_say():
    rows = Reported(ROOT / "reports/error_estimates").read("evaluation/error_estimates.csv")
    page = " ".join((ROOT / "docs/error-estimates.md").read_text(encoding="utf-8").split())
    sentences = advice([{**row, "n_fit": int(row["n_fit"])} for row in rows])
    assert len(sentences) == 5
    assert [sentence for sentence in sentences if sentence not in page] == []


def test_what_is_said_of_the_noise_of_true_errors():
    rows = Reported(ROOT / "reports/error_estimates").read("evaluation/error_estimates.csv")
    page = " ".join((ROOT / "docs/error-estimates.md").read_text(encoding="utf-8").split())

    def share(group):
        spread = sum(float(row["rmse"]) ** 2 - float(row["bias"]) ** 2 for row in group)
        return sum(float(row["true_standard_error"]) ** 2 for row in group) / spread

    largest = max(map(share, groups(rows, "n_fit", "estimate").values()))
    most = max(rows, key=lambda row: share([row]))
    assert f"at most {100 * largest:.0f} % of the variance of estimate minus true error over all" in page
    assert f"up to {100 * share([most]):.0f} % for a single one with {int(most['n_fit']):,} samples" in page
