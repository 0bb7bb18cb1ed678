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

if TYPE_CHECKING:
    import pandas as pd


def require(package: str, what: str, extra: str | None = "report") -> None:
    """ImportError with a remedy, if a package is missing that the classifiers do without."""
    try:
        import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {package}, which is not installed: pip install {package}"
            + (f", or 'proset-study[{extra}]'" if extra else "")
        ) from error


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
            return np.bincount(found.label[n_listed:], of_terms[n_listed:], minlength=n_prior)[others]

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


def export(
    model: Model,
    *,
    classes: np.ndarray,
    names: Sequence[str] | np.ndarray,
    units: Callable[[np.ndarray], np.ndarray],
    with_prior: bool,
) -> "pd.DataFrame":
    """The table of `proset.ProsetClassifier.export`; arguments as in `terms`, and whether it has the class prior."""
    require("pandas", "export")
    import pandas as pd

    prototypes, features = model.prototypes, model.active_features()
    n_prior, n_features = len(classes) if with_prior else 0, len(model.centre)
    values = units(prototypes.points)[:, features]
    of_prior = np.full((n_prior, len(features)), None if values.dtype == object else np.nan, dtype=values.dtype)
    batch = np.concatenate([np.zeros(n_prior, dtype=int), prototypes.batch + 1])
    weights = np.vstack([np.full((1, n_features), np.nan), *(of.feature_weights for of in model.batches)])
    columns = {
        "batch": batch,
        "row": np.concatenate([np.full(n_prior, -1), prototypes.rows]),
        "class": classes[np.concatenate([np.arange(n_prior), prototypes.labels])],
        "weight": np.concatenate([model.class_prior[:n_prior], prototypes.weights]),
    }
    columns |= named("value of", names, features, np.concatenate([of_prior, values]))
    columns |= named("feature weight of", names, features, weights[batch][:, features])
    return pd.DataFrame(columns)


def balls(
    samples: npt.ArrayLike,
    predicted: np.ndarray,
    distances: np.ndarray,
    *,
    rows: np.ndarray,
    classes: np.ndarray,
    radii: np.ndarray,
    top: int | None = None,
    names: Sequence[str] = (),
    values: np.ndarray | None = None,
    of_prototypes: np.ndarray | None = None,
) -> "pd.DataFrame":
    """The table of `proset.SetCoverClassifier.explain`.

    Parameters
    ----------
    samples, predicted : array-like, shape (N,)
        Labels of the samples, and their predicted classes.
    distances : ndarray, shape (N, P)
        From the prototypes.
    rows, classes, radii : ndarray, shape (P,)
        Of the prototypes.
    top : int >= 1, optional
    names, values, of_prototypes : optional
        Of the features, and the features of samples, (N, D), and prototypes, (P, D).
    """
    require("pandas", "explain")
    import pandas as pd

    order = np.argsort(distances, axis=1, kind="stable")[:, :top]
    n, listed = order.shape

    def column(of_samples: Any, of_listed: np.ndarray) -> np.ndarray:
        return np.column_stack([of_samples, of_listed]).ravel()

    distance = np.take_along_axis(distances, order, axis=1)
    columns = {
        "sample": np.repeat(np.asarray(samples), 1 + listed),
        "term": column(np.full(n, "sample"), np.full((n, listed), "prototype")),
        "row": column(np.full(n, -1), rows[order]),
        "class": column(predicted, classes[order]),
        "distance": column(np.full(n, np.nan), distance),
        "radius": column(np.full(n, np.nan), radii[order]),
        "covers": column(np.full(n, False), distance < radii[order]),
    }
    if values is not None and of_prototypes is not None:
        together = np.concatenate([values[:, None], of_prototypes[order]], axis=1).reshape(-1, len(names))
        columns |= named("value of", names, np.arange(len(names)), together)
    return pd.DataFrame(columns)


def cover(
    columns: dict[str, np.ndarray], names: Sequence[str] = (), values: np.ndarray | None = None
) -> "pd.DataFrame":
    """The table of `proset.SetCoverClassifier.export`, with the values, (P, D), of features by name."""
    require("pandas", "export")
    import pandas as pd

    return pd.DataFrame(
        columns if values is None else columns | named("value of", names, np.arange(len(names)), values)
    )


def named(
    what: str, names: Sequence[str] | np.ndarray, features: np.ndarray, values: np.ndarray
) -> dict[str, np.ndarray]:
    columns = (_narrowed(column) if values.dtype == object else column for column in values.T)
    return {f"{what} {names[d]}": column for d, column in zip(features, columns, strict=True)}


def _narrowed(column: np.ndarray) -> np.ndarray:
    """Numbers as such, where all that is there is one."""
    is_number = all(value is None or type(value) is float for value in column)
    return column.astype(np.float64) if is_number else column
