from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist, pdist
from tests.proset_study.small_study import check_findings, compute, config_of

from proset_study.base.records import write_json
from proset_study.data.splits import TEST
from proset_study.fits.final import fit_final
from proset_study.fits.search import Case
from proset_study.report.catalogue import data_set_figures
from proset_study.report.figures import set_cover
from proset_study.report.figures.registry import DataSetRuns, planned

SHAPE = (2, 3)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Images of 2 x 3 pixels in three classes, the last one of which varies most."""
    folder = tmp_path_factory.mktemp("cover")
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [60, 40, 50])
    centres = rng.normal(scale=3.0, size=(3, 6))
    table = pd.DataFrame(centres[y] + np.array([0.3, 0.6, 1.5])[y][:, None] * rng.normal(size=(150, 6)))
    table.columns = [f"pixel{i}" for i in range(6)]
    table["what"] = np.array(["cat", "dog", "$eel"])[y]
    table.to_csv(folder / "images.csv", index=False)
    table["weight"] = rng.choice([0.0, 0.4, 3.0], 150, p=[0.1, 0.5, 0.4])
    table.to_csv(folder / "heavy.csv", index=False)
    images = {"file": str(folder / "images.csv"), "target": "what", "image": list(SHAPE)}
    data_sets = {"images": images, "heavy": {**images, "file": str(folder / "heavy.csv"), "weight": "weight"}}
    experiments = {
        "cover": {"method": "set_cover", "data_sets": ["images", "heavy"], "stage2": {"complexity": 14}},
        "rounded": {"method": "set_cover_lp", "data_sets": ["images"], "stage2": {"complexity": 14}},
    }
    return compute(config_of("cover", data_sets, experiments, seed=5), folder)


@pytest.fixture(scope="module")
def final(stored):
    return stored.final("cover", "images")


@pytest.fixture(scope="module")
def figures(stored):
    return {d.name: d for d in data_set_figures(stored, "images")}


def cover_of(final):
    return final.model.fitted.covers[-1]


def test_all_figures_of_the_prototypes_are_there_and_say_what_to_see(figures):
    names = {f"images_cover_{what}_cover" for what in ("images", "arrangement", "tree", "objective", "classes")}
    assert names <= set(figures)
    for name in names:
        assert figures[name].category == "Prototypes chosen by set cover"
    check_findings(figures.values())


def test_half_of_the_cover_and_of_the_objective_are_counted(final, figures):
    cover = cover_of(final)
    upto = cover.newly_covered.cumsum()
    first = next(n for n, covered in enumerate(upto, start=1) if covered >= upto[-1] / 2)
    assert figures["images_cover_images_cover"].finding.startswith(
        f"The first {first} of {len(cover.index)} prototypes"
    )
    path = cover.objective_path
    steps = next(n for n, value in enumerate(path) if path[0] - value >= (path[0] - path[-1]) / 2)
    assert figures["images_cover_objective_cover"].finding.endswith(f" takes {steps} of {len(cover.index)} steps.")
    groups = fcluster(linkage(final.model.fitted.candidates, "complete"), final.model.fitted.radii[-1], "distance")
    assert f"the tree has {groups.max()} groups" in figures["images_cover_tree_cover"].finding


def test_images_are_the_chosen_samples_in_order_with_what_they_cover(final, figures):
    (axes,) = figures["images_cover_images_cover"].figure.axes
    cover, train = cover_of(final), final.X_train
    assert len(axes.images) == min(88, len(cover.index)) > 11
    scaled = final.model.scaled(train)
    uncovered = np.ones(len(train), dtype=bool)
    y = final.data.y[final.folds != TEST]
    for number, (image, text) in enumerate(zip(axes.images, axes.texts, strict=True)):
        chosen = cover.index[number]
        np.testing.assert_allclose(image.get_array(), train[chosen].reshape(SHAPE))
        inside = cdist(scaled[[chosen]], scaled)[0] < final.model.fitted.radii[-1]
        mine = y == cover.labels[number]
        assert text.get_text() == f"{(inside & mine & uncovered).sum()} ({(inside & ~mine).sum()})"
        uncovered &= ~(inside & mine)
    first, second = (image.get_extent() for image in axes.images[:2])
    assert first[2:] == second[2:]  # side by side
    assert first[1] < second[0]


def test_arrangement_keeps_distances_as_principal_components_do(final, figures):
    """Classical scaling of Euclidean distances: the largest variances of the prototypes."""
    axes = figures["images_cover_arrangement_cover"].figure.axes[0]
    place = np.concatenate([np.asarray(c.get_offsets()) for c in axes.collections])
    cover = cover_of(final)
    X = final.model.fitted.candidates[cover.index[:88]]
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:2]
    np.testing.assert_allclose(np.linalg.norm(place - place.mean(axis=0), axis=0), values, rtol=1e-6)
    assert len(axes.images) == len(place)
    widths = [np.ptp(image.get_extent()[:2]) for image in reversed(axes.images)]
    covered = np.log1p(cover.covered[: len(widths)])
    np.testing.assert_allclose(np.array(widths) / widths[0], covered / covered[0])


def test_tree_is_complete_linkage_with_a_mark_for_every_prototype(final, figures):
    axes = figures["images_cover_tree_cover"].figure.axes[0]
    tree, marks = axes.collections[0], axes.collections[1:]
    samples = final.model.fitted.candidates
    joins = linkage(samples, "complete")
    heights = sorted(max(line[:, 1]) for line in tree.get_segments())
    np.testing.assert_allclose(heights, sorted(joins[:, 2]))
    assert heights[-1] == pytest.approx(pdist(samples).max())
    cover = cover_of(final)
    assert sum(len(m.get_offsets()) for m in marks) == len(cover.index)
    radius = final.model.fitted.radii[-1]
    (line,) = [line for line in axes.lines if line.get_label().startswith("radius")]
    assert set(line.get_ydata()) == {radius}
    groups = fcluster(joins, radius, "distance")  # what is joined below the line is within the radius
    assert all(pdist(samples[groups == g]).max(initial=0.0) <= radius for g in np.unique(groups))


def test_objective_after_each_step(final, figures):
    left, right = figures["images_cover_objective_cover"].figure.axes
    path = cover_of(final).objective_path
    np.testing.assert_allclose(left.lines[0].get_ydata(), path)
    np.testing.assert_allclose(right.lines[0].get_ydata(), path[:-1] - path[1:])
    last = left.lines[1].get_xdata()[0]
    new = cover_of(final).newly_covered
    assert (new[last:] == 1).all()
    assert new[last - 1] > 1


def test_weights_are_not_taken_for_numbers_of_samples(stored):
    """Two light samples are several and weigh less than 1; samples of weight 0 are not fitted."""
    final = stored.final("cover", "heavy")
    figures = {d.name: d for d in data_set_figures(stored, "heavy")}
    drawn = figures["heavy_cover_objective_cover"]
    cover, weight = cover_of(final), final.data.sample_weight
    there = (final.folds != TEST) & (weight > 0)
    samples, y = final.model.scaled(final.data.X[there]), final.data.y[there]
    inside = cdist(final.model.fitted.candidates[cover.index], samples) < final.model.fitted.radii[-1]
    own = inside & (y == cover.labels[:, None])
    new = [(mine & ~own[:p].any(axis=0)).sum() for p, mine in enumerate(own)]  # one class alone has it as its own
    last = drawn.figure.axes[0].lines[1].get_xdata()[0]
    assert last == 1 + max(p for p, n in enumerate(new) if n > 1)
    assert cover.newly_covered[last - 1] < 1
    assert "the weight of training samples left uncovered" in drawn.caption
    for what in ("images", "arrangement"):
        assert "the weight of training samples" in figures[f"heavy_cover_{what}_cover"].caption
    heights = [bar.get_height() for bar in figures["heavy_cover_classes_cover"].figure.axes[0].containers[0]]
    np.testing.assert_allclose(heights, 100 * np.bincount(y) / len(y))


def test_the_bound_is_below_both_algorithms_at_every_radius(stored, figures):
    drawn = figures["images_cover_bounds"]
    left, right = drawn.figure.axes
    greedy, rounded, bound = (np.array(line.get_ydata()) for line in left.lines)
    radius = [
        np.mean([r["staged_summary"]["ball_radius"][s] for r in stored.final("cover", "images").paths])
        for s in range(14)
    ]
    for line in left.lines:
        np.testing.assert_allclose(line.get_xdata(), radius)
    paths = stored.final("rounded", "images").paths
    np.testing.assert_allclose(bound, np.mean([r["staged_summary"]["lower_bound"] for r in paths], axis=0))
    np.testing.assert_allclose(right.lines[0].get_ydata(), greedy - bound)
    np.testing.assert_allclose(right.lines[1].get_ydata(), rounded - bound)
    assert (greedy >= bound - 1e-9).all()
    assert (rounded >= bound - 1e-9).all()
    assert drawn.category == "Prototypes chosen by set cover"
    assert "Means over 2 folds" in drawn.caption


def test_bounds_need_both_experiments_and_trees_a_set_cover(stored):
    assert "images_cover_bounds" in {p.name for p in planned(DataSetRuns(stored, "images"))}
    assert "heavy_cover_bounds" not in {p.name for p in planned(DataSetRuns(stored, "heavy"))}
    names = [p.name for p in planned(DataSetRuns(stored, "images"))]
    assert sum("cover_tree" in name for name in names) == 1
    assert not any("pixel" in name for name in names)


def test_shares_of_the_classes(final, figures):
    (axes,) = figures["images_cover_classes_cover"].figure.axes
    heights = np.array([[bar.get_height() for bar in bars] for bars in axes.containers])
    np.testing.assert_allclose(heights.sum(axis=1), 100)
    np.testing.assert_allclose(heights[0], 100 * np.array([35, 42, 28]) / 105)
    counts = np.bincount(cover_of(final).labels, minlength=3)
    np.testing.assert_allclose(heights[1], 100 * counts / counts.sum())
    assert "class $eel has the most prototypes" in figures["images_cover_classes_cover"].alt


def test_without_prototypes_nothing_is_drawn(final, monkeypatch):
    """One ball would hold all samples."""
    monkeypatch.setattr("proset.cover.SMALLEST", 1.0)
    data, case = final.data, Case(5, 0, "images", "cover", "set_cover")
    none = replace(final, run=replace(final.run, name="none"))
    none.folder.mkdir()
    record, *_ = fit_final(data, final.folds, {"cost": 1000.0}, 1, case, none.folder / "model.npz")
    assert record["summary"]["prototypes"] == 0
    write_json(none.folder / "fit.json", record)
    draws = (set_cover.images_figure, set_cover.arrangement_figure)
    assert [draw(none, SHAPE) for draw in draws] == [None, None]
    assert (set_cover.objective_figure(none), set_cover.classes_figure(none)) == (None, None)


def test_other_data_are_drawn_without_images_and_large_trees_not_at_all(final, monkeypatch):
    assert not set_cover.arrangement_figure(final, None).figure.axes[0].images
    assert not set_cover.tree_figure(final, None).figure.axes[0].images
    monkeypatch.setattr(set_cover, "LARGEST_TREE", 104)
    assert set_cover.tree_figure(final, None) is None


def test_the_shape_of_images_changes_no_result(stored):
    assert set(stored.study.data_settings("images")) == {"file", "target"}
    assert stored.study.of_data_set("images").config["data_sets"]["images"]["image"] == [2, 3]
