"""Why a fitted `ProsetClassifier` predicts what it does, and what would have to be different."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from proset import attributions, corrections, counterfactuals, tables
from proset.fitted_model import FittedModel
from proset.units import given_samples, naming

if TYPE_CHECKING:
    import pandas as pd


class Explanations(FittedModel):
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
            As in `staged_predict_proba`.

        Returns
        -------
        pandas.DataFrame
            For each sample a row for itself, one per class for the prior, or for the base model, one per prototype, the
            largest contribution first, and with `top` one for each class that has further prototypes.

            - "sample": its label in the index of `X`, or its number.
            - "term": "sample", "prior" or "base", "prototype" or "others".
            - "batch", "row": batch of a prototype, from 1, and its row in the training data; else 0 and -1.
            - "class": class of the term; for the sample, the predicted one.
            - "weight", "similarity", "contribution": the contribution of a prototype is its weight times its
              similarity, up to rounding; that of the prior or base is a probability, that of others a sum.
            - "share": proportion of all contributions; those of a class add up to its predicted probability.
            - "familiarity", "familiarity quantile": of the sample; the quantile is missing for models of old files.
            - "value of <feature>", "similarity in <feature>": for each active feature the value of the sample or
              the prototype, and a factor of the similarity.

        Raises
        ------
        ValueError
            If `X` does not have the features that were fitted or is infinite, `top` is below 1, or
            `base_probabilities` are not as described.
        TypeError
            If `transformer` is not a transformer, or `X` is sparse.
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
        check_is_fitted(self, "scale_")
        transformer, labels, given = given_samples(X, top, transformer)
        return tables.terms(
            self._model,
            self._validated(given),
            labels,
            **naming(self, transformer),
            training_familiarity=getattr(self, "training_familiarity_", None),
            top=top,
            base=self._base_of(given, base_probabilities),
            decide=self._decided,
        )

    def attributions(
        self, X: npt.ArrayLike, background: npt.ArrayLike | None = None, transformer: Any = None
    ) -> attributions.Attributions:
        """What each feature adds to the class probabilities of single samples: interventional Shapley values.

        Values are exact with up to 15 active features, unless there are too many prototypes and background rows;
        otherwise they are estimates with standard errors. See `proset.attributions`.

        Parameters
        ----------
        X : array-like, shape (N, D) or (D,)
            As `transformer` takes them, if there is one.
        background : array-like, shape (M, D), optional
            What samples are compared with, in the form of `X`; all of its rows count the same. By default 100 training
            samples with their weights, the same ones each time, or all if there are fewer. Time and memory are
            proportional to M.
        transformer : fitted transformer or Pipeline, optional
            As in `explain`.

        Returns
        -------
        proset.attributions.Attributions
            With "values", shape (N, D, K), which together with "base_values", (N, K), add up to the probabilities.
            Its `to_shap` returns a `shap.Explanation`.

        Raises
        ------
        ValueError
            If `X` or `background` does not have the features that were fitted or is infinite, the model has a base, or
            there is no `background` and the training data are no longer available (see `drift`).

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

    def corrections(
        self,
        X: npt.ArrayLike,
        top: int | None = 3,
        transformer: Any = None,
        *,
        base_probabilities: npt.ArrayLike | None = None,
    ) -> "pd.DataFrame":
        """How far the prototypes move the probabilities of samples from those of the base, the furthest first.

        Without a base, the class proportions take its place.

        Parameters
        ----------
        X : array-like, shape (N, D) or (D,)
            As `transformer` takes them, if there is one.
        top : int >= 1 or None, default=3
            Prototypes to list for each sample, at most; None lists all. Those without a contribution are left out.
        transformer : fitted transformer or Pipeline, optional
            As in `explain`.
        base_probabilities : array-like, shape (N, K), optional
            As in `staged_predict_proba`.

        Returns
        -------
        pandas.DataFrame
            A row for each sample:

            - "sample": its label in the index of `X`, or its number.
            - "moved": half the sum of the absolute differences of probabilities, in [0, 1).
            - "base", "class": what the base and the model predict.
            - "probability by base", "probability": of "class".
            - "familiarity": of the sample; at 1 prototypes count as much as the base.
            - "rows", "shares": lists of the prototypes with the largest contributions: their rows in the training data
              and their shares of the prediction, rounded to four digits.

        Raises
        ------
        ValueError
            If `X` does not have the features that were fitted or is infinite, `top` is below 1, or
            `base_probabilities` are missing with ``base="prefit"`` or given without a base.
        ImportError
            Without pandas.

        Examples
        --------
        >>> from proset import ProsetClassifier
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> X = np.random.default_rng(0).uniform(-1, 1, (600, 2))
        >>> y = (X[:, 0] > 0) ^ ((X > 0.5).all(axis=1))  # a corner where the rule is turned round
        >>> model = ProsetClassifier(base=LogisticRegression(), lambda_v=0.001, lambda_w=1e-6).fit(X, y)
        >>> most = model.corrections(X).head(10)
        >>> bool((X[most["sample"]] > 0.5).all()), bool((most["base"] != most["class"]).all())
        (True, True)
        """
        return corrections.corrections(self, X, top, transformer, base_probabilities)

    def disagreements(self, transformer: Any = None) -> "pd.DataFrame":
        """Where the base is wrong, by example: the prototypes by how much they lower the loss.

        Parameters
        ----------
        transformer : fitted transformer or Pipeline, optional
            As in `explain`.

        Returns
        -------
        pandas.DataFrame
            A row for each prototype, the largest gain first:

            - "batch", "row", "class", "weight": as in `export`.
            - "gain": by how much the mean leave-one-out log-loss of the training samples would rise without it. Each of
              many prototypes near each other has a small gain.
            - "samples": number of training samples with a similarity of at least 0.5 to it, itself included.
            - "proportion": proportion of these samples that have its class.
            - "by base", "by model": mean held-out probability of its class for these samples. Where "by base" is far
              from "proportion", the base is wrong.
            - "value of <feature>": of the prototype, for each active feature.

        Raises
        ------
        AttributeError
            If the model was fitted without a base, was edited, or has another size than the one that was fitted.
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
        """Find for each sample the nearest one that the model predicts otherwise: what would have had to be different.

        The nearest sample differs in the fewest features; among several, it has the smallest sum of differences, each
        divided by the standard deviation of the feature. Another category counts 1. With up to 8 active features that
        may change, the search mostly proves that nothing is nearer; with more, it does so where one change is enough.
        See `proset.counterfactuals`.

        Parameters
        ----------
        X : array-like, shape (N, D) or (D,)
        target : label of a class, optional
            The class that is wanted; by default any but the predicted one. A sample that already meets all conditions
            is its own proposal, at cost 0.
        probability : float in (0, 1), optional
            Smallest probability of `target`, or else of some class but the predicted one. By default the class has to
            be predicted.
        fixed : sequence of str or int, optional
            Features, by name or number, that must not change. Missing values do not change either.
        ranges : dict, optional
            From features to (smallest, largest) for numbers, which may be infinite, and to lists of allowed values for
            categories. By default, numbers change within the range of the training data.
        directions : dict, optional
            From features to "up" or "down", if they may only rise or fall; for numbers and ordered categories.
        only_training_rows : bool, default=False
            Whether some row of the training data must have the proposed values of all active features.
        min_familiarity_quantile : float in [0, 1), default=0
            Smallest `familiarity_quantile` of the proposal, so that it resembles real samples.

        Returns
        -------
        pandas.DataFrame
            A row for each sample:

            - "sample", "found": its label in the index of `X` or its number, and whether there is a proposal. Without
              one, the columns about it are missing values, "changed" is empty, and "n_changed" is 0.
            - "class", "class then", "probability": the predicted classes of the sample and of the proposal, and the
              probability of the wanted class for the proposal.
            - "changed", "n_changed", "cost": names and number of the features that differ, and the sum of differences.
            - "proved": whether provably nothing is nearer, up to a thousandth of the cost and of the width of a kernel,
              or, without a proposal, that there is none. Predictions that lead by a factor of less than 1.00001 do not
              count.
            - "familiarity", "familiarity quantile": of the proposal.
            - "value of <feature>", "new value of <feature>": for each active feature.

        Raises
        ------
        ValueError
            If an argument is not as described, the model has a base, or `only_training_rows` is set and the training
            data are no longer available (see `drift`). Having no solution is not an error.
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
        check_is_fitted(self, "scale_")
        constraints = fixed, ranges or {}, directions or {}
        return counterfactuals.counterfactuals(
            self, X, target, probability, constraints, only_training_rows, min_familiarity_quantile
        )
