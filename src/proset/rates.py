"""How often a classifier is wrong, and how, in groups of samples."""

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import _check_sample_weight

from proset.encode import plain_classes
from proset.groups import group_labels, plain_labels, rows_by_group
from proset.held_out import with_method
from proset.tables import require

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95  # of intervals
UNFAMILIAR = 0.05  # familiarity quantile below which samples are counted
ALL = "all"


def group_rates(
    estimator: Any,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    groups: npt.ArrayLike | str | int | Callable[[Any], Any],
    sample_weight: npt.ArrayLike | None = None,
) -> "pd.DataFrame":
    """Errors of a fitted classifier in each group of samples, and in all.

    A group with a higher error rate has harder samples, or fewer of them in the training data; the table does not say
    which. Small groups have wide intervals.

    Parameters
    ----------
    estimator : classifier
        A fitted classifier, or a Pipeline or search with one.
    X : array-like, shape (N, D)
        Samples that the classifier was not fitted to; on the others, rates are too good.
    y : array-like, shape (N,)
        Their classes.
    groups : array-like, shape (N,); or str, int or callable
        Labels of groups; or a column of `X` by its name or number; or a function that returns the labels for `X`.
        Samples without a label form a group of their own, None.
    sample_weight : array-like, shape (N,), optional
        Non-negative weights for all rates. The interval is that of the effective number of samples,
        (sum w)^2 / sum w^2; "n" is the number of samples. Rates of a group without weight are NaN.

    Returns
    -------
    pandas.DataFrame
        The first row, "all", has the rates of all samples; the other rows are groups, sorted by label. Columns:

        - "n": samples.
        - "error", "error low", "error high": proportion of wrong predictions with Wilson's 95 % interval. A rejected
          sample counts as an error.
        - "log loss": only with `predict_proba`; probabilities below 2e-16 count as 2e-16.
        - "selection rate", "true positive rate", "false positive rate": only with two classes. How often the second
          class is predicted: among all samples, those of this class, and the others. NaN where there are none.
        - "probability - frequency": mean probability of the second class minus its proportion; only with two classes
          and `predict_proba`.
        - "unfamiliar": proportion with a `familiarity_quantile` below 0.05; only if `estimator` is or contains a
          `ProsetClassifier`. It is about 0.05 for samples like the training data.
        - "coverage", "set size": proportion of sets with the right class, and mean number of classes in a set; only
          with `predict_set`, which `ConformalClassifier` has.

        A rate is NaN where it has no sample of positive weight.

    Raises
    ------
    ValueError
        If lengths differ, there is no sample, weights are negative or all zero, a class in `y` is missing or none of
        them is known to the classifier, or `groups` is not a column of `X`.
    ImportError
        Without pandas.

    Warns
    -----
    UserWarning
        If some classes in `y` are unknown to the classifier; they count as errors.

    See Also
    --------
    proset.plot.GroupRatesDisplay : Error rates and intervals as a figure.

    References
    ----------
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of the American
    Statistical Association 22 (1927), 209-212.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from proset import ProsetClassifier, group_rates
    >>> X_train, X_test, y_train, y_test = train_test_split(*load_breast_cancer(return_X_y=True), random_state=0)
    >>> model = ProsetClassifier(random_state=0).fit(X_train, y_train)
    >>> rates = group_rates(model, X_test, y_test, groups=np.where(X_test[:, 1] > 20, "coarse", "fine"))
    >>> rates["n"].to_dict()
    {'all': 143, 'coarse': 60, 'fine': 83}
    """
    require("pandas", "group_rates")
    import pandas as pd

    target = column_or_1d(plain_classes(y))
    if isinstance(groups, str | Integral) or callable(groups):
        labels = group_labels(groups, X, "groups")
    else:
        labels = plain_labels(groups, len(target), "groups")
    check_consistent_length(X, target)
    weight = _check_sample_weight(sample_weight, target, dtype=np.float64, ensure_non_negative=True)
    weight = np.ldexp(weight, -np.frexp(weight.max(initial=0.0))[1])  # else squares of any scale overflow or vanish
    terms = _terms(estimator, X, target)
    parts = [(ALL, np.arange(len(target))), *rows_by_group(labels).items()]
    rows = [_row({name: values[rows] for name, values in terms.items()}, weight[rows]) for _, rows in parts]
    index = pd.Index([label for label, _ in parts], name="group", dtype=object)
    return pd.DataFrame(rows, index=index)


def _terms(estimator: Any, X: Any, y: np.ndarray) -> dict[str, np.ndarray]:
    """What rates are means of, by sample."""
    predicted, classes = estimator.predict(X), estimator.classes_
    others = y[~np.isin(y, classes)].tolist()
    if len(others) == len(y):
        raise ValueError(f"y: labels such as {others[0]!r} are not allowed, must be among {classes.tolist()}")
    if others:  # which may be of a class that was not in the training data
        words = f"y: {len(others)} of {len(y)} labels, such as {others[0]!r}, are of no class of the model"
        warnings.warn(f"{words} and count as errors", stacklevel=3)
    terms = {"error": predicted != y}
    if len(classes) == 2:
        terms |= {"selected": predicted == classes[1], "positive": y == classes[1]}
    if hasattr(estimator, "predict_proba"):
        probabilities = estimator.predict_proba(X)
        right = np.where(y[:, None] == classes, probabilities, 0.0).sum(axis=1)
        terms["log loss"] = -np.log(np.maximum(right, np.finfo(float).eps))
        terms |= {"probability": probabilities[:, 1]} if len(classes) == 2 else {}
    found = with_method(estimator, X, "training_familiarity_")  # which models of old files lack
    if found is not None:
        model, given = found
        terms["unfamiliar"] = model.familiarity_quantile(given) < UNFAMILIAR
    if hasattr(estimator, "predict_set"):
        sets = estimator.predict_set(X)
        terms |= {"coverage": (sets & (y[:, None] == classes)).any(axis=1), "set size": sets.sum(axis=1)}
    return terms


def _row(terms: dict[str, np.ndarray], weight: np.ndarray) -> dict[str, float]:
    """Rates of some samples."""

    def mean(name: str, among: Any = True) -> float:
        used = np.where(among, weight, 0.0)
        return float(used @ terms[name] / used.sum()) if used.any() else np.nan

    error = mean("error")
    low, high = wilson(error, weight.sum() ** 2 / (weight @ weight) if weight.any() else 0.0)
    row = {"n": len(weight), "error": error, "error low": low, "error high": high}
    if "log loss" in terms:
        row["log loss"] = mean("log loss")
    if "positive" in terms:
        positive = terms["positive"]
        row["selection rate"] = mean("selected")
        row["true positive rate"], row["false positive rate"] = mean("selected", positive), mean("selected", ~positive)
        if "probability" in terms:
            row["probability - frequency"] = mean("probability") - mean("positive")
    return row | {name: mean(name) for name in ("unfamiliar", "coverage", "set size") if name in terms}


def wilson(rate: float, n: float) -> tuple[float, float]:
    """Wilson's interval of a proportion among n samples.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(0.1, 50)]
    [0.0435, 0.2136]
    >>> [round(end, 4) for end in wilson(0.0, 10)]
    [0.0, 0.2775]
    """
    if not n:
        return np.nan, np.nan
    z = float(ndtri((1 + CONFIDENCE) / 2))
    middle, half = rate + z**2 / (2 * n), z * (rate * (1 - rate) / n + z**2 / (4 * n**2)) ** 0.5
    scale = 1 + z**2 / n
    low, high = max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)
    return min(low, rate), max(high, rate)  # whatever rounding did
