"""What a fitted `ProsetClassifier` predicts, as it is and in other sizes."""

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from proset import model
from proset.encoding import CATEGORY
from proset.familiarity import quantile, staged_familiarity
from proset.fitted_state import FittedState
from proset.validation import checked_count


class FittedModel(FittedState):
    """Methods of `proset.ProsetClassifier`."""

    def staged_predict_proba(
        self, X: npt.ArrayLike, *, base_probabilities: npt.ArrayLike | None = None
    ) -> Iterator[np.ndarray]:
        """Class probabilities with 0, 1, ..., B batches, from one pass over the prototypes.

        Parameters
        ----------
        X : array-like, shape (N, D)
        base_probabilities : array-like, shape (N, K), optional
            Class probabilities of the samples by the base model, which predicts them itself by default. Needed with
            ``base="prefit"``, not allowed without a base.

        Returns
        -------
        iterator of ndarray, shape (N, K)
            First the class prior, or the probabilities of the base, none of them below about 1e-4.

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, or `base_probabilities` are not as described.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> model = ProsetClassifier(n_batches=2, random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
        >>> [p.round(1).tolist() for p in model.staged_predict_proba([[1.0]])]
        [[[0.5, 0.5]], [[0.0, 1.0]], [[0.0, 1.0]]]
        """
        validated = self._validated(X)
        return self._model.staged_predict_proba(validated, self._n_threads(), self._base_of(X, base_probabilities))

    def predict_proba(
        self, X: npt.ArrayLike, n_batches: int | None = None, *, base_probabilities: npt.ArrayLike | None = None
    ) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array-like, shape (N, D)
        n_batches : int, optional
            Number of batches to use, from the first one on; by default all.
        base_probabilities : array-like, shape (N, K), optional
            As in `staged_predict_proba`.

        Returns
        -------
        ndarray, shape (N, K)
            In the order of `classes_`; rows sum to 1.

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, `n_batches` is negative or too large, or
            `base_probabilities` are not as described.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
        >>> model.predict_proba([[-1.0], [1.0], [100.0]]).round(1).tolist()  # the last one: as far away as any
        [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
        """
        stages = self.staged_predict_proba(X, base_probabilities=base_probabilities)
        *_, last = islice(stages, self._n_stages(n_batches))
        return last

    def predict(
        self, X: npt.ArrayLike, n_batches: int | None = None, *, base_probabilities: npt.ArrayLike | None = None
    ) -> np.ndarray:
        """The most probable class of each sample, or with `cost_matrix` the one with the smallest expected cost.

        Of equal ones, the first in `classes_`.

        Parameters
        ----------
        X : array-like, shape (N, D)
        n_batches : int, optional
            Number of batches to use, from the first one on; by default all.
        base_probabilities : array-like, shape (N, K), optional
            As in `staged_predict_proba`.

        Returns
        -------
        ndarray, shape (N,)

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, `n_batches` is negative or too large, or
            `base_probabilities` are not as described.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
        >>> model.predict([[-1.0], [1.0]]).tolist()
        ['left', 'right']
        """
        probabilities = self.predict_proba(X, n_batches, base_probabilities=base_probabilities)
        return self.classes_[self._decided(probabilities)]

    def familiarity(self, X: npt.ArrayLike, n_batches: int | None = None) -> np.ndarray:
        """How much prototype weight is near each sample; near 0 the prediction is the class prior, or that of `base`.

        Parameters
        ----------
        X : array-like, shape (N, D)
        n_batches : int, optional
            Number of batches to use, from the first one on; by default all.

        Returns
        -------
        ndarray, shape (N,)
            sum_k q_k(x) - 1, see `proset.objective`; >= 0.

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, or `n_batches` is negative or too large.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
        >>> near, far = model.familiarity([[1.0], [100.0]])
        >>> bool(near > 1), float(far)
        (True, 0.0)
        """
        validated = self._validated(X)
        stages = staged_familiarity(self._model, validated, self._n_threads())
        *_, found = islice(stages, self._n_stages(n_batches))
        return found

    def familiarity_quantile(self, X: npt.ArrayLike, n_batches: int | None = None) -> np.ndarray:
        """Proportion of the training samples that are at most as familiar as each sample.

        Training samples are those of positive weight that are no prototypes; each counts once. Where most are
        prototypes, all count, each without its own. About 5 % of fresh samples like them are below 0.05.
        `proset.RejectOptionClassifier` comes closer.

        Parameters
        ----------
        X : array-like, shape (N, D)
        n_batches : int, optional
            Number of batches to use, from the first one on; by default all.

        Returns
        -------
        ndarray, shape (N,)
            In [0, 1).

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, or `n_batches` is negative or too large.
        AttributeError
            If the model is from a file of a version that did not keep the familiarity of training samples.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ProsetClassifier(random_state=0).fit(X, y)
        >>> typical, far = model.familiarity_quantile([[5.0, 3.4, 1.5, 0.2], [5.0, 3.4, 50.0, 0.2]])
        >>> bool(typical > 0.05), float(far)
        (True, 0.0)
        """
        familiarity = self.familiarity(X, n_batches)
        return quantile(self._yardstick(n_batches), familiarity)

    def _n_stages(self, n_batches: int | None) -> int | None:
        if n_batches is None:
            return None
        if not (isinstance(n_batches, Integral) and 0 <= n_batches <= len(self.batches_)):
            raise ValueError(f"n_batches: {n_batches!r} is not allowed, must be 0 to {len(self.batches_)}")
        return int(n_batches) + 1

    def with_prototypes(self, n: int) -> Any:
        """The largest model of `prototype_path_` with at most n prototypes.

        Parameters
        ----------
        n : int
            At least the smallest size of the path.

        Returns
        -------
        ProsetClassifier
            A new one, fitted, without the larger models. If the path has more than n prototypes, it mostly has n of
            them up to 10, and at least three quarters of n up to 5,000. A number as `max_prototypes` is a size, too.

        Raises
        ------
        ValueError
            If no model is that small, or n is not a whole number. Without an elimination there is only one model.
        AttributeError
            If the model is from a file or `shrink`, and has one size.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ProsetClassifier().fit(X, y)
        >>> model.with_prototypes(3).n_prototypes_
        3
        """
        check_is_fitted(self, "scale_")
        least = self._of_all_sizes()[0].n_prototypes()
        n = checked_count(n, "n", least)
        smaller = self._copied()
        smaller.__dict__.pop("_last_growth", None)
        place = self._largest(n)
        if self._sized[place] is not self._model:
            smaller.__dict__.pop("_regions", None)
        smaller._sized, smaller._sized_familiarity = self._sized[: place + 1], self._sized_familiarity[: place + 1]
        if hasattr(self, "prototype_path_"):
            path = self.prototype_path_.items()
            smaller.prototype_path_ = {name: values[: place + 1] for name, values in path}
        smaller._store(self._sized[place])
        smaller.training_familiarity_ = self._sized_familiarity[place]
        return smaller

    def sized_predict_proba(
        self, X: npt.ArrayLike, *, base_probabilities: npt.ArrayLike | None = None
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Class probabilities of the models of all sizes on the path.

        Parameters
        ----------
        X : array-like, shape (N, D)
        base_probabilities : array-like, shape (N, K), optional
            As in `staged_predict_proba`.

        Returns
        -------
        iterator of (int, ndarray of shape (N, K))
            By increasing number of prototypes, as in `prototype_path_`; one model if there was no elimination.

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, or `base_probabilities` are not as described.
        AttributeError
            If the model is from a file or `shrink`, and has one size.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ProsetClassifier().fit(X, y)
        >>> errors = {n: float((p.argmax(axis=1) != y).mean()) for n, p in model.sized_predict_proba(X)}
        >>> errors[1] > errors[3]
        True
        """
        validated, base = self._validated(X), self._base_of(X, base_probabilities)
        arguments = (validated, self._n_threads(), base)
        models = self._of_all_sizes()  # else its error would come with the first one that is asked for
        return ((of_size.n_prototypes(), list(of_size.staged_predict_proba(*arguments))[-1]) for of_size in models)

    def _largest(self, n: int | None) -> int:
        """Place of the largest model with at most n prototypes."""
        return max(i for i, of_size in enumerate(self._sized) if n is None or of_size.n_prototypes() <= n)

    def _of_all_sizes(self) -> list[model.Model]:
        if not hasattr(self, "_sized"):
            raise AttributeError("a model from a file or with fewer features has one size only; fit it again")
        return self._sized

    def shrink(self) -> Any:
        """The same model for samples of the active features alone.

        Returns
        -------
        ProsetClassifier
            A new one, whose feature d is feature `active_features_[d]` of this one, without other sizes and without
            the training data.

        Raises
        ------
        ValueError
            If no feature is active, or the model has a base.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.preprocessing import scale
        >>> X, y = load_iris(return_X_y=True)
        >>> X = scale(X)
        >>> model = ProsetClassifier(lambda_v=0.01, random_state=0).fit(X, y)
        >>> small = model.shrink()
        >>> small.n_features_in_
        2
        >>> bool((small.predict_proba(X[:, model.active_features_]) == model.predict_proba(X)).all())
        True
        """
        check_is_fitted(self, "scale_")
        features = self.active_features_
        if self._fitted_base() is not None:
            raise ValueError(f"base: {self._base_name()} needs all features, a model with a base cannot be smaller")
        if not len(features):
            raise ValueError("the model has no active feature, every prediction is the class prior")
        batches = (
            replace(b, feature_weights=b.feature_weights[features], prototypes=b.prototypes[:, features])
            for b in self.batches_
        )
        small = copy(self)
        for name in ("_sized", "_sized_familiarity", "prototype_path_", "_last_growth"):
            small.__dict__.pop(name, None)
        small.scale_, small.feature_range_ = self.scale_[features], self.feature_range_[:, features]
        small._encoding = self._encoding.take(features)
        if not (small.categorical_features is None or isinstance(small.categorical_features, str)):
            small.categorical_features = [kind == CATEGORY for kind in small._encoding.kinds]
        columns = self._model.columns and self._model.columns.take(features)
        small._store(replace(self._model, centre=self._model.centre[features], batches=tuple(batches), columns=columns))
        small.n_features_in_ = len(features)
        if hasattr(self, "feature_names_in_"):
            small.feature_names_in_ = self.feature_names_in_[features]
        return small
