"""Prototypes on top of another model: where it has to be corrected, and by which examples.

Without a base model, q starts from the class proportions (`proset.objective`). With one it starts from its
probabilities:

    q_k(x)     = q_0k(x) + sum_{j: y_j = k} w_j G_j(x)
    q_0k(x)    = max(p_k(x), FLOOR) / sum_l max(p_l(x), FLOOR)       p: class probabilities of the base model

All else is as it is. Far from all prototypes a prediction is that of the base. q_0 sums to 1, so that the familiarity
sum_k q_k(x) - 1 is still the weight of the prototypes near x: at 1 they count as much as the base. `FLOOR` keeps
classes alive that the base rules out; without it one such sample would make the likelihood infinite.

While prototypes are fitted, each training sample sees probabilities of a model that did not see it: of `FOLDS`
stratified folds, each is predicted by a clone of the base that was fitted to the others, and groups are kept together.
Forests with ``oob_score=True`` have such probabilities already, those of the trees that did not see a sample, and
these are taken, if there are no groups. For predictions the base is fitted to all samples. Penalties and sizes are
chosen on folds of their own, whose samples keep these probabilities, as in stacking. A base that predicts the held-out
samples worse than the class proportions would only mislead: these take its place, unless it is frozen. Folds go by
rows: with a base, a weight of 2 is not quite the same row twice. Class weights are of the prototypes alone; the base
has its own.

References
----------
D. H. Wolpert: Stacked generalization. Neural Networks 5 (1992).
"""

import inspect
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

FLOOR = 1e-4
FOLDS = 5
ORDER = 0  # key of the folds' order
BITS = 20  # of q_0 of training samples: last bits of the base, which processors differ in, are not to decide a fit
SUM = 1e-6  # by which given probabilities may be beyond 0 and 1, and their sum may differ from 1


def last_step(base: Any) -> Any:
    """The classifier itself: of a Pipeline its last step, of a frozen model what it holds."""
    while isinstance(base, Pipeline | FrozenEstimator):
        base = base.steps[-1][1] if isinstance(base, Pipeline) else base.estimator
    return base


def name_of(base: Any) -> str:
    """Class name of a base model."""
    return type(last_step(base)).__name__


def check(base: Any, classes: np.ndarray) -> None:
    """Refuse what cannot be a base model.

    Raises
    ------
    ValueError
        If it has no probabilities, or is frozen and not fitted or has other classes.
    """
    if isinstance(base, FrozenEstimator):
        try:
            check_is_fitted(base.estimator)
        except NotFittedError as error:
            raise ValueError(
                f"base: a FrozenEstimator of {name_of(base)} that is not fitted is not allowed; fit it, or give the "
                "estimator itself"
            ) from error
    if not hasattr(base, "predict_proba"):
        raise ValueError(
            f"base: {name_of(base)} is not allowed, must have predict_proba; CalibratedClassifierCV gives it to "
            "others, final_estimator=LogisticRegression() to a StackingClassifier"
        )
    if isinstance(base, FrozenEstimator) and not np.array_equal(base.classes_, classes):
        raise ValueError(f"base: a model with the classes {base.classes_} is not allowed, y has {classes}")


@contextmanager
def warned_once(base: Any, stacklevel: int) -> Iterator[None]:
    """Within the block, what a base warns of is collected; at the end each is said once, with the name of the argument.

    Each of its fits warns anew, and does not say that it is one of the base; texts that differ in numbers are the same.
    `stacklevel` is that of the line that calls `fit`, counted from here.
    """
    with warnings.catch_warnings(record=True) as collected:
        yield
    texts: dict[tuple[type[Warning], str], str] = {}
    for one in collected:
        texts.setdefault((one.category, re.sub(r"\d+", "0", str(one.message))), str(one.message))
    for (category, _), text in texts.items():
        warnings.warn(f"base: {name_of(base)} warns while it is fitted: {text}", category, stacklevel=stacklevel)


def fitted(base: Any, X: Any, y: np.ndarray, weight: np.ndarray | None) -> Any:
    """A clone that is fitted to all samples, or the frozen model as it is."""
    return base if isinstance(base, FrozenEstimator) else clone(base).fit(X, y, **_weights(base, weight))


def cross_fitted(
    base: Any, X: Any, y: np.ndarray, classes: np.ndarray, weight: np.ndarray | None, groups: Any
) -> tuple[Any, np.ndarray]:
    """The base, fitted to all samples, and q_0 of these by models that did not see them; arguments as in `held_out`.

    If q_0 is worse than the class proportions, these take the place of the base.

    Warns
    -----
    UserWarning
        Then. What the base warns of is said once; see `warned_once`.
    """
    with warned_once(base, stacklevel=7):
        model = fitted(base, X, y, weight)
        q = held_out(base, model, X, y, classes, weight, groups)
    prior = DummyClassifier(strategy="prior").fit(np.zeros((len(y), 1)), y, weight)
    by_prior = rounded(predicted(prior, np.zeros((len(y), 1)), classes))
    own = np.arange(len(y)), np.searchsorted(classes, y)
    loss, loss_of_prior = (np.average(-np.log(p[own]), weights=weight) for p in (q, by_prior))
    if loss <= loss_of_prior:
        return model, q
    warnings.warn(
        f"base: {name_of(base)} predicts samples held out worse than the class proportions (log-loss {loss:.3g}, "
        f"{loss_of_prior:.3g}), which take its place",
        stacklevel=5,
    )
    return prior, by_prior


