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
        """The whole model as a table: the class prior, unless the model has a base, and all prototypes.

        `export().to_excel("model.xlsx")` writes it to a file, with openpyxl. With a base model there is no class prior
        in the table, because predictions do not start from it.

        Parameters
        ----------
        transformer : fitted transformer or Pipeline, optional
            As for `explain`.

        Returns
        -------
        pandas.DataFrame
            "batch", "row", "class" and "weight" as in `explain`, and for each active feature "value of <feature>" and
            "feature weight of <feature>", which is that of the batch, on the scale that the classifier sees. A row of
            the prior has a probability as "weight".

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

        The page shows what features do (`attributions`), what would have to be different about the heaviest prototype
        of each class (`counterfactuals`), and suspicious labels. With `X` it also says whether these samples are like
        the training samples (`drift`), with `y` how often the model is wrong on them, by group (`proset.group_rates`).
        The page needs no other file and no network.

        It leaves out what it cannot compute: with a base, attributions, counterfactuals and suspicious labels; without
        the training data (see `drift`), suspicious labels, drift and, unless there is `X`, attributions. Suspicious
        labels are also missing with more than 1,000 training samples, after `edited` and with ``references="split"``.

        Parameters
        ----------
        path : str or Path
            An existing file is replaced.
        transformer : fitted transformer or Pipeline, optional
            As in `explain`.
        title : str, default="Prototype classifier"
        X : array-like, shape (N, D), optional
            Samples as `transformer` takes them, preferably not those of `fit`.
        y : array-like, shape (N,), optional
            Their classes. Not with ``base="prefit"``.
        groups : array-like, shape (N,), or str, int or callable, optional
            Their groups, as in `proset.group_rates`.

        Raises
        ------
        ValueError
            If `y` or `groups` is given without `X`, `groups` without `y`, or they do not fit it.
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
        the tolerance of `fit`, starting from their present values. The objective is not convex: a fit from scratch may
        end elsewhere, with another loss. See `proset.influence`.

        Parameters
        ----------
        X : array-like, shape (N, D), optional
            Samples on which predictions are compared, preferably not those of `fit`.
        y : array-like, shape (N,), optional
            Their classes, to compare losses.
        sample_weight : array-like, shape (N,), optional
            Non-negative weights of these samples in the means.
        rows : array-like of int, optional
            Rows of the training data to leave out, one at a time; by default all of positive weight. Each takes one
            fit, about a second with 25,000 rows.
        base_probabilities : array-like, shape (N, K), optional
            Of the samples in `X`, as in `staged_predict_proba`.

        Returns
        -------
        pandas.DataFrame
            For each row:

            - "row", "class", "prototype": its number, its label, and whether it is a prototype.
            - "own probability": the probability of its class by the model without it.
            - "moved", with `X`: half the sum of the absolute differences of probabilities, averaged over the samples.
            - "loss", with `y`: by how much the mean log-loss rises without it; negative if the row does harm, infinite
              if it is the only one of a class in `y`.

        Raises
        ------
        ValueError
            If the training data are no longer available (see `drift`), the model was fitted with
            ``references="split"`` or edited, a row is not in the training data or has weight 0, `X` does not have the
            features that were fitted, `y` has an unknown class, or `y` or a weight is given without `X`.
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
        """Rows of the training data by the probability of their label, the least probable first.

        The probability is that of the model without the row. There is one fit for each row, whatever `top` is: 2,000
        rows take seconds, 25,000 hours.

        Parameters
        ----------
        top : int >= 1, optional
            How many rows to list; by default all of positive weight.

        Returns
        -------
        pandas.DataFrame
            "row" and its "class", the "probability" of that class, the most probable other class, "instead", and
            "its probability", all by a refit without the row, as in `influence`.

        Raises
        ------
        ValueError
            As in `influence`, or if `top` is not a whole number of at least 1.
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
            A new one, with the parameters and the state of `random_state` that `fit` had, and with the other rows,
            counted from 0. It has the size that `fit` gives it, even if this model is from `with_prototypes`. A base
            model with randomness of its own draws again; a frozen one and `base_probabilities` stay as they are,
            whatever rows they have seen. This model, and files and copies of it, still have the rows.

        Raises
        ------
        ValueError
            If the training data are no longer available (see `drift`) or have been changed in place since `fit`, a row
            is not in them, no row is left, the rest has one class only, or the model was edited.

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
            A sample is unfamiliar if its familiarity is below this quantile of that of the training samples.
        reference : array-like, shape (M, D), optional
            Usual samples, as `transformer` takes them, preferably not those of `fit`. By default up to 1,000 training
            samples that are no prototypes, the same each time; they may be somewhat more familiar than fresh ones.
        transformer : fitted transformer or Pipeline, optional
            As in `explain`.
        confidence_level : float in (0, 1), default=0.95
            Of each interval on its own, and of "differs" for all rows together.

        Returns
        -------
        pandas.DataFrame
            A row for all samples, one for each prototype with the samples that are nearest to it (whose largest
            contribution is from it), and one for each active feature, where familiarity is that in this feature alone.
            A sample so far away that no prototype contributes is counted with none.

            - "of", "name", "class": "all", "prototype" or "feature", and which one.
            - "samples", "share", "usual share": how many of the new samples are counted, their share of all new
              samples, and the share of such samples in the reference.
            - "below", "low", "high": the share of these that is unfamiliar, and its interval; NaN, 0 and 1 without
              samples.
            - "usual below": that share in the reference. For features it is about `level`, because the reference sets
              their limits; for all samples it is about `level` if the reference is like the training data.
            - "p": p-value of Fisher's exact test that the two shares are the same. For prototypes, the smaller of the
              p-values of "below" and "share", doubled.
            - "differs": whether the difference is significant, by Bonferroni's rule over all rows.

        Raises
        ------
        ValueError
            If `X` or `reference` does not have the features that were fitted, `level` or `confidence_level` is not in
            (0, 1), or there is no `reference` and the model has no training data: files, pickles, copies and `shrink`
            do not keep them.
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
            Rows of prototypes, as `export` lists them; they are dropped from all batches. No other row becomes a
            prototype, and more prototypes may lose their weight in the refit.
        pin : dict, optional
            From names or numbers of features to their weight in all batches that have prototypes, on the scale of
            `feature_weights_`; 0 leaves a feature out. Weights that an earlier edit pinned are free unless you name
            them again.

        Returns
        -------
        ProsetClassifier
            A new one, of one size; `influence`, `forget` and `disagreements` refuse it. `proset.diff` says what
            changed. Score it on samples that it was not fitted to.

        Raises
        ------
        ValueError
            If a row is not a prototype, a feature is unknown, a weight is not a number of at least 0, no prototype or
            no feature would be left, the training data are no longer available (see `drift`), or the model was fitted
            with ``references="split"``.

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
