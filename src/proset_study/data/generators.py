"""Generated data sets: checkerboard, continuous XOR, mixture of Gaussians, clusters on a grid, and those of
`generated_items` and `generated_mixed`.
"""

import math
from collections.abc import Callable

import numpy as np

from proset_study.base import seeds
from proset_study.data.dataset import DataSet
from proset_study.data.generated_items import digits_16, protein_families
from proset_study.data.generated_mixed import mixed

CLUSTERS = {  # what response curves start from; `clusters` says what these are
    "samples": 1000,
    "classes": 2,
    "clusters_per_class": 4,
    "order": 2,
    "irrelevant": 4,
    "correlation": 0.0,
    "angle": 0.0,
    "label_noise": 0.0,
    "imbalance": 1.0,
}
CLUSTERS_TEST = 2000  # test samples, if the config does not say
_CLUSTER_SCALE = 0.3  # standard deviation of a cluster; the distance of neighbours is 1
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


def clusters(rng: np.random.Generator, test_samples: int = CLUSTERS_TEST, **settings: float) -> DataSet:
    """Gaussian clusters on a grid, one property of which can be varied at a time.

    The first features have a grid, of which as many cells as needed, chosen at random, are the centres of clusters;
    which class has which is a part of the draw, so that replicates are problems of one family. Neighbouring centres
    have distance 1, clusters a standard deviation of 0.3 in each direction. The data set comes with its test part.

    Parameters
    ----------
    rng : numpy.random.Generator
    test_samples : int >= 1
    **settings
        By default those of `CLUSTERS`:

        samples : int >= 1
            To train on.
        classes : int >= 2
        clusters_per_class : int >= 1
            Equally frequent within a class.
        order : int >= 1
            Relevant features, which have to be known together: the grid is a line for 1, else a square. Each further
            feature is uniform on [-1, 1], and moves all classes on by one where it is positive.
        irrelevant : int >= 0
            Standard normal features. Given the relevant ones they say nothing of the class.
        correlation : float in [0, 1)
            Of each irrelevant feature with a relevant one, which it takes in turn.
        angle : float
            Degrees by which the square is turned, counter-clockwise.
        label_noise : float in [0, 1)
            Probability that a label is replaced by one of the others, all equally likely.
        imbalance : float >= 1
            The first class is so many times as frequent as the last one, in geometric progression. Frequencies are
            exact, but for label noise.

    Raises
    ------
    ValueError
        If a class has no sample in one of the parts.

    See Also
    --------
    clusters_probabilities : what there is to know of the class.
    """
    given = {**CLUSTERS, **settings}
    centres, prior = _centres(rng, given), _prior(given)
    for part, size in (("samples", given["samples"]), ("test_samples", test_samples)):
        if not _counts(size, prior).all():
            raise ValueError(f"{part}: {size} is not allowed, with so few some class has no sample")
    parts = [_draw_clusters(rng, int(size), centres, prior, given) for size in (given["samples"], test_samples)]
    X, y = (np.concatenate(both) for both in zip(*parts, strict=True))
    test = np.arange(len(y)) >= given["samples"]
    return DataSet(X, y, _numbered("x", X.shape[1]), np.array([str(k) for k in range(len(prior))]), test=test)


def clusters_probabilities(X: np.ndarray, rng: np.random.Generator, **settings: float) -> np.ndarray:
    """Class probabilities of points of `clusters`.

    Parameters
    ----------
    X : ndarray, shape (N, D)
    rng : numpy.random.Generator
        In the state in which `clusters` got it.
    **settings
        As for `clusters`; `test_samples` does not matter.

    Returns
    -------
    ndarray, shape (N, K)

    Examples
    --------
    One cluster of each class, on a line, at -0.5 and 0.5: half way between them nothing is known.

    >>> settings = {"order": 1, "clusters_per_class": 1}
    >>> clusters_probabilities(np.zeros((1, 5)), np.random.default_rng(0), **settings)
    array([[0.5, 0.5]])
    """
    given = {**CLUSTERS, **settings}
    centres, prior = _centres(rng, given), _prior(given)
    width, classes = centres.shape[2], np.arange(len(prior))
    points = _turned(X[:, :width], -given["angle"])
    squares = ((points[:, None, None] - centres) ** 2).sum(axis=3)
    nearest = squares.min(axis=(1, 2), keepdims=True)
    densities = np.exp((nearest - squares) / (2 * _CLUSTER_SCALE**2)).sum(axis=2)
    moved = (X[:, width : int(given["order"])] > 0).sum(axis=1)
    joint = prior * densities[np.arange(len(X))[:, None], (classes - moved[:, None]) % len(prior)]
    clean = joint / joint.sum(axis=1, keepdims=True)
    noise: float = given["label_noise"]
    return (1 - noise) * clean + noise * (1 - clean) / (len(prior) - 1)


def _centres(rng, given):
    """Centres of the clusters around the origin, shape (K, clusters per class, 1 or 2)."""
    shape, width = (int(given["classes"]), int(given["clusters_per_class"])), min(2, int(given["order"]))
    side = math.prod(shape) if width == 1 else math.isqrt(math.prod(shape) - 1) + 1
    cells = rng.permutation(side**width)[: math.prod(shape)].reshape(shape)
    return np.stack(np.unravel_index(cells, (side,) * width), axis=-1) - (side - 1) / 2


def _prior(given):
    classes = int(given["classes"])
    frequency = np.array([given["imbalance"] ** (-k / (classes - 1)) for k in range(classes)])
    return frequency / frequency.sum()


def _counts(size, prior):
    """Samples of each class, as many as `size` together."""
    return np.diff(np.round(size * np.cumsum([0.0, *prior])).astype(int))


def _draw_clusters(rng, size, centres, prior, given):
    classes, per_class, width = centres.shape
    y = rng.permutation(np.repeat(np.arange(classes), _counts(size, prior)))
    further = rng.uniform(-1.0, 1.0, (size, int(given["order"]) - width))
    of_class = (y - (further > 0).sum(axis=1)) % classes
    points = centres[of_class, rng.integers(per_class, size=size)]
    points = points + rng.normal(scale=_CLUSTER_SCALE, size=points.shape)
    relevant = np.hstack([_turned(points, given["angle"]), further])
    copied = relevant[:, np.arange(int(given["irrelevant"])) % relevant.shape[1]]
    copied = (copied - copied.mean(axis=0)) / copied.std(axis=0)
    correlation, noise = given["correlation"], rng.normal(size=copied.shape)
    irrelevant = correlation * copied + math.sqrt(1 - correlation**2) * noise
    others = rng.integers(1, classes, size=size)
    labels = np.where(rng.random(size) < given["label_noise"], (y + others) % classes, y)
    return np.hstack([relevant, irrelevant]), labels


def _turned(points, angle):
    """Points of the plane turned about the origin, counter-clockwise; those of a line as they are."""
    if points.shape[1] == 1:
        return points
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, y = points.T
    return np.column_stack([cosine * x - sine * y, sine * x + cosine * y])


def _numbered(prefix, n):
    return np.array([f"{prefix}{i}" for i in range(1, n + 1)])


_GENERATORS: dict[str, Callable[..., DataSet]] = {
    "checker": checker,
    "xor": xor,
    "mixture": mixture,
    "clusters": clusters,
    "digits_16": digits_16,
    "protein_families": protein_families,
    "mixed": mixed,
}
