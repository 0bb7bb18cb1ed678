import numpy as np
import pytest
from tests.proset_study.report.conftest import PUBLISHED, drawn
from tests.proset_study.small_study import WithLosses, check_findings, compute, config_of

from proset_study.base.records import write_json
from proset_study.data.generators.mixture import Mixture
from proset_study.methods import METHODS
from proset_study.report.analysis import prototypes
from proset_study.report.analysis.cautions import zero_probability_samples
from proset_study.report.analysis.runs import compared_runs, prototype_runs
from proset_study.report.catalogue import data_set_figures, missing_records, overview_figures, write_drawn
from proset_study.report.evaluations.bootstrap import bootstrap_figure, bootstrap_rows
from proset_study.report.evaluations.learning_curve import learning_curve_figure
from proset_study.report.figures.registry import DataSetRuns, planned
from proset_study.report.figures.style import method_style, save
from proset_study.report.pages.front_page import write_index
from proset_study.report.row_files import write_row_files
from proset_study.report.rows import read_table
from proset_study.report.write import write_report
from proset_study.store.stored import Stored
from proset_study.study import layout

LAMBDA_W = {"lambda_w": 1e-6}
PROSET = {"n_candidates": 100, **LAMBDA_W}
SEARCH = {"trials": 3, "complexity": 1, "space": {"lambda_v": {"log_uniform": [1e-4, 1e-2]}}}
SEARCHED = {"stage1": SEARCH, "stage2": {"complexity": 2}}
E13 = ["proset", "every", "near", "means", "again", "cover"]


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Stored:
    """A mixture of Gaussians and digits of three pixels, prototype methods and KNN."""
    fewer = {"pixels": {"stage2": {"complexity": 3}}}
    experiments = {
        "proset": {**SEARCHED, "method": "proset", "parameters": PROSET},
        "every": {**SEARCHED, "method": "proset_leave_one_out", "parameters": LAMBDA_W},
        "near": {"method": "nearest_neighbour", "stage2": {"complexity": 1}},
        "means": {"method": "k_means", "stage2": {"complexity": 4}, "overrides": fewer},
        "again": {"method": "k_means", "stage2": {"complexity": 1}},
        "cover": {"method": "cccd", "stage2": {"complexity": 1}, "data_sets": ["blobs"]},
        "knn": {"method": "knn", "stage2": {"complexity": 5}},
    }
    on_blobs = {"proset": ["blobs"], "means": ["blobs"]}
    data_sets = {
        "blobs": {"generator": "mixture", "samples_per_class": 40, "components": 2, "means_seed": 5},
        "pixels": {"sklearn": "digits", "features": [20, 28, 36]},
    }
    comparisons = {
        "methods": {"title": "methods", "experiments": ["proset", "knn"]},
        "P": {"title": "prototypes", "experiments": E13},
        "of_one": {"title": "one method", "experiments": ["means", "again"]},
    }
    evaluations = {
        "learning_curve": {"of": on_blobs, "fractions": [0.5, 1], "repeats": 2},
        "bootstrap": {"of": on_blobs, "samples": 2},
    }
    config = config_of("small", data_sets, experiments, folds=3, comparisons=comparisons, evaluations=evaluations)
    return compute(config, tmp_path_factory.mktemp("small"))


def test_trials_show_each_loss_and_the_least_with_so_many_prototypes(small):
    left, right = drawn(small, "blobs", "trials")[0].figure.axes
    for axes, score in ((left, "log_loss"), (right, "error")):
        points = [line for line in axes.lines if line.get_linestyle() == "None"]
        fronts = [line for line in axes.lines if line.get_linestyle() != "None"]
        for run, shown, front in zip(("proset", "every"), points, fronts, strict=True):
            records = small.final(run, "blobs").trials
            for trial, (x, y) in enumerate(zip(*shown.get_data(), strict=True)):
                folds = [record for record in records if record["trial"] == trial]
                assert x == pytest.approx(np.mean([record["summary"]["prototypes"] for record in folds]))
                assert y == pytest.approx(np.mean([record[score] for record in folds]))
            assert front.get_ydata().min() == min(shown.get_ydata())
            assert (np.diff(front.get_ydata()) <= 0).all()


def _points(axes):
    """Label to x and y of what was drawn with error bars."""
    return {bars.get_label(): bars.lines[0].get_xydata().T for bars in axes.containers}


def test_methods_with_prototypes_are_compared_with_each_other_only(small):
    assert [r.name for r in prototype_runs(small.study, "blobs")] == ["proset", "cover", "means", "near", "every"]
    assert [r.name for r in prototype_runs(small.study, "pixels")] == ["proset", "means", "near", "every"]
    for data_set in small.study.data_sets:
        assert [r.name for r in compared_runs(small.study, data_set)] == ["proset", "knn"]


