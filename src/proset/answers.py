"""What a fitted `ProsetClassifier` answers beside predictions: why, what if, which rows it rests on."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from proset import attributions, corrections, counterfactuals, drift, editing, influence, tables
from proset.fitted_model import FittedModel

if TYPE_CHECKING:
    import pandas as pd


class Answers(FittedModel):
    """Methods of `proset.ProsetClassifier`; what they compute is in modules of their own."""

    def explain(
        self,
        X: npt.ArrayLike,
        top: int | None = None,
        transformer: Any = None,
        *,
        base_probabilities: npt.ArrayLike | None = None,
    ) -> "pd.DataFrame":
        """The prior and the prototypes behind the predictions for single samples.

        Parameters
        ----------
        X : array-like, shape (N, D) or (D,)
            As `transformer` takes them, if there is one.
        top : int >= 1, optional
            Prototypes to list per sample, those with the largest contributions; the others are summed up by class.
        transformer : fitted transformer or Pipeline, optional
            What the features go through before they reach the classifier; a Pipeline may end with the classifier. The
            values are then in the units of the table (see `proset.units.in_original_units`).
        base_probabilities : array-like, shape (N, K), optional
            As of `staged_predict_proba`.

        Returns
        -------
        pandas.DataFrame
            For each sample a row for itself, one per class for the prior, or for the base model, one per prototype, the
            largest contribution first, and with `top` one per class for all others.

            - "sample": its label in the index of `X`, or its number.
            - "term": "sample", "prior" or "base", "prototype" or "others".
            - "batch", "row": of a prototype, from 1, and its row in the training data; else 0 and -1.
            - "class": of the term; of the sample the predicted one.
            - "weight", "similarity", "contribution": of a prototype, the last one the product of the others; the
              contribution of the prior is its probability.
            - "share": of all contributions; those of a class add up to its predicted probability.
            - "familiarity", "familiarity quantile": of the sample.
            - "value of <feature>", "similarity in <feature>": for each active feature the value of the sample or
              the prototype, and a factor of the similarity.

        Raises
        ------
        ValueError
            If `X` does not have the features that were fitted or is infinite, or `top` is below 1.
        ImportError
            Without pandas.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> classifier = ProsetClassifier(lambda_v=0.01, max_prototypes=10)
        >>> pipeline = make_pipeline(StandardScaler(), classifier).fit(X, y)
        >>> found = pipeline[-1].explain(X.tail(1), top=2, transformer=pipeline)
        >>> found["term"].tolist()
        ['sample', 'prior', 'prior', 'prior', 'prototype', 'prototype', 'others', 'others', 'others']
        >>> float(found["value of petal width (cm)"][0]), round(float(found["share"].sum()), 6)
        (1.8, 1.0)
        """
        return tables.explanation(self, X, top, transformer, base_probabilities)

    def attributions(
        self, X: npt.ArrayLike, background: npt.ArrayLike | None = None, transformer: Any = None
    ) -> attributions.Attributions:
        """What each feature adds to the class probabilities of single samples: interventional Shapley values.

        Exact with up to 15 active features, if prototypes are not too many as well; beyond, estimates with standard
        errors. See `proset.attributions`.

        Parameters
        ----------
        X : array-like, shape (N, D) or (D,)
            As `transformer` takes them, if there is one.
        background : array-like, shape (M, D), optional
            What samples are compared with, as `X`. By default 100 training samples, the same ones each time, or all if
            there are fewer. Time and memory are proportional to M.
        transformer : fitted transformer or Pipeline, optional
            As of `explain`.

        Returns
        -------
        proset.attributions.Attributions
            "values", shape (N, D, K), which with "base_values", (N, K), add up to the probabilities, and what else
            `shap.Explanation` takes; `to_shap()` is one.

        Raises
        ------
        ValueError
            If `X` or `background` does not have the features that were fitted or is infinite, the model has a base, or
            it is from a file, which has no training samples, and there is no `background`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_wine
        >>> from proset import ProsetClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> model = ProsetClassifier().fit(X, y)
        >>> found = model.attributions(X[:2], background=X[::2])
        >>> total = found.base_values + found.values.sum(axis=1)
        >>> bool(np.abs(total - model.predict_proba(X[:2])).max() < 1e-12)
        True
        """
        return attributions.attributions(self, X, background, transformer)

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
        return tables.export(self, transformer)

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
            Their groups, as of `proset.group_rates`.

        Raises
        ------
        ValueError
            If there are `y` or `groups` without `X`, or they do not fit it.
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
        from proset.report import write_report

        write_report(self, path, transformer, title, (X, y, groups))

    def corrections(
        self,
        X: npt.ArrayLike,
        top: int = 3,
        transformer: Any = None,
        *,
        base_probabilities: npt.ArrayLike | None = None,
    ) -> "pd.DataFrame":
        """How far the prototypes move the probabilities of samples from those of the base, the furthest first.

        Parameters
        ----------
        X : array-like, shape (N, D) or (D,)
            As `transformer` takes them, if there is one.
        top : int >= 1, default=3
            Prototypes to name for each sample.
        transformer : fitted transformer or Pipeline, optional
            As of `explain`.
        base_probabilities : array-like, shape (N, K), optional
            As of `staged_predict_proba`.

        Returns
        -------
        pandas.DataFrame
            A row for each sample:

            - "sample": its label in the index of `X`, or its number.
            - "moved": half the sum of the absolute differences of probabilities, in [0, 1).
            - "base", "class": the most probable classes of the base, or of the class proportions, and of the model.
            - "probability by base", "probability": of "class".
            - "familiarity": of the sample; at 1 prototypes count as much as the base.
            - "rows", "shares": of the prototypes with the largest contributions, rows of the training data and shares
              of the prediction.

        Raises
        ------
        ValueError
            If `X` does not have the features that were fitted or is infinite, or `top` is below 1.
        ImportError
            Without pandas.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_wine(return_X_y=True)
        >>> model = ProsetClassifier(base=LogisticRegression(max_iter=5000), lambda_v=0.01, lambda_w=1e-4).fit(X, y)
        >>> found = model.corrections(X)
        >>> len(found), bool(found["moved"].is_monotonic_decreasing)
        (178, True)
        """
        return corrections.corrections(self, X, top, transformer, base_probabilities)

    def counterfactuals(
        self,
        X: npt.ArrayLike,
        target: Any = None,
        *,
        probability: float | None = None,
        fixed: Sequence[Any] = (),
        ranges: Mapping[Any, Any] | None = None,
        directions: Mapping[Any, str] | None = None,
        only_training_rows: bool = False,
        min_familiarity_quantile: float = 0.0,
    ) -> "pd.DataFrame":
        """For each sample the nearest one that the model predicts otherwise: what would have had to be different.

        Nearest is what differs in the fewest features, and among these what has the smallest sum of differences,
        divided by the standard deviation of each feature; another category counts 1. With up to 8 active features that
        may change this is proved. See `proset.counterfactuals`.

        Parameters
        ----------
        X : array-like, shape (N, D) or (D,)
        target : label of a class, optional
            The class that is wanted; by default any but the predicted one.
        probability : float in (0, 1), optional
            That `target`, or any class but the predicted one, has to have at least; by default it has to be predicted.
        fixed : sequence of str or int, optional
            Features, by name or number, that have to stay. Missing values stay as well.
        ranges : dict, optional
            From features to (smallest, largest) for numbers, which may be infinite, to lists of allowed values for
            categories. Numbers stay in the range of the training data by default.
        directions : dict, optional
            From features to "up" or "down", if they may only rise or fall; for numbers and ordered categories.
        only_training_rows : bool, default=False
            Whether only values of the active features count that some row of the training data has together.
        min_familiarity_quantile : float in [0, 1), default=0
            Of the proposal, so that it is no sample that never was; see `familiarity_quantile`.

        Returns
        -------
        pandas.DataFrame
            A row for each sample:

            - "sample", "found": its label or number, and whether there is any; else what follows is missing.
            - "class", "class then": predicted for it, and for the proposal, which has the "probability" of the class
              that was wanted.
            - "changed", "n_changed", "cost": names and number of the features that differ, and the sum of differences.
            - "proved": whether there is provably nothing nearer, to a thousandth of the cost and of the width of a
              kernel, or nothing at all. What is predicted by a hair, less than a factor of 1.00001, does not count.
            - "familiarity", "familiarity quantile": of the proposal.
            - "value of <feature>", "new value of <feature>": for each active feature.

        Raises
        ------
        ValueError
            If an argument is not as described or the model has a base; that there is no solution is no error.
        ImportError
            Without pandas.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from proset import ProsetClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = ProsetClassifier().fit(X, y)
        >>> found = model.counterfactuals(X.iloc[[60]], target=2)
        >>> int(found["class"][0]), found["class then"][0], found["changed"][0], bool(found["proved"][0])
        (1, 2, 'petal length (cm)', True)
        """
        constraints = fixed, ranges or {}, directions or {}
        return counterfactuals.counterfactuals(
            self, X, target, probability, constraints, only_training_rows, min_familiarity_quantile
        )

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
            Rows of the training data to leave out, one at a time; by default all of positive weight.
        base_probabilities : array-like, shape (N, K), optional
            As of `staged_predict_proba`.

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
            If the training data are not there any more, the model was fitted with ``references="split"`` or edited, a
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

        Parameters
        ----------
        top : int >= 1, optional
            So many; by default all.

        Returns
        -------
        pandas.DataFrame
            "row" and its "class", the "probability" of that class, the most probable class "instead" and
            "its probability", all by a refit without the row, as of `influence`.

        Raises
        ------
        ValueError
            As of `influence`, or if `top` is below 1.
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
            only. A base model with randomness of its own draws again. This one, and what was saved or copied of it,
            still has the rows.

        Raises
        ------
        ValueError
            If the training data are not there any more, a row is none of them, the rest has one class only, or the
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
            As of `explain`.
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
            A new one. `proset.diff` says what changed; how good it is, samples say that it was not fitted to.

        Raises
        ------
        ValueError
            If a row is no prototype, a feature is not there, a weight is negative, nothing would be left, the training
            data are not there any more, or the model was fitted with ``references="split"``.

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

    def disagreements(self, transformer: Any = None) -> "pd.DataFrame":
        """Where the base is wrong, by example: the prototypes by what they bring.

        Parameters
        ----------
        transformer : fitted transformer or Pipeline, optional
            As of `explain`.

        Returns
        -------
        pandas.DataFrame
            A row for each prototype, the largest gain first:

            - "batch", "row", "class", "weight": as of `export`.
            - "gain": by how much the mean leave-one-out log-loss of the training samples would rise without it; from
              many prototypes near each other each has a small one.
            - "samples": training samples with a similarity of at least 0.5 to it, itself included.
            - "proportion": of these, with its class.
            - "by base", "by model": mean probability of its class among these, held out. Where "by base" is far from
              "proportion", the base is wrong.
            - "value of <feature>": of the prototype, for each active feature.

        Raises
        ------
        AttributeError
            If the model was fitted without a base, or is of another size than the one that was fitted.
        ImportError
            Without pandas.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> X = np.random.default_rng(0).uniform(-1, 1, (600, 2))
        >>> y = (X[:, 0] > 0) ^ ((X > 0.5).all(axis=1))  # a corner where the rule is turned round
        >>> found = ProsetClassifier(base=LogisticRegression()).fit(X, y).disagreements()
        >>> corner = found[found["row"].isin(np.flatnonzero((X > 0.5).all(axis=1)))].iloc[0]
        >>> bool(corner["class"]), bool(corner["by base"] < 0.5 < corner["proportion"])
        (False, True)
        """
        check_is_fitted(self, "scale_")
        if not hasattr(self, "_regions"):
            raise AttributeError("disagreements are of a model with a base, of the size that was fitted")
        return corrections.disagreements(self, transformer)
