"""What meta-estimators have in common that compare samples with scores of training samples held out.

In a cross-validation each fold is scored by an estimator that was fitted to the others, and the pooled scores are the
scale of the estimator that was fitted to everything. That needs scores which mean the same in all of these estimators,
as a quantile or a probability does, and a sum of prototype weights does not.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import _safe_split, available_if
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted

from proset.groups import Grouping, group_labels, rows_by_group

Score = Callable[[Any, Any], np.ndarray]  # of a fitted estimator and samples


class HeldOutClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fits an estimator to all samples, and others in a cross-validation for scores of samples they have not seen."""

    estimator: Any
    cv: Any
    group_by: Grouping
    scores_: np.ndarray | dict[Any, np.ndarray]
    _by_column: Grouping  # as in `fit`
    __metadata_request__fit: ClassVar = {"groups": True}

    def get_metadata_routing(self) -> MetadataRouter:
        """Metadata that `fit` takes and passes on, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        MetadataRouter

        Examples
        --------
        >>> from sklearn import config_context
        >>> from proset import ProsetClassifier, RejectOptionClassifier
        >>> with config_context(enable_metadata_routing=True):
        ...     model = RejectOptionClassifier(ProsetClassifier().set_fit_request(sample_weight=True))
        ...     sorted(model.get_metadata_routing().consumes("fit", ["groups", "sample_weight", "other"]))
        ['groups', 'sample_weight']
        """
        of_fit = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=of_fit)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _fit_and_score(
        self, score: Score, X: Any, y: Any, groups: npt.ArrayLike | None, fit_params: dict[str, Any], cv: Any
    ) -> np.ndarray:
        """Scores of the training samples, each by an estimator that has not seen it."""
        X, y, groups = indexable(X, y, groups)
        if get_config()["enable_metadata_routing"]:
            fit_params = process_routing(self, "fit", groups=groups, **fit_params).estimator.fit
        places, found, everyone = [], [], np.arange(_num_samples(X))
        for parts in check_cv(cv, y, classifier=True).split(X, y, groups):
            train, test = (_safe_indexing(everyone, rows) for rows in parts)  # lists, or masks
            of_part = _safe_split(self.estimator, X, y, train)  # of dissimilarities the columns as well
            fitted = clone(self.estimator).fit(*of_part, **_check_method_params(X, fit_params, train))
            places.append(test)
            found.append(score(fitted, _safe_split(self.estimator, X, None, test, train)[0]))
        order = np.argsort(np.concatenate(places))
        if not np.array_equal(np.concatenate(places)[order], np.arange(_num_samples(X))):
            raise ValueError("cv: every sample has to be in one test set, and in no other")
        self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        self.classes_ = self.estimator_.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)  # of an earlier fit
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return np.concatenate(found)[order]

    def _keep(self, scores: np.ndarray, labels: np.ndarray | None, least: int, else_: str) -> None:
        """Sorted scores, by group if there are labels; a warning of those with fewer than `least`."""
        self._by_column = self.group_by
        if labels is None:
            self.scores_ = np.sort(scores)
            return
        self.scores_ = {label: np.sort(scores[rows]) for label, rows in rows_by_group(labels).items()}
        small = [label for label, found in self.scores_.items() if len(found) < least]
        if small:
            warnings.warn(
                f"group_by: {len(small)} of {len(self.scores_)} groups have fewer than {least} samples, such as "
                f"{small[0]!r}; {else_}",
                stacklevel=3,
            )

    def _pooled(self) -> np.ndarray:
        """Sorted scores of all groups."""
        return np.sort(np.concatenate(list(self.scores_.values()))) if isinstance(self.scores_, dict) else self.scores_

    def _with_scores(self, X: Any, unseen: str) -> Iterator[tuple[Any, np.ndarray | None]]:
        """Rows of X by group with the sorted scores of their group, None for a group that was not in `fit`."""
        if not isinstance(self.scores_, dict):
            yield slice(None), self.scores_
            return
        by_group = rows_by_group(group_labels(self._by_column, X))
        strange = [label for label in by_group if label not in self.scores_]
        if strange:
            n = sum(len(by_group[label]) for label in strange)
            warnings.warn(
                f"X: {n} samples are of groups that were not in fit, such as {strange[0]!r}; {unseen}", stacklevel=4
            )
        for label, rows in by_group.items():
            yield rows, self.scores_.get(label)

    @available_if(  # type: ignore[untyped-decorator]
        lambda self: hasattr(getattr(self, "estimator_", self.estimator), "predict_proba")
    )
    def predict_proba(self, X: npt.ArrayLike) -> np.ndarray:
        """Class probabilities by the estimator, also for samples that are rejected or have a set of classes.

        Parameters
        ----------
        X : array-like, shape (n, D)

        Returns
        -------
        ndarray, shape (n, K)

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ProsetClassifier, RejectOptionClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> RejectOptionClassifier(ProsetClassifier(random_state=0)).fit(X, y).predict_proba(X).shape
        (150, 3)
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)


def with_method(fitted: Any, X: Any, name: str) -> tuple[Any, Any] | None:
    """What has an attribute inside a search, a Pipeline or a frozen estimator, and samples as it takes them."""
    if hasattr(fitted, name):
        return fitted, X
    if hasattr(fitted, "best_estimator_"):
        return with_method(fitted.best_estimator_, X, name)
    inner, n_features = getattr(fitted, "estimator_", None), getattr(fitted, "n_features_in_", None)
    if inner is not None and getattr(inner, "n_features_in_", None) == n_features:  # no template, no selection
        return with_method(inner, X, name)
    if isinstance(fitted, FrozenEstimator):
        return with_method(fitted.estimator, X, name)
    if isinstance(fitted, Pipeline):
        return with_method(fitted[-1], fitted[:-1].transform(X), name)
    return None
