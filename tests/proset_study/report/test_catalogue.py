import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import roc_auc_score
from tests.proset_study.config_files import merged
from tests.proset_study.report.conftest import PUBLISHED
from tests.proset_study.small_study import check_findings

from proset.losses import log_loss
from proset_study.base.records import read_json
from proset_study.data.splits import TEST
from proset_study.fits.evaluations import KINDS
from proset_study.report import evaluations
from proset_study.report.analysis.prototypes import final_loss
from proset_study.report.analysis.runs import compared_runs, optimal_pairs
from proset_study.report.analysis.verdict import verdict
from proset_study.report.catalogue import data_set_figures, missing_records, overview_figures
from proset_study.report.figures import complexity, cost, performance, search, surfaces, weights
from proset_study.report.figures.over_data_sets import headline_figures
from proset_study.report.figures.registry import DataSetRuns, planned
from proset_study.report.figures.style import context, save, slug
from proset_study.store.stored import Stored
from proset_study.study.config.study import Study


def _offsets(collection):
    return np.asarray(collection.get_offsets())


def _scatters(axes):
    return {c.get_label(): _offsets(c) for c in axes.collections if not c.get_label().startswith("_")}


def _sorted(points):
    return points[np.lexsort(points.T)]


def test_stage1_plane_and_profiles_show_the_records(stored):
    final = stored.final("E3", "flowers")
    by_trial = {}
    for record in final.trials:
        by_trial.setdefault(record["trial"], []).append(record)
    parameters = np.array([[r[0]["parameters"][n] for n in ("lambda_v", "lambda_w")] for r in by_trial.values()])
    mean = np.array([np.mean([r["log_loss"] for r in records]) for records in by_trial.values()])
    plane, left, right, bar = search.stage1_figure(final).figure.axes
    points = plane.collections[0]
    np.testing.assert_allclose(_offsets(points), parameters)
    np.testing.assert_allclose(points.get_array(), mean)
    assert (plane.get_xscale(), plane.get_yscale()) == ("log", "log")
    assert "log-loss" in bar.get_ylabel()
    for axes, column in ((left, 0), (right, 1)):
        shown = _scatters(axes)
        expected = np.column_stack([parameters[:, column], mean])
        within = mean <= final.stage1["threshold"]
        np.testing.assert_allclose(shown["within the threshold"], expected[within])
        np.testing.assert_allclose(shown["setting"], expected[~within])
        np.testing.assert_allclose(shown["selection"], expected[[final.stage1["selected"]]])
        np.testing.assert_allclose(shown["optimum"], expected[[mean.argmin()]])
        (threshold,) = [line for line in axes.lines if line.get_label() == "threshold"]
        assert set(threshold.get_ydata()) == {final.stage1["threshold"]}


def test_grid_search_has_one_profile_with_error_bars_of_one_deviation(stored):
    selection = stored.final("E5", "flowers").stage1
    (axes,) = search.stage1_figure(stored.final("E5", "flowers")).figure.axes
    (bars,) = axes.containers
    ends = np.array(bars.lines[2][0].get_segments())[:, :, 1]
    np.testing.assert_allclose(ends.mean(axis=1), selection["mean"])
    deviation = selection["standard_deviation"]  # some are all rounding
    np.testing.assert_allclose(np.ptp(ends, axis=1) / 2, deviation, atol=1e-12)


def test_stage1_of_boosting_has_an_axis_for_every_parameter_that_varies(stored):
    assert list(search.searched(stored.final("E9", "cross"))) == ["max_depth", "colsample", "subsample"]
    assert list(search.searched(stored.final("E9", "flowers"))) == ["max_depth", "subsample"]  # two features: all used


