"""What a fitted classifier computes, with the scalers in front of it, as plain arrays that can be written down."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from proset.base_model import last_step, predicted
from proset.classifier import ProsetClassifier
from proset.columns import Columns
from proset.encoding import ORDERED, Category
from proset.metrics import SCIPY, takes_mixed
from proset.model import MAX_ABS
from proset.set_cover import SetCoverClassifier

SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
DISTANCES = {  # of a SetCoverClassifier, from the squares e of single features; in C and in JavaScript
    "cityblock": ("sqrt(e)", "sum"),
    "euclidean": ("e", "sqrt(sum)"),
    "sqeuclidean": ("e", "sum"),
}
LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Formula:
    """Input -> scaled features z -> prototypes.

    Attributes
    ----------
    classes : ndarray, shape (K,)
    feature_names : list of str, length D
    categories : tuple, length D
        Levels of categories and of ordered ones; None for numbers.
    used : ndarray of int, shape (A,)
        Features that the classifier reads; the arrays below have these only.
    shift, scale, low, high : ndarray, shape (S, A)
        Scalers: one after the other, z becomes (z - shift) / scale, between low and high.
    ordered : ndarray of int, shape (A,)
        1 for ordered categories.
    category : ndarray, shape (A,)
        Distance of two different categories, 0 for numbers and ordered ones; see `proset.columns`.
    feature_weights, gaps : ndarray, shape (B, A)
        Weights of the features, and what is added for one missing number, NaN where none may be missing; of a set cover
        in one row.
    takes_gaps : bool
        Whether numbers may be missing: where the model has `proset.columns.Columns`, but not in a logistic regression.
    prototypes : ndarray, shape (J, A)
        Scaled; NaN where a number is missing.
    labels : ndarray of int, shape (J,)
        Class indices.
    """

    classes: np.ndarray
    feature_names: list[str]
    categories: tuple[tuple[Category, ...] | None, ...]
    used: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    low: np.ndarray
    high: np.ndarray
    ordered: np.ndarray
    category: np.ndarray
    feature_weights: np.ndarray
    gaps: np.ndarray
    takes_gaps: bool
    prototypes: np.ndarray
    labels: np.ndarray

    @property
    def levels(self) -> list[tuple[Category, ...] | None]:
        """Levels of the features in use, length A: the number of a value among these takes the place of its z."""
        return [self.categories[d] for d in self.used]

    @property
    def is_mixed(self) -> bool:
        """Whether some feature is no number, also one that does not count: weights do not change what is passed in."""
        return any(levels is not None for levels in self.categories)


@dataclass(frozen=True)
class ProsetFormula(Formula):
    """Class probabilities by weighted kernels; `batch`, (J,), names rows of `feature_weights`, (B, A).

    `class_prior`, (K,), is what they start from; or it is the softmax of `base_coefficients` z + `base_intercepts`,
    shapes (K, A) and (K,), with `base_model.FLOOR`. Prototypes are named by `rows`, (J,), of the training data, and
    `batch_numbers`, (B,), from 1. With `cost_matrix`, (K, K), the label has the smallest expected cost.
    """

    kind = "ProsetClassifier"
    class_prior: np.ndarray
    batch: np.ndarray
    batch_numbers: np.ndarray
    rows: np.ndarray
    prototype_weights: np.ndarray
    cost_matrix: np.ndarray | None = None
    base_coefficients: np.ndarray | None = None
    base_intercepts: np.ndarray | None = None


@dataclass(frozen=True)
class SetCoverFormula(Formula):
    """The label of the nearest prototype, of equally near ones the first; `majority` without prototypes."""

    kind = "SetCoverClassifier"
    metric: str
    majority: int

    @property
    def default(self) -> int:
        """The label before any prototype is compared, and of a sample infinitely far from all."""
        return int(self.labels[0]) if len(self.labels) else self.majority


def formula(model: Any, with_base: bool = True) -> ProsetFormula | SetCoverFormula:
    """The formula of a classifier, or of a Pipeline of scalers that ends in one; perhaps without its base model.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If it is not fitted.
    ValueError
        If it is neither, a step is no scaler, the metric is none of `DISTANCES`, or the base is not linear.
    """
    steps, classifier = take_apart(model)
    n_features, encoding = classifier.n_features_in_, classifier._encoding
    kind: type[ProsetFormula | SetCoverFormula]
    special: dict[str, Any]
    if isinstance(classifier, SetCoverClassifier):
        kind, special = SetCoverFormula, {"metric": supported_metric(classifier), "majority": classifier._majority}
        used, prototypes, labels = np.arange(n_features), classifier.prototypes_, classifier._labels
        columns: Columns | None = classifier._columns if takes_mixed(classifier.metric) else None
        v, one_missing = np.ones((1, n_features)), np.log(2.0) * classifier._columns.spread**2
    else:
        numbered = [(b, batch) for b, batch in enumerate(classifier.batches_, start=1) if len(batch.labels)]
        batches = [batch for _, batch in numbered]
        prior, base, columns = classifier.class_prior_, None, classifier._model.columns
        if with_base and classifier._fitted_base() is not None:
            if not encoding.are_numbers:
                raise ValueError(f"base: {classifier._base_name()} is not allowed for a table with categories")
            prior, base = _base(classifier)
        used = classifier.active_features_ if base is None else np.flatnonzero(_read(classifier) | base[0].any(axis=0))
        used = used if len(used) else np.arange(1)  # one of weight 0 stands in for none: C has no empty arrays
        found = replace(classifier._model, batches=tuple(batches)).prototypes
        prototypes, labels = found.points, found.labels
        v = np.vstack([np.empty((0, n_features)), *(batch.feature_weights for batch in batches)])
        one_missing = np.log1p((v * (np.nan if columns is None else columns.spread)) ** 2)
        kind, special = (
            ProsetFormula,
            {
                "class_prior": prior,
                "batch": found.batch,
                "batch_numbers": np.array([b for b, _ in numbered], dtype=int),
                "rows": found.rows,
                "prototype_weights": found.weights,
                "cost_matrix": None if getattr(classifier, "cost_matrix", None) is None else classifier._costs(),
            },
        )
        if base is not None:
            special |= {"base_coefficients": base[0][:, used], "base_intercepts": base[1]}
    named = model if steps or hasattr(model, "feature_names_in_") else classifier  # a Pipeline may have no names
    shift, scale, low, high = scaling(steps, classifier)[:, :, used]
    return kind(
        classes=classifier.classes_,
        feature_names=[str(name) for name in getattr(named, "feature_names_in_", (f"x{d}" for d in range(n_features)))],
        categories=encoding.levels,
        used=used,
        shift=shift,
        scale=scale,
        low=low,
        high=high,
        ordered=np.array([int(encoding.kinds[d] == ORDERED) for d in used]),
        category=np.zeros(len(used)) if columns is None else columns.category[used],
        feature_weights=v[:, used],
        gaps=np.broadcast_to(one_missing, v.shape)[:, used],
        takes_gaps=columns is not None and "base_coefficients" not in special,
        prototypes=prototypes[:, used],
        labels=labels,
        **special,
    )


def _read(classifier: ProsetClassifier) -> np.ndarray:
    """Whether each feature is active, shape (D,)."""
    return np.isin(np.arange(classifier.n_features_in_), classifier.active_features_)


def _base(classifier: ProsetClassifier) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray] | None]:
    """What probabilities start from, and coefficients and intercepts of a logistic regression, if it is one."""
    model: Any = getattr(classifier, "base_", None)
    steps: list[tuple[str, Any]] = []
    while isinstance(model, FrozenEstimator | Pipeline):
        if isinstance(model, Pipeline):
            steps += [(name, step) for name, step in model.steps[:-1] if step not in (None, "passthrough")]
            model = model.steps[-1][1]
        else:
            model = model.estimator
    n_features = classifier.n_features_in_
    if is_constant(model):
        (constant,) = predicted(model, np.zeros((1, n_features)), classifier.classes_)
        return constant, None
    if isinstance(model, str):
        raise ValueError("base: 'prefit' is not allowed, the model is not known; give it in a FrozenEstimator to fit")
    if type(model) not in (LogisticRegression, LogisticRegressionCV):
        raise ValueError(
            f"base: {classifier._base_name()} is not allowed, must be LogisticRegression, alone or after scalers, or a "
            "DummyClassifier that always says the same; to_onnx converts more"
        )
    coefficients, intercepts = model.coef_, np.broadcast_to(model.intercept_, len(model.coef_))
    if len(coefficients) == 1:
        coefficients, intercepts = np.vstack([0.0 * coefficients, coefficients]), np.append(0.0, intercepts)
    for name, step in reversed(steps):
        shift, scale, low, _ = _stage(name, step)
        if low != -LARGEST:
            raise ValueError(f"base: step {name!r} is not allowed, it clips; to_onnx converts more")
        coefficients = coefficients / scale
        intercepts = intercepts - coefficients @ np.broadcast_to(shift, n_features)
    if len(model.classes_) < len(classifier.classes_):
        raise ValueError("base: a model that has not seen all classes is not allowed; to_onnx converts it")
    return classifier.class_prior_, (coefficients, intercepts)


def refuse_inexact(of: Formula) -> None:
    """Refuse categories that are numbers float64 takes for others: SQL and JavaScript compare them in it."""
    for name, levels in zip(of.feature_names, of.categories, strict=True):
        if inexact := [level for level in levels or () if isinstance(level, int) and abs(level) > 2**53]:
            raise ValueError(
                f"model: column {name!r} with the category {inexact[0]} is not allowed, in float64 it equals others; "
                "make text of them before fit"
            )


def is_constant(base: Any) -> bool:
    """Whether a base model has the same probabilities for all samples."""
    base = last_step(base)
    return type(base) is DummyClassifier and base.strategy in ("prior", "most_frequent", "uniform")


def take_apart(model: Any) -> tuple[list[tuple[str, Any]], ProsetClassifier | SetCoverClassifier]:
    """The named steps before a classifier, none if it stands alone, and the classifier; of a search, its best one.

    A classifier of categories has to stand alone.
    """
    model = getattr(model, "best_estimator_", model)
    if isinstance(model, FrozenEstimator):
        return take_apart(model.estimator)
    before: list[tuple[str, Any]] = []
    if isinstance(model, Pipeline):
        *before, (_, last) = model.steps
        inner, classifier = take_apart(last)
        steps = [(name, step) for name, step in before if step not in (None, "passthrough")] + inner
        if steps and not classifier._encoding.are_numbers:
            raise ValueError(
                f"model: step {steps[0][0]!r} is not allowed in front of a classifier of categories; fit that to the "
                "table itself, it scales numbers"
            )
        return steps, classifier
    if not isinstance(model, ProsetClassifier | SetCoverClassifier):
        raise ValueError(
            f"model: {type(model).__name__} is not allowed, must be a ProsetClassifier, a SetCoverClassifier, or a "
            "Pipeline or search that ends in one"
        )
    check_is_fitted(model)
    return before, model


def supported_metric(classifier: SetCoverClassifier) -> str:
    """SciPy's name of the metric; ValueError if it is none of `DISTANCES`."""
    metric = SCIPY.get(classifier.metric, classifier.metric) if isinstance(classifier.metric, str) else None
    if metric not in DISTANCES:
        raise ValueError(f"metric: {classifier.metric!r} is not allowed, must be one of {', '.join(DISTANCES)}")
    return str(metric)