def test_log_loss_is_not_drawn_of_methods_that_predict_labels(small):
    finals = [small.final(name, "blobs") for name in ("proset", "means")]
    rows = bootstrap_rows(finals)
    for figure, of_labels in (
        (learning_curve_figure(finals), learning_curve_figure(finals[1:])),
        (bootstrap_figure(rows), bootstrap_figure([row for row in rows if row["method"] == "k_means"])),
    ):
        log_loss, error = figure.figure.axes
        log_losses, errors = (sum(len(c.lines[0].get_xdata()) for c in axes.containers) for axes in (log_loss, error))
        assert errors == 2 * log_losses > 0
        (only,) = of_labels.figure.axes
        assert "error rate" in only.get_xlabel() + only.get_ylabel()


def test_nothing_is_drawn_of_a_study_without_prototype_methods(stored):
    assert prototype_runs(stored.study, "flowers") == []
    assert prototypes.mean_test_errors(stored) == ([], [])
    assert prototypes.prototype_rows(stored) == []


def test_errors_along_the_path_are_those_of_the_records(small):
    final = small.final("means", "blobs")
    path = prototypes.error_path(final)
    assert path["step"].tolist() == [1, 2, 3, 4]
    assert path["prototypes"].tolist() == [3, 6, 9, 15]
    by_fold = np.array([[r["error"][i] for r in final.paths] for i in range(4)])
    np.testing.assert_allclose(path["error"], by_fold.mean(axis=1))
    np.testing.assert_allclose(path["standard_error"], by_fold.std(axis=1, ddof=1) / np.sqrt(3))
    error, deviation = prototypes.final_loss(final, "error")
    X = final.X_test
    wrong = final.model.predict_proba(X).argmax(axis=1) != final.y
    assert error == pytest.approx(wrong.mean())
    assert deviation == pytest.approx(wrong.std() / np.sqrt(len(wrong)))


def test_rows_have_every_step_and_the_final_model_at_the_chosen_one(small):
    rows = [r for r in prototypes.prototype_rows(small) if (r["dataset"], r["method"]) == ("pixels", "k_means")]
    final = small.final("means", "pixels")
    assert [r["prototypes"] for r in rows] == [10, 20, 30]
    (chosen,) = [r for r in rows if r["chosen"]]
    assert chosen["step"] == final.fit["complexity"]
    assert chosen["final_prototypes"] == final.fit["summary"]["prototypes"]
    assert chosen["test_error"] == prototypes.final_loss(final, "error")[0]
    assert {r["test_error"] for r in rows if not r["chosen"]} == {None}
    assert all(tuple(row) == prototypes.COLUMNS for row in prototypes.prototype_rows(small))


def test_the_table_of_test_errors_marks_nothing_with_one_replicate(small):
    names, rows = prototypes.mean_test_errors(small)
    assert names == ["proset", "cccd", "k_means", "nearest_neighbour", "proset_leave_one_out"]
    assert [row["data_set"] for row in rows] == ["blobs", "pixels"]
    assert rows[1]["cells"][1] is None
    for row in rows:
        cells = [c for c in row["cells"] if c]
        assert {(c["best"], c["deviation"]) for c in cells} == {(False, None)}
    near = rows[0]["cells"][3]
    assert near["prototypes"] == small.final("near", "blobs").fit["n_fit"]


class WithoutOne(WithLosses):
    """k-means lacks the last replicate."""

    def _read_rows(self, experiment):
        rows, last = super()._read_rows(experiment), self.replicates[-1]
        return [row for row in rows if (row.method, row.replicate) != ("k_means", last)]


def test_in_the_table_of_test_errors_methods_with_fewer_replicates_are_not_compared(small):
    names, rows = prototypes.mean_test_errors(WithoutOne(small, lambda row, _: row.value, range(10)))
    cells = dict(zip(names, rows[0]["cells"], strict=True))
    assert {name: cell["replicates"] for name, cell in cells.items()} == dict.fromkeys(names, 10) | {"k_means": 9}
    least = min(cell["error"] for name, cell in cells.items() if name != "k_means")
    assert {name for name, cell in cells.items() if cell["best"]} >= {
        name for name, cell in cells.items() if cell["error"] == least and name != "k_means"
    }
    assert not cells["k_means"]["best"]


