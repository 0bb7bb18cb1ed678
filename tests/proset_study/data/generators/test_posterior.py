"""What all problems with known probabilities keep, whatever they are."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import norm

from proset_study.data import generators
from proset_study.data.generators.posterior import Posterior
from proset_study.data.sources import make

# Name, settings, and the Bayes error that the source says or that follows by hand, with its accuracy; None: a rule.
PROBLEMS = [
    ("norms", {"problem": "twonorm"}, (norm.sf(2), 0.002)),  # means are 4 apart; Breiman (1996): 2.3 %
    ("norms", {"problem": "twonorm", "features": 3, "label_noise": 0.2}, (0.8 * norm.sf(2) + 0.2 * norm.cdf(2), 0.002)),
    ("norms", {"problem": "threenorm"}, (0.105, 0.002)),  # Breiman (1996)
    ("norms", {"problem": "ringnorm"}, (0.013, 0.001)),  # Breiman (1996)
    ("waveform", {}, (0.14, 0.01)),  # Breiman and others (1984), estimated by them
    ("waveform", {"irrelevant": 19}, (0.14, 0.01)),
    ("led", {}, (0.26, 0.002)),  # Breiman and others (1984)
    ("led", {"irrelevant": 17}, (0.26, 0.002)),
    ("friedman", {"problem": 1, "irrelevant": 5}, None),
    ("friedman", {"problem": 2, "noise": 0.5}, None),
    ("friedman", {"problem": 3, "noise": 1 / 3}, None),
    ("sphere", {"label_noise": 0.1}, (0.1, 1e-9)),
    ("sphere", {"classes": 4, "features": 3, "marginal": "uniform", "label_noise": 0.3}, (0.3, 1e-9)),
    ("madelon", {}, None),
    ("madelon", {"informative": 1, "redundant": 0}, (norm.sf(2), 0.002)),  # two clusters 4 apart
    ("agrawal", {"function": 1}, (None, 0)),
    ("agrawal", {"function": 7, "label_noise": 0.05}, (0.05, 1e-9)),
    ("sea", {}, (0.1, 1e-9)),
    ("gaussians", {}, None),
    ("gaussians", {"covariances": "own", "classes": 4, "features": 7, "separation": 1.5, "label_noise": 0.1}, None),
    ("curves", {"curve": "moons", "noise": 0.3}, None),
    ("curves", {"curve": "circles"}, None),
    ("curves", {"curve": "spirals"}, None),
]
IDS = [f"{name} {' '.join(map(str, settings.values()))}".strip() for name, settings, _ in PROBLEMS]


@cache
def bayes_error(generated, seed):
    return generated.bayes_error(seed)


@pytest.fixture(params=PROBLEMS, ids=IDS)
def problem(request):
    """The generator, and the Bayes error that is published."""
    name, settings, error = request.param
    return generators.of({"generator": name, **settings}), error


def test_every_problem_with_a_posterior_is_tried():
    kinds = {name for name in generators.GENERATORS if issubclass(generators.get(name), Posterior)}
    assert kinds == {name for name, _, _ in PROBLEMS}


def test_classes_are_as_frequent_as_probabilities_say(problem, assert_calibrated):
    generated, _ = problem
    data = generated.sample(20_000, np.random.default_rng(0))
    truth = generated.probabilities(data.X)
    assert data.X.dtype == truth.dtype == np.float64
    assert truth.shape == (20_000, len(data.class_names))
    assert (truth >= 0).all()
    assert_calibrated(data, truth)
    wrong = truth.argmax(axis=1) != data.y
    assert wrong.mean() == pytest.approx(bayes_error(generated, 0) or 0.0, abs=0.012)


def test_the_bayes_error_is_that_of_the_source_whatever_the_seed(problem):
    generated, published = problem
    one, two = bayes_error(generated, 0), bayes_error(generated, 1)
    if published is not None and published[0] is None:
        assert one is two is None  # the class is a function of the features
        return
    assert one == pytest.approx(two, abs=0.002)
    assert 0.005 < one < 0.5
    if published is not None:
        assert one == pytest.approx(published[0], abs=published[1])


def test_irrelevant_features_change_no_probability(problem):
    generated, _ = problem
    if generated.relevant is not None:
        X = generated.points(500, np.random.default_rng(0))
        other = X.copy()
        other[:, generated.relevant :] = np.random.default_rng(1).random(other[:, generated.relevant :].shape)
        assert (generated.probabilities(other) == generated.probabilities(X)).all()
        assert X.shape[1] > generated.relevant


def test_label_noise_puts_any_other_label_in_its_place():
    sphere = generators.of({"generator": "sphere", "classes": 4, "label_noise": 0.3})
    truth = sphere.probabilities(np.zeros((1, 10)))
    np.testing.assert_allclose(truth, [[0.7, 0.1, 0.1, 0.1]])


def test_too_few_samples_for_all_classes_are_refused():
    message = "data_sets.d: samples: 3 is not allowed, with so few some class has no sample"
    with pytest.raises(ValueError, match=message):
        make({"generator": "led", "samples": 3}, 0, "d", 0)
