"""Independent samples of the distribution behind a generated data set, and the true class probabilities of them."""

from math import ceil

import numpy as np

from proset_study.data.dataset import DataSet
from proset_study.data.generators import make, mixture_probabilities


def sample(source: dict, n_samples: int, rng: np.random.Generator) -> DataSet:
    """So many independent samples; how many each class has is left to chance, as in a survey.

    Parameters
    ----------
    source : dict
        The config's entry of a data set with the generator "checker", "xor" or "mixture".
    n_samples : int >= 1
    rng : numpy.random.Generator

    Examples
    --------
    >>> sample({"generator": "mixture"}, 5, np.random.default_rng(0)).X.shape
    (5, 2)
    """
    settings = {key: value for key, value in source.items() if key != "published_draw"}
    if source["generator"] == "mixture":  # it comes class by class, each with as many samples as any class may need
        data = make(rng, **{**settings, "samples_per_class": n_samples})
        return data.take(rng.integers(len(data.class_names), size=n_samples) * n_samples + np.arange(n_samples))
    if source["generator"] == "xor":
        settings["samples_per_orthant"] = ceil(n_samples / 2 ** source["features"])
    else:
        settings["samples_per_square"] = ceil(n_samples / source.get("squares", 8) ** 2)
    return make(rng, **settings).take(np.arange(n_samples))


def class_probabilities(data: DataSet, source: dict) -> np.ndarray:
    """True class probabilities of samples, shape (N, K); of checker and xor the labels follow from the features."""
    if source["generator"] != "mixture":
        return np.eye(len(data.class_names))[data.y]
    means = {key: source[key] for key in ("components", "means_seed") if key in source}
    return mixture_probabilities(data.X, **means)


def join(first: DataSet, second: DataSet) -> DataSet:
    """The samples of both, one after the other."""
    X, y = np.vstack([first.X, second.X]), np.append(first.y, second.y)
    return DataSet(X, y, first.feature_names, first.class_names)
