import numpy as np
import pytest
from sklearn.model_selection import StratifiedGroupKFold

from proset_study.data.sources import make
from proset_study.data.splits import TEST
from proset_study.data.splitting import _training_groups, split


@pytest.mark.parametrize(
    ("settings", "train", "test"),
    [
        ({"sklearn": "iris"}, 105, 45),
        ({"sklearn": "wine"}, 124, 54),
        ({"sklearn": "breast_cancer"}, 398, 171),
        ({"sklearn": "digits"}, 1257, 540),
        ({"generator": "xor", "features": 3}, 560, 240),
    ],
)
def test_published_sizes_and_stratification(settings, train, test):
    y = make(settings, 0, "d", 0).y
    folds = split(y, 5, 0.3, 1)
    assert (folds == TEST).sum() == test
    assert (folds != TEST).sum() == train
    sizes = np.bincount(folds[folds != TEST])
    assert len(sizes) == 5
    assert sizes.max() - sizes.min() <= 1
    for part_rows in (folds == TEST, folds == 0, folds == 4):
        share = np.bincount(y[part_rows]) / part_rows.sum()
        np.testing.assert_allclose(share, np.bincount(y) / len(y), atol=2 / part_rows.sum())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n_groups", "n_folds"), [(12, 2), (40, 3), (150, 5)])
def test_no_group_is_in_two_parts_and_classes_are_spread_evenly(seed, n_groups, n_folds):
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, 4 * n_groups)])
    y = rng.choice(3, len(group), p=[0.5, 0.3, 0.2])
    folds = split(y, n_folds, 0.3, seed, group=group)
    for g in range(n_groups):
        assert len(set(folds[group == g])) == 1, g
    assert set(folds) == {TEST, *range(n_folds)}
    unit = 1 / np.sqrt(n_groups)  # a draw that does not look at classes has a deviation of half of it in the test part
    for k in range(3):
        assert np.mean(folds[y == k] == TEST) == pytest.approx(0.3, abs=0.3 * unit)
        for fold in range(n_folds):
            assert np.mean(folds[(y == k) & (folds != TEST)] == fold) == pytest.approx(1 / n_folds, abs=1.2 * unit)
    assert (folds == split(y, n_folds, 0.3, seed, group=group)).all()
    assert (folds != split(y, n_folds, 0.3, seed + 1, group=group)).any()


@pytest.mark.parametrize(("drawn", "n_bad"), [(44, 4), (90, 1), (126, 2)])
def test_each_fold_leaves_samples_of_each_class_to_fit_on(drawn, n_bad):
    """Tables of six groups, for which the first draw of folds leaves a class without samples with some seeds or all."""
    rng = np.random.default_rng(drawn)
    group = np.repeat(np.arange(6), rng.integers(2, 12, 6))
    y = rng.integers(0, 3, len(group))
    n_redrawn = 0
    for seed in range(4):
        folds = split(y, 2, 0.3, seed, group=group)
        train = folds != TEST
        for fold in (TEST, 0, 1):
            assert set(y[train & (folds != fold)]) == {0, 1, 2}
            assert len(set(folds[group == fold])) <= 1
        best = next(iter(_training_groups(y, 2, 0.3, seed, group)))
        first = StratifiedGroupKFold(2, shuffle=True, random_state=seed).split(best, y[best], group[best])
        n_redrawn += any(len(set(y[best][fitted])) < 3 for fitted, _ in first)
    assert n_redrawn == n_bad


def test_groups_that_cannot_be_cut_into_folds_are_refused():
    y, group = np.array([0, 0, 0, 1, 1, 1, 0, 1]), np.array([0, 1, 2, 3, 3, 3, 4, 4])
    with pytest.raises(ValueError, match="group: in all draws of 2 folds one has all training samples of a class"):
        split(y, 2, 0.3, 0, test=np.arange(8) > 5, group=group)


def test_a_class_in_groups_of_very_different_size_stays_in_enough_training_groups():
    group = np.array([0, 1, *[2] * 98, *np.repeat(np.arange(3, 13), 10)])  # the second class is in groups 0, 1 and 2
    y = np.array([1] * 100 + [0] * 100)
    folds = split(y, 2, 0.3, 0, group=group)
    assert len(set(group[(y == 1) & (folds != TEST)])) == 2
    assert set(folds[y == 1]) == {TEST, 0, 1}
