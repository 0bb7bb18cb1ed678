"""What a fitted classifier consists of, and why it predicts what it does, as data frames in the user's units."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from proset.explain import explain
from proset.units import feature_names, in_original_units, without_classifier

if TYPE_CHECKING:
    import pandas as pd

    from proset.classifier import ProsetClassifier
    from proset.set_cover import SetCoverClassifier


def needed(package: str, what: str) -> Any:
    """A package that the classifiers do without; an ImportError says who needs it."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {package}, which is not installed: pip install {package}, or 'proset-study[report]'"
        ) from error


def explanation(classifier: "ProsetClassifier", X: npt.ArrayLike, top: int | None, transformer: Any) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.explain`."""
    pd = needed("pandas", "explain")
    transformer, labels, given = _given(X, top, transformer)
    codes = classifier.predict_proba(given).argmax(axis=1)
    familiarity, ranks = classifier.familiarity(given), np.full(len(codes), np.nan)
    if hasattr(classifier, "training_familiarity_"):
        ranks = classifier.familiarity_quantile(given)
    names, features = feature_names(classifier, transformer), classifier.active_features_
    points = classifier._validated(given)
    values, of_prototypes = _values(transformer, features, points, _prototypes(classifier))

    def terms(i: int) -> "pd.DataFrame":
        found, n_classes = explain(classifier._model, points[i]), len(classifier.classes_)
        listed = len(found.label) if top is None else n_classes + top
        shown, rest = slice(listed), slice(listed, None)
        others = np.unique(found.label[rest])
        without = np.full(len(others), np.nan)

        def sums(terms: np.ndarray) -> np.ndarray:
            return np.bincount(found.label[rest], weights=terms[rest], minlength=n_classes)[others]

        def column(of_sample: float, of_terms: np.ndarray, of_others: npt.ArrayLike = without) -> np.ndarray:
            return np.concatenate([[of_sample], of_terms[shown], of_others])

        is_prototype = found.prototype[shown] >= 0
        rows = np.full((1 + len(is_prototype) + len(others), len(features)), np.nan)
        by_feature = rows.copy()
        rows[0], by_feature[1 : 1 + len(is_prototype)] = values[i], found.feature_similarity[shown]
        rows[1 : 1 + len(is_prototype)][is_prototype] = of_prototypes[found.prototype[shown][is_prototype]]
        columns = {
            "sample": labels[i],
            "term": ["sample", *np.where(is_prototype, "prototype", "prior"), *["others"] * len(others)],
            "batch": column(0, found.batch, np.zeros_like(others)),
            "row": column(-1, found.sample, np.full_like(others, -1)),
            "class": classifier.classes_[column(codes[i], found.label, others)],
            "weight": column(np.nan, found.weight),
            "similarity": column(np.nan, found.similarity),
            "contribution": column(np.nan, found.contribution, sums(found.contribution)),
            "share": column(np.nan, found.share, sums(found.share)),
            "familiarity": column(familiarity[i], np.full(len(found.label), np.nan)),
            "familiarity quantile": column(ranks[i], np.full(len(found.label), np.nan)),
        }
        columns |= _named("value of", names, features, rows) | _named("similarity in", names, features, by_feature)
        return pd.DataFrame(columns)

    return pd.concat([terms(i) for i in range(len(points))], ignore_index=True)


def export(classifier: "ProsetClassifier", transformer: Any) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.export`."""
    pd = needed("pandas", "export")
    transformer, n_classes = without_classifier(transformer), len(classifier.classes_)
    names, features = feature_names(classifier, transformer), classifier.active_features_
    batches, sizes = classifier.batches_, [n_classes, *(len(batch.labels) for batch in classifier.batches_)]
    of_prior = np.full((n_classes, len(features)), np.nan)
    (of_prototypes,) = _values(transformer, features, _prototypes(classifier))
    values = np.concatenate([of_prior, of_prototypes])
    weights = np.concatenate([of_prior[:1], *(batch.feature_weights[None, features] for batch in batches)])
    columns = {
        "batch": np.repeat(np.arange(len(sizes)), sizes),
        "row": np.concatenate([np.full(n_classes, -1), *(batch.sample_index for batch in batches)]),
        "class": classifier.classes_[np.concatenate([np.arange(n_classes), *(batch.labels for batch in batches)])],
        "weight": np.concatenate([classifier.class_prior_, *(batch.prototype_weights for batch in batches)]),
    }
    columns |= _named("value of", names, features, values)
    columns |= _named("feature weight of", names, features, np.repeat(weights, sizes, axis=0))
    return pd.DataFrame(columns)


def balls(classifier: "SetCoverClassifier", X: npt.ArrayLike, top: int | None, transformer: Any) -> "pd.DataFrame":
    """See `proset.SetCoverClassifier.explain`."""
    pd = needed("pandas", "explain")
    transformer, labels, given = _given(X, top, transformer)
    points, predicted, radii = classifier._validated(given), classifier.predict(given), classifier.radii_
    near = classifier._near(points)
    order = np.argsort(near, axis=1, kind="stable")[:, :top]
    n, listed = order.shape

    def column(of_samples: Any, of_prototypes: np.ndarray) -> np.ndarray:
        return np.column_stack([of_samples, of_prototypes]).ravel()

    distance = np.take_along_axis(near, order, axis=1)
    columns = {
        "sample": np.repeat(labels, 1 + listed),
        "term": column(np.full(n, "sample"), np.full((n, listed), "prototype")),
        "row": column(np.full(n, -1), classifier.prototype_index_[order]),
        "class": column(predicted, classifier.prototype_labels_[order]),
        "distance": column(np.full(n, np.nan), distance),
        "radius": column(np.full(n, np.nan), radii[order]),
        "covers": column(np.full(n, False), distance < radii[order]),
    }
    if hasattr(classifier, "prototypes_"):
        features = np.arange(classifier.n_features_in_)
        values, of_prototypes = _values(transformer, features, points, classifier.prototypes_)
        rows = np.concatenate([values[:, None], of_prototypes[order]], axis=1).reshape(-1, len(features))
        columns |= _named("value of", feature_names(classifier, transformer), features, rows)
    return pd.DataFrame(columns)


def cover(classifier: "SetCoverClassifier", transformer: Any) -> "pd.DataFrame":
    """See `proset.SetCoverClassifier.export`."""
    pd = needed("pandas", "export")
    transformer = without_classifier(transformer)
    columns = {
        "row": classifier.prototype_index_,
        "class": classifier.prototype_labels_,
        "radius": classifier.radii_,
        "covered": classifier.covered_,
        "newly covered": classifier.newly_covered_,
        "miscovered": classifier.miscovered_,
    }
    if hasattr(classifier, "prototypes_"):
        features = np.arange(classifier.n_features_in_)
        (values,) = _values(transformer, features, classifier.prototypes_)
        columns |= _named("value of", feature_names(classifier, transformer), features, values)
    return pd.DataFrame(columns)


def _given(X: Any, top: int | None, transformer: Any) -> tuple[Any, Any, Any]:
    """The steps before the classifier, labels of samples, and the samples after these steps."""
    if top is not None and top < 1:
        raise ValueError(f"top: {top} is not allowed, must be at least 1")
    transformer = without_classifier(transformer)
    if getattr(X, "ndim", 1) == 1:
        X = X.to_frame().T if hasattr(X, "to_frame") else np.atleast_2d(X)
    labels = np.asarray(getattr(X, "index", range(len(X))))
    return transformer, labels, X if transformer is None else transformer.transform(X)


def _prototypes(classifier: "ProsetClassifier") -> np.ndarray:
    """Of all batches, shape (J, D)."""
    none = np.empty((0, classifier.n_features_in_))
    return np.concatenate([none, *(batch.prototypes for batch in classifier.batches_)])


def _values(transformer: Any, features: np.ndarray, *tables: np.ndarray) -> list[np.ndarray]:
    """Some features of samples in the units before the transformation."""
    values = in_original_units(transformer, np.concatenate(tables))[:, features]
    return np.split(values, np.cumsum([len(table) for table in tables])[:-1])


def _named(what: str, names: list[str], features: np.ndarray, values: np.ndarray) -> dict[str, np.ndarray]:
    return {f"{what} {names[d]}": column for d, column in zip(features, values.T, strict=True)}
