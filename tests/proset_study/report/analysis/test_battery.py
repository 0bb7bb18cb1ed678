import numpy as np
import pytest
from scipy import stats
from tests.proset_study.report.made_up import made_up

from proset_study.report.analysis.battery import BEST, PROPERTIES, mean_and_ends


def test_the_best_of_the_others_is_that_of_each_data_set_without_baselines():
    losses = np.array([[0.3, 0.1, 0.5, 0.0], [0.3, 0.6, 0.4, 0.0]])
    differences = made_up(losses, ("proset", "knn", "xgboost", "class_prior")).differences
    assert list(differences) == [BEST, "knn", "xgboost"]
    assert differences[BEST] == pytest.approx([0.2, -0.1])
    assert differences["knn"] == pytest.approx([0.2, -0.3])


def test_means_have_sources_as_units(rng):
    values, source = rng.normal(size=7), np.array([0, 0, 1, 2, 2, 2, 3])
    means = [values[source == number].mean() for number in range(4)]
    mean, *ends = mean_and_ends(values, source)
    assert mean == pytest.approx(np.mean(means), abs=1e-8)
    assert ends == pytest.approx(list(stats.ttest_1samp(means, 0).confidence_interval(0.95)), abs=1e-8)
    assert mean_and_ends(values[:3], source[:3]) == [None, None, None]


@pytest.mark.parametrize(
    ("name", "split", "above", "up_to"),
    [
        ("train_samples", 1200.0, "more than 1,200 training rows", "at most 1,200 training rows"),
        ("classes", 2.0, "more than 2 classes", "at most 2 classes"),
        ("noise", 0.456, "noise above 0.46", "noise up to 0.46"),
        ("categorical", 0.0, "categorical columns", "no categorical columns"),
        ("categorical", 0.25, "more than 25% categorical columns", "at most 25% categorical columns"),
        ("missing", 0.0, "missing values", "no missing values"),
    ],
)
def test_tables_on_both_sides_of_a_value_are_named(name, split, above, up_to):
    shown = PROPERTIES[name]
    assert (shown.tables(split, above=True), shown.tables(split, above=False)) == (above, up_to)
