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
            As in `explain`.

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

    def corrections(
        self,
        X: npt.ArrayLike,
        top: int | None = 3,
        transformer: Any = None,
        *,
        base_probabilities: npt.ArrayLike | None = None,
    ) -> "pd.DataFrame":
        """How far the prototypes move the probabilities of samples from those of the base, the furthest first.

        Parameters
        ----------
        X : array-like, shape (N, D) or (D,)
            As `transformer` takes them, if there is one.
        top : int >= 1 or None, default=3
            Prototypes to name for each sample; None: all with a contribution.
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
            - "base", "class": what the base, or the class proportions, and the model predict.
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
        """Where the base is wrong, by example: the prototypes by what they bring.

        Parameters
        ----------
        transformer : fitted transformer or Pipeline, optional
            As in `explain`.

        Returns
        -------
        pandas.DataFrame
            A row for each prototype, the largest gain first:

            - "batch", "row", "class", "weight": as in `export`.
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
            Of the proposal, so that it resembles real samples; see `familiarity_quantile`.

        Returns
        -------
        pandas.DataFrame
            A row for each sample:

            - "sample", "found": its label or number, and whether there is any; else what is said of the proposal is
              missing, "changed" empty, and "n_changed" 0.
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
            If an argument is not as described or the model has a base; having no solution is not an error.
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
