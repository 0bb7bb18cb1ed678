import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from proset import ProsetClassifier, diff, load_model, save_model
from proset.elimination import Elimination
from proset.influence import Refits, scaled_model
from proset.parts import parts_of

GIVEN = {"lambda_v": 0.01, "lambda_w": 1e-4}


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, ProsetClassifier(**GIVEN, max_prototypes=8).fit(X, y)


def assert_minimum(model, pinned):
    """Of the objective of its own prototypes, with these weights of features as they are."""
    refits = Refits.of(model)
    parts = parts_of(scaled_model(model), refits.task.samples)
    objective, theta = Elimination(refits.task, refits.penalty).objective(parts, 0), parts[0].theta
    bounds = [(x, x) if i in pinned else (0, None) for i, x in enumerate(theta)]
    found = minimize(objective, theta, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14})
    assert objective(theta)[0] - found.fun < 1e-4


def test_dropped_prototypes_are_gone_and_the_rest_is_at_a_minimum(wine):
    X, model = wine
    rows = model.batches_[0].sample_index[[1, 4]]
    other = model.edited(drop=rows)
    assert set(other.batches_[0].sample_index) == set(model.batches_[0].sample_index) - set(rows)
    assert set(model.batches_[0].sample_index) >= set(rows)  # the model itself stays as it was
    assert_minimum(other, {})
    assert not np.allclose(other.predict_proba(X), model.predict_proba(X), atol=1e-3)


def test_pinned_weights_stay_and_all_others_move(wine):
    X, model = wine
    d, forbidden = model.active_features_[[0, 1]]
    other = model.edited(pin={str(X.columns[d]): 1.25, int(forbidden): 0.0})
    assert other.feature_weights_[0, d] == pytest.approx(1.25, rel=1e-12)
    assert other.feature_weights_[0, forbidden] == 0.0
    assert forbidden not in other.active_features_
    assert_minimum(other, {d, forbidden})
    free = model.edited()
    assert free.feature_weights_[0, d] != pytest.approx(1.25)


def test_an_edited_model_is_one_like_any_other(wine):
    X, model = wine
    other = model.edited(drop=model.batches_[0].sample_index[:1])
    assert other.training_familiarity_.shape == model.training_familiarity_.shape
    assert not np.array_equal(other.training_familiarity_, model.training_familiarity_)
    assert len(other.export()) == 3 + other.n_prototypes_
    assert other.with_prototypes(other.n_prototypes_).n_prototypes_ == other.n_prototypes_
    with pytest.raises(AttributeError):
        _ = other.prototype_path_
    again = other.edited(pin={int(other.active_features_[0]): 0.0})
    assert again.n_prototypes_ <= other.n_prototypes_
    np.testing.assert_allclose(other.attributions(X.head(3)).values.sum(axis=2), 0.0, atol=1e-12)


def test_batches_are_fitted_given_the_others():
    X, y = load_wine(return_X_y=True)
    model = ProsetClassifier(n_batches=2, **GIVEN, max_prototypes=12).fit(X, y)
    first, second = (batch.sample_index for batch in model.batches_)
    assert len(first)
    assert len(second)
    other = model.edited(drop=second)
    assert len(other.batches_[1].labels) == 0
    assert not other.batches_[1].feature_weights.any()
    assert set(other.batches_[0].sample_index) == set(first)


def test_mixed_tables_and_bases(mixed, iris):
    model = mixed[2]
    edited = model.edited(pin={"colour": 0.0})
    assert 2 not in edited.active_features_
    assert diff(model, edited).features.set_index("feature")["change"]["colour"] == "removed"
    based = ProsetClassifier(base=LogisticRegression(max_iter=1000), lambda_v=0.001, lambda_w=1e-6, max_prototypes=5)
    based.fit(*iris)
    edited = based.edited(drop=based.batches_[0].sample_index[:1])
    np.testing.assert_allclose(edited.predict_proba(iris[0]).sum(axis=1), 1.0)


def test_diff_says_what_changed(wine):
    X, model = wine
    row = int(model.batches_[0].sample_index[0])
    gone = str(X.columns[model.active_features_[0]])
    other = model.edited(drop=[row], pin={gone: 0.0})
    found = diff(model, other, X)
    prototypes = found.prototypes.set_index("row")
    assert prototypes.loc[row, ["weight then", "change"]].tolist() == [0.0, "removed"]
    assert (prototypes["change"] == "removed").sum() == model.n_prototypes_ - other.n_prototypes_
    assert found.features.set_index("feature").loc[gone, "change"] == "removed"
    moved = np.abs(model.predict_proba(X) - other.predict_proba(X)).sum(axis=1) / 2
    np.testing.assert_allclose(found.predictions["moved"], np.sort(moved)[::-1])
    assert found.predictions["sample"][0] == X.index[moved.argmax()]
    order = found.predictions["sample"].to_numpy()
    np.testing.assert_array_equal(found.predictions["class"], model.predict(X)[order])
    np.testing.assert_array_equal(found.predictions["class then"], other.predict(X)[order])
    text = str(found)
    assert gone in text
    assert f"of {len(X)} predicted classes differ" in text
    back = diff(other, model, X)
    assert back.prototypes.set_index("row").loc[row, "change"] == "added"
    same = diff(model, model)
    assert set(same.prototypes["change"]) == set(same.features["change"]) == {"same"}
    assert len(same.predictions) == 100
    assert not same.predictions["moved"].any()


def test_diff_of_a_model_without_prototypes(wine):
    X, model = wine
    empty = ProsetClassifier(n_batches=0).fit(X, model.classes_[model._training.codes])
    assert set(diff(model, empty, X).prototypes["change"]) == {"removed"}
    assert len(diff(empty, empty, X).prototypes) == 0


def test_an_edit_of_nothing_changes_next_to_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=300) > 0).astype(int)
    for settings in ({}, {"max_prototypes": None}, {"max_prototypes": None, "n_batches": 2}, {"n_batches": 2}):
        model = ProsetClassifier(**GIVEN | settings).fit(X, y)
        np.testing.assert_allclose(model.edited().predict_proba(X), model.predict_proba(X), atol=0.01)


def test_diff_takes_lists(wine):
    X, model = wine
    rows = X.to_numpy().tolist()
    bare = ProsetClassifier(max_prototypes=3).fit(rows, model.classes_[model._training.codes])
    assert diff(bare, bare.with_prototypes(1), rows).predictions["sample"].max() == len(X) - 1


def test_models_from_files_are_compared_on_samples(tmp_path):
    X, y = load_iris(return_X_y=True)
    save_model(ProsetClassifier(lambda_v=0.01, lambda_w=1e-4).fit(X, y), tmp_path / "m.npz")
    one, other = (load_model(tmp_path / "m.npz") for _ in range(2))
    assert not diff(one, other, X).predictions["moved"].any()
