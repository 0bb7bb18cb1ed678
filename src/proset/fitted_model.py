"""What a fitted `ProsetClassifier` is: its state, its predictions, and what its answers ask of it."""

import os
from collections.abc import Iterator
from copy import copy
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _num_samples, check_is_fitted

from proset import arithmetic, base_model, leave_one_out, model
from proset.columns import Columns
from proset.encoding import Encoding, encode
from proset.familiarity import quantile, staged_familiarity
from proset.library import MAX_THREADS
from proset.model import MAX_ABS
from proset.training import N_BACKGROUND, Training
from proset.units import given_samples


class FittedModel:
    """Fitted attributes and parameters are described in `proset.ProsetClassifier`, which is one."""

    base: Any
    cost_matrix: Any
    max_features: int | None
    n_jobs: int | None
    references: str

    active_features_: np.ndarray
    base_: Any
    batches_: tuple[model.Batch, ...]
    categories_: list[Any]
    class_prior_: np.ndarray
    classes_: np.ndarray
    feature_range_: np.ndarray
    feature_weights_: np.ndarray
    lambda_v_: float
    lambda_w_: float
    n_features_in_: int
    n_iter_: int
    n_prototypes_: int
    n_samples_fit_: int
    scale_: np.ndarray
    training_familiarity_: np.ndarray

    _columns: Columns
    _encoding: Encoding
    _is_edited = False
    _model: model.Model
    _regions: dict[str, np.ndarray]
    _sized: list[model.Model]  # by increasing number of prototypes
    _sized_familiarity: list[np.ndarray]  # the `training_familiarity_` of each
    _training: Training

    def staged_predict_proba(
        self, X: npt.ArrayLike, *, base_probabilities: npt.ArrayLike | None = None
    ) -> Iterator[np.ndarray]:
        """Class probabilities with 0, 1, ..., B batches, from one pass over the prototypes.

        Parameters
        ----------
        X : array-like, shape (N, D)
        base_probabilities : array-like, shape (N, K), optional
            Of the samples, by the base model; needed with ``base="prefit"``.

        Returns
        -------
        iterator of ndarray, shape (N, K)
            First the class prior, or the probabilities of the base.

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`.

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
            Of the first so many batches alone; by default of all.
        base_probabilities : array-like, shape (N, K), optional
            As of `staged_predict_proba`.

        Returns
        -------
        ndarray, shape (N, K)
            In the order of `classes_`; rows sum to 1.

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, or there are fewer batches.

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

        Parameters
        ----------
        X : array-like, shape (N, D)
        n_batches : int, optional
            Of the first so many batches alone; by default of all.
        base_probabilities : array-like, shape (N, K), optional
            As of `staged_predict_proba`.

        Returns
        -------
        ndarray, shape (N,)

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, or there are fewer batches.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
        >>> model.predict([[-1.0], [1.0]]).tolist()
        ['left', 'right']
        """
        probabilities = self.predict_proba(X, n_batches, base_probabilities=base_probabilities)
        labels: np.ndarray = self.classes_[self._decided(probabilities)]
        return labels

    def familiarity(self, X: npt.ArrayLike, n_batches: int | None = None) -> np.ndarray:
        """How much prototype weight is near each sample; near 0 the prediction is the prior.

        Parameters
        ----------
        X : array-like, shape (N, D)
        n_batches : int, optional
            Of the first so many batches alone; by default of all.

        Returns
        -------
        ndarray, shape (N,)
            sum_k q_k(x) - 1, see `proset.objective`; >= 0.

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, or there are fewer batches.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
        >>> near, far = model.familiarity([[1.0], [100.0]])
        >>> bool(near > 1), float(far)
        (True, 0.0)
        """
        stages = staged_familiarity(self._model, self._validated(X), self._n_threads())
        *_, found = islice(stages, self._n_stages(n_batches))
        return found

    def familiarity_quantile(self, X: npt.ArrayLike, n_batches: int | None = None) -> np.ndarray:
        """Proportion of the training samples that are at most as familiar as each sample.

        The training samples are seen without their own prototypes, each counts once, whatever its weight. About 5 % of
        fresh samples like them are below 0.05, for levels up to 0.2 and on the data sets of the study within 2 points;
        `proset.RejectOptionClassifier` comes closer.

        Parameters
        ----------
        X : array-like, shape (N, D)
        n_batches : int, optional
            Of the first so many batches alone; by default of all.

        Returns
        -------
        ndarray, shape (N,)
            In [0, 1).

        Raises
        ------
        ValueError
            If `X` is infinite or has other features than in `fit`, or there are fewer batches.
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
        if not hasattr(self, "training_familiarity_"):
            raise AttributeError(
                "training_familiarity_ is missing: the model was saved by an earlier version; fit it again"
            )
        return quantile(self.training_familiarity_[-1 if n_batches is None else n_batches], familiarity)

    def _familiarity_quantiles(self, familiarity: np.ndarray) -> np.ndarray:
        """Of familiarities (N,); NaN for a model from a file that does not have that of training samples."""
        if not hasattr(self, "training_familiarity_"):
            return np.full(len(familiarity), np.nan)
        return quantile(self.training_familiarity_[-1], familiarity)

    def _base_of(self, X: Any, given: Any = None) -> np.ndarray | None:
        """q_0 of samples as `X` was given, None without a base."""
        if self._fitted_base() is None:
            if given is not None:
                raise ValueError("base_probabilities: not allowed, the model has no base")
            return None
        if given is not None:
            return base_model.checked(given, _num_samples(X), len(self.classes_))
        if isinstance(self.base_, str):
            raise ValueError("base_probabilities: None is not allowed with base='prefit', must be those of the base")
        if hasattr(self.base_, "feature_names_in_") and not hasattr(X, "columns"):
            import pandas as pd

            X = pd.DataFrame(X, columns=self.base_.feature_names_in_)
        return base_model.predicted(self.base_, X, self.classes_)

    def _costs(self) -> np.ndarray:
        """`cost_matrix`, or 1 for every error, shape (K, K)."""
        n = len(self.classes_)
        if self.cost_matrix is None:
            return 1.0 - np.eye(n)
        given: Any = self.cost_matrix
        if hasattr(given, "reindex") and {*given.index} == {*given.columns} == {*self.classes_.tolist()}:
            given = given.reindex(index=self.classes_, columns=self.classes_)  # a frame with names of the classes
        costs = np.asarray(given)
        if costs.shape != (n, n) or costs.dtype.kind not in "biuf" or not (np.abs(costs) <= MAX_ABS).all():
            raise ValueError(
                f"cost_matrix: {costs.dtype} of shape {costs.shape} is not allowed, must be finite numbers of shape "
                f"({n}, {n}), a row for each true class and a column for each predicted one"
            )
        return costs.astype(np.float64)

    def _decided(self, probabilities: np.ndarray) -> np.ndarray:
        """Numbers of the predicted classes, of equal ones the first, shape (N,)."""
        if self.cost_matrix is None:
            decided: np.ndarray = probabilities.argmax(axis=1)
        else:
            expected = np.column_stack([arithmetic.row_sums(probabilities * costs) for costs in self._costs().T])
            decided = expected.argmin(axis=1)
        return decided

    def _fitted_base(self) -> Any:
        """`base_`, whatever has been done to the parameter since; None for models from files."""
        return getattr(self, "base_", None)

    def _base_name(self) -> str:
        base = getattr(self, "base_", self.base)
        return "'prefit'" if isinstance(base, str) else base_model.name_of(base)

    def _fitted_to(self) -> Training:
        """What the model was fitted to; ValueError if it is not there any more."""
        check_is_fitted(self, "scale_")
        found: Training | None = getattr(self, "_training", None)
        if found is None:
            raise ValueError(
                "the training data are not here: files, pickles, copies and shrink() have prototypes only; fit it again"
            )
        return found

    def _copied(self) -> Any:
        """With the training data, which a copy does not have otherwise."""
        other = copy(self)
        if hasattr(self, "_training"):
            other._training = self._training
        return other

    def _background(self, given: Any, transformer: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Samples to compare with and their weights, which sum to 1; for None up to 100 of the training data."""
        if given is not None:
            points = self._validated(given_samples(given, None, transformer)[2])
            return points, np.full(len(points), 1.0 / len(points))
        training = self._fitted_to()
        places = training.sample(N_BACKGROUND)
        weight = training.weight[places]
        return training.points[places], weight / weight.sum()

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        """Numbers as the penalties see them; categories have no scale of their own."""
        return X / np.where(self._encoding.n_levels > 0, 1.0, self.scale_)

    def _task(
        self,
        X: np.ndarray,
        codes: np.ndarray,
        weight: np.ndarray | None,
        copies: np.ndarray,
        base: np.ndarray | None,
    ) -> leave_one_out.Task:
        columns = self._columns.divided(self.scale_)
        samples = leave_one_out.Samples.of(X, codes, or_ones(weight, len(X)), copies, columns)
        return leave_one_out.Task.of(samples, len(self.classes_), self._n_threads(), base)

    def _store(self, fitted: model.Model) -> None:
        self._model = fitted
        self.class_prior_ = fitted.class_prior
        self.categories_ = [None if levels is None else list(levels) for levels in self._encoding.levels]
        self.batches_ = fitted.batches
        self.active_features_ = fitted.active_features()
        self.n_prototypes_ = fitted.n_prototypes()
        self.n_iter_ = max((batch.n_iter for batch in fitted.batches), default=0)
        weights = [batch.feature_weights * bool(len(batch.labels)) for batch in fitted.batches]
        self.feature_weights_ = np.reshape(weights, (len(weights), len(fitted.centre))) * self.scale_

    def _n_threads(self) -> int:
        n_jobs = 1 if self.n_jobs is None else self.n_jobs
        if n_jobs == 0:
            raise ValueError("n_jobs: 0 is not allowed, must be None, positive, or negative (-1: one per processor)")
        return min(n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs), MAX_THREADS)

    def _n_stages(self, n_batches: int | None) -> int | None:
        if n_batches is None:
            return None
        if not (isinstance(n_batches, Integral) and 0 <= n_batches <= len(self.batches_)):
            raise ValueError(f"n_batches: {n_batches!r} is not allowed, must be 0 to {len(self.batches_)}")
        return int(n_batches) + 1

    def _validated(self, X: Any) -> np.ndarray:
        if self._is_plain(X):
            plain: np.ndarray = X
            return plain
        check_is_fitted(self, "scale_")
        with no_overflow():
            fitted = getattr(self, "_model", None)  # a search asks before it is there; old files know no missing values
            encoded, _, _ = encode(self, X, reset=False, allow_nan=fitted is None or fitted.columns is not None)
        clipped: np.ndarray = np.clip(
            encoded, -MAX_ABS, MAX_ABS
        )  # a point so far away is as far as any; its distances stay finite
        return clipped

    def _is_plain(self, X: Any) -> bool:
        """Whether nothing has to be done about X: scikit-learn's checks take longer than the prediction of one row."""
        return (
            type(X) is np.ndarray
            and X.dtype == np.float64
            and X.ndim == 2
            and len(X) > 0
            and X.shape[1] == getattr(self, "n_features_in_", None)
            and not hasattr(self, "feature_names_in_")
            and self._encoding.are_numbers
            and bool((np.abs(X) <= MAX_ABS).all())  # false if it is not finite
        )


def or_ones(weight: np.ndarray | None, n: int) -> np.ndarray:
    """Weights of n samples."""
    return np.ones(n) if weight is None else weight


def no_overflow() -> np.errstate:
    """No warning when scikit-learn sums up huge values to see whether all of them are finite."""
    return np.errstate(over="ignore", invalid="ignore")
