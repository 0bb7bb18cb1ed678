"""What a fitted classifier consists of, and why it predicts what it does, as data frames in the user's units."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from proset.explain import explain
from proset.familiarity import quantile, staged_familiarity
from proset.model import Model
from proset.units import feature_names, given_samples, in_original_units, without_classifier

if TYPE_CHECKING:
    import pandas as pd

    from proset.fitted_model import FittedModel


def require(package: str, what: str, extra: str = "report") -> None:
    """ImportError with a remedy, if a package is missing that the classifiers do without."""
    try:
        import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {package}, which is not installed: pip install {package}, or 'proset-study[{extra}]'"
        ) from error


def explanation(
    classifier: "FittedModel", X: npt.ArrayLike, top: int | None, transformer: Any, base_probabilities: Any
) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.explain`."""
    transformer, labels, given = given_samples(X, top, transformer)
    return terms(
        classifier._model,
        classifier._validated(given),
        labels,
        classes=classifier.classes_,
        names=feature_names(classifier, transformer),
        units=lambda points: classifier._encoding.decode(in_original_units(transformer, points)),
        training_familiarity=getattr(classifier, "training_familiarity_", None),
        top=top,
        base=classifier._base_of(given, base_probabilities),
        decide=classifier._decided,
    )


def terms(
    model: Model,
    X: np.ndarray,
    samples: npt.ArrayLike,
    *,
    classes: np.ndarray,
    names: Sequence[str] | np.ndarray,
    units: Callable[[np.ndarray], np.ndarray],
    training_familiarity: np.ndarray | None = None,
    top: int | None = None,
    base: np.ndarray | None = None,
    decide: Callable[[np.ndarray], np.ndarray] = lambda probabilities: probabilities.argmax(axis=1),
) -> "pd.DataFrame":
    """The table of `proset.ProsetClassifier.explain`.

    Parameters
    ----------
    model : Model
    X : ndarray, shape (N, D)
        Samples in the units of the model.
    samples : array-like, shape (N,)
        Their labels.
    classes, names : sequences of lengths K and D
        Labels of classes, names of features.
    units : callable
        From samples in the units of the model to those of the table.
    training_familiarity : ndarray, optional
        See `proset.familiarity`; without it the quantiles are NaN.
    top : int >= 1, optional
    base : ndarray, shape (N, K), optional
        q_0 of the samples by a base model, in the place of the class prior.
    decide : callable
        From class probabilities, shape (1, K), to the number of the predicted class; by default the most probable one.
    """
    require("pandas", "explain")
    import pandas as pd

    features = model.active_features()
    values, of_prototypes = np.split(units(np.concatenate([X, model.prototypes.points]))[:, features], [len(X)])
    nothing: Any = None if values.dtype == object else np.nan

    *_, familiarity = staged_familiarity(model, X)
    ranks = np.full(len(X), np.nan)
    if training_familiarity is not None:
        ranks = quantile(training_familiarity[-1], familiarity)

    of_base = np.tile(model.class_prior, (len(X), 1)) if base is None else base
    first = "prior" if base is None else "base"

    def table(
        x: np.ndarray, q: np.ndarray, sample: Any, value: np.ndarray, familiarity: float, rank: float
    ) -> "pd.DataFrame":
        found = explain(replace(model, class_prior=q), x)
        n_listed = len(found.label) if top is None else min(len(classes) + top, len(found.label))
        others = np.unique(found.label[n_listed:])
        n_prior, n = len(classes), 1 + n_listed + len(others)

        def column(own: Any, listed: np.ndarray, rest: npt.ArrayLike) -> np.ndarray:
            return np.concatenate([[own], listed[:n_listed], np.broadcast_to(rest, len(others))])

        def sums(of_terms: np.ndarray) -> np.ndarray:
            found_sums: np.ndarray = np.bincount(found.label[n_listed:], of_terms[n_listed:], minlength=n_prior)[others]
            return found_sums

        place, similarity = np.full((n, len(features)), nothing), np.full((n, len(features)), np.nan)
        place[0], place[1 + n_prior : 1 + n_listed] = value, of_prototypes[found.prototype[n_prior:n_listed]]
        similarity[1 : 1 + n_listed] = found.feature_similarity[:n_listed]
        (predicted,) = decide(np.bincount(found.label, found.share)[None])
        of_sample = np.arange(n) == 0
        columns = {
            "sample": [sample] * n,
            "term": ["sample", *[first] * n_prior, *["prototype"] * (n_listed - n_prior), *["others"] * len(others)],
            "batch": column(0, found.batch, 0),
            "row": column(-1, found.sample, -1),
            "class": classes[column(predicted, found.label, others)],
            "weight": column(np.nan, found.weight, np.nan),
            "similarity": column(np.nan, found.similarity, np.nan),
            "contribution": column(np.nan, found.contribution, sums(found.contribution)),
            "share": column(np.nan, found.share, sums(found.share)),
            "familiarity": np.where(of_sample, familiarity, np.nan),
            "familiarity quantile": np.where(of_sample, rank, np.nan),
        }
        columns |= named("value of", names, features, place) | named("similarity in", names, features, similarity)
        return pd.DataFrame(columns)

    return pd.concat(map(table, X, of_base, np.asarray(samples), values, familiarity, ranks), ignore_index=True)


