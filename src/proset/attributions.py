"""What each feature adds to the class probabilities of a sample: interventional Shapley values.

With v(S) the mean of P(k | x_S, b_rest) over a background of samples b, where x_S are the features of the sample in the
set S and all others are those of b, the Shapley value of feature d is

    phi_d = sum over S without d of |S|! (A - |S| - 1)! / A! [v(S + d) - v(S)],

over the A active features; all others have none. They add up to P(k | x) - v(none). Features are set one without the
others ("interventional"): a pair that always goes together in the data is taken apart, as shap does with a background.

The kernel is a product over features, so that of a prototype at (x_S, b_rest) is a product of one factor of x and one
of b. All 2^A sets are enumerated up to `MAX_ENUMERATED` features, as long as a sample takes at most `MAX_PRODUCTS`
products of sets, prototypes and background. Beyond, the mean over `PERMUTATIONS` orders of the features, drawn once and
each with its reverse, is an estimate with a standard error; it adds up as well.

References
----------
L. S. Shapley, A value for n-person games (1953). S. Lundberg and S.-I. Lee, A unified approach to interpreting model
predictions, NIPS 30 (2017); D. Janzing, L. Minorics and P. Bloebaum, Feature relevance quantification in explainable
AI: a causal problem, AISTATS 23 (2020), on why interventional.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import factorial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from proset.explain import exponents
from proset.model import Model
from proset.tables import require
from proset.units import feature_names, given_samples, in_original_units

if TYPE_CHECKING:
    from proset.fitted_model import FittedModel

MAX_ENUMERATED = 15
MAX_PRODUCTS = 100_000_000  # about a second
PERMUTATIONS = 64  # pairs of an order and its reverse are half of these
ENTRIES = 2_000_000  # of a table of sets, samples, and prototypes or background, which exists in tiles
ORDER = 0  # key of the orders


@dataclass(frozen=True)
class Attributions:
    """Interventional Shapley values of class probabilities.

    Attributes
    ----------
    values : ndarray, shape (N, D, K)
        Shapley values of each feature for each class, in units of probability; 0 for features that are not active.
    base_values : ndarray, shape (N, K)
        Mean probabilities of the background, the same in all rows. With the values of all features they add up to the
        probabilities of the sample.
    data : ndarray, shape (N, D)
        The samples as the classifier sees them; categories are their numbers among the levels.
    display_data : ndarray, shape (N, D)
        The samples in the units of the table, as far as the steps before the classifier can be undone.
    feature_names : list of str, length D
    output_names : list of str, length K
        Names of the classes.
    error_std : ndarray, shape (N, D, K), or None
        Standard errors of values that are estimates; None if they are exact.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> found = ProsetClassifier().fit(X, y).attributions(X[:3])
    >>> found.values.shape, found.error_std is None
    ((3, 4, 3), True)
    >>> bool(found.values[:, :2].any())  # the first two features are not active
    False
    """

    kind: ClassVar[str] = "interventional Shapley values of class probabilities"
    values: np.ndarray
    base_values: np.ndarray
    data: np.ndarray
    display_data: np.ndarray
    feature_names: list[str]
    output_names: list[str]
    error_std: np.ndarray | None = None

    def to_shap(self) -> Any:
        """Return a `shap.Explanation` for shap's plots; a plot of one class takes ``[..., k]`` of it.

        Returns
        -------
        shap.Explanation

        Raises
        ------
        ImportError
            Without shap.
        """
        require("shap", "to_shap", None)
        import shap

        return shap.Explanation(**vars(self))


def attributions(
    classifier: "FittedModel", X: npt.ArrayLike, background: npt.ArrayLike | None, transformer: Any
) -> Attributions:
    """See `proset.ProsetClassifier.attributions`."""
    if classifier._fitted_base() is not None:
        raise ValueError(
            f"base: {classifier._base_name()} is not allowed, values are exact for prototypes only; "
            "shap.PermutationExplainer(model.predict_proba, background) takes any model"
        )
    transformer, _, given = given_samples(X, None, transformer)
    points = classifier._validated(given)
    others, weight = classifier._background(background, transformer)
    model, n_threads = classifier._model, classifier._n_threads()
    features = model.active_features()
    of_active, error = shapley_values(model, points, others, weight)
    *_, probabilities = model.staged_predict_proba(points, n_threads)
    *_, of_background = model.staged_predict_proba(others, n_threads)
    base = np.tile(weight @ of_background, (len(points), 1))
    if len(features):
        # Predictions have kernels in single precision, and the values have to add up to them.
        rest = probabilities - base - of_active.sum(axis=1)
        of_active += rest[:, None] / len(features)
    found = np.zeros((2, len(points), classifier.n_features_in_, len(classifier.classes_)))
    found[0][:, features] = of_active
    if error is not None:
        found[1][:, features] = error
    return Attributions(
        values=found[0],
        base_values=base,
        data=points,
        display_data=classifier._encoding.decode(in_original_units(transformer, points)),
        feature_names=feature_names(classifier, transformer),
        output_names=[str(name) for name in classifier.classes_],
        error_std=None if error is None else found[1],
    )


def shapley_values(
    model: Model, X: np.ndarray, background: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Shapley values of the active features of samples X (N, D), for a background (M, D) with weights (M,) of sum 1.

    Returns
    -------
    values : ndarray, shape (N, A, K)
    error : ndarray, shape (N, A, K), or None
        Standard errors, None where the values are exact.
    """
    game = _Game.of(model, background, weight)
    n_features, n_classes = len(game.factors), len(model.class_prior)
    if not is_enumerated(model, len(background)):
        return game.estimates(X)
    values = np.zeros((len(X), n_features, n_classes))
    if n_features:
        step = game.step(2**game.n_low)
        for first in range(0, len(X), step):
            values[first : first + step] = game.exact(X[first : first + step])
    return values, None


