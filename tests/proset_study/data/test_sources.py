from pathlib import Path

import pytest
from sklearn.neighbors import KNeighborsClassifier

from proset_study.data.sources import make
from proset_study.data.splits import TEST, select_fold
from proset_study.data.splitting import split
from proset_study.store.metrics import score_predictions
from proset_study.store.results import read_published

PUBLISHED = Path(__file__).parents[3] / "data/published/published.csv"


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
