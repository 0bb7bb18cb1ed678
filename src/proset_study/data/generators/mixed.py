"""Tables of numbers and categories with gaps, of which response curves vary one property at a time."""

from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import integer, number, setting
from proset_study.data.dataset import MISSING, DataSet, Size
from proset_study.data.generators.base import Generator, numbered


@dataclass(frozen=True)
class Mixed(Generator):
    """Two classes that a number tells apart, in another direction for one half of the levels of a category.

    Numbers are uniform on [-1, 1], categories uniform over their levels. The first numbers and categories are pairs:
    each votes for the second class if its number is positive and the level is none of those, drawn at random, for which
    it is the other way round. So neither of them says anything without the other. The class is that of most votes, and
    one of both at random if there are as many of each. Which levels are reversed is a part of the draw, so that
    replicates are problems of one family.
    """

    description = (
        "Numbers and categories with gaps, a problem of its own in every replicate, with a test part of its own."
        " Without further keys it is the baseline of response curves, see docs/response-curves.md; each key is a"
        " property that they vary."
    )
    curves = (
        *("samples", "informative", "numbers", "categories", "levels"),
        *("label_noise", "missing_at_random", "missing_by_value"),
    )
    curves_of = "mixed tables"

    samples: int = setting(integer("To train on.", 1), 1000)
    test_samples: int = setting(integer("To test on.", 1), 2000)
    informative: int = setting(integer("Pairs of a number and a category that say something together.", 1, 100), 1)
    numbers: int = setting(integer("Columns of numbers.", 1, 1000), 3)
    categories: int = setting(integer("Columns of categories.", 1, 1000), 3)
    levels: int = setting(integer("Categories of each column.", 2, 1000), 4)
    label_noise: float = setting(
        number("Probability that a label is replaced by the other one.", minimum=0, exclusiveMaximum=1), 0.0
    )
    missing_at_random: float = setting(
        number("Probability that a value is missing, whatever it is.", minimum=0, maximum=0.5), 0.0
    )
    missing_by_value: float = setting(
        number(
            "The same on average, but in proportion to the value: the smallest is never missing.",
            minimum=0,
            maximum=0.5,
        ),
        0.0,
    )
    impute: str | None = setting({"description": "How missing values are filled in.", "$ref": "#/$defs/impute"}, None)

    @property
    def size(self):
        of_category = self.levels + (self.impute in ("median", "mean") and self.lacks_values)
        return Size(self.samples + self.test_samples, self.numbers + self.categories * of_category, 2)

    @property
    def lacks_values(self):
        return self.missing_at_random > 0 or self.missing_by_value > 0

    def errors(self):
        for key in ("numbers", "categories"):
            if (columns := getattr(self, key)) < self.informative:
                yield f"{key}: {columns} is not allowed, must be at least informative, {self.informative}"

    def draw(self, rng):
        numbers, levels, categories = self.numbers, self.levels, self.categories
        is_reversed, size, pairs = self._reversed(rng), self.size.rows, np.arange(self.informative)
        x = rng.uniform(-1.0, 1.0, (size, numbers))
        c = rng.integers(levels, size=(size, categories))
        votes = ((x[:, pairs] > 0) ^ is_reversed[pairs, c[:, pairs]]).sum(axis=1)
        y = (2 * votes + rng.integers(2, size=size) > len(pairs)).astype(int)  # a tie is 2 votes = pairs
        y = np.where(rng.random(size) < self.label_noise, 1 - y, y)
        test = np.arange(size) >= self.samples
        for part, rows in (("samples", ~test), ("test_samples", test)):
            if len(np.unique(y[rows])) < 2:
                raise ValueError(f"{part}: {rows.sum()} is not allowed, with so few some class has no sample")
        values = np.hstack([x, c + levels * np.arange(categories)])
        rank = np.hstack([(x + 1.0) / 2.0, c / (levels - 1)])  # uniform on [0, 1]
        values[rng.random(values.shape) < self._is_missing(rank)] = np.nan
        names = [f"level {level}" for _ in range(categories) for level in range(levels)]
        column = np.repeat(np.arange(categories) + numbers, levels)
        if self.impute in ("median", "mean"):
            gaps = np.flatnonzero(np.isnan(values[:, numbers:]).any(axis=0))
            names += [MISSING] * len(gaps)
            column = np.append(column, gaps + numbers)
        return DataSet(
            X=values,
            y=y,
            feature_names=np.append(numbered(numbers), numbered(categories, "c")),
            class_names=np.array(["0", "1"]),
            test=test,
            categories=np.array(names, dtype=str),
            category_column=column,
            impute=self.impute,
        )

    def probabilities(self, X, rng=None):
        """Given what is not missing, and that the rest is.

        Without the category nothing is known, as one half of its levels is reversed.

        >>> X = np.array([[0.7, 0.0, 0.0, np.nan, 4.0, 8.0]])
        >>> Mixed(missing_at_random=0.1).probabilities(X, np.random.default_rng(0))
        array([[0.5, 0.5]])
        """
        n_votes = np.ones((len(X), 1))  # probabilities of 0, 1, ... votes of the pairs so far
        for pair, is_reversed in enumerate(self._reversed(rng)):
            x, code = X[:, pair], X[:, self.numbers + pair] - self.levels * pair
            positive = np.where(np.isnan(x), self._positive_if_missing(), x > 0)
            turned = np.where(
                np.isnan(code), self._reversed_if_missing(is_reversed), is_reversed[np.nan_to_num(code).astype(int)]
            )
            vote = (positive * (1 - turned) + (1 - positive) * turned)[:, None]
            no_more, one_more = np.pad(n_votes, ((0, 0), (0, 1))), np.pad(n_votes, ((0, 0), (1, 0)))
            n_votes = no_more * (1 - vote) + one_more * vote
        twice, pairs = 2 * np.arange(self.informative + 1), self.informative
        clean = n_votes @ np.select([twice < pairs, twice > pairs], [0.0, 1.0], 0.5)
        second = clean + self.label_noise * (1 - 2 * clean)
        return np.column_stack([1 - second, second])

    def _reversed(self, rng):
        """Which levels of the category of each pair are reversed, one half of them, shape (pairs, levels)."""
        return np.array([rng.permutation(self.levels) < self.levels // 2 for _ in range(self.informative)])

    def _is_missing(self, rank):
        """The probability that a value is missing by its rank, from 0 to 1; both reasons are independent."""
        return 1 - (1 - self.missing_at_random) * (1 - 2 * self.missing_by_value * rank)

    def _positive_if_missing(self):
        """The probability that a number is positive if it is missing; of a rank above 1/2, whose mean is 3/4."""
        above, all_ranks = self._is_missing(np.array([0.75, 0.5]))
        return above / 2 / all_ranks if all_ranks else 0.5

    def _reversed_if_missing(self, is_reversed):
        """The probability that a level is reversed if it is missing."""
        by_level = self._is_missing(np.linspace(0.0, 1.0, self.levels))
        return by_level[is_reversed].sum() / by_level.sum() if by_level.any() else is_reversed.mean()
