"""Generated tables of numbers and categories with gaps, of which response curves vary one property at a time."""

import numpy as np

from proset_study.data.dataset import MISSING, DataSet

MIXED = {  # what response curves start from; `mixed` says what these are
    "samples": 1000,
    "informative": 1,
    "numbers": 3,
    "categories": 3,
    "levels": 4,
    "label_noise": 0.0,
    "missing_at_random": 0.0,
    "missing_by_value": 0.0,
}
MIXED_TEST = 2000  # test samples, if the config does not say


def mixed(
    rng: np.random.Generator, test_samples: int = MIXED_TEST, impute: str | None = None, **settings: float
) -> DataSet:
    """Two classes that a number tells apart, in another direction for one half of the levels of a category.

    Numbers are uniform on [-1, 1], categories uniform over their levels. The first numbers and categories are pairs:
    each votes for the second class if its number is positive and the level is none of those, drawn at random, for which
    it is the other way round. So neither of them says anything without the other. The class is that of most votes, and
    one of both at random if there are as many of each. Which levels are reversed is a part of the draw, so that
    replicates are problems of one family. The data set comes with its test part.

    Parameters
    ----------
    rng : numpy.random.Generator
    test_samples : int >= 1
    impute : str, optional
        As of a custom table.
    **settings
        By default those of `MIXED`:

        samples : int >= 1
            To train on.
        informative : int >= 1
            Pairs.
        numbers, categories : int >= informative
            Columns of each kind; those beyond the pairs say nothing.
        levels : int >= 2
            Of each category.
        label_noise : float in [0, 1)
            Probability that a label is replaced by the other one.
        missing_at_random : float in [0, 0.5]
            Probability that a value is missing, whatever it is.
        missing_by_value : float in [0, 0.5]
            The same on average, but it grows in proportion to the value: a number is missing the more often the larger
            it is, -1 never, a category by its level, the first one never.

    Raises
    ------
    ValueError
        If a class has no sample in one of the parts.

    See Also
    --------
    mixed_probabilities : what there is to know of the class.
    """
    given = {**MIXED, **settings}
    reversed_levels, size = _reversed(rng, given), int(given["samples"]) + test_samples
    numbers, levels = int(given["numbers"]), int(given["levels"])
    x = rng.uniform(-1.0, 1.0, (size, numbers))
    c = rng.integers(levels, size=(size, int(given["categories"])))
    pairs = np.arange(len(reversed_levels))
    votes = ((x[:, pairs] > 0) ^ reversed_levels[pairs, c[:, pairs]]).sum(axis=1)
    y = (2 * votes + rng.integers(2, size=size) > len(pairs)).astype(int)  # a tie is 2 votes = pairs
    y = np.where(rng.random(size) < given["label_noise"], 1 - y, y)
    test = np.arange(size) >= given["samples"]
    for part, rows in (("samples", ~test), ("test_samples", test)):
        if len(np.unique(y[rows])) < 2:
            raise ValueError(f"{part}: {rows.sum()} is not allowed, with so few some class has no sample")
    codes = c + levels * np.arange(c.shape[1])
    values = np.hstack([x, codes])
    rank = np.hstack([(x + 1.0) / 2.0, c / (levels - 1)])  # uniform on [0, 1]
    values[rng.random(values.shape) < _is_missing(rank, given)] = np.nan
    names = [f"level {level}" for _ in range(c.shape[1]) for level in range(levels)]
    column = np.repeat(np.arange(c.shape[1]) + numbers, levels)
    if impute in ("median", "mean") and (gaps := np.flatnonzero(np.isnan(values[:, numbers:]).any(axis=0))).size:
        names += [MISSING] * len(gaps)
        column = np.append(column, gaps + numbers)
    features = [f"x{d}" for d in range(1, numbers + 1)] + [f"c{d}" for d in range(1, c.shape[1] + 1)]
    return DataSet(
        X=values,
        y=y,
        feature_names=np.array(features),
        class_names=np.array(["0", "1"]),
        test=test,
        categories=np.array(names, dtype=str),
        category_column=column,
        impute=impute,
    )


def mixed_probabilities(X: np.ndarray, rng: np.random.Generator, **settings: float) -> np.ndarray:
    """Class probabilities of rows of `mixed`, given what is not missing, and that the rest is.

    Parameters
    ----------
    X : ndarray, shape (N, D)
        As in `DataSet.X`.
    rng : numpy.random.Generator
        In the state in which `mixed` got it.
    **settings
        As for `mixed`; `test_samples` and `impute` do not matter.

    Returns
    -------
    ndarray, shape (N, 2)

    Examples
    --------
    Without the category nothing is known, as one half of its levels is reversed.

    >>> X = np.array([[0.7, 0.0, 0.0, np.nan, 4.0, 8.0]])
    >>> mixed_probabilities(X, np.random.default_rng(0), missing_at_random=0.1)
    array([[0.5, 0.5]])
    """
    given = {**MIXED, **settings}
    reversed_levels, numbers, levels = _reversed(rng, given), int(given["numbers"]), int(given["levels"])
    n_votes = np.ones((len(X), 1))  # probabilities of 0, 1, ... votes of the pairs so far
    for pair, is_reversed in enumerate(reversed_levels):
        positive = _probability(X[:, pair] > 0, np.isnan(X[:, pair]), _positive_if_missing(given))
        code = X[:, numbers + pair] - levels * pair
        turned = _probability(
            is_reversed[np.nan_to_num(code).astype(int)], np.isnan(code), _reversed_if_missing(is_reversed, given)
        )
        vote = (positive * (1 - turned) + (1 - positive) * turned)[:, None]
        no_more, one_more = np.pad(n_votes, ((0, 0), (0, 1))), np.pad(n_votes, ((0, 0), (1, 0)))
        n_votes = no_more * (1 - vote) + one_more * vote
    pairs = len(reversed_levels)
    clean = n_votes @ np.select([2 * np.arange(pairs + 1) < pairs, 2 * np.arange(pairs + 1) > pairs], [0.0, 1.0], 0.5)
    second = clean + given["label_noise"] * (1 - 2 * clean)
    return np.column_stack([1 - second, second])


def _reversed(rng, given):
    """Which levels of the category of each pair are reversed, one half of them, shape (pairs, levels)."""
    levels = int(given["levels"])
    return np.array([rng.permutation(levels) < levels // 2 for _ in range(int(given["informative"]))])


def _is_missing(rank, given):
    """The probability that a value is missing by its rank, from 0 to 1; both reasons are independent."""
    return 1 - (1 - given["missing_at_random"]) * (1 - 2 * given["missing_by_value"] * rank)


def _probability(is_so, missing, if_missing):
    return np.where(missing, if_missing, is_so)


def _positive_if_missing(given):
    """The probability that a number is positive if it is missing; of a rank above 1/2, whose mean is 3/4."""
    above, all_ranks = _is_missing(np.array([0.75, 0.5]), given)
    return above / 2 / all_ranks if all_ranks else 0.5


def _reversed_if_missing(is_reversed, given):
    """The probability that a level is reversed if it is missing."""
    by_level = _is_missing(np.linspace(0.0, 1.0, len(is_reversed)), given)
    return by_level[is_reversed].sum() / by_level.sum() if by_level.any() else is_reversed.mean()
