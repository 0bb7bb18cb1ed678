"""The state of a fitted `ProsetClassifier`, and what its answers ask of it."""

import os
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples, check_is_fitted

from proset import arithmetic, base_model, leave_one_out, model
from proset.columns import Columns
from proset.encode import encode
from proset.encoding import Encoding
from proset.familiarity import quantile
from proset.growth import Growth
from proset.library import MAX_THREADS
from proset.model import MAX_ABS
from proset.training import N_BACKGROUND, Training
from proset.units import given_samples
from proset.validation import no_overflow


class FittedState:
    """Parameters and fitted attributes are described in `proset.ProsetClassifier`, which is one."""

    alpha_v: float
    alpha_w: float
    base: Any
    categorical_features: Any
    class_weight: dict[Any, float] | str | None
    cost_matrix: Any
    lambda_v: float | str
    lambda_w: float | str
    max_features: int | None
    max_fraction: float
    max_iter: int
    max_prototypes: int | str | None
    n_batches: int
    n_candidates: int | str | None
    n_jobs: int | None
    random_state: int | np.random.RandomState | None
    references: str
    scale: bool
    tol: float
    verbose: int
    warm_start: bool
    get_params: Callable[..., dict[str, Any]]
    _validate_params: Callable[[], None]

    active_features_: np.ndarray
    base_: Any
    batches_: tuple[model.Batch, ...]
    categories_: list[Any]
    class_prior_: np.ndarray
    classes_: np.ndarray
    feature_names_in_: np.ndarray  # only if the table has names
    feature_range_: np.ndarray
    feature_weights_: np.ndarray
    lambda_v_: float
    lambda_w_: float
    n_features_in_: int
    n_iter_: int
    n_prototypes_: int
    n_samples_fit_: int
    penalty_search_: dict[str, np.ndarray | float]
    prototype_path_: dict[str, np.ndarray]
    scale_: np.ndarray
    training_familiarity_: np.ndarray

    _columns: Columns
    _encoding: Encoding
    _is_edited = False
    _last_growth: Growth
    _model: model.Model
    _regions: dict[str, np.ndarray]
    _sized: list[model.Model]  # by increasing number of prototypes
    _sized_familiarity: list[np.ndarray]  # the `training_familiarity_` of each
    _training: Training

    def _base_of(self, X: Any, given: Any = None) -> np.ndarray | None:
        """q_0 of samples as `X` was given, None without a base."""
        if self._fitted_base() is None:
            if given is not None:
                raise ValueError("base_probabilities: not allowed, the model has no base")
            return None
        if given is not None:
            return base_model.checked(given, _num_samples(X), len(self.classes_))
        if isinstance(self.base_, str):
            raise ValueError(
                "base_probabilities: None is not allowed with base='prefit', must be those of the base; where "
                "there is no such argument, give the base itself in a FrozenEstimator"
            )
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
        if hasattr(given, "reindex") and not [*given.index] == [*given.columns] == [*range(n)]:
            for labels in (given.index.tolist(), given.columns.tolist()):
                if len(labels) != n or {*labels} != {*self.classes_.tolist()}:
                    raise ValueError(f"cost_matrix: the labels {labels} are not allowed, must be the classes")
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

    def _fitted_to(self, instead: str = "") -> Training:
        """What the model was fitted to; ValueError if it is no longer available, which names the argument `instead`."""
        check_is_fitted(self, "scale_")
        found: Training | None = getattr(self, "_training", None)
        if found is None:
            remedy = f"give samples in their place: {instead}=..." if instead else "fit it again"
            raise ValueError(
                f"the training data are not here: files, pickles, copies and shrink() have prototypes only; {remedy}"
            )
        return found

    def _copied(self) -> Any:
        """Copy the classifier with its training data, which a copy does not have otherwise."""
        other = copy(self)
        if hasattr(self, "_training"):
            other._training = self._training
        return other

    def _yardstick(self, n_batches: int | None = None) -> np.ndarray:
        """The familiarity of training samples, by all batches or the first ones."""
        if not hasattr(self, "training_familiarity_"):
            raise AttributeError(
                "training_familiarity_ is missing: the model was saved by an earlier version; fit it again"
            )
        return self.training_familiarity_[-1 if n_batches is None else n_batches]

    def _familiarity_quantiles(self, familiarity: np.ndarray) -> np.ndarray:
        """Quantiles of familiarities (N,); NaN for a model from a file without those of the training samples."""
        if not hasattr(self, "training_familiarity_"):
            return np.full(len(familiarity), np.nan)
        return quantile(self._yardstick(), familiarity)

    def _background(self, given: Any, transformer: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Samples to compare with and their weights, which sum to 1; for None up to 100 of the training data."""
        if given is not None:
            points = self._validated(given_samples(given, None, transformer)[2])
            return points, np.full(len(points), 1.0 / len(points))
        training = self._fitted_to("background")
        places = training.sample(N_BACKGROUND)
        weight = training.weight[places]
        return training.points[places], weight / weight.sum()

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        """Numbers as the penalties see them; categories have no scale of their own."""
        return X / np.where(self._encoding.n_levels > 0, 1.0, self.scale_)

    def _task(
        self, X: np.ndarray, codes: np.ndarray, weight: np.ndarray, copies: np.ndarray, base: np.ndarray | None
    ) -> leave_one_out.Task:
        columns = self._columns.divided(self.scale_)
        samples = leave_one_out.Samples.of(X, codes, weight, copies, columns)
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

    def _validated(self, X: Any) -> np.ndarray:
        if self._is_plain(X):
            return X
        check_is_fitted(self, "scale_")
        with no_overflow():
            fitted = getattr(self, "_model", None)  # a search asks before it is there; old files know no missing values
            encoded, _, _ = encode(self, X, reset=False, allow_nan=fitted is None or fitted.columns is not None)
        return np.clip(encoded, -MAX_ABS, MAX_ABS)  # a point so far away is as far as any; its distances stay finite

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