def test_stage2_shows_means_threshold_and_choice_and_long_paths_as_lines(stored):
    finals = [stored.final(e, "cross") for e in ("E3", "E4", "E5")]
    drawn = search.stage2_figure(finals)
    for axes, final in zip(drawn.figure.axes, finals, strict=True):
        losses = np.array([path["log_loss"] for path in final.paths])
        line = axes.containers[0].lines[0]
        np.testing.assert_allclose(line.get_ydata(), losses.mean(axis=0))
        np.testing.assert_array_equal(line.get_xdata(), [0, 1, 2])
        complexity = final.fit["complexity"]
        np.testing.assert_allclose(_scatters(axes)["selection"], [[complexity, losses.mean(axis=0)[complexity]]])
        assert axes.get_title() == final.label
    final = stored.final("E8", "cross")
    (axes,) = search.stage2_figure([final]).figure.axes
    (line,) = [line for line in axes.lines if line.get_label() == "mean over folds"]
    np.testing.assert_array_equal(line.get_xdata(), range(1, 21))
    np.testing.assert_allclose(line.get_ydata(), final.stage2["mean"])


def test_loss_of_the_prior(stored):
    final = stored.final("E3", "flowers")
    y = final.data.y[final.folds != TEST]
    share = np.bincount(y) / len(y)
    assert search.prior_loss(final) == pytest.approx(log_loss(np.tile(share, (len(y), 1)), y))
    assert search.prior_loss(final) == pytest.approx(np.log(3))


@pytest.mark.parametrize("experiment", ["E3", "E8", "E9"])
def test_surface_is_what_the_model_predicts(stored, experiment):
    final = stored.final(experiment, "flowers")
    shown = surfaces.display(final, 12)
    x, y, probabilities = shown.x, shown.y, shown.probabilities
    assert probabilities.shape == (12, 12, 3)
    for row, column in ((0, 0), (3, 9), (11, 4)):
        expected = final.model.predict_proba(np.array([[x[column], y[row]]]))[0]
        np.testing.assert_allclose(probabilities[row, column], expected, atol=1e-6)
    data = final.data.X
    assert x[0] < data[:, 0].min() < data[:, 0].max() < x[-1]


def test_points_of_a_surface_are_the_test_samples_and_misclassified_ones_are_marked(stored):
    final = stored.final("E8", "flowers")
    axes = surfaces.surfaces_figure([final], {}).figure.axes[0]
    wrong = final.probabilities.argmax(axis=1) != final.y
    marked = [c for c in axes.collections if c.get_zorder() == 2.2]
    plain_points = [c for c in axes.collections if c.get_zorder() == 2]
    np.testing.assert_allclose(_sorted(np.concatenate([_offsets(c) for c in marked])), _sorted(final.X_test[wrong]))
    np.testing.assert_allclose(
        _sorted(np.concatenate([_offsets(c) for c in plain_points])), _sorted(final.X_test[~wrong])
    )


def test_prototypes_are_where_they_are_in_the_units_of_the_data_with_area_by_weight(stored):
    final = stored.final("E3", "flowers")
    axes = surfaces.surfaces_figure([final], {}).figure.axes[0]
    outline, shown = (c for c in axes.collections if c.get_zorder() == 2.4)
    np.testing.assert_array_equal(_offsets(outline), _offsets(shown))
    batches = final.model.fitted.model.batches
    weight = np.concatenate([b.prototype_weights for b in batches])
    np.testing.assert_allclose(shown.get_sizes() / shown.get_sizes().max(), weight / weight.max())
    rows = np.concatenate([b.sample_index for b in batches])
    np.testing.assert_allclose(_offsets(shown), final.X_train[rows])


def test_a_pair_of_models_without_prototypes_is_drawn(stored):
    final = stored.final("E8", "flowers")
    figure = surfaces.pair_figure(final, final)
    assert "prototypes" not in figure.finding
    assert figure.figure.axes[0].get_title().endswith(f"threshold\nk: {final.fit['complexity']}")


def test_pairs_are_found_by_rule_and_source_of_stage_1(stored):
    (pair,) = optimal_pairs(stored.study, "flowers")
    assert [run.name for run in pair] == ["E3", "E4"]
    assert [run.name for run in compared_runs(stored.study, "flowers")] == ["E3", "E8", "E9"]
    study = Study.of(merged())
    for data_set in study.config["experiments"]["E3"]["data_sets"] + study.config["experiments"]["E10"]["data_sets"]:
        assert [run.method for run in compared_runs(study, data_set)] == ["proset", "knn", "xgboost"]  # not all of E14


