import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from tests.shared import ROOT

from proset_study.data.dataset import DataSet
from proset_study.data.sizes import size_of
from proset_study.data.sources import make, some_rows
from proset_study.data.splits import TEST, select_fold
from proset_study.data.splitting import split
from proset_study.store.metrics import score_predictions
from proset_study.store.results import read_published

PUBLISHED = ROOT / "data/published/published.csv"


def test_replicates_draw_their_own_synthetic_data_and_share_real_data():
    xor = {"generator": "xor", "features": 2}
    assert (make(xor, 0, "x", 0).X != make(xor, 0, "x", 1).X).all()
    assert (make(xor, 0, "x", 1).X == make(xor, 0, "x", 1).X).all()
    assert (make({"sklearn": "iris"}, 0, "i", 0).X == make({"sklearn": "iris"}, 0, "i", 1).X).all()


@pytest.mark.parametrize(
    ("settings", "case"),
    [
        ({"sklearn": "wine"}, ("E8", "wine")),
        ({"sklearn": "breast_cancer"}, ("E8", "cancer")),
        ({"generator": "checker"}, ("E8", "checker")),
        ({"generator": "checker", "angle": 45.0}, ("E11", "checker_rot")),
        ({"generator": "xor", "features": 3}, ("E11", "xor_3f")),
        ({"generator": "xor", "features": 4}, ("E11", "xor_4f")),
        ({"generator": "xor", "features": 5}, ("E11", "xor_5f")),
        ({"generator": "xor", "features": 6}, ("E8", "xor_6f")),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_the_published_draw_gives_the_published_scores_of_knn(settings, case):
    """Only data and split are random in them: k is printed. (iris_2f has ties, which depend on the row order.)"""
    data = make({**settings, "published_draw": {"seed": 12345, "test_fraction": 0.3}}, 0, case[1], 0)
    folds = split(data.y, 5, 0.3, 0, data.test)
    published = {row.name: row.value for row in read_published(PUBLISHED) if (row.experiment, row.dataset) == case}
    final = select_fold(data, folds, TEST, scaled=True)
    model = KNeighborsClassifier(int(published["selected_k"])).fit(final.X, final.y)
    scores = score_predictions(model.predict_proba(final.X_score), final.y_score)
    printed = {name: published[name] for name in scores if name in published}
    assert len(printed) == 3
    assert {name: round(scores[name], 2) for name in printed} == printed


def test_iris_2f_has_sepal_length_and_width():
    data = make({"sklearn": "iris", "features": [0, 1]}, 0, "iris_2f", 0)
    assert data.feature_names.tolist() == ["sepal length (cm)", "sepal width (cm)"]
    assert data.class_names.tolist() == ["setosa", "versicolor", "virginica"]


def grouped(sizes, test=None):
    group = np.repeat(np.arange(len(sizes)), sizes)
    y = np.arange(len(group)) % 2
    return DataSet(
        np.arange(2.0 * len(y)).reshape(-1, 2), y, np.array(["a", "b"]), np.array(["x", "y"]), None, test, group
    )


def test_some_rows_are_drawn_once_for_all_replicates():
    whole = make({"sklearn": "wine"}, 0, "w", 0)
    settings = {"sklearn": "wine", "rows": 50}
    some, again, other = (make(settings, seed, "w", replicate) for seed, replicate in [(0, 0), (0, 1), (1, 0)])
    assert size_of(settings).rows == len(some.y) == 50
    assert (some.X == again.X).all()
    assert (some.X != other.X).any()
    assert (some.X != make(settings, 0, "v", 0).X).any()
    rows = [int(np.flatnonzero((row == whole.X).all(axis=1))[0]) for row in some.X]
    assert rows == sorted(set(rows))
    assert max(rows) - min(rows) > 100  # not those of a beginning
    assert (
        len(make({"sklearn": "wine", "rows": 1000}, 0, "w", 0).y)
        == size_of({"sklearn": "wine", "rows": 1000}).rows
        == 178
    )


def test_every_row_is_as_likely_to_be_drawn():
    data = DataSet(np.arange(20.0)[:, None], np.arange(20) % 2, np.array(["a"]), np.array(["x", "y"]))
    drawn = np.concatenate([some_rows(data, 10, np.random.default_rng(seed)).X[:, 0] for seed in range(400)])
    counts = np.bincount(drawn.astype(int))
    assert counts.sum() == 4000
    assert abs(counts - 200).max() < 45  # 4.5 standard deviations


def test_groups_are_drawn_as_a_whole():
    data, sizes = grouped([2, 4, 6, 8, 10, 12]), set()
    for seed in range(30):
        some = some_rows(data, 20, np.random.default_rng(seed))
        numbers, counts = np.unique(some.group, return_counts=True)
        assert counts.tolist() == [2 * number + 2 for number in numbers]
        assert len(some.y) <= 20
        sizes.add(len(some.y))
    assert len(sizes) > 2


@pytest.mark.parametrize("n", [4, 5])
def test_too_few_rows_for_every_class_or_for_a_group_are_refused(n):
    with pytest.raises(ValueError, match=rf"rows: {n} is not allowed, with so few class 'x' has no sample"):
        some_rows(grouped([6, 8]), n, np.random.default_rng(0))
    test = np.arange(14) < 6  # one group
    with pytest.raises(ValueError, match="rows: 9 is not allowed, with so few class 'x' has no sample"):
        some_rows(grouped([6, 8], test), 9, np.random.default_rng(0))