def test_the_figure_shows_paths_single_points_and_test_errors(small):
    figure, _ = drawn(small, "blobs", "prototypes")
    left, right = figure.figure.axes
    shown = _points(left)
    assert set(shown) == {"proset", "proset (leave-one-out)", "CCCD", "k-means", "1-NN"}
    path = prototypes.error_path(small.final("means", "blobs"))
    np.testing.assert_allclose(shown["k-means"], [path["prototypes"], path["error"]])
    assert shown["1-NN"].shape == shown["CCCD"].shape == (2, 1)
    assert shown["proset"].shape == (2, 2)  # without the class prior, which has no prototype
    tested = _points(right)
    cover = small.final("cover", "blobs")
    expected = [[cover.fit["summary"]["prototypes"]], [prototypes.final_loss(cover, "error")[0]]]
    np.testing.assert_allclose(tested["CCCD"], expected)
    bayes = Mixture(components=2, means_seed=5).bayes_error()
    assert [line.get_ydata()[0] for line in left.lines if line.get_linestyle() == ":"] == [bayes]
    assert f"no rule can have less than {100 * bayes:.1f} %" in figure.caption
    assert "USPS" not in figure.caption


def test_the_lowest_error_and_the_fewest_prototypes_are_named(small):
    tested = {
        label: (final.fit["summary"]["prototypes"], 100 * prototypes.final_loss(final, "error")[0])
        for label, final in (("k-means", small.final("means", "blobs")), ("1-NN", small.final("near", "blobs")))
    }
    for shown in (["means", "near"], ["near"]):
        finals = [small.final(name, "blobs") for name in shown]
        (spec,) = [p for p in planned(DataSetRuns(small, "blobs")) if p.name == "blobs_prototypes"]
        finding = spec.draw(finals).finding
        there = {label: tested[label] for label in (("k-means", "1-NN") if len(shown) == 2 else ("1-NN",))}
        assert f"is {min(error for _, error in there.values()):.1f} % for " in finding
        assert str(min(number for number, _ in there.values())) in finding
    assert "k-means" not in finding


def test_the_source_is_quoted_beside_digits(small):
    assert "2.49 % with 3,372 prototypes" in drawn(small, "pixels", "prototypes")[0].caption
    figures = {d.name: d for d in overview_figures(small, PUBLISHED)}
    check_findings([*figures.values(), *data_set_figures(small, "blobs")])
    overview = figures["prototypes"]
    assert [axes.get_title() for axes in overview.figure.axes] == ["blobs", "pixels"]
    assert all(axes.get_xscale() == "log" for axes in overview.figure.axes)
    labels = figures["headline"].figure.axes[0].get_legend_handles_labels()[1]
    assert "KNN" in labels
    assert "1-NN" not in labels


def test_the_overview_is_drawn_from_the_file_of_a_report_as_from_records(small, tmp_path):
    write_row_files(tmp_path, small, PUBLISHED, [layout.PROTOTYPES])
    for name, paths in (("records", None), ("file", read_table(tmp_path / layout.PROTOTYPES))):
        (drawn_of,) = overview_figures(small, PUBLISHED, ["Prototypes"], paths)
        save(drawn_of.figure, tmp_path / name)
    assert (tmp_path / "file.svg").read_bytes() == (tmp_path / "records.svg").read_bytes()
    assert overview_figures(small, PUBLISHED, ["Prototypes"], []) == []


def test_neither_log_loss_of_labels_nor_a_path_of_one_step_is_drawn(small):
    (complexity,) = [p for p in planned(DataSetRuns(small, "blobs")) if p.name == "blobs_complexity"]
    assert [run.name for run in complexity.runs] == ["proset", "every", "knn"]
    assert {final.run.method for final, *_ in zero_probability_samples(small)} <= {"proset", "knn"}
    assert missing_records(small) == missing_records(small, "blobs") == []
    names = [p.name for p in planned(DataSetRuns(small, "blobs"))]
    with_path = ["proset", "knn"]  # that are compared; explore.html has all
    assert [n for n in names if "stage2" in n] == [f"blobs_stage2_{method}" for method in with_path]


def test_every_method_has_a_style_of_its_own():
    styles = [tuple(method_style(m).values()) for m in METHODS]
    assert len(set(styles)) == len(styles)
    with_prototypes = [m for m in METHODS if m in {"proset", "k_medoids", "k_means", "lvq", "nearest_neighbour"}]
    assert len({method_style(m)["marker"] for m in with_prototypes}) == len(with_prototypes)


def test_the_front_page_shows_the_figure_and_the_test_errors(small, tmp_path):
    write_report(small, tmp_path, PUBLISHED, ["manifest", "models"])
    overview = tmp_path / layout.FIGURES.format(data_set="overview")
    about = write_drawn(overview_figures(small, PUBLISHED, ["Prototypes"]), overview)
    write_json(overview / "figures.json", {"figures": about, "missing": []})
    write_index(tmp_path, small, PUBLISHED)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    near = small.final("near", "blobs")
    assert f">{100 * prototypes.final_loss(near, 'error')[0]:.1f}</td>" in page[page.index('id="errors"') :]
    assert "figures/overview/prototypes.svg" in page
