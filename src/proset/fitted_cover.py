"""What a fitted `SetCoverClassifier` predicts, and why."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from proset import tables
from proset.columns import Columns
from proset.cover import chunks
from proset.encoding import Encoding
from proset.metrics import Metric, check_precomputed, distances, encoded
from proset.units import given_samples, naming, without_classifier

if TYPE_CHECKING:
    import pandas as pd


class FittedCover:
    """Methods of `proset.SetCoverClassifier`, which has what is read here."""

    metric: Metric
    classes_: np.ndarray
    covered_: np.ndarray
    miscovered_: np.ndarray
    newly_covered_: np.ndarray
    prototype_index_: np.ndarray
    prototype_labels_: np.ndarray
    prototypes_: np.ndarray
    radii_: np.ndarray
    _columns: Columns
    _encoding: Encoding
    _labels: np.ndarray
    _majority: int

    def predict(self, X: npt.ArrayLike) -> np.ndarray:
        """The class of the nearest prototype of each sample; of equally near ones, the first chosen.

        Without prototypes it is `majority_class_`.

        Parameters
        ----------
        X : array-like, shape (m, D)
            With "precomputed" the dissimilarities from all candidates, shape (m, M).

        Returns
        -------
        ndarray, shape (m,)

        Raises
        ------
        ValueError
            If `X` is infinite, has other features than in `fit`, a dissimilarity is NaN, or a precomputed one is
            negative.

        Examples
        --------
        >>> from proset import SetCoverClassifier
        >>> model = SetCoverClassifier(eps=1.5).fit([[0.0], [1.0], [2.0], [10.0]], ["a", "a", "a", "b"])
        >>> model.predict([[-3.0], [6.0]]).tolist()
        ['a', 'b']
        """
        X = self._validated(X)
        found = np.full(len(X), self._majority)
        if len(self._labels):
            for rows in chunks(len(X), len(self._labels)):
                found[rows] = self._labels[self._near(X[rows]).argmin(axis=1)]
        return self.classes_[found]

    def familiarity(self, X: npt.ArrayLike) -> np.ndarray:
        """How deep each sample is in a ball: the largest difference of a radius and the distance from its centre.

        Parameters
        ----------
        X : array-like
            As for `predict`.

        Returns
        -------
        ndarray, shape (m,)
            On the scale of the dissimilarity. Positive in a ball, which then covers the sample; 0 or below outside of
            all balls; minus infinity if there is no prototype.

        Raises
        ------
        ValueError
            As for `predict`.

        Examples
        --------
        >>> from proset import SetCoverClassifier
        >>> model = SetCoverClassifier(eps=1.5).fit([[0.0], [1.0], [2.0], [10.0]], ["a", "a", "a", "b"])
        >>> model.familiarity([[1.0], [2.0], [6.0]]).tolist()
        [1.5, 0.5, -2.5]
        """
        X = self._validated(X)
        found = np.full(len(X), -np.inf)
        for rows in chunks(len(X), len(self._labels)) if len(self._labels) else ():
            found[rows] = (self.radii_ - self._near(X[rows])).max(axis=1)
        return found

    def explain(self, X: npt.ArrayLike, top: int | None = None, transformer: Any = None) -> "pd.DataFrame":
        """The prototypes behind the predictions for single samples, the nearest first, and which balls cover them.

        Parameters
        ----------
        X : array-like, shape (m, D) or (D,)
            As `transformer` takes them, if there is one; else as for `predict`.
        top : int >= 1, optional
            Prototypes to list per sample, the nearest; by default all.
        transformer : fitted transformer or Pipeline, optional
            What the features go through before they reach the classifier; a Pipeline may end with the classifier. The
            values are then in the units of the table (see `proset.units.in_original_units`).

        Returns
        -------
        pandas.DataFrame
            For each sample a row for itself, then its prototypes: "sample" (its label in the index of `X`, or its
            number), "term" ("sample" or "prototype"), "row" (of the candidate, -1 for the sample), "class" (of the
            sample the predicted one), "distance", "radius", "covers" and, but with "precomputed", "value of <feature>".

        Raises
        ------
        ValueError
            As for `predict`, or if `top` is below 1.
        ImportError
            Without pandas.

        Examples
        --------
        >>> from proset import SetCoverClassifier
        >>> model = SetCoverClassifier(eps=1.5).fit([[0.0], [1.0], [2.0], [10.0]], ["a", "a", "a", "b"])
        >>> model.explain([2.0])[["term", "class", "distance", "covers"]].to_dict("list")
        ... # doctest: +NORMALIZE_WHITESPACE
        {'term': ['sample', 'prototype', 'prototype'], 'class': ['a', 'a', 'b'], 'distance': [nan, 1.0, 8.0],
         'covers': [False, True, False]}
        """
        transformer, labels, given = given_samples(X, top, transformer)
        points, of_table, values = self._validated(given), naming(self, transformer), {}
        if hasattr(self, "prototypes_"):
            of_both = of_table["units"](np.concatenate([points, self.prototypes_]))
            values = dict(zip(("values", "of_prototypes"), np.split(of_both, [len(points)]), strict=True))
        return tables.balls(
            labels,
            self.predict(given),
            self._near(points),
            rows=self.prototype_index_,
            classes=self.prototype_labels_,
            radii=self.radii_,
            top=top,
            names=of_table["names"],
            **values,
        )

    def export(self, transformer: Any = None) -> "pd.DataFrame":
        """All prototypes, in order of choice.

        Parameters
        ----------
        transformer : fitted transformer or Pipeline, optional
            As for `explain`.

        Returns
        -------
        pandas.DataFrame
            "row" (of the candidate), "class", "radius", "covered", "newly covered", "miscovered" and, but with
            "precomputed", "value of <feature>".

        Raises
        ------
        ImportError
            Without pandas.

        Examples
        --------
        >>> from proset import SetCoverClassifier
        >>> model = SetCoverClassifier(eps=1.5).fit([[0.0], [1.0], [2.0], [10.0]], ["a", "a", "a", "b"])
        >>> model.export()[["class", "radius", "newly covered", "value of x0"]].to_dict("list")
        {'class': ['a', 'b'], 'radius': [1.5, 1.5], 'newly covered': [3.0, 1.0], 'value of x0': [1.0, 10.0]}
        """
        check_is_fitted(self)
        columns = {
            "row": self.prototype_index_,
            "class": self.prototype_labels_,
            "radius": self.radii_,
            "covered": self.covered_,
            "newly covered": self.newly_covered_,
            "miscovered": self.miscovered_,
        }
        if not hasattr(self, "prototypes_"):
            return tables.cover(columns)
        of_table = naming(self, without_classifier(transformer))
        return tables.cover(columns, of_table["names"], of_table["units"](self.prototypes_))

    def _validated(self, X: npt.ArrayLike) -> np.ndarray:
        check_is_fitted(self)
        checked, _, _ = encoded(self, X, reset=False)
        check_precomputed(checked, self.metric)
        return checked

    def _near(self, X: np.ndarray) -> np.ndarray:
        """Dissimilarities of validated samples from the prototypes, shape (m, P)."""
        if self.metric == "precomputed":
            return X[:, self.prototype_index_]
        return distances(X, self.prototypes_, self.metric, self._columns)