def test_relevant_and_irrelevant_features_are_told_apart(stored):
    final = stored.final("E3", "cross")
    axes = weights.relevance_figure([final], 2).figure.axes[0]
    w = weights.batch_weights(final)
    np.testing.assert_array_equal(w, [batch.feature_weights for batch in final.model.fitted.model.batches])
    expected = np.concatenate([[[1, b[0]], [2, b[1]]] for b in w])
    points = [_offsets(c) for c in axes.collections if c.get_label() == "relevant feature"]
    np.testing.assert_allclose(np.concatenate(points), expected)


def _without_prototypes(final):
    final = replace(final)
    fitted = final.model.fitted
    final.__dict__["model"] = replace(final.model, fitted=replace(fitted, model=replace(fitted.model, batches=())))
    return final


def test_a_model_without_prototypes_is_drawn_too(stored):
    final = _without_prototypes(stored.final("E3", "flowers"))
    assert not final.familiarity.any()
    for draw in (weights.weights_figure, performance.coverage_figure):
        assert draw([final]).figure.axes
    assert surfaces.surfaces_figure([final], {}).figure.axes
    drawn = weights.relevance_figure([_without_prototypes(stored.final("E3", "cross"))], 2)
    assert drawn.caption.endswith("0 of 2 relevant and 0 of 1 irrelevant features active.")


def test_mosaic_puts_images_in_their_place():
    image = np.arange(64.0).reshape(8, 8)
    whole = weights.mosaic([[image, None], [None, 2 * image]])
    assert whole.shape == (17, 17)
    np.testing.assert_array_equal(whole[:8, :8], image)
    np.testing.assert_array_equal(whole[9:, 9:], 2 * image)
    assert np.isnan(whole[:8, 8:]).all()


def test_heaviest_prototypes_of_a_class(stored):
    fitted = stored.final("E3", "flowers").model.fitted
    found = weights.heaviest(fitted.prototypes(), 1)
    known = sorted((w for b in fitted.model.batches for w in b.prototype_weights[b.labels == 1]), reverse=True)
    assert [w for w, _, _ in found] == known[: weights.HEAVIEST]
    for weight, number, position in found:
        batch = fitted.model.batches[number - 1]
        assert (weight, position.tolist()) in zip(batch.prototype_weights, batch.prototypes.tolist(), strict=True)


def test_reliability_agrees_with_hand_computation_and_scikit_learn(rng):
    probability = np.array([0.05, 0.01, 0.15, 0.15, 0.15, 0.15, 1.0])
    event = np.array([0, 1, 0, 0, 1, 1, 1], dtype=bool)
    mean, share, low, high, counts = performance.reliability(probability, event, np.ones(7), 10)
    np.testing.assert_allclose(mean, [0.03, 0.15, 1.0])
    np.testing.assert_allclose(share, [0.5, 0.5, 1.0])
    assert counts.tolist() == [2, 4, 0, 0, 0, 0, 0, 0, 0, 1]
    assert ((low <= share) & (share <= high)).all()
    assert low[0] == pytest.approx(0.0945312)  # Wilson, 1 of 2
    p = rng.random(300)
    y = rng.random(300) < p
    mean, share, *_ = performance.reliability(p, y, np.full(300, 2.0), 10)
    their_share, their_mean = calibration_curve(y, p, n_bins=10)
    np.testing.assert_allclose([mean, share], [their_mean, their_share])


def test_samples_count_as_often_as_their_weights_say():
    probability, event = np.array([0.11, 0.19]), np.array([True, False])
    mean, share, *_ = performance.reliability(probability, event, np.array([3.0, 1.0]), 10)
    np.testing.assert_allclose([mean[0], share[0]], [0.13, 0.75])
    score, correct, weight = np.array([3.0, 2.0, 1.0]), np.array([False, True, False]), np.array([0.0, 1.0, 1.0])
    _, accuracy, _ = performance.coverage(score, correct, weight)
    np.testing.assert_allclose(accuracy, [1.0, 0.5])
    *_, counts = performance.reliability(np.array([0.05, 0.5, 0.5]), correct, weight, 2)
    assert counts.tolist() == [0, 2]


