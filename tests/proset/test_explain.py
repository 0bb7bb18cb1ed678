import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from proset import ProsetClassifier, kernel
from proset.explain import explain
from proset.model import Batch, Model

BATCH = Batch(
    feature_weights=np.array([2.0, 0.0, 1.0]),
    prototypes=np.array([[0.0, 5.0, 0.0], [1.0, 5.0, 1.0]]),
    labels=np.array([0, 1]),
    prototype_weights=np.array([3.0, 4.0]),
    sample_index=np.array([7, 2]),
    candidate_index=np.array([2, 7]),
    objective=0.0,
    n_iter=1,
    n_evaluations=1,
    converged=True,
    message="",
)


@pytest.fixture(scope="module")
def fitted():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = (X - X.mean()) / X.std()
    return X, ProsetClassifier(n_batches=2, random_state=0).fit(X, y.map({0: "a", 1: "b", 2: "c"}))


def test_two_prototypes_by_hand():
    found = explain(Model(np.array([0.25, 0.75]), np.zeros(3), (BATCH,)), np.array([0.5, -9.0, 0.0]))
    near, far = 3 * np.exp(-0.5), 4 * np.exp(-0.5 - 0.5)  # (2 * 0.5)^2 / 2 each, and 1^2 / 2 for the second
    total = 1 + near + far
    assert found.batch.tolist() == [0, 0, 1, 1]
    assert found.sample.tolist() == [-1, -1, 7, 2]
    assert found.label.tolist() == [0, 1, 0, 1]
    assert found.features.tolist() == [0, 2]  # the one of weight 0 has no say
    np.testing.assert_allclose(found.share, np.array([0.25, 0.75, near, far]) / total)
    np.testing.assert_allclose(found.feature_similarity[2:], [[np.exp(-0.5), 1.0], [np.exp(-0.5), np.exp(-0.5)]])
    assert found.familiarity == pytest.approx(near + far)


def test_shares_of_a_class_add_up_to_its_probability(fitted):
    X, model = fitted
    for i in (0, 75, 149):
        frame = model.explain(X.iloc[[i]])
        assert list(frame["class"][:3]) == ["a", "b", "c"]
        assert (frame["sample"][:3] == -1).all()
        assert frame["contribution"][3:].is_monotonic_decreasing
        shares = frame.groupby("class")["share"].sum().to_numpy()
        np.testing.assert_allclose(shares, model.predict_proba(X.iloc[[i]])[0], rtol=1e-5)
        assert frame["contribution"][3:].sum() == pytest.approx(model.familiarity(X.iloc[[i]])[0], rel=1e-5)
        columns = [c for c in frame if c.startswith("similarity in ")]
        assert columns == [f"similarity in {X.columns[d]}" for d in model.active_features_]
        np.testing.assert_allclose(frame[columns].prod(axis=1), frame["similarity"])


def test_a_prototype_is_most_similar_to_itself(fitted):
    X, model = fitted
    batch = model.batches_[0]
    frame = model.explain(X.iloc[[batch.sample_index[0]]])
    own = frame[(frame["batch"] == 1) & (frame["sample"] == batch.sample_index[0])]
    assert own["similarity"].item() == pytest.approx(1.0)
    assert own["weight"].item() == pytest.approx(batch.prototype_weights[0])


def test_far_away_the_prior_explains_all(fitted):
    X, model = fitted
    frame = model.explain(X.iloc[[0]] + 1e3)
    np.testing.assert_allclose(frame["share"][:3], model.class_prior_)
    assert frame["share"][3:].max() < np.exp(kernel.MIN_EXPONENT)


@pytest.mark.parametrize("x", [np.zeros((2, 4)), np.zeros(3), np.array([0.0, np.nan, 0.0, 0.0])])
def test_wrong_input_is_refused(fitted, x):
    X, model = fitted
    without_names = ProsetClassifier(random_state=0).fit(X.to_numpy(), model.predict(X))
    with pytest.raises(ValueError, match=r"samples are not allowed|features|NaN"):
        without_names.explain(x)


def test_without_batches_there_is_only_the_prior():
    model = ProsetClassifier(n_batches=0).fit(np.arange(8.0)[:, None], [0, 1] * 4)
    frame = model.explain([3.0])
    assert isinstance(frame, pd.DataFrame)
    assert frame["share"].tolist() == [0.5, 0.5]
