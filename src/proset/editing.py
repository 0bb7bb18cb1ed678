"""A fitted model after a change by hand: prototypes dropped, feature weights pinned, and the rest fitted again.

No prototype is let in. The weights that are left, of features and of prototypes, go to a minimum of the objective of
`proset.leave_one_out` from where they are, batch by batch as they were fitted; pinned weights stay where they are put.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from proset.elimination import Elimination
from proset.familiarity import training_familiarity
from proset.fitted_model import FittedModel
from proset.influence import Refits, scaled_model
from proset.library import minimize
from proset.model import MAX_ABS, Model, fitted_batch
from proset.objective import Objective
from proset.parts import Part, active_features, merged
from proset.solver import Solution
from proset.tables import require
from proset.units import feature_names, feature_number

if TYPE_CHECKING:
    import pandas as pd


def edited(classifier: FittedModel, drop: npt.ArrayLike, pin: Mapping[Any, float] | None) -> FittedModel:
    """See `proset.ProsetClassifier.edited`."""
    refits, training = Refits.of(classifier), classifier._fitted_to()
    samples, pinned = refits.task.samples, _pinned(classifier, pin or {})
    dropped = samples.of_row[np.searchsorted(training.rows, _prototypes(classifier, drop))]
    parts = tuple(_changed(part, dropped, pinned) for part in refits.parts)
    for b, part in enumerate(parts):
        if len(part.w):
            # As they were fitted: given all others if they compete for a number of prototypes, else the ones before.
            given = parts if refits.max_prototypes is not None else parts[: b + 1]
            objective = Elimination(refits.task, refits.penalty).objective(given, b)
            solution = _minimum(objective, part.theta, pinned, refits.max_iter, refits.tol)
            found = merged(Part.of(solution.x, part.candidates, solution), samples)
            parts = (*parts[:b], found, *parts[b + 1 :])
    if not len(active_features(parts)):
        instead = "the class prior" if classifier._fitted_base() is None else "that of the base"
        raise ValueError(f"drop, pin: nothing is left, every prediction would be {instead}; change less")

    scaled, batches = classifier._scaled(training.points), []
    for part, before in zip(parts, scaled_model(classifier).batches, strict=True):
        solution = part.solution or Solution(part.theta, before.objective, 0, 0, True, "emptied by hand")
        arrays = scaled, training.codes, samples.row[part.candidates], before.candidate_index
        batches.append(fitted_batch(*arrays, replace(solution, x=part.theta), samples.columns))
    fitted = Model(classifier.class_prior_, samples.centre, tuple(batches), samples.columns)
    other: FittedModel = classifier._copied()
    for name in ("_regions", "_last_growth", "prototype_path_"):
        other.__dict__.pop(name, None)
    other._is_edited = True
    other._sized = [fitted.in_units_of(training.points, classifier.scale_).with_rows(training.rows)]
    other._sized_familiarity = [training_familiarity(fitted, scaled, classifier._n_threads())]
    other._store(other._sized[0])
    other.training_familiarity_ = other._sized_familiarity[0]
    return other


def _minimum(
    objective: Objective, theta: np.ndarray, pinned: Mapping[int, float], max_iter: int, tol: float
) -> Solution:
    """The minimum over all weights but the pinned ones, from where they are."""
    if not pinned:
        return objective.minimum(max_iter, tol, theta, path=0)
    free = np.setdiff1d(np.arange(len(theta)), list(pinned))

    def of_free(x: np.ndarray) -> tuple[float, np.ndarray]:
        all_weights = theta.copy()
        all_weights[free] = x
        value, gradient = objective(all_weights)
        return value, gradient[free]

    solution = minimize(of_free, theta[free], objective.scale()[free], path=0, max_iter=max_iter, tol=tol)
    found = theta.copy()
    found[free] = solution.x
    return replace(solution, x=found)


def _changed(part: Part, dropped: np.ndarray, pinned: Mapping[int, float]) -> Part:
    """Without some prototypes, and with the pinned weights; the feature weights of an empty batch do not matter."""
    kept, v = ~np.isin(part.candidates, dropped), part.v.copy()
    v[list(pinned)] = list(pinned.values())
    if not v.any():
        kept[:] = False
    return replace(part, v=v if kept.any() else 0.0 * v, candidates=part.candidates[kept], w=part.w[kept])


def _prototypes(classifier: FittedModel, rows: npt.ArrayLike) -> np.ndarray:
    """Rows of prototypes; ValueError if one is none."""
    numbers = np.atleast_1d(np.asarray(rows, dtype=None if np.size(rows) else int))
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"drop: {rows!r} is not allowed, must be whole numbers, rows of prototypes")
    known = np.unique(classifier._model.prototypes.rows)
    if len(strange := numbers[~np.isin(numbers, known)]):
        raise ValueError(
            f"drop: {strange.tolist()[0]!r} is not allowed, must be rows of prototypes, among {known.tolist()[:20]}"
        )
    return numbers


def _pinned(classifier: FittedModel, pin: Mapping[Any, float]) -> dict[int, float]:
    """Weights by number of feature."""
    if not isinstance(pin, Mapping):
        raise ValueError(f"pin: {pin!r} is not allowed, must be a dictionary from features to weights")
    found: dict[int, float] = {}
    for feature, weight in pin.items():
        if isinstance(weight, bool) or not (isinstance(weight, Real) and 0.0 <= float(weight) <= MAX_ABS):
            raise ValueError(f"pin: {weight!r} for {feature!r} is not allowed, must be a number of at least 0")
        found[feature_number(classifier, feature, "pin")] = float(weight)
    return found


@dataclass(frozen=True)
class Difference:
    """Differences between one model and another; its text is a summary.

    Attributes
    ----------
    prototypes : pandas.DataFrame
        For each row that is a prototype of either: "row", "class", its "weight" and "weight then", summed over the
        batches and 0 where it is no prototype, and "change": "added", "removed", "changed" or "same".
    features : pandas.DataFrame
        For each feature that is active in either: "feature", its largest "weight" over the batches, "weight then", and
        "change". Weights are those of `feature_weights_`, for features divided by the scale of each model.
    predictions : pandas.DataFrame
        For each sample: "sample", "class", "class then", and "moved": half the sum of the absolute differences of
        probabilities. The sample that moved furthest comes first.
    """

    prototypes: "pd.DataFrame"
    features: "pd.DataFrame"
    predictions: "pd.DataFrame"

    def __str__(self) -> str:
        counts = self.prototypes["change"].value_counts()
        moved, turned = self.predictions["moved"], (self.predictions["class"] != self.predictions["class then"]).sum()
        features = self.features.loc[self.features["change"].isin(["added", "removed"]), "feature"]
        return (
            f"prototypes: {counts.get('added', 0)} added, {counts.get('removed', 0)} removed, "
            f"{counts.get('changed', 0)} of other weight; features added or removed: {', '.join(features) or 'none'}; "
            f"{turned} of {len(moved)} predicted classes differ, probabilities by {moved.mean():.3g} in the mean and "
            f"{moved.max():.3g} at most"
        )


def diff(model: FittedModel, other: FittedModel, X: npt.ArrayLike | None = None) -> Difference:
    """What has changed from one model to another: prototypes, features and predictions.

    Parameters
    ----------
    model, other : ProsetClassifier
        Fitted to the same features and classes. Prototypes are compared by their row numbers, so that models fitted to
        other rows, as `forget` returns them, share no numbering.
    X : array-like, shape (N, D), optional
        Samples to compare predictions on. By default 100 training samples of `model`, or all if there are fewer.

    Returns
    -------
    proset.editing.Difference
        Columns with "then" are those of `other`.

    Raises
    ------
    ValueError
        If the models have different classes or numbers of features, one has ``base="prefit"``, or there is no `X` and
        `model` has a base or no training data, as after loading it from a file.
    TypeError
        If one of them is not a `ProsetClassifier`.
    ImportError
        Without pandas.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier, diff
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier().fit(X, y)
    >>> other = model.edited(pin={3: 0.0})  # without the width of petals
    >>> found = diff(model, other, X)
    >>> found.features["change"].tolist()
    ['changed', 'removed']
    >>> len(found.predictions), bool(found.predictions["moved"].is_monotonic_decreasing)
    (150, True)
    """
    require("pandas", "diff")
    import pandas as pd

    for name, each in (("model", model), ("other", other)):
        if not isinstance(each, FittedModel):
            raise TypeError(f"{name}: {type(each).__name__} is not allowed, must be a fitted ProsetClassifier")
        check_is_fitted(each, "scale_")
    if model.n_features_in_ != other.n_features_in_ or model.classes_.tolist() != other.classes_.tolist():
        raise ValueError("other: must have the features and the classes of model")
    if X is None and model._fitted_base() is not None:
        raise ValueError("X: None is not allowed for a model with a base, must be samples")
    points: Any = X
    if X is None:
        model._fitted_to("X")
        points = model._encoding.decode(model._background(None)[0])
        if hasattr(model, "feature_names_in_"):
            points = pd.DataFrame(points, columns=model.feature_names_in_)
    p, q = model.predict_proba(points), other.predict_proba(points)
    moved = np.abs(p - q).sum(axis=1) / 2.0
    order = np.argsort(-moved, kind="stable")
    labels = np.asarray(points.index if X is not None and hasattr(X, "iloc") else np.arange(len(moved)))
    predictions = {
        "sample": labels[order],
        "class": model.classes_[model._decided(p)][order],
        "class then": other.classes_[other._decided(q)][order],
        "moved": moved[order],
    }
    weights = pd.DataFrame({"weight": _by_row(model), "weight then": _by_row(other)}).fillna(0.0).reset_index()
    names = feature_names(model, None)
    before, then = (of.feature_weights_.max(axis=0, initial=0.0) for of in (model, other))
    active = np.flatnonzero((before > 0) | (then > 0))
    features = {"feature": [names[d] for d in active], "weight": before[active], "weight then": then[active]}
    return Difference(_with_changes(weights), _with_changes(pd.DataFrame(features)), pd.DataFrame(predictions))


def _by_row(model: FittedModel) -> "pd.Series[float]":
    import pandas as pd

    prototypes = model._model.prototypes
    table = pd.DataFrame({"row": prototypes.rows, "class": model.classes_[prototypes.labels]})
    return table.assign(weight=prototypes.weights).groupby(["row", "class"])["weight"].sum()


def _with_changes(table: "pd.DataFrame") -> "pd.DataFrame":
    before, then = table["weight"].to_numpy(), table["weight then"].to_numpy()
    is_same = np.isclose(before, then, rtol=1e-9, atol=0.0)
    return table.assign(
        change=np.select([is_same, before == 0.0, then == 0.0], ["same", "added", "removed"], "changed")
    )