def test_coverage_of_a_hand_solved_case():
    score = np.array([3.0, 1.0, 2.0, 1.0])
    correct = np.array([True, False, True, True])
    share, accuracy, number = performance.coverage(score, correct, np.ones(4))
    np.testing.assert_allclose(share, [0.25, 0.5, 1.0])  # the two of score 1 are kept or set aside together
    np.testing.assert_allclose(accuracy, [1.0, 1.0, 0.75])
    np.testing.assert_allclose(number, [1, 2, 4])


def test_area_under_the_roc_curve(stored):
    for data_set, options in (("cross", {}), ("flowers", {"multi_class": "ovr"})):
        final = stored.final("E3", data_set)
        false, true, area = performance.roc(final.probabilities, final.y, final.weight)
        p = final.probabilities[:, 1] if data_set == "cross" else final.probabilities
        assert area == pytest.approx(roc_auc_score(final.y, p, **options))
        assert np.trapezoid(true, false) == pytest.approx(area, abs=0.005)


def test_complexity_has_a_point_per_model_in_rising_order_with_its_numbers(stored):
    finals = stored.finals(data_set="cross")
    losses, numbers = complexity.complexity_figure(finals).figure.axes
    shown = [line.get_xdata()[0] for line in losses.lines if line.get_marker() not in ("None", "")]
    expected = sorted(final_loss(f, "log_loss")[0] for f in finals)
    end = losses.get_xlim()[1]
    np.testing.assert_allclose(shown, [loss for loss in expected if loss <= end])
    assert end < 1.2 * search.prior_loss(finals[0]) or len(shown) == len(finals)
    texts = {t.get_text() for t in numbers.texts}
    for final in finals:
        assert str(final.fit["summary"]["active_features"]) in texts


def test_the_loss_of_a_final_model_is_that_of_the_tables_with_its_standard_error(stored):
    final = stored.final("E8", "flowers")
    loss, error = final_loss(final, "log_loss")
    assert loss == pytest.approx(log_loss(final.probabilities, final.y))
    own = np.clip(final.probabilities[np.arange(len(final.y)), final.y], 1e-15, 1 - 1e-15)
    assert error == pytest.approx(np.log(own).std() / np.sqrt(len(own)))


def test_the_headline_shows_the_means_of_the_verdict_and_the_published_values(stored):
    found = verdict(stored, PUBLISHED)
    for drawn in headline_figures(found).values():
        (axes,) = drawn.figure.axes
        shown = [line.get_xdata()[0] for line in axes.lines if line.get_label() in ("proset", "KNN", "XGBoost")]
        assert shown == [score.mean for scores in found.scores.values() for score in scores.values()]


def test_times_are_those_of_stage_1_or_of_the_only_search(stored):
    records = {e: stored.final(e, "cross").trials or stored.final(e, "cross").paths for e in ("E3", "E8")}
    assert [len(r) for r in records.values()] == [18, 3]
    resources = records["E8"][0]["resources"]
    assert cost.seconds_of(records["E8"][0]) == resources["fit_cpu_s"] + resources["score_cpu_s"]
    shown = cost.products_figure({"cross": [stored.final("E8", "cross")]}).figure.axes[0].lines[-1].get_xdata()
    units = [1000 * cost.seconds_of(r) / r["resources"]["matrix_product_ms"] for r in records["E8"]]
    np.testing.assert_allclose(shown, np.median(units))


def test_more_methods_than_fit_into_a_row_of_a_data_set_have_a_row_each(stored):
    fit = stored.final("E8", "cross")
    for n, rows in ((cost.IN_A_ROW, ["cross"]), (cost.IN_A_ROW + 1, ["KNN"])):
        (axes,) = cost.time_figure({"cross": [fit] * n}).figure.axes
        assert [label.get_text() for label in axes.get_yticklabels()] == rows


