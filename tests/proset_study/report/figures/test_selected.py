"""Figures of prototypes by metric, of features, images and strings: each against what it is drawn from."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from tests.proset_study.config_files import merged
from tests.proset_study.report.conftest import drawn
from tests.proset_study.small_study import check_findings, compute, config_of

from proset.losses import error_rate
from proset.set_cover import SetCoverClassifier
from proset_study.data.generators.mixture import Mixture
from proset_study.data.sources import make
from proset_study.methods.set_cover import find_radii
from proset_study.report.analysis.prototype_places import of_prototypes
from proset_study.report.figures import selected, surfaces
from proset_study.report.figures.cover_radii import MOST
from proset_study.report.figures.registry import DataSetRuns, planned
from proset_study.report.tables.table_files import to_markdown
from proset_study.report.tables.tables import study_table
from proset_study.store.results import Row, case_rows, write_rows
from proset_study.store.stored import Stored
from proset_study.study.config.checks import load

BOTH = {"metric": ["euclidean", "manhattan"]}
COUNTERPARTS = {  # by figure of Bien and Tibshirani (2011): data set, figures; the second is a benchmark
    1: ("mixture", ["cover_balls"]),
    3: ("mixture", ["surfaces"]),
    4: ("digits_16", ["prototypes_test_path"]),
    5: ("digits_16", ["centres_and_prototypes"]),
    6: ("digits_16", ["cover_images"]),
    7: ("digits_16", ["cover_arrangement"]),
    8: ("digits_16", ["cover_tree"]),
    9: ("digits_16", ["cover_objective", "varied_e16_cost"]),
    10: ("families", ["prototypes", "cover_class_tree"]),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Stored:
    """A mixture in the plane by two metrics, digits by tangent distance next to k-means, and families of strings."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(2)
    words = ["".join(rng.choice(list("ACDE"), 14)) for _ in range(50)]
    sequences = [word[:6] + "WWWYW" + word[6:] if i % 5 == 0 else word for i, word in enumerate(words)]
    table = pd.DataFrame({"sequence": sequences, "family": np.where(np.arange(50) % 5, "other", "rare")})
    table.to_csv(folder / "strings.csv", index=False)
    cover = {"method": "set_cover", "stage2": {"complexity": 14}, "criterion": "error"}
    experiments = {
        "cover": {**cover, "vary": BOTH, "data_sets": ["blobs"]},
        "near": {"method": "nearest_neighbour", "stage2": {"complexity": 1}, "data_sets": ["blobs", "strings"]},
        "of_strings": {**cover, "data_sets": ["strings"]},
        "of_images": {**cover, "metric": "tangent", "data_sets": ["images"]},
        "of_ranks": {**cover, "metric": "rank", "data_sets": ["strings"]},
        "means": {"method": "k_means", "stage2": {"complexity": 4}, "data_sets": ["images", "blobs"]},
        "plain": {**cover, "data_sets": ["blobs"]},
        "spaced": {**cover, "method": "set_cover_quantiles", "data_sets": ["strings"]},
        "costs": {**cover, "vary": {"cost": [0.01, 1.0]}, "data_sets": ["blobs"]},
    }
    strings = {"file": str(folder / "strings.csv"), "target": "family", "items": "sequence", "metric": "short"}
    data_sets = {
        "blobs": {"generator": "mixture", "samples_per_class": 40, "components": 2, "means_seed": 5},
        "images": {"generator": "digits_16", "images": 150, "image": [16, 16]},
        "strings": strings,
    }
    metrics = {"short": {"of": "mismatch", "parameters": {"k": 3, "m": 1}}}
    comparisons = {"T": {"title": "by metric", "rows": "prototypes", "experiments": ["cover", "near"]}}
    config = config_of("small", data_sets, experiments, metrics=metrics, comparisons=comparisons)
    stored = compute(config, tmp_path_factory.mktemp("small"))
    for experiment in stored.study.experiments:
        rows = [row for case in stored.study.cases([0], experiment) for row in case_rows(stored.folder, case)]
        write_rows(stored.folder / f"replicate_0/{experiment}.csv", rows, Row)
    return stored


def labels_of(final):
    return final.model.fitted.prototypes().labels


def test_prototypes_are_counted_by_class_and_metric(small):
    figure, finals = drawn(small, "blobs", "prototypes_by_class")
    names = ["cover-metric=euclidean", "cover-metric=manhattan", "near", "means", "plain"]
    assert [final.run.name for final in finals] == names
    numbers = np.array([int(text.get_text().replace(",", "")) for text in figure.figure.axes[0].texts]).reshape(-1, 4)
    np.testing.assert_array_equal(numbers[0], [28, 28, 28, 84])
    for row, final in zip(numbers[1:], finals, strict=True):
        np.testing.assert_array_equal(row[:3], np.bincount(labels_of(final), minlength=3))
        assert row[3] == final.fit["summary"]["prototypes"]
    ticks = [label.get_text() for label in figure.figure.axes[0].get_yticklabels()]
    assert ticks[1:3] == ["cover: set cover", "cover: set cover, manhattan"]


