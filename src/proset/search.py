"""What both searches by cross-validation share: folds, the table of results, the fit of what was found."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from proset.encode import encode, plain_classes
from proset.encoding import as_table
from proset.groups import complete_groups
from proset.selection import SELECTION_RULES, select
from proset.validation import weights_with_classes

if TYPE_CHECKING:
    import pandas as pd

_Method = TypeVar("_Method", bound=Callable[..., Any])


@dataclass(frozen=True)
class Part:
    """Samples to fit on, as the classifier sees them, and the fitted steps that they have been through."""

    transformers: Pipeline | None
    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    groups: np.ndarray | None


@dataclass(frozen=True)
class Fold(Part):
    """And samples to score on, through the same steps; all have positive weights."""

    X_score: Any
    y_score: np.ndarray
    weight_score: np.ndarray


def _is_refitted(search: "SearchCV") -> bool:
    if not search.refit:
        raise AttributeError(f"{type(search).__name__} with refit=False has no model to predict with")
    return True


def of_model(method: _Method) -> _Method:
    """A method that only a search with `refit` has."""
    return available_if(_is_refitted)(method)


class SearchCV(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Folds, tables of results, and predictions of what was found: the same for both classifiers."""

    _classifier: ClassVar[type[BaseEstimator]]
    estimator: Any
    cv: Any
    selection_rule: str
    scale: bool
    refit: bool
    n_jobs: int | None
    random_state: int | np.random.RandomState | None
    verbose: int
    best_estimator_: Any
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods("fit"), None],
        "cv": ["cv_object"],
        "selection_rule": [StrOptions(set(SELECTION_RULES))],
        "scale": ["boolean"],
        "refit": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    __metadata_request__fit: ClassVar = {"groups": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._classifier() if self.estimator is None else self.estimator).input_tags
        return tags

    def _steps(self) -> list[tuple[str, Any]]:
        """All steps of the estimator, to be copied; the last one is the classifier."""
        estimator = self._classifier() if self.estimator is None else self.estimator
        steps = list(estimator.steps) if isinstance(estimator, Pipeline) else [("classifier", estimator)]
        last = steps[-1][1]
        if not isinstance(last, self._classifier):
            raise ValueError(
                f"estimator: {type(last).__name__} is not allowed, must be {self._classifier.__name__} or a Pipeline "
                "that ends with one"
            )
        if self.scale:
            steps.insert(-1, ("scale", StandardScaler()))
        return steps

    def _new_classifier(self, **parameters: Any) -> Any:
        """A copy that is not fitted."""
        return clone(self._steps()[-1][1]).set_params(**parameters)

    def _part(self, X: Any, y: np.ndarray, weight: np.ndarray | None, groups: np.ndarray | None) -> Part:
        steps = self._steps()[:-1]
        if not steps:
            return Part(None, X, y, weight, groups)
        transformers = clone(Pipeline(steps))
        metadata = {} if weight is None else {"sample_weight": weight}
        wanted = get_routing_for_object(transformers).consumes("fit_transform", metadata)
        try:
            X = transformers.fit_transform(X, y, **{name: metadata[name] for name in wanted})
        except ValueError as error:
            if self.scale and "could not convert string" in str(error):
                raise ValueError(f"scale: True is not allowed for a table with text, must be False; {error}") from error
            raise
        return Part(transformers, X, y, weight, groups)

    def _parts(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Part, list[Fold]]:
        """All samples, and the folds; sets `classes_`, `n_splits_` and the attributes of the features."""
        self.__dict__.pop("best_estimator_", None)  # of an earlier fit; not every fit makes one
        y = validate_data(self, y=plain_classes(y))
        X = validate_data(self, X, skip_check_array=True)
        check_classification_targets(y)
        X, y, sample_weight, groups = indexable(X, y, sample_weight, groups)
        X = X if hasattr(X, "shape") else as_table(X)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        groups = None if groups is None else complete_groups(groups, len(y))
        everything = self._part(X, y, weight, groups)
        array, _, encoding = encode(self._new_classifier(), everything.X, reset=True)  # before it fails in some fold
        if everything.transformers is None and getattr(self._steps()[-1][1], "base", None) is None:
            X = array if encoding.are_numbers else X  # a base model may take columns by name
        folds = list(self._folds(X, y, weight, groups))
        if len(folds) < 2:
            raise ValueError(f"cv: {len(folds)} fold is not allowed, the rules need at least 2")
        self.n_splits_ = len(folds)
        return everything, folds

    def _folds(self, X: Any, y: np.ndarray, weight: np.ndarray | None, groups: np.ndarray | None) -> Iterator[Fold]:
        counts = np.ones(len(y)) if weight is None else weight
        if (class_weight := self._steps()[-1][1].class_weight) is not None:
            counts = weights_with_classes(counts, class_weight, y)
        self.classes_ = np.unique(y[counts > 0])
        is_pairwise = get_tags(self).input_tags.pairwise and X.shape[0] == X.shape[1]
        splitter = check_cv(self.cv, y, classifier=True)
        if groups is not None and isinstance(self.cv, Integral | None):
            splitter = StratifiedGroupKFold(splitter.get_n_splits())
        everyone = np.arange(len(y))
        for number, parts in enumerate(splitter.split(X, y, groups)):
            train, test = (_safe_indexing(everyone, rows) for rows in parts)  # lists, or masks
            train, test = train[counts[train] > 0], test[counts[test] > 0]
            missing = np.setdiff1d(self.classes_, y[train])
            if len(missing):
                raise ValueError(f"cv: fold {number} has no sample of class {missing[0]} to fit on")
            if not len(test):
                raise ValueError(f"cv: fold {number} has no sample of positive weight to score")
            columns = train if is_pairwise else None
            of_part = (None if each is None else each[train] for each in (weight, groups))
            part = self._part(_rows(X, train, columns), y[train], *of_part)
            X_score = _rows(X, test, columns)
            if part.transformers is not None:
                X_score = part.transformers.transform(X_score)
            yield Fold(**vars(part), X_score=X_score, y_score=y[test], weight_score=counts[test])

    def _select(
        self,
        params: list[dict[str, Any]],
        simplicity: list[tuple[float, ...]],
        losses: np.ndarray,
        seconds: dict[str, np.ndarray] | None = None,
        rule: str | None = None,
        common: np.ndarray | None = None,
    ) -> tuple[dict[str, Any], int, float]:
        """Results in the form of scikit-learn, the position of the selected setting, the threshold as a score.

        Settings with a loss that is NaN cannot be selected. `rule` is by default that of the search. Losses that all
        settings have in `common`, shape (n_folds,), do not count in the deviation.
        """
        complete = np.flatnonzero(~np.isnan(losses).any(axis=1))
        shift = np.zeros(losses.shape[1]) if common is None else common
        selection = select(losses[complete] - shift, [simplicity[i] for i in complete], rule or self.selection_rule)
        scores = -losses
        ranked = np.where(np.isin(np.arange(len(params)), complete), losses.mean(axis=1), np.inf)
        results: dict[str, Any] = {}
        for name, values in (seconds or {}).items():
            results |= {f"mean_{name}": np.nanmean(values, axis=1), f"std_{name}": np.nanstd(values, axis=1)}
        results |= {f"param_{name}": np.ma.array([setting[name] for setting in params]) for name in params[0]}
        results |= {"params": params}
        results |= {f"split{fold}_test_score": scores[:, fold] for fold in range(losses.shape[1])}
        results |= {
            "mean_test_score": np.nanmean(scores, axis=1),
            "std_test_score": np.nanstd(scores, axis=1),
            "rank_test_score": rankdata(ranked, method="min").astype(np.int32),
            "within_threshold": np.isin(np.arange(len(params)), complete[selection["within"]]),
        }
        return results, int(complete[selection["selected"]]), -(selection["threshold"] + float(shift.mean()))

    def _refit(self, data: Part, **parameters: Any) -> Any:
        """The whole estimator, fitted on all samples."""
        classifier = self._new_classifier(**parameters)
        has_base = getattr(classifier, "base", None) is not None
        classifier.fit(data.X, data.y, data.weight, **({"groups": data.groups} if has_base else {}))
        if data.transformers is None:
            return classifier
        return Pipeline([*data.transformers.steps, (self._steps()[-1][0], classifier)])

    def _found(self) -> tuple[Any, Pipeline | None]:
        """The classifier that was found, and the Pipeline that it is the end of."""
        check_is_fitted(self, "best_estimator_")
        found = self.best_estimator_
        return (found[-1], found) if isinstance(found, Pipeline) else (found, None)

    def _seen(self, X: Any) -> tuple[Any, Any]:
        """The classifier that was found, and samples as it sees them."""
        classifier, pipeline = self._found()
        return classifier, X if pipeline is None else pipeline[:-1].transform(X)

    @of_model
    def explain(self, X: Any, top: int | None = None) -> "pd.DataFrame":
        """Why predictions are what they are, in the units of `X`; see `explain` of the classifier."""
        classifier, pipeline = self._found()
        return classifier.explain(X, top, pipeline)

    @of_model
    def export(self) -> "pd.DataFrame":
        """The model as a table, in the units of the data; see `export` of the classifier."""
        classifier, pipeline = self._found()
        return classifier.export(pipeline)


def _rows(X: Any, rows: np.ndarray, columns: np.ndarray | None) -> Any:
    X = _safe_indexing(X, rows)
    return X if columns is None else X[:, columns]


def seed(root: int, *key: int) -> int:
    return int(np.random.SeedSequence(root, spawn_key=key).generate_state(1)[0] >> 1)
