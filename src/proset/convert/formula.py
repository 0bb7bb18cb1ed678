"""What a fitted classifier computes, with the scalers in front of it, as plain arrays that can be written down."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from proset.classifier import ProsetClassifier
from proset.model import MAX_ABS
from proset.set_cover import SCIPY, SetCoverClassifier

SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
DISTANCES = {  # of a SetCoverClassifier, from differences t of single features; in C and in JavaScript
    "cityblock": ("fabs(t)", "sum"),
    "euclidean": ("t * t", "sqrt(sum)"),
    "sqeuclidean": ("t * t", "sum"),
}
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Formula:
    """Input -> scaled features z -> prototypes.

    Attributes
    ----------
    classes : ndarray, shape (K,)
    feature_names : list of str, length D
    used : ndarray of int, shape (A,)
        Features that the classifier reads; the arrays below have these only.
    shift, scale, low, high : ndarray, shape (S, A)
        Scalers: one after the other, z becomes (z - shift) / scale, between low and high.
    prototypes : ndarray, shape (J, A)
        Scaled.
    labels : ndarray of int, shape (J,)
        Class indices.
    """

    classes: np.ndarray
    feature_names: list[str]
    used: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    low: np.ndarray
    high: np.ndarray
    prototypes: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class ProsetFormula(Formula):
    """Class probabilities by weighted kernels; `batch`, (J,), names rows of `feature_weights`, (B, A)."""

    kind = "ProsetClassifier"
    class_prior: np.ndarray
    batch: np.ndarray
    feature_weights: np.ndarray
    prototype_weights: np.ndarray


@dataclass(frozen=True)
class SetCoverFormula(Formula):
    """The label of the nearest prototype, of equally near ones the first; `majority` without prototypes."""

    kind = "SetCoverClassifier"
    metric: str
    majority: int


def formula(model: Any) -> ProsetFormula | SetCoverFormula:
    """The formula of a classifier, or of a Pipeline of scalers that ends in one.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If it is not fitted.
    ValueError
        If it is neither, a step is no scaler, or the metric is none of `DISTANCES`.
    """
    steps, classifier = take_apart(model)
    n_features = classifier.n_features_in_
    kind: type[ProsetFormula | SetCoverFormula]
    special: dict[str, Any]
    if isinstance(classifier, SetCoverClassifier):
        kind, special = SetCoverFormula, {"metric": supported_metric(classifier), "majority": classifier._majority}
        used, prototypes, labels = np.arange(n_features), classifier.prototypes_, classifier._labels
    else:
        batches = [batch for batch in classifier.batches_ if len(batch.labels)]
        # One feature of weight 0 stands in for none: C has no empty arrays.
        used = classifier.active_features_ if len(classifier.active_features_) else np.arange(1)
        prototypes = np.vstack([np.empty((0, n_features)), *(batch.prototypes for batch in batches)])
        labels = np.concatenate([np.empty(0, dtype=int), *(batch.labels for batch in batches)])
        kind, special = (
            ProsetFormula,
            {
                "class_prior": classifier.class_prior_,
                "batch": np.repeat(np.arange(len(batches)), [len(batch.labels) for batch in batches]),
                "feature_weights": np.vstack([np.empty((0, n_features)), *(b.feature_weights for b in batches)])[
                    :, used
                ],
                "prototype_weights": np.concatenate([np.empty(0), *(batch.prototype_weights for batch in batches)]),
            },
        )
    shift, scale, low, high = scaling(steps, classifier)[:, :, used]
    return kind(
        classes=classifier.classes_,
        feature_names=[str(name) for name in getattr(model, "feature_names_in_", (f"x{d}" for d in range(n_features)))],
        used=used,
        shift=shift,
        scale=scale,
        low=low,
        high=high,
        prototypes=prototypes[:, used],
        labels=labels,
        **special,
    )


def take_apart(model: Any) -> tuple[list[tuple[str, Any]], ProsetClassifier | SetCoverClassifier]:
    """The named steps before a classifier, none if it stands alone, and the classifier; of a search, its best one."""
    model = getattr(model, "best_estimator_", model)
    before: list[tuple[str, Any]] = []
    if isinstance(model, Pipeline):
        *before, (_, last) = model.steps
        inner, classifier = take_apart(last)
        return [(name, step) for name, step in before if step not in (None, "passthrough")] + inner, classifier
    if not isinstance(model, ProsetClassifier | SetCoverClassifier):
        raise ValueError(
            f"model: {type(model).__name__} is not allowed, must be a ProsetClassifier, a SetCoverClassifier, or a "
            "Pipeline that ends in one"
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
    stages = [_stage(name, step) for name, step in steps] or [(0.0, 1.0, -_LARGEST, _LARGEST)]
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
    low, high = -_LARGEST, _LARGEST
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
