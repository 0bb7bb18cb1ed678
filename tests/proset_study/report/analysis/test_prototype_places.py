from types import SimpleNamespace

import numpy as np

from proset_study.report.analysis.prototype_places import disagreement


def test_a_sample_is_none_of_its_own_neighbours_also_if_an_equal_one_has_another_class():
    X = np.array([0.0, 0.0, *range(1, 11)])[:, None]
    y = np.array([0, 1, *[1] * 10])
    final = SimpleNamespace(part=SimpleNamespace(X=X, y=y, points=X, metric="euclidean"))
    assert disagreement(final, X, y)[:2].tolist() == [1.0, 0.1]
