"""A reject option: samples that score low get no class, and the proportion that does not is known beforehand.

Held-out samples define what is low; see `proset.held_out`.
"""

import warnings
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from proset.encode import plain_classes
from proset.familiarity import quantile
from proset.groups import Grouping, group_labels
from proset.held_out import HeldOutClassifier, with_method
from proset.validation import as_before_if_it_fails


class RejectOptionClassifier(HeldOutClassifier):
    """Classifier that rejects the samples with the lowest scores, a chosen proportion of samples like those in `fit`.

    Parameters
    ----------
    estimator : classifier or Pipeline that ends with one
        `ProsetClassifier`, or another that has the method named by `criterion`; for "confidence" it is
        `predict_proba`.
    rejection_rate : float in [0, 1], default=0.05
        Proportion of fresh samples from the distribution of the training samples to reject.
    criterion : {"familiarity_quantile", "familiarity", "confidence"}, default="familiarity_quantile"
        The score: a method of the estimator, low for samples unlike the training data; or the largest predicted
        probability, low for samples between the classes (Chow's rule).
    cv : int, splitter or iterable, default=5
        Folds of the cross-validation, as in scikit-learn; an int means stratified folds, not shuffled, whatever the
        `groups` of `fit`. Every sample is in exactly one test set.
    reject_label : int or str, optional
        What `predict` returns for a rejected sample; a string if and only if the classes are strings, and no class. By
        default -1, or "rejected".
    group_by : str, int or callable, optional
        Groups that each have the rate for their own samples: a column of `X` by its name or number, or a function
        that gives N labels for `X`. A missing label is a label. Samples of a group that was not in `fit` are compared
        with all training samples, with a warning. By default the rate is that of all samples together, and one group
        may be rejected more than another.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all samples.
    classes_ : ndarray, shape (K,)
    scores_ : ndarray, shape (N,)
        Scores of the training samples, each by an estimator that has not seen it, sorted. With `group_by` a dict of
        such arrays by group.

    See Also
    --------
    risk_coverage_curve : Error rate among the accepted samples by their proportion.
    ConformalClassifier : Sets of classes instead of none.

    Notes
    -----
    The cross-validation scores estimators of fewer samples, so that the proportion is approximate: on twelve
    data sets, averaged over splits, "familiarity_quantile" is within about 1.5 points of rates from 1 to 50 %
    (`python -m benchmarks rejection`). If the estimator is fitted beforehand and n other samples calibrate it, as in
    `RejectOptionClassifier(FrozenEstimator(model)).fit(X_calibration, y_calibration)` (split-conformal), it is exact on
    average, for any distribution of a continuous score, where (n + 1) `rejection_rate` is a whole number; else it is
    interpolated, and off by less than 1 / (n + 1). Samples that tie with the score
    at the limit are not rejected, so that a score with few values rejects fewer. Of samples from elsewhere it is only
    known that those far from all prototypes are rejected.

    With `group_by` the same holds in each group, by the scores of its samples alone. Fewer than
    1 / `rejection_rate` - 1 samples, in a group or without groups in all, do not show which scores are low; then `fit`
    warns.

    References
    ----------
    V. Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random World (2005), chapter 2.
    C. K. Chow, On optimum recognition error and reject tradeoff, IEEE Transactions on Information Theory 16 (1970),
    41-46.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from proset import ProsetClassifier, RejectOptionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> pipeline = make_pipeline(StandardScaler(), ProsetClassifier(random_state=0))
    >>> model = RejectOptionClassifier(pipeline, rejection_rate=0.05).fit(X, y)
    >>> model.predict([[5.0, 3.4, 1.5, 0.2], [5.0, 3.4, 50.0, 0.2]]).tolist()
    [0, -1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "rejection_rate": [Interval(Real, 0, 1, closed="both")],
        "criterion": [StrOptions({"familiarity_quantile", "familiarity", "confidence"})],
        "cv": ["cv_object"],
        "reject_label": [Integral, str, None],
        "group_by": [str, Integral, callable, None],
    }

    def __init__(
        self,
        estimator: Any,
        rejection_rate: float = 0.05,
        criterion: str = "familiarity_quantile",
        cv: Any = 5,
        reject_label: int | str | None = None,
        group_by: Grouping = None,
    ):
        self.estimator = estimator
        self.rejection_rate = rejection_rate
        self.criterion = criterion
        self.cv = cv
        self.reject_label = reject_label
        self.group_by = group_by

    def fit(
        self, X: npt.ArrayLike, y: npt.ArrayLike, *, groups: npt.ArrayLike | None = None, **fit_params: Any
    ) -> "RejectOptionClassifier":
        """Fit the estimator to all samples, and in a cross-validation for the scale of its scores.

        Parameters
        ----------
        X : array-like, shape (N, D)
        y : array-like, shape (N,)
        groups : array-like, shape (N,), optional
            For a splitter as `cv` that keeps groups together.
        **fit_params
            For `fit` of the estimator, which has to request them if scikit-learn's metadata routing is enabled; an
            array of N values is split as the samples are.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of range, `reject_label` is a class or not of the kind of the classes, classes are
            dates or missing, the estimator has no such score, a fold has too few samples for it, a sample is in no test
            set or in several, or `group_by` is no column of `X`.

        Warns
        -----
        UserWarning
            If a group, or without groups `X`, has so few samples that the rate is a guess.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> estimator = LogisticRegression(C=0.1, max_iter=1000)
        >>> model = RejectOptionClassifier(estimator, rejection_rate=0.1, criterion="confidence").fit(X, y)
        >>> model.scores_.shape
        (150,)
        """
        self._validate_params()
        y = plain_classes(y)
        with as_before_if_it_fails(self):
            labels = np.unique(column_or_1d(y))
            if labels.dtype.kind in "mM":
                raise ValueError(f"y: classes of type {labels.dtype} are not allowed, must be numbers or text")
            is_text = labels.dtype.kind in "US" or any(isinstance(label, str) for label in labels[:1])
            self._reject_label = ("rejected" if is_text else -1) if self.reject_label is None else self.reject_label
            is_other = isinstance(self._reject_label, bool) or isinstance(self._reject_label, str) != is_text
            if is_other or self._reject_label in labels:
                raise ValueError(
                    f"reject_label: {self._reject_label!r} is not allowed, must be "
                    f"{'a string' if is_text else 'a number'} that is no class, classes are "
                    f"{', '.join(map(repr, labels[:5].tolist()))}"
                )
            of_group = None if self.group_by is None else group_labels(self.group_by, X)
            self._criterion = self.criterion  # of `scores_`, whatever is set later
            score = partial(scores_of, criterion=self.criterion)
            held_out = self._fit_and_score(score, X, y, groups, fit_params, self.cv)
            least = int(np.ceil(1.0 / self.rejection_rate)) - 1 if self.rejection_rate else 0
            guess = "which samples are the lowest is a guess"
            if of_group is None and len(held_out) < least:
                warnings.warn(f"X: {len(held_out)} samples are fewer than {least}; {guess}", stacklevel=2)
            self._keep(held_out, of_group, least, guess)
        return self

    def score_quantile(self, X: npt.ArrayLike) -> np.ndarray:
        """Proportion of fresh samples, like the training samples, that score at most as high as each sample.

        Parameters
        ----------
        X : array-like, shape (n, D)

        Returns
        -------
        ndarray, shape (n,)
            In [0, 1). Samples below `rejection_rate` are rejected, so that you need no other fit for another rate.

        Warns
        -----
        UserWarning
            If samples are of groups that were not in `fit`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ProsetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = RejectOptionClassifier(ProsetClassifier(random_state=0)).fit(X, y)
        >>> model.score_quantile([[5.0, 3.4, 50.0, 0.2]]).tolist()
        [0.0]
        """
        check_is_fitted(self)
        scores = scores_of(self.estimator_, X, self._criterion)
        found = np.empty(len(scores))
        for rows, of_group in self._with_scores(X, "they are compared with all training samples"):
            found[rows] = quantile(self._pooled() if of_group is None else of_group, scores[rows])
        return found

    def predict(self, X: npt.ArrayLike) -> np.ndarray:
        """The class of each sample, or `reject_label`.

        `score`, inherited from scikit-learn, counts a rejected sample as an error.

        Parameters
        ----------
        X : array-like, shape (n, D)

        Returns
        -------
        ndarray, shape (n,)
            With the `rejection_rate` of now, which `set_params` may have changed since `fit`.

        Warns
        -----
        UserWarning
            If samples are of groups that were not in `fit`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ProsetClassifier
        >>> iris = load_iris()
        >>> y = iris.target_names[iris.target]
        >>> model = RejectOptionClassifier(ProsetClassifier(random_state=0)).fit(iris.data, y)
        >>> model.predict([[5.0, 3.4, 1.5, 0.2], [5.0, 3.4, 50.0, 0.2]]).tolist()
        ['setosa', 'rejected']
        """
        rejected = self.score_quantile(X) < self.rejection_rate
        # With a type of its own: as a plain number it would take that of the classes, where -1 may be 255.
        label = np.array(self._reject_label, dtype=np.min_scalar_type(self._reject_label))
        labels = self.estimator_.predict(X)
        if labels.dtype == np.uint64 and label.dtype.kind == "i":  # both as one type are float64, which rounds classes
            labels = labels.astype(object)
        return np.where(rejected, label, labels)


def scores_of(fitted: Any, X: Any, criterion: str) -> np.ndarray:
    """Scores by a fitted classifier, which may be inside a search, a Pipeline, or frozen."""
    if criterion == "confidence":
        if not hasattr(fitted, "predict_proba"):
            raise ValueError(
                f"estimator: {type(fitted).__name__} has no method 'predict_proba', which criterion='confidence' needs"
            )
        return fitted.predict_proba(X).max(axis=1)
    found = with_method(fitted, X, criterion)
    if found is not None:
        model, given = found
        return getattr(model, criterion)(given)
    raise ValueError(
        f"estimator: {type(fitted).__name__} has no method {criterion!r}; criterion='confidence' needs none"
    )


def risk_coverage_curve(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, score: npt.ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Error rate among the samples that score highest, by their proportion.

    Parameters
    ----------
    y_true, y_pred : array-like, shape (n,)
        Labels, and predictions without rejection.
    score : array-like, shape (n,)
        The familiarity, its quantile, or the largest probability. Samples with low scores are rejected first.

    Returns
    -------
    coverage : ndarray, shape (m,)
        Increasing proportions of accepted samples, the last one 1; equal scores are accepted together.
    risk : ndarray, shape (m,)
        Error rate among the accepted ones.
    thresholds : ndarray, shape (m,)
        Smallest accepted scores, decreasing.

    Raises
    ------
    ValueError
        If the arrays do not have the same length, are empty, or a score is NaN or more than one number.

    References
    ----------
    R. El-Yaniv and Y. Wiener, On the foundations of noise-free selective classification, Journal of Machine Learning
    Research 11 (2010), 1605-1641.

    Examples
    --------
    >>> coverage, risk, thresholds = risk_coverage_curve([0, 0, 1, 1], [0, 1, 1, 1], [0.9, 0.5, 0.8, 0.5])
    >>> coverage.tolist(), risk.round(2).tolist(), thresholds.tolist()
    ([0.25, 0.5, 1.0], [0.0, 0.0, 0.25], [0.9, 0.8, 0.5])
    """
    if np.ndim(score) > 1 and np.shape(score)[-1] > 1:
        raise ValueError(f"score: shape {np.shape(score)} is not allowed, must be one number for each sample")
    true, predicted, scores = column_or_1d(y_true), column_or_1d(y_pred), column_or_1d(score)
    check_consistent_length(true, predicted, scores)
    if not len(scores) or np.isnan(scores).any():
        raise ValueError("score: at least one number is needed, and no NaN is allowed")
    order = np.argsort(scores, kind="stable")[::-1]  # not of -scores: the type may have no negative numbers
    accepted = np.append(np.flatnonzero(scores[order][1:] != scores[order][:-1]), len(order) - 1)
    errors = np.cumsum(true[order] != predicted[order])[accepted]
    return (accepted + 1) / len(order), errors / (accepted + 1), scores[order][accepted]
