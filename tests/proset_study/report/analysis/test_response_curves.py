from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from tests.proset_study.config_files import read
from tests.proset_study.report.conftest import PUBLISHED
from tests.proset_study.small_study import check_findings, compute, config_of

from proset.losses import error_rate, log_loss
from proset_study.data.generators.clusters import Clusters
from proset_study.data.sources import random_numbers
from proset_study.report.analysis.response_curves import (
    Curves,
    compared,
    crossings,
    points,
    response_curves,
    response_rows,
    response_section,
)
from proset_study.report.catalogue import overview_figures
from proset_study.report.figures.response_curves import response_figure
from proset_study.report.figures.style import context, method_style
from proset_study.report.row_files import write_row_files
from proset_study.report.write import write_report
from proset_study.store.stored import Stored

OVERLAY = read("workflow/response_curves.yaml")
TINY = {"generator": "clusters", "test_samples": 150}


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Stored:
    """Two curves of two points each, two methods and two replicates; a data set that is on no curve."""
    data_sets = {
        "base": TINY,
        "noisy": {**TINY, "label_noise": 0.2},
        "few": {**TINY, "samples": 40},
        "both": {**TINY, "samples": 40, "label_noise": 0.2, "irrelevant": 3},
    }
    stage2 = {"complexity": 3}
    experiments = {
        "neighbours": {"stage2": stage2, "method": "knn"},
        "again": {"method": "knn", "stage2": {"complexity": 1}},
        "cover": {"stage2": stage2, "method": "set_cover"},
        "proset": {"stage2": stage2, "method": "proset", "parameters": {"lambda_v": 1e-3, "lambda_w": 1e-6}},
    }
    config = config_of("tiny", data_sets, experiments, replicates=[0, 1])
    return compute(config, tmp_path_factory.mktemp("tiny"))


def test_bayes_errors_are_known_to_two_thousandths():
    """Standard error of the mean over ten replicates, each an arrangement of its own with 2,000 test points.

    The largest probability of two classes is in [1/2, 1], so its variance is at most 1/16; of more classes it is drawn.
    """
    for data_set, settings in OVERLAY["data_sets"].items():
        generated, variances = Clusters.of(settings), []
        for replicate in OVERLAY["replicates"]:
            variance = 1 / 16
            if generated.classes > 2:
                data = generated.draw(random_numbers(1, data_set, replicate))
                eta = generated.probabilities(data.X[data.test], random_numbers(1, data_set, replicate))
                variance = eta.max(axis=1).var(ddof=1)
            variances.append(variance / generated.test_samples)
        assert generated.test_samples == 2000
        assert np.sqrt(sum(variances)) / len(variances) < 0.002, data_set


def test_what_the_bayes_rule_has_and_methods_add(stored):
    """Expectations over the labels: on the labels themselves the same, but for their noise."""
    rows = response_rows(stored)
    assert {row["dataset"] for row in rows} == {"base", "noisy", "few"}
    assert len(rows) == 2 * 3 * 3
    assert {row["experiment"] for row in rows} == {"neighbours", "cover", "proset"}  # not a method's second one
    for row in rows:
        final = stored.final(row["experiment"], row["dataset"], replicate=row["replicate"])
        generated = Clusters.of(stored.study.config["data_sets"][row["dataset"]])
        truth = generated.probabilities(final.X_test, random_numbers(1, row["dataset"], row["replicate"]))
        best = np.eye(2)[truth.argmax(axis=1)]
        assert row["bayes_error"] == pytest.approx(((1 - best) * truth).sum(axis=1).mean())
        assert row["bayes_log_loss"] == pytest.approx(-(truth * np.log(truth)).sum(axis=1).mean())
        assert row["excess_error"] >= 0
        assert row["excess_log_loss"] > 0
        deviation = 4 * np.sqrt(0.25 / len(truth))
        error = error_rate(final.probabilities, final.y)
        assert row["bayes_error"] + row["excess_error"] == pytest.approx(error, abs=deviation)
        if row["method"] == "proset":
            loss = row["bayes_log_loss"] + row["excess_log_loss"]
            assert loss == pytest.approx(log_loss(final.probabilities, final.y), abs=0.15)


def test_report_of_a_study_with_curves(stored, tmp_path):
    error, loss = response_curves(stored)
    assert error.points == {"samples": {40: "few", 1000: "base"}, "label_noise": {0.0: "base", 0.2: "noisy"}}
    assert error.methods == ["knn", "set_cover", "proset"]
    assert loss.methods == ["knn", "proset"]  # set cover predicts no probabilities
    figures = overview_figures(stored, PUBLISHED)
    check_findings(figures)
    assert [f.name for f in figures if f.category == "Response curves"] == ["response_error", "response_log_loss"]
    section = response_section(response_curves(stored), stored.study.subject)[0]
    assert section["methods"] == ["KNN", "set cover", "proset"]
    assert [tuple(row[:2]) for row in section["rows"]] == [
        ("samples", "40"),
        ("samples", "1000"),
        ("label noise", "0"),
        ("label noise", "0.2"),
    ]
    shown = np.mean(
        [row["excess_error"] for row in response_rows(stored) if (row["dataset"], row["method"]) == ("few", "knn")]
    )
    assert section["rows"][0][3] == f"{shown:.3f}"
    write_report(stored, tmp_path, PUBLISHED, ["manifest", "models", "overview"])
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'id="claims"' not in page  # which are about other data
    page = page[page.index('<h2 id="response-curves">') :]
    for line in (line for words in section["words"] for line in words["lines"]):
        assert f"<li>{line['title']} ({line['range']}): {line['words']}</li>" in page
    assert f">{shown:.3f}</td>" in page
    write_row_files(tmp_path, stored, PUBLISHED)
    header, *lines = (tmp_path / "findings/response_curves.csv").read_text(encoding="utf-8").splitlines()
    assert header.startswith("replicate,dataset,experiment,method,bayes_error,excess_error")
    assert len(lines) == 18