def test_test_errors_go_along_the_whole_path_and_are_those_of_the_models_where_they_end(small):
    figure, finals = drawn(small, "blobs", "prototypes_test_path")
    axes = figure.figure.axes[0]
    assert len(axes.lines) == len(finals)
    marked = [tuple(mark.get_offsets()[0]) for mark in axes.collections]
    for line, final in zip(axes.lines, finals, strict=True):
        chosen = final.fit["summary"]["prototypes"], pytest.approx(error_rate(final.probabilities, final.y))
        points = list(zip(*line.get_data(), strict=True))
        assert chosen in points
        assert len(points) == len(final.stage2["settings"])
        assert (chosen in marked) == (len(points) > 1)
    first, second = (line.get_linestyle() for line in axes.lines[:2])
    assert first != second  # one method by two metrics
    lowest = min(line.get_ydata().min() for line in figure.figure.axes[0].lines)
    assert f"the lowest error is {100 * lowest:.1f} %, of " in figure.finding
    counts, _ = drawn(small, "blobs", "prototypes_by_class")
    numbers = [final.fit["summary"]["prototypes"] for final in finals]
    assert f"from 84 training samples, ranges from {min(numbers)} for " in counts.finding
    assert f"to {max(numbers)} for " in counts.finding


def test_a_whole_path_begins_with_the_model_and_is_not_made_of_large_data(small, monkeypatch):
    cover, means = small.final("plain", "blobs"), small.final("means", "blobs")
    whole = selected.whole_path(cover, small.study.config["seed"])
    assert len(whole.covers) == 14 > len(cover.model.fitted.covers)
    for one, other in zip(cover.model.fitted.covers, whole.covers, strict=False):
        np.testing.assert_array_equal(one.index, other.index)
    longer = selected.whole_path(means, small.study.config["seed"])
    np.testing.assert_array_equal(longer.X[: len(means.model.fitted.X)], means.model.fitted.X)
    monkeypatch.setattr(selected, "LARGEST", 83)
    assert selected.whole_path(cover, 1) is cover.model.fitted


def test_places_of_prototypes_are_by_the_classes_of_their_neighbours(small):
    figure, finals = drawn(small, "blobs", "prototypes_places")
    axes = figure.figure.axes[0]
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels[:2] == ["all training samples", "all training samples, manhattan"]
    assert len(labels) == 2 + len(finals)
    inside, near, among = ([bar.get_width() for bar in bars] for bars in axes.containers)
    np.testing.assert_allclose(np.sum([inside, near, among], axis=0), 100)
    part, cover = finals[0].part, finals[0].model.fitted.covers[-1]
    nearest = NearestNeighbors(n_neighbors=10).fit(part.X).kneighbors(return_distance=False)
    foreign = (part.y[nearest] != part.y[:, None]).mean(axis=1)
    assert inside[0] == pytest.approx(100 * np.mean(foreign == 0))
    assert among[0] == pytest.approx(100 * np.mean(foreign > 0.5))
    own = cover.labels == part.y[cover.index]
    np.testing.assert_allclose(of_prototypes(finals[0])[own], foreign[cover.index][own])
    assert figure.finding.endswith(f"of those of all training samples {100 * foreign.mean():.0f} %.")


def test_panels_of_surfaces_say_the_error_and_show_few_prototypes(small, monkeypatch):
    figure, (cover, *_) = drawn(small, "blobs", "surfaces")
    error = error_rate(cover.probabilities, cover.y)
    titles = [panel.get_title() for panel in figure.figure.axes]
    assert titles[0].startswith("plain, set cover\n") if cover.run.name == "plain" else titles[0]
    assert titles[0].endswith(f"\nerror {100 * error:.1f} %")
    assert not any("log-loss" in title for title in titles)
    assert len(surfaces.display(cover, 5).prototypes) == cover.fit["summary"]["prototypes"]
    monkeypatch.setattr(surfaces, "MOST_PROTOTYPES", 1)
    assert surfaces.display(cover, 5).prototypes is None


def test_balls_are_those_of_radii_on_the_path(small):
    figure, (final,) = drawn(small, "blobs", "cover_balls_plain")
    part, expected = final.part, []
    for radius in find_radii(part, 14):
        number = len(SetCoverClassifier(eps=radius).fit(part.X, part.y).prototype_index_)
        expected += [f"radius {radius:.3g}, {number:,} prototypes"] if number <= MOST else []
    shown = [axes.get_title() for axes in figure.figure.axes]
    assert len(shown) == 4
    assert set(shown) <= set(expected)
    assert (shown[0], shown[-1]) == (expected[0], expected[-1])


def test_the_best_boundary_is_drawn_where_it_is_known(small):
    figure, _ = drawn(small, "blobs", "surfaces")
    panel = figure.figure.axes[0]
    dashed = [c for c in panel.collections if any("--" in str(s) or s[1] for s in c.get_linestyle())]
    ends = np.vstack([path.vertices for c in dashed for path in c.get_paths() if len(path.vertices)])
    found = np.sort(Mixture(components=2, means_seed=5).probabilities(ends), axis=1)
    assert np.median(found[:, -1] - found[:, -2]) < 0.1  # where two classes are equally probable
    assert "Dashed: the best possible rule" in figure.caption


