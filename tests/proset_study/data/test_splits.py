import numpy as np

from proset_study.data.dataset import DataSet
from proset_study.data.sources import make
from proset_study.data.splits import TEST, select_fold
from proset_study.data.splitting import split


def test_scaling_uses_the_fitted_part_alone():
    data = make({"sklearn": "wine"}, 0, "wine", 0)
    folds = split(data.y, 5, 0.3, 0)
    fold_data = select_fold(data, folds, 2, scaled=True)
    np.testing.assert_allclose(fold_data.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(fold_data.X.std(axis=0), 1)
    changed = data.X.copy()
    changed[(folds == 2) | (folds == TEST)] += 1000.0
    other = select_fold(DataSet(changed, data.y, data.feature_names, data.class_names), folds, 2, scaled=True)
    np.testing.assert_array_equal(fold_data.X, other.X)
    assert set(fold_data.rows_score) == set(np.flatnonzero(folds == 2))
    raw = select_fold(data, folds, TEST, scaled=False)
    np.testing.assert_array_equal(raw.X, data.X[folds != TEST])
    np.testing.assert_array_equal(raw.rows_score, np.flatnonzero(folds == TEST))


def test_samples_of_weight_zero_are_not_fitted():
    data = make({"sklearn": "wine"}, 0, "wine", 0)
    weight = np.tile([0.0, 2.0], len(data.y) // 2)
    folds = split(data.y, 5, 0.3, 0)
    weighted = DataSet(data.X, data.y, data.feature_names, data.class_names, weight)
    fold_data = select_fold(weighted, folds, 0, scaled=True)
    assert len(fold_data.y) == ((folds > 0) & (weight > 0)).sum()
    assert (fold_data.weight == 2.0).all()
    assert len(fold_data.weight_score) == (folds == 0).sum()


def test_constant_feature_is_only_centred():
    X = np.column_stack([np.arange(60.0), np.full(60, 0.1)])
    data = DataSet(X, np.tile([0, 1], 30), np.array(["a", "b"]), np.array(["0", "1"]))
    fold_data = select_fold(data, split(data.y, 3, 0.3, 0), 0, scaled=True)
    assert np.abs(fold_data.X[:, 1]).max() < 1e-12
