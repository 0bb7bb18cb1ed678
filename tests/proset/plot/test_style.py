import numpy as np
import pytest
from matplotlib import pyplot

from proset.plot.style import areas, circles, class_style, log_axis


def test_ten_classes_have_colours_and_markers_of_their_own():
    colours, markers = zip(*(class_style(k).values() for k in range(10)), strict=True)
    assert len(set(colours)) == len(set(markers)) == 10
    assert class_style(6, ink="white")["color"] == "white"  # the black one


def test_areas_are_in_proportion_and_smaller_where_there_are_many():
    few, many = areas(np.array([1.0, 4.0]), 100.0), areas(np.arange(1.0, 241.0), 100.0)
    assert few.tolist() == [25.0, 100.0]
    assert many.max() == pytest.approx(50.0)
    assert areas(np.empty(0), 100.0).tolist() == []


def test_circles_are_seen_on_any_ground():
    axes = pyplot.subplots()[1]
    circles(axes, np.zeros((1, 2)), np.ones(1))
    dark, light = axes.collections
    assert dark.get_linewidth() > light.get_linewidth()
    assert (dark.get_edgecolor()[0, 0], light.get_edgecolor()[0, 0]) == (0.0, 1.0)


def test_ticks_of_logarithmic_axes():
    axes = pyplot.subplots()[1]
    axes.plot([0.001, 10.0], [20.0, 3000.0])
    log_axis(axes, "x")
    log_axis(axes, "y", dense=True)
    assert axes.xaxis.get_major_formatter()(0.01, None) == "10⁻²"
    assert [axes.yaxis.get_major_formatter()(value, None) for value in (50.0, 2000.0)] == ["50", "2k"]
