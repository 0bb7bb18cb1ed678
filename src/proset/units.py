"""Samples in the units of the user's table, where the classifier takes transformed ones."""

import warnings
from contextlib import suppress
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder

from proset.encoding import as_frame, as_table
from proset.validation import checked_count

# What they leave has the units of the table, or is 0 and 1.
AS_THEY_ARE = (KNNImputer, SimpleImputer, OneHotEncoder, SelectorMixin)


def without_classifier(transformer: Any) -> Any:
    """The steps before the classifier of a Pipeline, or of the best one of a search; any other transformer as it is."""
    found = getattr(transformer, "best_estimator_", transformer)  # of a search
    if isinstance(found, Pipeline) and not hasattr(found[-1], "transform"):
        return found[:-1]
    if found is not None and not (hasattr(found, "fit") and hasattr(found, "transform")):  # tables have `transform`
        allowed = "must be a fitted transformer or Pipeline, or None; samples are X=..."
        raise TypeError(f"transformer: {type(transformer).__name__} is not allowed, {allowed}")
    return found


def opened(estimator: Any) -> tuple[list[tuple[str, Any]], Any]:
    """The named steps before the last one of a Pipeline, and that one; a search or a frozen model is what it holds."""
    before: list[tuple[str, Any]] = []
    while True:
        if isinstance(estimator, Pipeline):
            *steps, (_, estimator) = estimator.steps
            before += steps
        elif isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return before, estimator


def feature_names(classifier: Any, transformer: Any) -> list[str]:
    """Names of the features that a classifier was fitted to."""
    if hasattr(classifier, "feature_names_in_"):
        return [str(name) for name in classifier.feature_names_in_]
    with suppress(AttributeError):  # a Pipeline has the method, whether its steps have it or not
        if (names := transformer.get_feature_names_out()) is not None:
            return [str(name) for name in names]
    return [f"x{d}" for d in range(classifier.n_features_in_)]


def naming(classifier: Any, transformer: Any) -> dict[str, Any]:
    """Names in tables of a fitted classifier: the labels "classes", the "names" of features, and "units", a function
    from samples as the classifier sees them to those of the table.
    """
    return {
        "classes": classifier.classes_,
        "names": feature_names(classifier, transformer),
        "units": lambda X: classifier._encoding.decode(in_original_units(transformer, X)),
    }


def feature_number(classifier: Any, feature: Any, argument: str) -> int:
    """Which feature a name or a number means; a ValueError that names the argument if there is none."""
    names, n = [str(name) for name in getattr(classifier, "feature_names_in_", ())], classifier.n_features_in_
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    if isinstance(feature, Integral) and not isinstance(feature, bool) and 0 <= int(feature) < n:
        return int(feature)
    allowed = f"0 to {n - 1}" + (f", or a name among {names[:20]}" if names else "")
    raise ValueError(f"{argument}: feature {feature!r} is not allowed, must be {allowed}")


def table_of(X: Any) -> Any:
    """Samples as a table, of a single one (D,) its row; a Series of pandas keeps the names of its features."""
    if as_frame(X) is not None or getattr(X, "ndim", 1) != 1:
        return X
    if hasattr(X, "iloc"):
        return X.to_frame().T
    rows = np.asarray(X, dtype=object)
    return as_table(rows if rows.ndim == 2 else rows[None])


def given_samples(X: Any, top: int | None, transformer: Any) -> tuple[Any, Any, Any]:
    """The steps before the classifier, labels of samples, and the samples after these steps."""
    if top is not None:
        checked_count(top)
    transformer = without_classifier(transformer)
    X = table_of(X)
    labels = np.asarray(getattr(X, "index", range(len(X))))
    return transformer, labels, X if transformer is None else transformer.transform(X)


def in_original_units(transformer: Any, X: np.ndarray) -> np.ndarray:
    """Transformed samples in the units before the transformation, feature by feature.

    Parameters
    ----------
    transformer : fitted transformer, Pipeline or ColumnTransformer of such, or None
    X : ndarray, shape (N, D)

    Returns
    -------
    ndarray, shape (N, D)

    Warns
    -----
    UserWarning
        If a step cannot be undone for single features, as that of principal components: the values are those after it.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> scaler = StandardScaler().fit([[10.0], [30.0]])
    >>> in_original_units(scaler, np.array([[0.0], [1.0]])).tolist()
    [[20.0], [30.0]]
    """
    if not len(X) or _leaves_units(transformer):
        return X
    if isinstance(transformer, Pipeline):
        steps = [step for _, step in transformer.steps]
        while steps:
            if isinstance(step := steps.pop(), Pipeline):
                steps += [inner for _, inner in step.steps]
                continue
            if isinstance(step, SelectorMixin) and steps:
                kept = step.get_support(indices=True)
                before = np.zeros((len(X), step.n_features_in_), dtype=X.dtype)
                before[:, kept] = X
                return in_original_units(Pipeline([(str(i), step) for i, step in enumerate(steps)]), before)[:, kept]
            X = in_original_units(step, X)
            if not keeps_features(step) or not (_leaves_units(step) or hasattr(step, "inverse_transform")):
                if isinstance(step, (ColumnTransformer, *AS_THEY_ARE)) and not all(map(_leaves_units, steps)):
                    _warn(step)  # others have warned
                break
        return X
    if isinstance(transformer, ColumnTransformer):
        X = X.copy()
        for name, columns in transformer.output_indices_.items():
            if name in transformer.named_transformers_ and columns.stop > columns.start:
                part = in_original_units(transformer.named_transformers_[name], X[:, columns])
                X = X.astype(object) if part.dtype == object else X
                X[:, columns] = part
        return X
    if keeps_features(transformer) and hasattr(transformer, "inverse_transform"):
        X = np.rint(X) if isinstance(transformer, OrdinalEncoder) else X  # which cuts 1.999... off
        found: np.ndarray = np.asarray(transformer.inverse_transform(X))
        return found.astype(object) if found.dtype.kind == "U" else found
    _warn(transformer)
    return X


def _leaves_units(step: Any) -> bool:
    """Whether what leaves a step has the units of what enters it, or is 0 and 1."""
    if isinstance(step, FunctionTransformer):  # without a function it is a ColumnTransformer's "passthrough"
        return step.func is None
    return step is None or step == "passthrough" or isinstance(step, AS_THEY_ARE)


def _warn(step: Any) -> None:
    name = type(step).__name__
    what = f"{name} cannot be undone, values are those that it gives"
    if isinstance(step, ColumnTransformer):
        what = f"steps before {name} cannot be undone, values are those that it is given"
    warnings.warn(f"transformer: {what}", stacklevel=3)


def keeps_features(step: Any) -> bool:
    """Whether feature d that leaves a transformer is feature d that enters it."""
    if isinstance(step, (KNNImputer, SimpleImputer)):  # they may add indicators, and leave columns out
        return len(step.get_feature_names_out()) == int(step.n_features_in_)
    if isinstance(step, FunctionTransformer):  # without an inverse, its `inverse_transform` changes nothing
        return step.func is None or (step.inverse_func is not None and step.feature_names_out == "one-to-one")
    return step is None or step == "passthrough" or isinstance(step, OneToOneFeatureMixin)
