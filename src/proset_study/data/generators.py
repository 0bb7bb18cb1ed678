"""Generated data sets: checkerboard, continuous XOR, mixture of Gaussians."""

import math
from collections.abc import Callable

import numpy as np

from proset_study import seeds
from proset_study.data.dataset import DataSet

_MIXTURE_SCALE = math.sqrt(1 / 5)  # standard deviation of a component


def make(rng: np.random.Generator | np.random.RandomState, generator: str, **settings) -> DataSet:
    """Call a generator by its name in the config with its settings there."""
    return _GENERATORS[generator](rng, **settings)


def checker(
    rng: np.random.Generator | np.random.RandomState,
    squares: int = 8,
    samples_per_square: int = 100,
    angle: float = 0.0,
) -> DataSet:
    """Checkerboard on the unit square, turned about its centre.

    Parameters
    ----------
    rng : numpy.random.Generator or RandomState
    squares : int >= 1
        Per side.
    samples_per_square : int >= 1
        On average.
    angle : float
        Degrees, counter-clockwise.
    """
    points = rng.random((squares**2 * samples_per_square, 2))
    y = np.floor(squares * points).astype(int).sum(axis=1) % 2
    turn = math.radians(angle)
    rotation = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    X = points if angle == 0 else (points - 0.5) @ rotation + 0.5
    return DataSet(X, y, _numbered("x", 2), np.array(["0", "1"]))


def xor(
    rng: np.random.Generator | np.random.RandomState, features: int, samples_per_orthant: int = 100, irrelevant: int = 0
) -> DataSet:
    """Continuous XOR: uniform on [-1, 1]^n, class 1 where the product of the relevant features is >= 0.

    Parameters
    ----------
    rng : numpy.random.Generator or RandomState
    features : int >= 1
        Relevant features n.
    samples_per_orthant : int >= 1
        On average, over the orthants of the relevant features.
    irrelevant : int >= 0
        Further features of the same distribution without influence.
    """
    X = rng.uniform(-1.0, 1.0, (2**features * samples_per_orthant, features + irrelevant))
    y = (X[:, :features].prod(axis=1) >= 0).astype(int)
    return DataSet(X, y, _numbered("x", features + irrelevant), np.array(["0", "1"]))


def mixture(
    rng: np.random.Generator, samples_per_class: int = 300, components: int = 10, means_seed: int = 0
) -> DataSet:
    """Three classes in the plane, each a mixture of Gaussians in equal proportions.

    Bien and Tibshirani (2011, section 6.1) take such data with 10 components and print no other number; ours are those
    of the two-class example of Hastie, Tibshirani and Friedman (2009, section 2.3.3): means of components spread
    around the centre of their class with covariance I, samples around these means with covariance I / 5, centres of
    classes sqrt(2) apart. The means are a part of what the data set is: they are the same in every replicate and
    study, only the samples are drawn anew.

    Parameters
    ----------
    rng : numpy.random.Generator
        For the samples.
    samples_per_class : int >= 1
    components : int >= 1
        Per class.
    means_seed : int >= 0
        Of the means.
    """
    means = mixture_means(components, means_seed)
    drawn = means[np.arange(3)[:, None], rng.integers(components, size=(3, samples_per_class))]
    X = drawn.reshape(-1, 2) + rng.normal(scale=_MIXTURE_SCALE, size=(3 * samples_per_class, 2))
    return DataSet(X, np.repeat(np.arange(3), samples_per_class), _numbered("x", 2), np.array(["0", "1", "2"]))


def mixture_means(components: int, means_seed: int) -> np.ndarray:
    """Means of the components of `mixture`, shape (3, components, 2)."""
    angle = 2 * np.pi * np.arange(3) / 3
    centres = math.sqrt(2 / 3) * np.column_stack([np.cos(angle), np.sin(angle)])
    return centres[:, None] + seeds.generator(means_seed, "means").normal(size=(3, components, 2))


def mixture_probabilities(X: np.ndarray, components: int = 10, means_seed: int = 0) -> np.ndarray:
    """Class probabilities of points of `mixture`.

    Parameters
    ----------
    X : ndarray, shape (N, 2)
    components, means_seed : int
        As for `mixture`.

    Returns
    -------
    ndarray, shape (N, 3)
    """
    squares = ((X[:, None, None] - mixture_means(components, means_seed)) ** 2).sum(axis=3)
    densities = np.exp(-squares / 2 / _MIXTURE_SCALE**2).sum(axis=2)
    return densities / densities.sum(axis=1, keepdims=True)


def mixture_bayes_error(components: int = 10, means_seed: int = 0, spacing: float = 0.02) -> float:
    """Smallest error rate that is possible on `mixture`, from its densities on a grid.

    Parameters
    ----------
    components, means_seed : int
        As for `mixture`.
    spacing : float > 0
        Of the grid; with the default the error is right to four decimals.
    """
    means = mixture_means(components, means_seed)
    low, high = means.min(axis=(0, 1)) - 4, means.max(axis=(0, 1)) + 4  # nine standard deviations
    axes = [np.arange(a, b, spacing) for a, b in zip(low, high, strict=True)]
    # A component's density is the product of one factor for x1 and one for x2.
    x1, x2 = (np.exp(-0.5 * ((axis - means[..., d, None]) / _MIXTURE_SCALE) ** 2) for d, axis in enumerate(axes))
    densities = np.einsum("kci,kcj->kij", x1, x2) / (components * 2 * np.pi * _MIXTURE_SCALE**2)
    return float(1 - densities.max(axis=0).sum() * spacing**2 / 3)


def _numbered(prefix, n):
    return np.array([f"{prefix}{i}" for i in range(1, n + 1)])


_GENERATORS: dict[str, Callable[..., DataSet]] = {"checker": checker, "xor": xor, "mixture": mixture}
