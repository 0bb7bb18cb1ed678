import numpy as np
from scipy.stats import norm

from proset_study.data.generators.waveform import Waveform


def test_probabilities_are_those_of_a_sum_over_u():
    """From the definition, with the integral as a sum; also far from all waves."""
    features = np.arange(1, 22)
    h1, h2, h3 = (np.maximum(6 - abs(features - peak), 0) for peak in (11, 15, 7))
    X = Waveform().points(40, np.random.default_rng(0))
    u = (np.arange(20_000) + 0.5)[:, None] / 20_000
    densities = [
        [np.exp(norm.logpdf(x, u * a + (1 - u) * b).sum(axis=1)).mean() for a, b in ((h1, h2), (h1, h3), (h2, h3))]
        for x in X
    ]
    expected = np.array(densities) / np.sum(densities, axis=1, keepdims=True)
    np.testing.assert_allclose(Waveform().probabilities(X), expected, rtol=1e-6)
    far = Waveform().probabilities(np.array([h1, h2]) * 1e3)
    assert np.isfinite(far).all()
    np.testing.assert_allclose(far[0, 2], 0, atol=1e-12)  # the third class has nothing of the first wave
