from proset_study.data.sources import make


def test_iris_2f_has_sepal_length_and_width():
    data = make({"sklearn": "iris", "features": [0, 1]}, 0, "iris_2f", 0)
    assert data.feature_names.tolist() == ["sepal length (cm)", "sepal width (cm)"]
    assert data.class_names.tolist() == ["setosa", "versicolor", "virginica"]
