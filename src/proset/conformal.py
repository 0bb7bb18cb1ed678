"""Sets of classes that hold the right one with a probability that is chosen, overall, by group or by class.

Samples that it has not seen show how likely a class must be for a classifier to name it; see
`proset.held_out`.
"""

import math
import warnings
from fractions import Fraction
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.frozen import FrozenEstimator
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import _num_samples, check_is_fitted

from proset.encode import plain_classes
from proset.encoding import as_frame
from proset.groups import Grouping, group_labels, plain_labels
from proset.held_out import HeldOutClassifier
from proset.validation import as_before_if_it_fails

BY_CLASS = "class"


class ConformalClassifier(HeldOutClassifier):
    """Classifier that gives sets of classes, which hold the right one with a chosen probability.

    The set of a sample has the classes whose probability is at least a threshold. It is chosen so that the sets of
    held-out samples hold the right class in the chosen proportion (least ambiguous sets, LAC). With `group_by` each
    group or class has its own threshold, so that none is covered less than others (Mondrian conformal prediction).

    Parameters
    ----------
    estimator : classifier or Pipeline that ends with one
        It needs `predict_proba`.
    confidence_level : float in (0, 1), default=0.9
        Probability that the set of a fresh sample from the distribution of the training samples holds its class.
    group_by : str, int, callable or "class", optional
        Groups that are each covered with this probability: a column of `X` by its name or number, or a function that
        gives N labels for `X`; a missing label is a label. With "class" the groups are the classes; a column of that
        name has to be given by its number. By default the probability is that of all samples together, and one group
        may be covered less than another.
    cv : int, splitter or iterable, default=5
        Folds of the cross-validation, as in scikit-learn; an int means stratified folds, not shuffled, whatever the
        `groups` of `fit`. Every sample is in exactly one test set. Not used with a `FrozenEstimator`, which has seen no
        sample.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all samples, or the frozen one.
    classes_ : ndarray, shape (K,)
    scores_ : ndarray, shape (N,)
        1 - probability of the right class, of the training samples, each by an estimator that has not seen it; sorted.
        With `group_by` a dict of such arrays by group or class.

    See Also
    --------
    RejectOptionClassifier : No class for samples unlike the training data.
    group_rates : Errors and coverage by group.

    Notes
    -----
    Of n sorted scores the threshold is the one with the rank ceil((n + 1) confidence_level). If n is smaller than the
    rank, sets hold all classes: with a level of 0.9 a group needs 9 samples, with 0.99 it needs 99. With "class", such
    a class is in every set. `fit` warns of both. A group that was not in `fit` has sets of all classes, with a warning.

    The probability is at least `confidence_level` for any distribution and any classifier, if the estimator is fitted
    beforehand and the calibration samples are others (split-conformal prediction):
    `ConformalClassifier(FrozenEstimator(model)).fit(X_calibration, y_calibration)`. It is a mean over draws of
    calibration samples and fresh ones; from draw to draw it varies, by about sqrt(level (1 - level) / n). With a
    cross-validation it is approximate: the thresholds are those of estimators fitted to fewer samples.

    A set is empty if no class reaches the threshold. The level holds over all samples, not for single ones: far from
    all training samples, `familiarity` says more.

    References
    ----------
    V. Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random World (2005), sections 2.2 and 4.5.
    M. Sadinle, J. Lei and L. Wasserman, Least ambiguous set-valued classifiers with bounded error levels, Journal of
    the American Statistical Association 114 (2019), 223-234.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ConformalClassifier, ProsetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(ProsetClassifier(random_state=0), confidence_level=0.99).fit(X, y)
    >>> model.predict_set([[5.0, 3.4, 1.5, 0.2], [6.0, 3.0, 5.0, 1.7]]).tolist()
    [[True, False, False], [False, True, True]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "confidence_level": [Interval(Real, 0, 1, closed="neither")],
        "group_by": [str, Integral, callable, None],
        "cv": ["cv_object"],
    }

    def __init__(self, estimator: Any, confidence_level: float = 0.9, group_by: Grouping = None, cv: Any = 5):
        self.estimator = estimator
        self.confidence_level = confidence_level
        self.group_by = group_by
        self.cv = cv

    def fit(
        self, X: npt.ArrayLike, y: npt.ArrayLike, *, groups: npt.ArrayLike | None = None, **fit_params: Any
    ) -> "ConformalClassifier":
        """Fit the estimator to all samples, and in a cross-validation for the thresholds.

        Parameters
        ----------
        X : array-like, shape (N, D)
        y : array-like, shape (N,)
        groups : array-like, shape (N,), optional
            For a splitter as `cv` that keeps groups together. They are not those of `group_by`.
        **fit_params
            For `fit` of the estimator, which has to request them if scikit-learn's metadata routing is enabled; an
            array of N values is split as the samples are.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of range, the estimator has no `predict_proba`, `group_by` is no column of `X`, a
            class is missing or not one of a frozen estimator, a fold has too few samples, or a sample is in no test set
            or in several.

        Warns
        -----
        UserWarning
            If a group or class, or without them `X`, has too few samples, a class of a frozen estimator has none, or
            "class" is the name of a column, too.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ConformalClassifier(LogisticRegression(max_iter=1000), group_by="class").fit(X, y)
        >>> [len(scores) for scores in model.scores_.values()]
        [50, 50, 50]
        """
        self._validate_params()
        y = plain_classes(y)
        target = column_or_1d(y)
        with as_before_if_it_fails(self):
            labels, number = np.unique(target, return_inverse=True)
            of_group = self._groups_in_fit(X, target)
            # One that is frozen has seen none of the samples: all are one fold, however few there are.
            rows = np.arange(len(target))
            cv = [(rows, rows)] if isinstance(self.estimator, FrozenEstimator) else self.cv
            score = partial(_strangeness, classes=labels)
            held_out = self._fit_and_score(score, X, y, groups, fit_params, cv)[rows, number]
            strange = np.setdiff1d(labels, self.classes_)
            if len(strange):
                known = ", ".join(map(repr, self.classes_[:5].tolist()))
                raise ValueError(f"y: {strange[:1].tolist()[0]!r} is not allowed, classes of the estimator are {known}")
            least = _least(self.confidence_level)
            if of_group is None and len(target) < least:
                level, n = self.confidence_level, len(target)
                warnings.warn(
                    f"confidence_level: {level} needs {least} samples, not {n}; sets hold all classes", stacklevel=2
                )
            instead = "each is in every set" if self._is_by_class() else "their sets hold all classes"
            self._keep(held_out, of_group, least, instead)
            unseen = np.setdiff1d(self.classes_, labels).tolist()  # classes of a frozen estimator
            if unseen and self._is_by_class():
                warnings.warn(f"y: no sample of class {unseen[0]!r} is given, which is in every set", stacklevel=2)
        return self

    def predict_set(self, X: npt.ArrayLike) -> np.ndarray:
        """Which classes are in the set of each sample.

        Parameters
        ----------
        X : array-like, shape (n, D)

        Returns
        -------
        ndarray of bool, shape (n, K)
            Columns are in the order of `classes_`. After `set_params(confidence_level=...)` sets have the new level,
            without another fit.

        Raises
        ------
        ValueError
            If `confidence_level` is out of range.

        Warns
        -----
        UserWarning
            If samples are of groups that were not in `fit`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ConformalClassifier, ProsetClassifier
        >>> iris = load_iris()
        >>> model = ConformalClassifier(ProsetClassifier(random_state=0)).fit(iris.data, iris.target_names[iris.target])
        >>> [model.classes_[row].tolist() for row in model.predict_set([[5.0, 3.4, 1.5, 0.2], [6.7, 3.1, 5.6, 2.4]])]
        [['setosa'], ['virginica']]
        """
        check_is_fitted(self)
        self._validate_params()
        strangeness = _strangeness(self.estimator_, X, self.classes_)
        limits = np.full(strangeness.shape, np.inf)
        if isinstance(self.scores_, dict) and self._by_column == BY_CLASS:
            for k, label in enumerate(plain_labels(self.classes_, len(self.classes_), "classes")):
                limits[:, k] = _threshold(self.scores_.get(label, np.empty(0)), self.confidence_level)
        else:
            for rows, scores in self._with_scores(X, "their sets hold all classes"):
                limits[rows] = np.inf if scores is None else _threshold(scores, self.confidence_level)
        return strangeness <= limits

    def predict(self, X: npt.ArrayLike) -> np.ndarray:
        """The class of each sample, by the estimator.

        Parameters
        ----------
        X : array-like, shape (n, D)

        Returns
        -------
        ndarray, shape (n,)

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ConformalClassifier, ProsetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> ConformalClassifier(ProsetClassifier(random_state=0)).fit(X, y).predict(X[[0, 75, 149]]).tolist()
        [0, 1, 2]
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def _is_by_class(self) -> bool:
        return isinstance(self.group_by, str) and self.group_by == BY_CLASS

    def _groups_in_fit(self, X: Any, target: np.ndarray) -> np.ndarray | None:
        if self.group_by is None:
            return None
        if not self._is_by_class():
            return group_labels(self.group_by, X)
        frame = as_frame(X)
        if frame is not None and BY_CLASS in frame.columns:
            warnings.warn(
                "group_by: 'class' means the classes, and X has a column of that name: give its number, "
                f"{list(frame.columns).index(BY_CLASS)}, for that",
                stacklevel=3,
            )
        return plain_labels(target, _num_samples(target), "y")


def _strangeness(fitted: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """1 - probability of each class; 1 for those that the estimator of a fold has not seen."""
    if not hasattr(fitted, "predict_proba"):  # some tell only when they are fitted
        raise ValueError(f"estimator: {type(fitted).__name__} is not allowed, must have predict_proba")
    probabilities = fitted.predict_proba(X)
    found = np.ones((len(probabilities), len(classes)))
    wanted = np.isin(fitted.classes_, classes)
    found[:, np.searchsorted(classes, fitted.classes_[wanted])] = 1.0 - probabilities[:, wanted]
    return found


def _rank(n: int, level: float) -> int:
    """Which of n sorted scores is the threshold, from 1. The level is what is written: 0.9, not its binary value."""
    return math.ceil((n + 1) * Fraction(str(float(level))))


def _least(level: float) -> int:
    """The smallest n whose rank is at most n."""
    written = Fraction(str(float(level)))
    return math.ceil(written / (1 - written))


def _threshold(scores: np.ndarray, level: float) -> float:
    rank = _rank(len(scores), level)
    return float(scores[rank - 1]) if rank <= len(scores) else math.inf
