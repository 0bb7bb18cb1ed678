import numpy as np
import pytest
from tests.proset_study.report.made_up import made_up
from tests.proset_study.small_study import check_findings

from proset_study.report.analysis.dependence import UNCLEAR, between_properties, effects
from proset_study.report.analysis.pareto import Point
from proset_study.report.analysis.pays import BatteryFindings
from proset_study.report.analysis.ratings import ratings
from proset_study.report.figures.battery import battery_figures
from proset_study.report.figures.style import context, save

N = 20


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    noise = rng.random(N)
    losses = 0.5 + 0.01 * rng.normal(size=(N, 3))
    losses[:, 1] += noise - 0.5
    battery = made_up(losses, noise=noise, columns=rng.integers(2, 50, N))
    names, points = battery.compared.methods, []
    for data_set, row in zip(battery.compared.data_sets, battery.compared.losses, strict=True):
        for name, loss, prototypes in zip(names, row.tolist(), (8.0, None, None), strict=True):
            points.append(Point("all", data_set, name, loss, prototypes, 3.0, 24.0, 0.1, "yes"))
    return BatteryFindings(battery, effects(battery), between_properties(battery), ratings(battery, 1), points)


@pytest.fixture(scope="module")
def figures(found):
    with context():
        return battery_figures(found)


def test_findings_are_sentences(figures, tmp_path):
    drawn = [figure for figure in figures.values() if figure is not None]
    assert len(drawn) == 3
    check_findings(drawn)
    save(figures["pays"].figure, tmp_path / "pays")
    assert {path.name for path in tmp_path.iterdir()} == {"pays.svg"}


def test_every_correlation_has_its_interval_and_those_without_0_are_black(found, figures):
    drawn = {}
    for panel, name in zip(figures["pays"].figure.axes, ("columns", "noise"), strict=True):
        assert panel.get_xlabel() == f"more {name}"
        points = [line for line in panel.lines if line.get_marker() == "o"]
        drawn |= {(name, line.get_ydata()[0]): (line.get_xdata()[0], line.get_color()) for line in points}
    rivals = list(dict.fromkeys(effect.rival for effect in found.effects))
    assert drawn == {
        (e.property, rivals.index(e.rival)): (e.correlation, drawn[e.property, rivals.index(e.rival)][1])
        for e in found.effects
    }
    black = {place for place, (_, colour) in drawn.items() if colour == "black"}
    assert black == {(e.property, rivals.index(e.rival)) for e in found.effects if e.state != UNCLEAR}
    assert ("noise", rivals.index("knn")) in black
    assert f"{len(black)} are significant" in figures["pays"].finding


def test_ratings_are_drawn_in_their_order(found, figures):
    left, right = figures["ratings"].figure.axes
    assert [line.get_xdata()[0] for line in left.lines] == [rating.elo for rating in found.ratings]
    assert [line.get_xdata()[0] for line in right.lines] == [rating.normalised for rating in found.ratings]
    best = max(found.ratings, key=lambda rating: rating.elo)
    assert f"The highest Elo is {best.elo:.0f} for " in figures["ratings"].finding


def test_only_methods_with_prototypes_are_drawn_by_their_size(found, figures):
    left, right = figures["sizes"].figure.axes
    losses = found.battery.compared.losses
    for panel, size in ((left, 8.0), (right, 3.0)):
        (line,) = panel.lines
        assert set(line.get_xdata()) == {size}
        assert line.get_ydata() == pytest.approx(losses[:, 0] - losses.min(axis=1))
    n_best = int((losses[:, 0] == losses.min(axis=1)).sum())
    assert figures["sizes"].finding.startswith(f"Of 20 models with prototypes, {n_best} have the lowest log-loss")


def test_what_has_nothing_to_show_is_left_out(found):
    others = [point for point in found.points if point.method != "proset"]
    drawn = battery_figures(BatteryFindings(found.battery, [], [], found.ratings, others))
    assert [name for name, figure in drawn.items() if figure is None] == ["pays", "sizes"]
