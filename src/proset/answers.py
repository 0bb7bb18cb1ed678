"""What a fitted `ProsetClassifier` says of itself, of the rows it rests on, and of new samples; edits by hand."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from proset import drift, editing, influence, tables
from proset.explanations import Explanations
from proset.units import naming, without_classifier

if TYPE_CHECKING:
    import pandas as pd


class Answers(Explanations):
    """Methods of `proset.ProsetClassifier`; what they compute is in modules of their own."""

    def export(self, transformer: Any = None) -> "pd.DataFrame":
        """The whole model as a table: the class prior and all prototypes.

        `export().to_excel("model.xlsx")` writes it to a file, with openpyxl.

        Parameters
        ----------
        transformer : fitted transformer or Pipeline, optional
            As for `explain`.

        Returns
        -------
        pandas.DataFrame
            "batch", "row", "class" and "weight" as in `explain`, and for each active feature "value of <feature>" and
            "feature weight of <feature>", which is that of the batch, on the scale that the classifier sees.

        Raises
        ------
        ImportError
            Without pandas.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
        >>> model.export().columns.tolist()
        ['batch', 'row', 'class', 'weight', 'value of x0', 'feature weight of x0']
        >>> len(model.export()) == 2 + model.n_prototypes_
        True
        """
        check_is_fitted(self, "scale_")
        with_prior = self._fitted_base() is None  # else predictions do not start from it
        return tables.export(self._model, **naming(self, without_classifier(transformer)), with_prior=with_prior)

    def report(
        self,
        path: str | os.PathLike[str],
        transformer: Any = None,
        title: str = "Prototype classifier",
        *,
        X: npt.ArrayLike | None = None,
        y: npt.ArrayLike | None = None,
        groups: Any = None,
    ) -> None:
        """Write one HTML page about the model: what it was fitted on, its features and prototypes, its limits.

        It has answers of the model about itself: what features do (`attributions`), what would have to be different
        about a prototype of each class (`counterfactuals`), and suspicious labels; with samples also how often it is
        wrong, by group (`proset.group_rates`), and whether they are like the training samples (`drift`). The page needs
        no other file and no network.

        Parameters
        ----------
        path : str or Path
        transformer : fitted transformer or Pipeline, optional
            As for `explain`.
        title : str
        X : array-like, shape (N, D), optional
            Samples as `transformer` takes them, better others than in `fit`.
        y : array-like, shape (N,), optional
            Their classes.
        groups : array-like, shape (N,), or str, int or callable, optional
            Their groups, as in `proset.group_rates`.

        Raises
        ------
        ValueError
            If there are `y` or `groups` without `X`, `groups` without `y`, or they do not fit it.
        ImportError
            Without pandas or jinja2.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> import tempfile
        >>> from pathlib import Path
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.report(f"{folder}/model.html", title="Left or right")
        ...     "<h1>Left or right</h1>" in Path(folder, "model.html").read_text(encoding="utf-8")
        True
        """
        check_is_fitted(self, "scale_")
        from proset.report import write_report
        from proset.report_contents import answers, contents

        tables.require("jinja2", "report")
        of_samples = answers(self, without_classifier(transformer), X, y, groups)
        write_report(path, title, contents(self, transformer) | of_samples)

    def influence(
        self,
        X: npt.ArrayLike | None = None,
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        rows: npt.ArrayLike | None = None,
        base_probabilities: npt.ArrayLike | None = None,
    ) -> "pd.DataFrame":
        """What the model would be without each row of its training data, by a true refit for each.

        Penalties, scale and the largest number of prototypes stay as they were chosen; all weights are fitted again to
        the tolerance of `fit`, from where they are. The objective is not convex: a fit from the start may end
        elsewhere, with another loss. See `proset.influence`.

        Parameters
        ----------
        X : array-like, shape (N, D), optional
            Samples on which predictions are compared, better others than in `fit`.
        y : array-like, shape (N,), optional
            Their classes, to compare losses.
        sample_weight : array-like, shape (N,), optional
        rows : array-like of int, optional
            Rows of the training data to leave out, one at a time; by default all of positive weight. Each is one more
            fit, of a second or so with 25,000 rows.
        base_probabilities : array-like, shape (N, K), optional
            As in `staged_predict_proba`.

        Returns
        -------
        pandas.DataFrame
            For each row:

            - "row", "class", "prototype": its number, its label, and whether it is a prototype.
            - "own probability": that the model without it gives its class.
            - "moved", with `X`: half the sum of the absolute differences of probabilities, mean over the samples.
            - "loss", with `y`: by how much the mean log-loss rises without it; negative if the row does harm.

        Raises
        ------
        ValueError
            If the training data are no longer available, the model was fitted with ``references="split"`` or edited, a
            row is none of them, or `X` or `y` are not what they were in `fit`.
        ImportError
            Without pandas.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ProsetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> y[10] = 2  # was 0
        >>> found = ProsetClassifier().fit(X[::2], y[::2]).influence(X[1::2], y[1::2])
        >>> int(found.sort_values("own probability")["row"].iloc[0])  # 10 is row 5 of those
        5
        """
        return influence.influence(self, X, y, sample_weight, rows, base_probabilities)

    def suspicious_labels(self, top: int | None = None) -> "pd.DataFrame":
        """Rows of the training data whose label is improbable by the model without them, the least probable first.

        Each row is one more fit: 2,000 rows take seconds, 25,000 hours.

        Parameters
        ----------
        top : int >= 1, optional
            How many rows; by default all.

        Returns
        -------
        pandas.DataFrame
            "row" and its "class", the "probability" of that class, the most probable class "instead" and
            "its probability", all by a refit without the row, as in `influence`.

        Raises
        ------
        ValueError
            As in `influence`, or if `top` is below 1.
        ImportError
            Without pandas.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ProsetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> y[10] = 2  # was 0
        >>> ProsetClassifier().fit(X, y).suspicious_labels(top=1)["row"].tolist()
        [10]
        """
        return influence.suspicious_labels(self, top)

    def forget(self, rows: npt.ArrayLike) -> Any:
        """The model that was never shown some rows: a new fit to the others, with the same bits.

        Parameters
        ----------
        rows : array-like of int
            Rows of the training data, from 0.

        Returns
        -------
        ProsetClassifier
            A new one, with the parameters that `fit` had and the state that `random_state` had; it keeps the other rows
            only. A base model with randomness of its own draws again; a frozen one and `base_probabilities` stay as
            they are, whatever rows they have seen. This one, and what was saved or copied of it, still has the rows.

        Raises
        ------
        ValueError
            If the training data are no longer available, a row is none of them, the rest has one class only, or the
            model was edited.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_iris
        >>> from proset import ProsetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> less = ProsetClassifier().fit(X, y).forget([0, 77])
        >>> never = ProsetClassifier().fit(np.delete(X, [0, 77], axis=0), np.delete(y, [0, 77]))
        >>> bool((less.predict_proba(X) == never.predict_proba(X)).all())
        True
        """
        return influence.forget(self, rows)

    def drift(
        self,
        X: npt.ArrayLike,
        level: float = 0.05,
        *,
        reference: npt.ArrayLike | None = None,
        transformer: Any = None,
        confidence_level: float = 0.95,
    ) -> "pd.DataFrame":
        """Whether new samples are still like the training samples: how many are unfamiliar, by prototype and feature.

        Parameters
        ----------
        X : array-like, shape (N, D)
            New samples, as `transformer` takes them, if there is one.
        level : float in (0, 1), default=0.05
            Of the quantile of the training samples' familiarity below which a sample is unfamiliar.
        reference : array-like, shape (M, D), optional
            Samples that are as usual, better others than in `fit`. By default 1,000 training samples, the same ones
            each time, or all if there are fewer, which are somewhat more familiar than fresh ones.
        transformer : fitted transformer or Pipeline, optional
            As in `explain`.
        confidence_level : float in (0, 1), default=0.95
            Of the intervals, each for itself, and of "differs", for all rows together.

        Returns
        -------
        pandas.DataFrame
            A row for all samples, one for each prototype with the samples that are nearest to it (whose largest
            contribution is from it), and one for each active feature, where familiarity is that in this feature alone:

            - "of", "name", "class": "all", "prototype" or "feature", and which one.
            - "samples", "share", "usual share": how many of the new samples count, and as shares of all; usual is the
              share in the reference.
            - "below", "low", "high": the share of these that is unfamiliar, and its interval.
            - "usual below": that share in the reference, about `level` for all samples and for features.
            - "p": how likely a difference as large is by chance, of Fisher's exact test; of prototypes the smaller one,
              doubled, of what is unfamiliar and of its share of the samples.
            - "differs": whether that is so small that, by Bonferroni's rule, not all rows can be as usual.

        Raises
        ------
        ValueError
            If `X` or `reference` does not have the features that were fitted, `level` or `confidence_level` is not
            between 0 and 1, or the model is from a file, which has no training samples, and there is no `reference`.
        ImportError
            Without pandas.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ProsetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ProsetClassifier().fit(X, y)
        >>> found = model.drift(X + [0, 0, 3, 0])  # petals are measured otherwise
        >>> found.loc[found["differs"] & (found["of"] == "feature"), "name"].tolist()
        ['x2']
        """
        return drift.drift(self, X, level, reference, transformer, confidence_level)

    def edited(self, drop: npt.ArrayLike = (), pin: Mapping[Any, float] | None = None) -> Any:
        """The model after a change by hand: prototypes dropped, feature weights pinned, the rest fitted again.

        Parameters
        ----------
        drop : array-like of int, optional
            Rows of prototypes, as `export` lists them. They do not come back, and no other row becomes a prototype.
        pin : dict, optional
            From names or numbers of features to their weight in all batches, on the scale of `feature_weights_`; 0
            leaves a feature out. Weights that an earlier edit pinned are free unless they are named again.

        Returns
        -------
        ProsetClassifier
            A new one. `proset.diff` says what changed; score it on samples that it was not fitted to.

        Raises
        ------
        ValueError
            If a row is no prototype, a feature is not there, a weight is negative, nothing would be left, the training
            data are no longer available, or the model was fitted with ``references="split"``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ProsetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ProsetClassifier().fit(X, y)
        >>> model.edited(pin={3: 0.0}).active_features_.tolist()  # without the width of petals
        [2]
        """
        return editing.edited(self, drop, pin)