def held_out(
    base: Any, model: Any, X: Any, y: np.ndarray, classes: np.ndarray, weight: np.ndarray | None, groups: Any
) -> np.ndarray:
    """q_0 of the samples that the base is fitted to, shape (N, K), each of a model that did not see it.

    Parameters
    ----------
    base, model : estimators
        The base model, and its clone that is fitted to all samples.
    X : array-like or frame, shape (N, D)
    y : ndarray, shape (N,)
        Labels.
    classes : ndarray, shape (K,)
    weight : ndarray, shape (N,), optional
    groups : array-like, shape (N,), optional
    """
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    out_of_bag = getattr(last, "oob_decision_function_", None)
    if out_of_bag is not None and groups is None and np.allclose(out_of_bag.sum(axis=1), 1.0):
        return rounded(floored(aligned(out_of_bag, last.classes_, classes)))
    found = np.empty((len(y), len(classes)))
    for train, test in _folds(y, groups):
        part = clone(base).fit(
            _safe_indexing(X, train), y[train], **_weights(base, None if weight is None else weight[train])
        )
        found[test] = predicted(part, _safe_indexing(X, test), classes)
    return rounded(found)


def _folds(y: np.ndarray, groups: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows to fit to, and rows to predict.

    Raises
    ------
    ValueError
        If there are too few groups, or samples of one of two classes.
    """
    labels, counts = np.unique(y, return_counts=True)
    if len(labels) == 2 and counts.min() < 2:
        raise ValueError(f"base: y has 1 sample of class {labels[counts.argmin()]}, cross-fitting needs 2")
    n_splits, kind = min(FOLDS, int(counts.max())), StratifiedKFold
    if groups is not None:
        n_splits, kind = min(FOLDS, len(np.unique(groups))), StratifiedGroupKFold
        if n_splits < 2:
            raise ValueError("groups: 1 group is not allowed, cross-fitting of the base needs 2")
    seed = int(np.random.SeedSequence(ORDER).generate_state(1)[0])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        yield from kind(n_splits, shuffle=True, random_state=seed).split(np.zeros(len(y)), y, groups)


def predicted(model: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """q_0 by a fitted model, shape (N, K).

    Raises
    ------
    ValueError
        If its probabilities are no numbers.
    """
    probabilities = model.predict_proba(X)
    if not np.isfinite(probabilities).all():
        row = int((~np.isfinite(probabilities)).any(axis=1).argmax())
        raise ValueError(f"base: {name_of(model)} has probabilities that are not numbers, for example of row {row}")
    return floored(aligned(probabilities, model.classes_, classes))


def aligned(probabilities: np.ndarray, given: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Columns in the order of `classes`; 0 for a class of which the model did not see any sample."""
    found = np.zeros((len(probabilities), len(classes)))
    found[:, np.searchsorted(classes, given)] = probabilities
    return found


def floored(probabilities: np.ndarray) -> np.ndarray:
    """Probabilities of at least about `FLOOR`, with a sum of 1.

    Examples
    --------
    >>> floored(np.array([[1.0, 0.0], [0.25, 0.75]])).round(5).tolist()
    [[0.9999, 0.0001], [0.25, 0.75]]
    """
    found = np.maximum(probabilities, FLOOR)
    normalised: np.ndarray = found / found.sum(axis=1, keepdims=True)
    return normalised


def rounded(q: np.ndarray) -> np.ndarray:
    """Probabilities rounded to `BITS`."""
    found: np.ndarray = np.round(q * 2.0**BITS) / 2.0**BITS
    return found


def checked(probabilities: Any, n: int, n_classes: int) -> np.ndarray:
    """Given probabilities as q_0.

    Raises
    ------
    ValueError
        If they are no class probabilities, one row for each sample.
    """
    name = "base_probabilities"
    found = np.asarray(probabilities, dtype=float)
    if found.shape != (n, n_classes):
        raise ValueError(f"{name}: shape {found.shape} is not allowed, must be {(n, n_classes)}: samples, classes")
    for what, wrong in (
        ("not a number", np.isnan(found).any(axis=1)),
        ("below 0 or above 1", ((found < -SUM) | (found > 1.0 + SUM)).any(axis=1)),
        ("that do not sum to 1", np.abs(found.sum(axis=1) - 1.0) > SUM),
    ):
        if wrong.any():
            raise ValueError(f"{name}: row {int(wrong.argmax())} has values {what}, must be class probabilities")
    return floored(found)


def _weights(base: Any, weight: np.ndarray | None) -> dict[str, np.ndarray]:
    """The argument that hands weights to `fit`.

    Raises
    ------
    ValueError
        If it takes none.
    """
    if weight is None:
        return {}
    if get_config()["enable_metadata_routing"]:
        taken = get_routing_for_object(base).consumes("fit", ["sample_weight"])
        return {"sample_weight": weight} if "sample_weight" in taken else {}
    last = base.steps[-1] if isinstance(base, Pipeline) else ("", base)
    if not has_fit_parameter(last[1], "sample_weight") and not _takes_any(last[1]):
        raise ValueError(f"sample_weight: base {name_of(base)} takes none; leave it out, or take another base")
    return {f"{last[0]}__sample_weight" if last[0] else "sample_weight": weight}


def _takes_any(estimator: Any) -> bool:
    kinds = {parameter.kind for parameter in inspect.signature(estimator.fit).parameters.values()}
    return inspect.Parameter.VAR_KEYWORD in kinds
