"""The `ProsetClassifier` that a search found: its predictions and answers."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils.metadata_routing import UNUSED

from proset.attributions import Attributions
from proset.classifier import ProsetClassifier
from proset.search import SearchCV, of_model

if TYPE_CHECKING:
    import pandas as pd


class SearchedModel(SearchCV):
    """Methods of `proset.ProsetClassifierCV`."""

    _classifier = ProsetClassifier
    __metadata_request__predict: ClassVar = {"n_batches": UNUSED}
    __metadata_request__predict_proba: ClassVar = {"n_batches": UNUSED}

    @of_model
    def predict(self, X: Any, n_batches: int | None = None) -> np.ndarray:
        """The predicted class of each sample; see `ProsetClassifier.predict`."""
        found, X = self._seen(X)
        return found.predict(X, n_batches)

    @of_model
    def predict_proba(self, X: Any, n_batches: int | None = None) -> np.ndarray:
        """Class probabilities; see `ProsetClassifier.predict_proba`."""
        found, X = self._seen(X)
        return found.predict_proba(X, n_batches)

    @of_model
    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Class probabilities with 0, 1, ..., B batches; see `ProsetClassifier.staged_predict_proba`."""
        found, X = self._seen(X)
        return found.staged_predict_proba(X)

    @of_model
    def familiarity(self, X: Any, n_batches: int | None = None) -> np.ndarray:
        """How much prototype weight is near each sample; see `ProsetClassifier.familiarity`."""
        found, X = self._seen(X)
        return found.familiarity(X, n_batches)

    @of_model
    def familiarity_quantile(self, X: Any) -> np.ndarray:
        """Proportion of training samples at most as familiar; see `ProsetClassifier.familiarity_quantile`."""
        found, X = self._seen(X)
        return found.familiarity_quantile(X)

    @of_model
    def attributions(self, X: Any, background: Any = None) -> Attributions:
        """What each feature adds to probabilities, in the units of `X`; see `ProsetClassifier.attributions`."""
        classifier, pipeline = self._found()
        return classifier.attributions(X, background, pipeline)

    @of_model
    def drift(self, X: Any, level: float = 0.05) -> "pd.DataFrame":
        """Whether new samples are like the training samples; see `ProsetClassifier.drift`."""
        classifier, pipeline = self._found()
        return classifier.drift(X, level, transformer=pipeline)

    @of_model
    def report(
        self,
        path: str | os.PathLike[str],
        title: str = "Prototype classifier",
        *,
        X: Any = None,
        y: Any = None,
        groups: Any = None,
    ) -> None:
        """Write one HTML page about the model; see `ProsetClassifier.report`."""
        classifier, pipeline = self._found()
        classifier.report(path, pipeline, title, X=X, y=y, groups=groups)
