import numpy as np
import pandas as pd
import pytest

from proset import group_rates
from proset.plot import GroupRatesDisplay


@pytest.fixture(scope="module")
def groups():
    return np.array([None, "_plain", "$a$ group\nwith a name that is rather long", "b"])[np.arange(150) // 10 % 4]


def test_dots_and_lines_are_the_table(pipeline, flowers, groups, texts, rows):
    X, y = flowers
    wrong = np.where(np.arange(150) % 7 == 0, "setosa", y)
    display = GroupRatesDisplay.from_estimator(pipeline, X, wrong, groups)
    expected = group_rates(pipeline, X, wrong, groups)
    pd.testing.assert_frame_equal(display.rates, expected)
    shown = expected.iloc[1:].sort_values("error", kind="stable")
    dots, _, (bars,) = display.lines_
    np.testing.assert_allclose(dots.get_xdata(), shown["error"])
    ends = np.array([segment[:, 0] for segment in bars.get_segments()])
    np.testing.assert_allclose(ends, shown[["error low", "error high"]])
    assert sorted(rows(display)) == [
        " _plain  (n = 40)",
        r"(missing)  (n = 40)",
        r"\$a\$ group with a name that …  (n = 40)",
        "b  (n = 30)",
    ]
    assert texts(display.ax_) == [f"all: {expected['error'].iloc[0]:.1%}"]
    assert display.ax_.get_xlim()[0] == 0


def test_a_group_without_weight_has_no_dot(pipeline, flowers, recwarn):
    X, y = flowers
    weight = (y != "setosa").astype(float)
    display = GroupRatesDisplay.from_estimator(pipeline, X, y, y, sample_weight=weight, color="red")
    assert display.lines_[0].get_color() == "red"
    assert np.isnan(display.lines_[0].get_xdata()).tolist() == [True, False, False]
    display.figure_.canvas.draw()
    assert not recwarn.list
