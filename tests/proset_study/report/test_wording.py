"""The sentences above the figures: what they say follows from the records, and changes with them."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from proset.losses import log_loss
from proset_study.report.analysis.verdict import Score, Verdict
from proset_study.report.evaluations.bias_variance import bias_variance_figure, variance_rows
from proset_study.report.evaluations.bootstrap import bootstrap_figure, bootstrap_rows
from proset_study.report.evaluations.learning_curve import curve_rows, learning_curve_figure
from proset_study.report.figures import complexity, cost, over_data_sets, performance, search, surfaces, weights
from proset_study.report.figures.over_data_sets import headline_figures
from proset_study.report.wording import model


@pytest.fixture(scope="module")
def compared(stored):
    return [stored.final(experiment, "flowers") for experiment in ("E3", "E8", "E9")]


def _changed(final, **records):
    other = copy(final)
    other.__dict__.update(records)
    return other


def _extreme(finals, score, pick):
    """Name of the model with the smallest or largest score, and the other models."""
    chosen = pick(finals, key=score)
    return model(chosen), [final for final in finals if final is not chosen]


def test_models_are_named_by_method_and_experiment(compared):
    assert [model(final) for final in compared] == ["proset (E3)", "KNN (E8)", "XGBoost (E9)"]
    assert model(replace(compared[1], run=replace(compared[1].run, experiment="knn"))) == "KNN"


def test_the_lowest_log_loss_and_that_of_the_model_with_prototypes(compared):
    def loss(final):
        return log_loss(final.probabilities, final.y, final.weight)

    proset, *others = compared
    number = proset.fit["summary"]["prototypes"]
    for finals in (compared, compared[:2], [proset]):
        best, _ = _extreme(finals, loss, min)
        last = f"; proset (E3) needs {number} prototypes for {loss(proset):.3f}"
        lowest = min(map(loss, finals))
        finding = complexity.complexity_figure(finals).finding
        assert (
            f"is {lowest:.3f} for {best}{f', with {number} prototypes' if best == model(proset) else last}." in finding
        )
    assert "prototypes" not in complexity.complexity_figure(others).finding


@pytest.mark.parametrize(
    ("draw", "score", "form"),
    [
        (performance.roc_figure, lambda f: performance.roc(f.probabilities, f.y, f.weight)[2], "{:.3f}"),
        (
            lambda finals: surfaces.surfaces_figure(finals, {}),
            lambda f: (f.probabilities.argmax(axis=1) != f.y).sum(),
            "{}",
        ),
    ],
)
def test_scores_range_from_the_lowest_to_the_highest(compared, draw, score, form):
    most, others = _extreme(compared, score, max)
    assert draw(compared).finding.endswith(f"to {form.format(max(map(score, compared)))} for {most}.")
    assert most not in draw(others).finding
    alone = [final for final in compared if final not in others]
    assert draw(alone).finding.endswith(f" is {form.format(score(alone[0]))} for {most}.")


def test_the_selection_is_told_from_the_lowest_mean(compared):
    final = compared[0]
    mean = np.array(final.stage1["mean"])
    worst = {**final.stage1, "selected": int(mean.argmax())}
    best = {**final.stage1, "selected": int(mean.argmin())}
    above, at = (search.stage1_figure(_changed(final, stage1=chosen)).finding for chosen in (worst, best))
    assert f"the selection is {np.ptp(mean):.2g} above the lowest mean log-loss, {mean.min():.3g}." in above
    assert f"the selection is at the lowest mean log-loss, {mean.min():.3g}." in at


def test_the_size_with_the_lowest_mean_and_the_one_selected(compared):
    final = compared[1]
    mean = np.array(final.stage2["mean"])
    lowest, highest = int(mean.argmin()), int(mean.argmax())
    for selected, words in (
        (lowest, "and selected"),
        (highest, f"the selection at {highest + 1}, {np.ptp(mean):.2g} higher"),
    ):
        drawn = search.stage2_figure([_changed(final, stage2={**final.stage2, "selected": selected})])
        assert drawn.finding == f"The lowest mean log-loss is at k = {lowest + 1}, {words}."


def test_only_all_relevant_features_and_no_other_count(stored):
    final = stored.final("E3", "cross")
    fitted = final.model.fitted
    batch = fitted.model.batches[0]

    def finding(*feature_weights):
        batches = (replace(batch, feature_weights=np.array(feature_weights)),)
        model = replace(final.model, fitted=replace(fitted, model=replace(fitted.model, batches=batches)))
        return weights.relevance_figure([_changed(final, model=model)], 2).finding

    assert finding(1.0, 2.0, 0.0) == "1 of 1 models uses all relevant features and no other."
    assert finding(1.0, 2.0, 0.1) == finding(1.0, 0.0, 0.0) == "0 of 1 models uses all relevant features and no other."


def _verdict(replicates, **means):
    scores = {
        f"data {i}": {method: Score(mean[i], None, None, None, False, replicates) for method, mean in means.items()}
        for i in range(3)
    }
    by_data_set = {name: {method: score.mean for method, score in of_set.items()} for name, of_set in scores.items()}
    return Verdict("", "", "log-loss", [], list(means), scores, replicates, [], by_data_set, replicates == 1)


def test_the_headline_says_who_is_lowest_on_how_many_data_sets():
    wide, narrow = headline_figures(_verdict(9, proset=[0.1, 0.5, 0.1], knn=[0.2, 0.2, 0.2])).values()
    assert wide.finding == narrow.finding == "The lowest log-loss is that of proset on 2 of 3 data sets and KNN on 1."
    wide, _ = headline_figures(_verdict(1, proset=[0.1, 0.5, 0.3], knn=[0.2, 0.2, 0.2])).values()
    assert wide.finding.endswith(" is that of KNN on 2 of 3 data sets and proset on 1, with one split each.")
    everyone = {f"data {i}": {"proset": 0.1, "knn": 0.2, "xgboost": 0.05} for i in range(3)}
    wide, _ = headline_figures(replace(_verdict(9, proset=[0.1] * 3, knn=[0.2] * 3), means=everyone)).values()
    assert wide.finding == "The lowest log-loss of 3 methods is that of XGBoost on 3 of 3 data sets and proset on none."
    unfinished = _verdict(9, proset=[0.1, 0.5, 0.1], knn=[0.2, 0.2, 0.2])
    unfinished.means["data 1"].clear()
    wide, _ = headline_figures(unfinished).values()
    assert wide.finding == "The lowest log-loss is that of proset on 2 of 2 data sets."


def test_the_cheapest_fit_is_that_of_the_records(compared):
    def dearer(final, times):
        records = [{**r, "resources": {"fit_cpu_s": times, "score_cpu_s": 0.0}} for r in final.paths]
        return _changed(final, trials=[], paths=records)

    knn, xgboost = compared[1:]
    for finals, cheapest in (
        ([dearer(knn, 1.0), dearer(xgboost, 2.0)], "KNN"),
        ([dearer(knn, 3.0), dearer(xgboost, 2.0)], "XGBoost"),
    ):
        assert cost.time_figure({"flowers": finals}).finding.endswith(f" is that of {cheapest} on 1 of 1 data sets.")


def test_the_lowest_error_of_a_learning_curve_is_that_of_its_ends(stored):
    finals = stored.evaluated("learning_curve")
    errors = {model(f): {r["n_fit"]: r["error"] for r in curve_rows([f]) if r["fits"]} for f in finals}
    finding = learning_curve_figure(finals).finding
    for size in (min, max):
        n = size(n for found in errors.values() for n in found)
        least = min(found[n] for found in errors.values() if n in found)
        assert f"{least:.3f} for " in finding
        assert f" with {n} samples" in finding
    (best, others) = _extreme(finals, lambda f: errors[model(f)][84], min)
    assert best in finding
    assert best not in learning_curve_figure(others).finding


def test_differences_count_by_their_whole_interval():
    ends = [(-1.0, 1.0), (-1.0, -0.5), (0.5, 1.0), (0.1, 0.2)]
    rows = [
        {"dataset": "wine", "second": "knn", "difference": (low + high) / 2, "low": low, "high": high, "p": 0.5}
        for low, high in ends
    ]
    named = {"score": "log-loss", "first": "proset", "replicates": 3}
    finding = over_data_sets.methods_figure([{**row, **named} for row in rows]).finding
    assert finding == "1 of 4 intervals are below 0 (proset is better) and 2 above; the other 1 contain 0."


def test_estimates_and_parts_are_counted_by_model(stored):
    rows = bootstrap_rows(stored.evaluated("bootstrap"))
    for test, words in (
        (2.0, " 0 of 3 models, cross-validation for 0;"),
        (-1.0, " 3 of 3 models, cross-validation for 3;"),
    ):
        assert words in bootstrap_figure([{**row, "test": test} for row in rows]).finding
    row = variance_rows(stored.evaluated("bias_variance"))[0]
    both = [{**row, "bias2": 0.1, "variance": 0.2}, {**row, "bias2": 0.2, "variance": 0.1}]
    assert bias_variance_figure(both).finding.endswith(" for 1 of 2 models.")
    assert bias_variance_figure(both[:1]).finding.endswith(" for 1 of 1 models.")


def test_pixels_and_prototypes_of_images_are_counted(compared):
    """A model of images is one of 64 features."""
    final = compared[0]
    fitted = final.model.fitted
    labels, weight = np.array([0, 1, 1, 2, 2, 2]), np.zeros(64)
    weight[:5] = 1.0
    images = replace(
        fitted.model.batches[0],
        feature_weights=weight,
        prototypes=np.zeros((6, 64)),
        labels=labels,
        prototype_weights=np.ones(6),
    )
    fitted = replace(fitted, model=replace(fitted.model, batches=(images,), centre=np.zeros(64)))
    digits = _changed(final, model=replace(final.model, fitted=fitted, centre=np.zeros(64), scale=np.ones(64)))
    finding = weights.prototypes_figure(digits).finding
    assert finding == "Class virginica has the most prototypes, 3 of 6, and class setosa the fewest, 1."
    assert weights.pixel_weights_figure([digits]).finding.endswith(" that a model uses is 5 for proset (E3).")