def export(classifier: "FittedModel", transformer: Any) -> "pd.DataFrame":
    """See `proset.ProsetClassifier.export`."""
    require("pandas", "export")
    import pandas as pd

    transformer = without_classifier(transformer)
    n_classes = len(classifier.classes_) if classifier._fitted_base() is None else 0  # what probabilities start from
    names, features = feature_names(classifier, transformer), classifier.active_features_
    batches, sizes = classifier.batches_, [n_classes, *(len(batch.labels) for batch in classifier.batches_)]
    values = prototype_values(classifier, transformer)
    of_prior = np.full((n_classes, len(features)), None if values.dtype == object else np.nan, dtype=values.dtype)
    values = np.concatenate([of_prior, values])
    weights = np.concatenate(
        [np.full((1, len(features)), np.nan), *(batch.feature_weights[None, features] for batch in batches)]
    )
    columns = {
        "batch": np.repeat(np.arange(len(sizes)), sizes),
        "row": np.concatenate([np.full(n_classes, -1), *(batch.sample_index for batch in batches)]),
        "class": classifier.classes_[np.concatenate([np.arange(n_classes), *(batch.labels for batch in batches)])],
        "weight": np.concatenate(
            [classifier.class_prior_[:n_classes], *(batch.prototype_weights for batch in batches)]
        ),
    }
    columns |= named("value of", names, features, values)
    columns |= named("feature weight of", names, features, np.repeat(weights, sizes, axis=0))
    return pd.DataFrame(columns)


def balls(classifier: Any, X: npt.ArrayLike, top: int | None, transformer: Any) -> "pd.DataFrame":
    """See `proset.SetCoverClassifier.explain`."""
    require("pandas", "explain")
    import pandas as pd

    transformer, labels, given = given_samples(X, top, transformer)
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
        values, of_prototypes = _values(classifier, transformer, features, points, classifier.prototypes_)
        rows = np.concatenate([values[:, None], of_prototypes[order]], axis=1).reshape(-1, len(features))
        columns |= named("value of", feature_names(classifier, transformer), features, rows)
    return pd.DataFrame(columns)


def cover(classifier: Any, transformer: Any) -> "pd.DataFrame":
    """See `proset.SetCoverClassifier.export`."""
    require("pandas", "export")
    import pandas as pd

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
        (values,) = _values(classifier, transformer, features, classifier.prototypes_)
        columns |= named("value of", feature_names(classifier, transformer), features, values)
    return pd.DataFrame(columns)


def prototype_values(classifier: "FittedModel", transformer: Any) -> np.ndarray:
    """Active features of the prototypes of all batches in the units of the data, shape (J, A)."""
    none = np.empty((0, classifier.n_features_in_))
    prototypes = np.concatenate([none, *(batch.prototypes for batch in classifier.batches_)])
    (values,) = _values(classifier, transformer, classifier.active_features_, prototypes)
    return values


def _values(classifier: Any, transformer: Any, features: np.ndarray, *tables: np.ndarray) -> list[np.ndarray]:
    """Some features of samples in the units before the transformation."""
    values = classifier._encoding.decode(in_original_units(transformer, np.concatenate(tables)))[:, features]
    return np.split(values, np.cumsum([len(table) for table in tables])[:-1])


def named(
    what: str, names: Sequence[str] | np.ndarray, features: np.ndarray, values: np.ndarray
) -> dict[str, np.ndarray]:
    columns = (_narrowed(column) if values.dtype == object else column for column in values.T)
    return {f"{what} {names[d]}": column for d, column in zip(features, columns, strict=True)}


def _narrowed(column: np.ndarray) -> np.ndarray:
    """Numbers as such, where all that is there is one."""
    is_number = all(value is None or type(value) is float for value in column)
    return column.astype(np.float64) if is_number else column