def scaling(steps: list[tuple[str, Any]], classifier: Any) -> np.ndarray:
    """`shift`, `scale`, `low` and `high` of all scalers, for all features: shape (4, S, D)."""
    n_features = classifier.n_features_in_
    stages = [_stage(name, step) for name, step in steps] or [(0.0, 1.0, -LARGEST, LARGEST)]
    arrays = np.array([[np.broadcast_to(part, n_features) for part in stage] for stage in stages]).swapaxes(0, 1)
    if isinstance(classifier, ProsetClassifier):  # which takes a point so far away for as far as any
        arrays[2, -1] = np.maximum(arrays[2, -1], -MAX_ABS)
        arrays[3, -1] = np.minimum(arrays[3, -1], MAX_ABS)
    return arrays


def _stage(name: str, step: Any) -> tuple[Any, Any, float, float]:
    if type(step) not in SCALERS:
        raise ValueError(
            f"model: step {name!r}, a {type(step).__name__}, is not allowed, must be one of "
            f"{', '.join(scaler.__name__ for scaler in SCALERS)}; to_onnx converts more"
        )
    low, high = -LARGEST, LARGEST
    if isinstance(step, StandardScaler):
        shift, scale = step.mean_ if step.with_mean else None, step.scale_
    elif isinstance(step, RobustScaler):
        shift, scale = step.center_, step.scale_
    elif isinstance(step, MinMaxScaler):
        shift, scale = -step.min_ / step.scale_, 1.0 / step.scale_
        if step.clip:
            low, high = step.feature_range
    else:
        shift, scale = None, step.scale_
        if getattr(step, "clip", False):  # since scikit-learn 1.9
            low, high = -1.0, 1.0
    return 0.0 if shift is None else shift, 1.0 if scale is None else scale, low, high