def test_every_figure_of_the_plan_that_has_its_records_is_drawn(stored, all_figures):
    names = [d.name for d in all_figures]
    assert len(set(names)) == len(names)
    expected = {
        *("flowers_complexity", "flowers_stage1_e3", "flowers_stage1_e5", "flowers_stage1_e9", "flowers_stage2_proset"),
        *("flowers_stage2_knn", "flowers_stage2_xgboost", "flowers_surfaces", "flowers_surfaces_e3_e4"),
        *("flowers_reliability", "flowers_roc", "flowers_feature_weights", "flowers_coverage"),
        "flowers_rays",
    }
    assert {n for n in names if n.startswith("flowers")} == expected - {"flowers_stage1_e5"}
    assert {n for n in names if n.startswith("cross")} >= {"cross_relevance", "cross_coverage", "cross_learning_curve"}
    of_all = {"headline", "headline_narrow", "rules", "time", "matrix_products"}
    assert set(names[names.index("headline") :]) == of_all | {k for k in KINDS if not evaluations.get(k).by_data_set}
    names = [d.name for d in all_figures if d.name.startswith("odd")]
    all_names = [p.name for p in planned(DataSetRuns(stored, "odd"))]
    assert names == [n for n in all_names if n not in ("odd_stage1_e9", "odd_stage2_xgboost")]


def test_what_is_missing_is_named_with_the_target_that_makes_it(stored, tmp_path):
    assert missing_records(stored, "flowers") == []
    missing = missing_records(stored, "odd")
    assert ("odd_stage1_e9", "E9 on odd", "E9") in missing
    assert ("odd_roc", "E9 on odd", "E9") in missing  # drawn without it
    assert {m[1:] for m in missing} == {("E9 on odd", "E9")}
    assert missing_records(stored)[:2] == [(name, "E9 on odd", "E9") for name in ("headline", "time")]
    empty = Stored(tmp_path, stored.study)
    assert data_set_figures(empty, "flowers") == overview_figures(empty, PUBLISHED) == []
    assert {target for _, _, target in missing_records(empty, "flowers")} == {"E3", "E4", "E5", "E8", "E9"}
    config = {**stored.study.config, "only": {"E3": ["flowers"]}}
    runs = {n: replace(r, settings={**r.settings, "data_sets": []}) for n, r in stored.study.runs.items() if n != "E3"}
    study = replace(stored.study, config=config, runs={"E3": stored.study.runs["E3"], **runs})
    assert ("flowers_surfaces_e3_e4", "E4 on flowers", "E4") in missing_records(Stored(stored.folder, study), "flowers")


def test_axes_have_names_and_readers_get_text(all_figures):
    words = {drawn.name: len(drawn.caption.split()) for drawn in all_figures}
    assert {name: number for name, number in words.items() if number > 40} == {}
    check_findings(all_figures)
    for drawn in all_figures:
        assert drawn.alt.endswith(".")
        assert drawn.caption.endswith(".")
        assert drawn.title
        assert drawn.name == slug(drawn.name)
        width, _ = drawn.figure.get_size_inches()
        assert 5 <= width <= 10 or drawn.name == "headline_narrow"  # for phones
        common = [text.get_text() for text in (drawn.figure._supxlabel, drawn.figure._supylabel) if text]
        for axes in drawn.figure.axes:
            if axes.get_label() == "<colorbar>":
                assert axes.get_ylabel()
                continue
            if not axes.axison:
                continue
            assert axes.get_xlabel() or common or axes.get_shared_x_axes().get_siblings(axes)[1:], drawn.name
            rows = any(label.get_text()[:1].isalpha() for label in axes.get_yticklabels())  # which have names
            assert rows or axes.get_ylabel() or common or axes.get_shared_y_axes().get_siblings(axes)[1:], drawn.name


