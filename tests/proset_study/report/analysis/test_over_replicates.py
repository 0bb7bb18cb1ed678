import numpy as np
import pytest
from scipy import stats
from tests.proset_study.small_study import WithLosses

from proset_study.report.analysis.over_replicates import methods_over_replicates
from proset_study.report.figures import over_data_sets


@pytest.fixture
def repeated(stored):
    """Four replicates."""
    return WithLosses(stored, lambda row, r: 0.5 + 0.01 * r**2 * (1 + (row.method == "knn")), range(4))


def pair(row):
    return row["dataset"], row["score"], row["first"], row["second"]


def test_corrected_t_test_by_hand_and_of_independent_draws(stored, repeated):
    rows = methods_over_replicates(repeated)
    (row,) = (r for r in rows if pair(r) == ("flowers", "log-loss", "proset", "knn"))
    differences = np.array([-0.01 * r**2 for r in range(4)])
    final = stored.final("E3", "flowers")
    overlap = final.fit["n_scored"] / final.fit["n_fit"]
    error = np.sqrt(1 / 4 + overlap) * differences.std(ddof=1)
    assert (row["replicates"], row["first_better"]) == (4, 3)
    assert row["difference"] == pytest.approx(differences.mean())
    assert row["standard_error"] == pytest.approx(error)
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(differences.mean()) / error, 3))
    assert row["high"] - row["low"] == pytest.approx(2 * stats.t.ppf(0.975, 3) * error)
    (row,) = (r for r in rows if pair(r) == ("cross", "log-loss", "proset", "knn"))
    assert row["overlap"] == 0
    differences = [-0.01 * r**2 for r in range(4)]
    assert row["p"] == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)


def test_the_figure_shows_the_rows(repeated):
    rows = [r for r in methods_over_replicates(repeated) if (r["score"], r["first"]) == ("log-loss", "proset")]
    panels = over_data_sets.methods_figure(rows).figure.axes
    assert [panel.get_title() for panel in panels] == ["minus KNN", "minus XGBoost"]
    shown = sorted(bars.lines[0].get_xdata()[0] for panel in panels for bars in panel.containers)
    assert {panel.get_xscale() for panel in panels} == {"linear"}
    assert shown == pytest.approx(sorted(r["difference"] for r in rows))