@pytest.mark.parametrize(
    ("data_set", "run"), [("strings", "of_strings"), ("strings", "spaced"), ("blobs", "cover_metric_manhattan")]
)
def test_the_tree_of_a_class_counts_foreign_samples(small, data_set, run):
    figure, (final,) = drawn(small, data_set, f"cover_class_tree_{run}")
    part, cover, radius = final.part, final.model.fitted.covers[-1], final.model.fitted.radii[-1]
    k = np.bincount(part.y).argmin()
    apart = part.X if part.metric == "precomputed" else cdist(part.X, part.X, "cityblock")
    foreign = (apart[np.ix_(part.y != k, part.y == k)] < radius).sum(axis=0)
    axes = figure.figure.axes[0]
    shown = [int(label.get_text().strip("()")) for label in axes.get_xticklabels()]
    assert sorted(shown) == sorted(foreign.tolist())
    (marks,) = [found for found in axes.collections if isinstance(found, PathCollection)]
    assert len(marks.get_offsets()) == (cover.labels == k).sum()


def test_ranks_which_are_not_symmetric_have_no_tree_and_no_map(small):
    for what in ("class_tree", "tree", "arrangement"):
        assert drawn(small, "strings", f"cover_{what}_of_ranks")[0] is None
    assert (
        "classical scaling of dissimilarities by short"
        in drawn(small, "strings", "cover_arrangement_of_strings")[0].caption
    )
    assert drawn(small, "strings", "cover_classes_of_ranks")[0].figure.axes


def test_images_are_those_of_the_samples_chosen_by_tangent_distance(small):
    figure, (final,) = drawn(small, "images", "cover_images_of_images")
    cover = final.model.fitted.covers[-1]
    train = np.flatnonzero(final.folds != -1)
    first = figure.figure.axes[0].images[0].get_array()
    np.testing.assert_array_equal(np.asarray(first).ravel(), final.data.X[train[cover.index[0]]])
    figure, (means, _) = drawn(small, "images", "centres_and_prototypes_of_images")
    left, right = figure.figure.axes
    assert len(left.images) == means.fit["summary"]["prototypes"]
    assert f"{len(right.images)} prototypes" in right.get_title()
    numbers = [len(cover.index) for cover in selected.whole_path(final, small.study.config["seed"]).covers]
    assert len(right.images) == min(numbers, key=lambda n: abs(n - len(left.images))) < len(cover.index)
    centres = np.array([np.asarray(image.get_array()) for image in left.images], dtype=float)
    across, down = (np.diff(centres, axis=axis).ravel() for axis in (1, 2))
    sharpness = np.sqrt(np.mean(np.concatenate([across, down]) ** 2))
    assert f"Neighbouring pixels differ by {sharpness:.3g} in the {len(centres)} centres" in figure.finding


def test_a_varied_cost_shows_errors_of_a_method_without_probabilities(small):
    figure, finals = drawn(small, "blobs", "varied_costs")
    axes = figure.figure.axes[0]
    assert axes.get_ylabel() == "test error"
    errors = [error_rate(final.probabilities, final.y) for final in finals]
    np.testing.assert_allclose(axes.lines[0].get_ydata(), errors)


def test_every_figure_says_what_to_see(small):
    names = [
        (d, spec.name.removeprefix(f"{d}_")) for d in small.study.data_sets for spec in planned(DataSetRuns(small, d))
    ]
    check_findings([figure for place in names if (figure := drawn(small, *place)[0])])


def test_the_table_has_a_row_for_each_metric(small, tmp_path):
    published = tmp_path / "none.csv"
    published.write_text("experiment,method,dataset,variant,section,quantity,value,text\n", encoding="utf-8")
    lines = to_markdown(study_table(small, "T", published)).splitlines()
    labels = [line.split("|")[1] for line in lines if line.startswith("|") and "---" not in line]
    rows = ["cover, euclidean", "cover, manhattan", "near"]
    assert labels == [" ", "**Test error**", *rows, "**Number of prototypes**", *rows]
    final = small.final("cover", "blobs", "metric=manhattan")
    assert f"|cover, manhattan|{error_rate(final.probabilities, final.y):.3f}|" in "\n".join(lines)


def test_every_figure_of_the_source_has_its_counterpart(tmp_path):
    """`COUNTERPARTS` against what the config of the source's experiments calls for."""
    study = load(merged("workflow/suites/set_cover.yaml"))
    folder = tmp_path / "replicate_0/mixture"
    folder.mkdir(parents=True)
    make(study.data_settings("mixture"), 0, "mixture", 0).save(folder / "data.npz")  # a plane has figures of its own
    for data_set, names in COUNTERPARTS.values():
        figures = [figure.name for figure in planned(DataSetRuns(Stored(tmp_path, study), data_set))]
        for name in names:
            assert any(figure.startswith(f"{data_set}_{name}") for figure in figures), name
    assert {"E15", "E15_best"} <= set(study.tables)