def _curves(**excess):
    """Four values on one curve, ten replicates; a method's differences from the first one at each value."""
    noise = np.random.default_rng(0).normal(scale=0.01, size=10)
    data_sets = {0: "a", 4: "b", 12: "c", 48: "d"}
    return Curves(
        "error",
        {"irrelevant": data_sets},
        {d: dict(enumerate(np.full(10, 0.1))) for d in data_sets.values()},
        {
            (method, d): dict(enumerate(0.2 + difference + (1 + i) * noise))
            for i, (method, differences) in enumerate({"proset": [0, 0, 0, 0], **excess}.items())
            for d, difference in zip(data_sets.values(), differences, strict=True)
        },
    )


def test_crossing_points_are_found_and_said():
    curves = _curves(knn=[-0.2, 0, 0.2, 0.2], svm=[0.2] * 4, xgboost=[-0.2, -0.2, -0.2, 0])
    (states,) = compared(curves, "proset").values()
    ahead, behind, unknown = "ahead of", "behind", "not significantly different from"
    assert states == {
        "knn": {0: behind, 4: unknown, 12: ahead, 48: ahead},
        "svm": dict.fromkeys((0, 4, 12, 48), ahead),
        "xgboost": {0: behind, 4: behind, 12: behind, 48: unknown},
    }
    assert crossings(states, [0, 4, 12, 48]) == (
        "ahead of KNN from 12 on, SVM everywhere; behind KNN at 0, XGBoost up to 12; "
        "not significantly different from KNN at 4, XGBoost at 48"
    )
    (states,) = compared(curves, "svm").values()
    assert crossings({"proset": states["proset"]}, [0, 4, 12, 48]) == "behind proset everywhere"


def test_all_statements_of_a_curve_hold_together():
    """A difference that is significant alone is none among twenty."""
    noise = np.linspace(-1, 1, 10)
    data_sets = dict(enumerate("abcdefghijklmnopqrst"))
    excess = {("proset", d): dict(enumerate(0.5 + 0 * noise)) for d in data_sets.values()}
    excess |= {("knn", d): dict(enumerate(0.5 + noise + 0.6)) for d in data_sets.values()}
    (alone,) = compared(Curves("error", {"samples": {0: "a"}}, {}, excess), "proset").values()
    (among,) = compared(Curves("error", {"samples": data_sets}, {}, excess), "proset").values()
    assert alone["knn"] == {0: "ahead of"}
    assert set(among["knn"].values()) == {"not significantly different from"}
    there = {key: values for key, values in excess.items() if key[0] == "proset" or key[1] == "a"}
    assert compared(Curves("error", {"samples": data_sets}, {}, there), "proset") == {"samples": {}}
    one = {key: {0: values[0]} for key, values in excess.items()}
    assert compared(Curves("error", {"samples": data_sets}, {}, one), "proset") == {"samples": {}}


@pytest.mark.parametrize(("n", "drawn"), [(2, 0), (3, 12)])
def test_intervals_are_drawn_from_three_replicates_on(n, drawn):
    curves = _curves(knn=[0.1] * 4, svm=[0.2] * 4)
    excess = {key: {r: values[r] for r in list(values)[:n]} for key, values in curves.excess.items()}
    (panel,) = response_figure(replace(curves, excess=excess), "proset").figure.axes
    assert len(panel.collections) == drawn  # three methods at four values


def test_figure_has_a_panel_for_each_property_and_a_line_for_each_method():
    curves = _curves(knn=[-0.2, 0, 0.2, 0.2], svm=[0.2] * 4)
    with context():
        drawn = response_figure(curves, "proset")
    (panel,) = drawn.figure.axes
    assert drawn.finding == "The lowest excess error rate is that of proset on 3 of 4 problems and KNN on 1."
    ahead = response_figure(_curves(knn=[-0.2, -0.1, 0.2, 0.2], svm=[0.2, 0.2, 0.2, -0.1]), "proset")
    assert ahead.finding.endswith(" is that of KNN on 2 of 4 problems, proset on 1 and SVM on 1.")
    assert panel.get_xlabel() == "irrelevant features"
    lines = {line.get_label(): line for line in panel.get_lines()}
    assert list(lines) == ["proset", "KNN", "SVM"]
    np.testing.assert_allclose(lines["KNN"].get_xdata(), [0, 4, 12, 48])
    expected = [np.mean(list(curves.excess["knn", d].values())) for d in "abcd"]
    np.testing.assert_allclose(lines["KNN"].get_ydata(), expected)
    assert to_hex(lines["KNN"].get_color()) == method_style("knn")["color"].lower()
    looks = {(to_hex(line.get_color()), line.get_linestyle()) for line in lines.values()}
    assert len(looks) == 3
    assert "proset is, by irrelevant features: ahead of KNN from 12 on" in drawn.alt


def test_a_study_without_curves_has_none():
    assert points({"wine": {"sklearn": "wine"}, "alone": TINY}) == {}
