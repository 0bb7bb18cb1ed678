import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from tests.proset_study.methods.small import fit

from proset.losses import log_loss
from proset_study.methods.coupling import couple, sigmoid
from proset_study.methods.svm import SVM

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    scaler = StandardScaler().fit(train)
    return scaler.transform(train), y_train, scaler.transform(test), y_test


def test_coupled_probabilities_of_digits_are_better_than_those_of_classes_against_the_rest(digits):
    X, y, X_test, y_test = digits
    parameters = {"C": 10.0, "gamma": 1 / 64}
    machines = [SVM.estimator({**parameters, "coupling": coupling}, 1, 0).fit(X, y) for coupling in (0, 1)]
    against_rest, coupled = (log_loss(machine.predict_proba(X_test), y_test) for machine in machines)
    assert coupled < 0.12
    assert coupled < 0.5 * against_rest


def test_probabilities_of_pairs_that_agree_are_found():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(6), size=50)
    pairwise = p[:, :, None] / (p[:, :, None] + p[:, None, :])
    pairwise[:, np.arange(6), np.arange(6)] = 0.0
    np.testing.assert_allclose(couple(pairwise), p, atol=1e-9)


def test_coupled_probabilities_minimise_what_pairs_disagree_by():
    rng = np.random.default_rng(1)
    upper = np.triu(rng.uniform(0.01, 0.99, size=(20, 4, 4)), 1)
    pairwise = upper + np.tril(1.0 - upper.swapaxes(1, 2), -1)

    def disagreement(p):
        crossed = pairwise.swapaxes(1, 2) * p[:, :, None] - pairwise * p[:, None, :]
        return (crossed**2).sum(axis=(1, 2))

    p = couple(pairwise)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (p >= 0).all()
    for _ in range(20):
        step = rng.normal(size=p.shape) * 1e-3
        moved = p + step - step.mean(axis=1, keepdims=True)
        assert (disagreement(moved) >= disagreement(p)).all()


def test_the_sigmoid_is_the_likeliest_one_of_platts_targets():
    rng = np.random.default_rng(2)
    values = rng.normal(size=400) * 30
    is_first = rng.random(400) < 1 / (1 + np.exp(-0.1 * values - 0.5))
    a, b = sigmoid(values, is_first, np.ones(400))
    assert (a, b) == (pytest.approx(0.1, abs=0.03), pytest.approx(0.5, abs=0.4))
    twice = sigmoid(np.repeat(values, 2), np.repeat(is_first, 2), np.full(800, 0.5))
    np.testing.assert_allclose(twice, (a, b), rtol=1e-3)
    perfect = sigmoid(np.array([-1.0, -1.0, 1.0]), np.array([False, False, True]), np.ones(3))
    np.testing.assert_allclose(
        1 / (1 + np.exp(-perfect[0] * np.array([-1, 1]) - perfect[1])), [1 / 4, 2 / 3], atol=1e-3
    )


def test_a_class_of_one_sample_has_a_probability():
    """It is missing in all folds but one, and so are the machines of its pairs."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [20, 20, 1])
    X = rng.normal(size=(41, 2)) + 4.0 * y[:, None]
    with pytest.warns(UserWarning, match="least populated class"):
        p = fit("svm", X, y, C=10.0, gamma=0.5, coupling=1).predict_proba(X)
    assert np.isfinite(p).all()
    assert (p[:40].argmax(axis=1) == y[:40]).mean() > 0.9