def test_texts_do_not_cover_each_other(all_figures):
    """Labels, ticks and legends, in every figure but those with images, whose text is part of them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    covered = {}
    for drawn in all_figures:
        with context():
            FigureCanvasAgg(drawn.figure)
            drawn.figure.draw_without_rendering()
        texts = {t for t in drawn.figure.findobj(Text) if t.get_text().strip() and t.get_visible()}
        texts -= _hidden(drawn.figure)
        boxes = {t: box.shrunk(0.8, 0.8).extents for t in texts if (box := t.get_window_extent()).width and box.height}
        words, corners = [t.get_text() for t in boxes], np.array([*boxes.values()]).reshape(-1, 1, 4)
        low, high = corners[..., :2], corners[..., 2:]
        overlap = ((low <= high.swapaxes(0, 1)) & (high >= low.swapaxes(0, 1))).all(axis=2)
        if found := {(words[i], words[j]) for i, j in np.argwhere(np.tril(overlap, -1))}:
            covered[drawn.name] = found
    assert covered == {}


def _hidden(figure):
    """Labels of ticks that are not drawn, because they are beyond the limits, or because the axes are off."""
    found = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        drawn = axis._update_ticks() if axis.axes.axison else []
        for tick in {*axis.majorTicks, *axis.minorTicks, *axis.get_major_ticks()} - set(drawn):
            found |= {tick.label1, tick.label2}
        found |= set() if axis.axes.axison else {axis.label}
    return found


def test_text_is_at_least_8_points(all_figures):
    from matplotlib.text import Text

    for drawn in all_figures:
        sizes = [t.get_size() for t in drawn.figure.findobj(Text) if t.get_text().strip() and t.get_visible()]
        assert min(sizes) >= 8, drawn.name


def test_odd_names_are_drawn_as_they_are(stored, all_figures, tmp_path):
    (drawn,) = (figure for figure in all_figures if figure.name == "odd_surfaces")
    data = stored.final("E3", "odd").data
    shown = {drawn.figure._supxlabel, drawn.figure._supylabel, *drawn.figure.legends[0].get_texts()}
    texts = set()
    for text in shown:
        clean, is_math = text._preprocess_math(text.get_text())
        assert not is_math
        texts.add(clean)
    assert set(data.feature_names) == {"$x$ <b>_", '_"y"&'}
    assert {"$x$ <b>_", ' _"y"&', "class $<b>_", "class  _$a$"} <= texts
    with warnings.catch_warnings(action="error"):
        save(drawn.figure, tmp_path / "odd")
    assert (tmp_path / "odd.svg").stat().st_size > 1000


def test_files_and_what_is_said_about_them(report):
    folder = report / "figures/overview"
    about = read_json(folder / "figures.json")
    assert [f["name"] for f in about["figures"]][:4] == ["headline", "headline_narrow", "rules", "time"]
    assert set(about["figures"][0]) == {"name", "category", "title", "finding", "caption", "alt"}
    assert about["missing"][0] == {"name": "headline", "missing": "E9 on odd", "target": "E9"}
    stems = {f["name"] for f in about["figures"]}
    assert {p.name for p in folder.iterdir()} == {"figures.json", *(f"{s}.svg" for s in stems)}


def test_images_of_prototypes_need_a_proset_run_that_is_compared(stored):
    digits = {"title": "t", "data_sets": ["digits"], "stage2": {"complexity": 1}}
    experiments = {e: {**digits, "method": m} for e, m in (("E3", "proset"), ("E8", "knn"), ("E9", "xgboost"))}
    config = {
        **stored.study.config,
        "data_sets": {"digits": {"sklearn": "digits", "image": [8, 8]}},
        "experiments": experiments,
        "subject": "knn",  # the subject is compared in any case
    }
    for compared, shown in ((["E8", "E9"], False), (["E3", "E8"], True)):
        study = type(stored.study).of({**config, "comparisons": {"c": {"title": "t", "experiments": compared}}})
        names = [spec.name for spec in planned(DataSetRuns(Stored(stored.folder, study), "digits"))]
        assert ("digits_pixel_prototypes" in names) == shown


def test_the_accuracy_of_the_more_familiar_half_is_said(stored):
    final = stored.final("E3", "cross")
    correct = final.probabilities.argmax(axis=1) == final.y
    least = np.sort(final.familiarity)[::-1][(len(correct) - 1) // 2]
    half = correct[final.familiarity >= least].mean()
    assert f" {half:.3f} against {correct.mean():.3f} for" in performance.coverage_figure([final]).finding
