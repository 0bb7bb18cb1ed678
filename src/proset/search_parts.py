"""The fits that a search for the parameters of `proset.ProsetClassifier` makes on one fold."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from proset import fitting, penalty_path, size_choice
from proset.classifier import ProsetClassifier
from proset.penalty_path import Pair
from proset.search import Fold

PARAMETERS, STAGE_1, STAGE_2, REFIT = range(4)  # what random numbers are for
Predict = Callable[[], np.ndarray]


class Part(Protocol):
    """Fits to one fold, and probabilities of its held-out samples."""

    def fit(self, pair: Pair, number: int) -> Predict:
        """One batch; `number` is that of the pair among those tried."""

    def batches(self, pair: Pair, n_batches: int) -> Iterator[np.ndarray]:
        """Probabilities with 0, 1, ..., `n_batches` batches, each fitted when it is asked for."""

    def sizes(self, pair: Pair, n_batches: int, max_features: int | None) -> dict[int, np.ndarray]:
        """Probabilities by number of prototypes, from none to all."""


@dataclass
class AlongPath:
    """Rough fits of leave-one-out references, see `proset.penalty_path`; they share what their paths share."""

    fold: penalty_path.Fold

    def fit(self, pair: Pair, number: int) -> Predict:
        self.fold.path.weights(pair)
        return lambda: self.fold.probabilities(pair)

    def batches(self, pair: Pair, n_batches: int) -> Iterator[np.ndarray]:
        fold = self.fold
        yield fold.probabilities(None)
        for _ in range(n_batches):
            yield fold.probabilities(pair)
            fold = fold.after(pair)

    def sizes(self, pair: Pair, n_batches: int, max_features: int | None) -> dict[int, np.ndarray]:
        return size_choice.held_out(self.fold, pair, n_batches, max_features)


@dataclass
class OneByOne:
    """Fits of the classifier as it is."""

    fold: Fold
    new_classifier: Callable[..., ProsetClassifier]
    seeds: Callable[..., int]  # from a stage and, in the first one, the number of a pair
    converged: dict[int, list[bool]] = field(default_factory=lambda: {STAGE_1: [], STAGE_2: []})

    def fit(self, pair: Pair, number: int) -> Predict:
        classifier = self._new(pair, n_batches=1, random_state=self.seeds(STAGE_1, number))
        self._fit(classifier, STAGE_1)
        return lambda: classifier.predict_proba(self.fold.X_score)

    def batches(self, pair: Pair, n_batches: int) -> Iterator[np.ndarray]:
        classifier = self._new(pair, n_batches=0, random_state=self.seeds(STAGE_2), warm_start=True)
        for b in range(n_batches + 1):
            self._fit(classifier.set_params(n_batches=b), STAGE_2)
            yield classifier.predict_proba(self.fold.X_score)

    def sizes(self, pair: Pair, n_batches: int, max_features: int | None) -> dict[int, np.ndarray]:
        return {}  # with these references there is no elimination

    def _new(self, pair: Pair, **parameters: Any) -> ProsetClassifier:
        return self.new_classifier(lambda_v=pair[0], lambda_w=pair[1], **parameters)

    def _fit(self, classifier: ProsetClassifier, stage: int) -> None:
        fitting.fit(classifier, self.fold.X, self.fold.y, self.fold.weight)
        self.converged[stage].append(all(batch.converged for batch in classifier.batches_))