def is_enumerated(model: Model, n_background: int) -> bool:
    """Whether values are exact."""
    n_features = len(model.active_features())
    return n_features <= MAX_ENUMERATED and products(model, n_background) <= MAX_PRODUCTS


def products(model: Model, n_background: int) -> int:
    """What enumeration takes for a sample."""
    return 2 ** len(model.active_features()) * n_background * (1 + model.n_prototypes())


def estimate_products(model: Model, n_background: int) -> int:
    """What an estimate takes for a sample."""
    return PERMUTATIONS * (1 + len(model.active_features())) * n_background * (1 + model.n_prototypes())


@dataclass(frozen=True)
class _Game:
    """Probabilities with some features of a sample, and all others of the background.

    Attributes
    ----------
    model : Model
    factors : ndarray, shape (A, M, J)
        Of the kernels of the background.
    weight : ndarray, shape (M,)
    prototype_weights : ndarray, shape (J,)
    of_class : ndarray, shape (J + 1, K)
        1 for the class of each prototype; the last row is the class prior.
    """

    model: Model
    factors: np.ndarray
    weight: np.ndarray
    prototype_weights: np.ndarray
    of_class: np.ndarray

    @classmethod
    def of(cls, model: Model, background: np.ndarray, weight: np.ndarray) -> "_Game":
        prototypes = model.prototypes
        of_class = np.concatenate([np.eye(len(model.class_prior))[prototypes.labels], model.class_prior[None]])
        return cls(model, _factors(model, background), weight, prototypes.weights, of_class)

    def step(self, n_sets: int) -> int:
        """Samples of a tile."""
        return int(max(1, ENTRIES // (n_sets * max(self.factors.shape[1:]))))

    @property
    def n_low(self) -> int:
        """Features whose sets are in one table; those of the others are gone through."""
        return min(len(self.factors), int(np.log2(max(2.0, ENTRIES / max(1, self.factors[0].size)))))

    @cached_property
    def _low(self) -> np.ndarray:
        """Products of the background over the complements of these sets, shape (2^n_low, M, J)."""
        return _products(self.factors[: self.n_low])[::-1]

    def exact(self, X: np.ndarray) -> np.ndarray:
        """Values by enumeration of all sets, shape (N, A, K)."""
        of_x, n_features, n_low = _factors(self.model, X), len(self.factors), self.n_low
        low_x, high_x, high_b = _products(of_x[:n_low]), of_x[n_low:], self.factors[n_low:]
        found = []
        for number in range(2 ** (n_features - n_low)):  # bit d of the number of a set: whether feature d is in it
            inside = (number >> np.arange(n_features - n_low)) % 2 == 1
            with_x, with_b = high_x[inside].prod(axis=0), high_b[~inside].prod(axis=0)
            found.append(self._probabilities(low_x * with_x, self._low * with_b))
        weights = _shapley_weights(n_features)
        return np.moveaxis(np.tensordot(weights, np.concatenate(found), axes=1), 0, 1)

    def estimates(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means over orders of the features, and their standard errors, shapes (N, A, K)."""
        n_features = len(self.factors)
        pairs = PERMUTATIONS // 2
        sums = np.zeros((2, len(X), n_features, len(self.model.class_prior)))
        step = self.step(n_features + 1)
        for first in range(0, len(X), step):
            rows = slice(first, first + step)
            of_x = _factors(self.model, X[rows])
            for order in _orders(n_features, pairs):
                changes = np.mean([self._changes(of_x, order), self._changes(of_x, order[::-1])], axis=0)
                sums[:, rows] += changes, changes**2
        mean, square = sums / pairs
        return mean, np.sqrt(np.maximum(square - mean**2, 0.0) / (pairs - 1))

    def _changes(self, of_x: np.ndarray, order: np.ndarray) -> np.ndarray:
        """What each feature adds when features of the sample replace the background's in an order, shape (N, A, K)."""
        one = np.ones((1, 1, of_x.shape[2]))
        with_x = np.cumprod(np.concatenate([np.broadcast_to(one, (1, *of_x.shape[1:])), of_x[order]]), axis=0)
        of_b = self.factors[order][::-1]
        with_b = np.cumprod(np.concatenate([np.broadcast_to(one, (1, *of_b.shape[1:])), of_b]), axis=0)[::-1]
        changes = np.empty((of_x.shape[1], len(order), len(self.model.class_prior)))
        changes[:, order] = np.moveaxis(np.diff(self._probabilities(with_x, with_b), axis=0), 0, 1)
        return changes

    def _probabilities(self, of_x: np.ndarray, of_b: np.ndarray) -> np.ndarray:
        """v of sets (T) and samples, by the factors (T, N, J) of the samples and (T, M, J) of the background.

        With c_j = w_j times both factors, the mean of q_k / sum_l q_l over the background is a sum over the prototypes
        of class k: that of the mean of c_j / sum_l q_l. The prior is one more of them, at distance 0 from all.

        Returns
        -------
        ndarray, shape (T, N, K)
        """
        of_x = np.concatenate([of_x * self.prototype_weights, np.ones((*of_x.shape[:2], 1))], axis=2)
        of_b = np.concatenate([of_b, np.ones((*of_b.shape[:2], 1))], axis=2)
        total = of_x @ of_b.swapaxes(1, 2)
        np.divide(self.weight, total, out=total)
        return ((total @ of_b) * of_x) @ self.of_class


def _factors(model: Model, X: np.ndarray) -> np.ndarray:
    """exp(-e_d / 2) of the active features, samples (N, D) and prototypes of all batches, shape (A, N, J)."""
    return np.exp(-0.5 * exponents(model, X, model.active_features()))


def _products(factors: np.ndarray) -> np.ndarray:
    """Products of the factors (A, ...) of every set, shape (2^A, ...); reversed, those of the complements."""
    found = np.ones((1, *factors.shape[1:]))
    for of_feature in factors:
        found = np.concatenate([found, found * of_feature])
    return found


def _shapley_weights(n: int) -> np.ndarray:
    """What v of each set counts for each of n features, shape (n, 2^n).

    Examples
    --------
    >>> _shapley_weights(2).tolist()  # sets: none, {0}, {1}, both
    [[-0.5, 0.5, -0.5, 0.5], [-0.5, -0.5, 0.5, 0.5]]
    """
    inside = (np.arange(2**n) >> np.arange(n)[:, None]) % 2 == 1
    size = inside.sum(axis=0)
    chance = np.array([factorial(s) * factorial(n - s - 1) / factorial(n) for s in range(n)])  # of a set without d
    return np.where(inside, chance[np.maximum(size - 1, 0)], -chance[np.minimum(size, n - 1)])


def _orders(n: int, number: int) -> Iterator[np.ndarray]:
    """Orders of n features, the same for all samples."""
    rng = np.random.default_rng(np.random.SeedSequence(ORDER, spawn_key=(n,)))
    for _ in range(number):
        yield rng.permutation(n)
