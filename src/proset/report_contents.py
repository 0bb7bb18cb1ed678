"""What the page of `proset.report` says of a fitted classifier: its features and prototypes, and what it answers."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.pipeline import make_pipeline

from proset.attributions import MAX_PRODUCTS, estimate_products, is_enumerated, products, shapley_values
from proset.counterfactuals import is_changed, nearest
from proset.drift import drift
from proset.encoding import ORDERED
from proset.familiarity import staged_familiarity
from proset.influence import suspicious_labels
from proset.rates import group_rates
from proset.tables import export
from proset.training import N_BACKGROUND
from proset.units import feature_names, in_original_units, naming, without_classifier

if TYPE_CHECKING:
    from proset.fitted_model import FittedModel

LEVELS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95)  # of the familiarity of training samples
MAX_LEVELS = 12  # of a column that are named
MAX_COLUMNS = 20  # features whose values a table of prototypes has
MAX_ATTRIBUTED = 100  # samples whose attributions are averaged, fewer where that takes more than some seconds
MAX_REFITTED = 1000  # training samples that are left out one by one
LEVEL, CONFIDENCE = 0.05, 0.95  # of drift
N_ROWS = 10  # of the training data that are listed
N_CLASSES = 10  # of which one sample is turned into another class


def _shown(value: Any) -> str:
    if value is None or value != value:
        return "missing"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _kind(classifier: "FittedModel", d: int) -> str:
    """What a column is, with its levels."""
    levels = classifier.categories_[d]
    if levels is None:
        return "number"
    names = ["missing" if level is None else str(level) for level in levels]
    more = f", ... ({len(names)})" if len(names) > MAX_LEVELS else ""
    between = " < " if classifier._encoding.kinds[d] == ORDERED else ", "
    return between.join(names[:MAX_LEVELS]) + more


def _parameters(classifier: Any) -> dict[str, Any]:
    """Parameters of the fit, whatever has been set since, where they are known."""
    training = getattr(classifier, "_training", None)
    fitted = classifier if training is None else type(classifier)(**training.parameters)
    return fitted.get_params()


def contents(classifier: Any, transformer: Any) -> dict[str, Any]:
    transformer = without_classifier(transformer)
    table = export(classifier._model, **naming(classifier, transformer), with_prior=False)
    names, features = feature_names(classifier, transformer), classifier.active_features_
    weights = classifier.feature_weights_[:, features].T
    order = np.argsort(-weights.max(axis=1, initial=0.0), kind="stable")
    shown = [names[d] for d in features[order[:MAX_COLUMNS]]]
    prototypes = table.sort_values("weight", ascending=False, kind="stable")
    by_class = [int((prototypes["class"] == name).sum()) for name in classifier.classes_]
    levels = np.quantile(getattr(classifier, "training_familiarity_", [[np.nan]])[-1], LEVELS, method="weibull")
    return {
        "base": None if classifier._fitted_base() is None else classifier._base_name(),
        "n_samples": getattr(classifier, "n_samples_fit_", None),
        "names": names,
        "inactive": [name for d, name in enumerate(names) if d not in features],
        "n_prototypes": classifier.n_prototypes_,
        "classes": list(zip(classifier.classes_, classifier.class_prior_, by_class, strict=True)),
        "transformer": transformer,
        "parameters": {name: repr(value) for name, value in _parameters(classifier).items()},
        "features": [(names[features[i]], _kind(classifier, features[i]), weights[i]) for i in order],
        "is_mixed": not classifier._encoding.are_numbers,
        "has_gaps": classifier._model.columns is not None and bool(classifier._model.columns.has_gaps.any()),
        "max_weight": weights.max(initial=0.0),
        "familiarity": list(zip(LEVELS, levels, strict=True)),
        "shown": shown,
        "batches": [
            (batch, [(row, [_shown(row[f"value of {name}"]) for name in shown]) for row in rows.to_dict("records")])
            for b, batch in enumerate(classifier.batches_, start=1)
            for rows in [prototypes[prototypes["batch"] == b]]
        ],
        "heaviest": prototypes["weight"].max(),
    }


def answers(classifier: "FittedModel", transformer: Any, X: Any, y: Any, groups: Any) -> dict[str, Any]:
    """What the model says of samples and of itself, each a table; None where it cannot be asked."""
    if X is None and (y is not None or groups is not None):
        raise ValueError(f"{'y' if groups is None else 'groups'}: not allowed without X")
    if groups is not None and y is None:
        raise ValueError("groups: not allowed without y")
    has_rows, has_base = getattr(classifier, "_training", None) is not None, classifier._fitted_base() is not None
    is_split = _parameters(classifier)["references"] == "split"
    can_be_refitted = has_rows and not (is_split or has_base or classifier._is_edited)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names of columns, which arrays do not have
        warnings.filterwarnings("default", "y: ")
        rates = None if y is None else _rates(classifier, transformer, X, y, groups)  # first: it sees what does not fit
        return {
            "rates": rates,
            "attributed": None if has_base or (X is None and not has_rows) else _attributed(classifier, transformer, X),
            "turned": None if has_base else _turned(classifier, transformer),
            "suspicious": None
            if not can_be_refitted or classifier.n_samples_fit_ > MAX_REFITTED
            else [list(row) for row in suspicious_labels(classifier, N_ROWS).itertuples(index=False)],
            "drift": None if X is None or not has_rows else _drift(classifier, transformer, X),
        }


def _attributed(classifier: "FittedModel", transformer: Any, X: Any) -> tuple[int, list[tuple[str, np.ndarray]]]:
    """Mean absolute attributions by feature and class, the largest first, and of how many samples."""
    points = classifier._background(None)[0] if X is None else classifier._validated(_transformed(transformer, X))
    model = classifier._model
    for_one = (products if is_enumerated(model, N_BACKGROUND) else estimate_products)(model, N_BACKGROUND)
    number = min(len(points), MAX_ATTRIBUTED, max(1, MAX_PRODUCTS // for_one))
    points = points[np.linspace(0, len(points) - 1, number).astype(int)]
    has_rows = getattr(classifier, "_training", None) is not None
    background = classifier._background(None) if has_rows else (points, np.full(number, 1.0 / number))
    means = np.abs(shapley_values(model, points, *background)[0]).mean(axis=0)
    names, features = feature_names(classifier, transformer), classifier.active_features_
    order = np.argsort(-means.sum(axis=1), kind="stable")
    return number, [(names[features[i]], means[i]) for i in order[:MAX_COLUMNS]]


def _turned(classifier: "FittedModel", transformer: Any) -> list[tuple[Any, ...]]:
    """The heaviest prototype of each class, and the nearest sample that is predicted otherwise."""
    prototypes = classifier._model.prototypes
    labels, weights, points = prototypes.labels, prototypes.weights, prototypes.points
    heaviest = [np.flatnonzero(labels == k)[weights[labels == k].argmax()] for k in np.unique(labels)[:N_CLASSES]]
    if not heaviest:
        return []
    names, features = feature_names(classifier, transformer), classifier.active_features_
    before, found, rows = points[heaviest], nearest(classifier, points[heaviest]), []
    then = np.array([x if new is None else new for x, (new, _, _) in zip(before, found, strict=True)])
    *_, probabilities = classifier._model.staged_predict_proba(np.concatenate([before, then]))
    *_, familiarity = staged_familiarity(classifier._model, then)
    old, new = np.split(classifier.classes_[classifier._decided(probabilities)], 2)
    quantiles = classifier._familiarity_quantiles(familiarity)
    values = classifier._encoding.decode(in_original_units(transformer, np.concatenate([before, then])))
    changed = is_changed(before, then)
    for i, (instead, cost, is_proved) in enumerate(found):
        pairs = [(names[d], values[i, d], values[len(found) + i, d]) for d in features if changed[i, d]]
        changes = [f"{name}: {_shown(a)} \u2192 {_shown(b)}" for name, a, b in pairs if instead is not None]
        rows.append((old[i], None if instead is None else new[i], changes, cost, quantiles[i], is_proved))
    return rows


def _rates(
    classifier: "FittedModel", transformer: Any, X: Any, y: Any, groups: Any
) -> tuple[list[str], list[list[Any]]]:
    """Rates of all samples and of each group: names, and a row for each."""
    estimator = classifier if transformer is None else make_pipeline(transformer, classifier)
    found = group_rates(estimator, X, y, np.full(len(y), "") if groups is None else groups)
    found = found.iloc[:1] if groups is None else found
    return list(found.columns), [[name, *row] for name, row in zip(found.index, found.to_numpy(), strict=True)]


def _drift(classifier: "FittedModel", transformer: Any, X: Any) -> list[dict[str, Any]]:
    frame = drift(classifier, X, LEVEL, None, transformer, CONFIDENCE)
    return [dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False)]


def _transformed(transformer: Any, X: npt.ArrayLike) -> Any:
    return X if transformer is None else transformer.transform(X)
