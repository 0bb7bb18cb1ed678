"""The scikit-learn estimator: its parameters and what they mean; how it is fitted is in `proset.fitting`."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metadata_routing import UNUSED

from proset import fitting
from proset.answers import Answers
from proset.defaults import ALPHA, MAX_FRACTION, PUBLISHED, SIZE_RULE
from proset.familiarity import training_familiarity
from proset.parameters import CONSTRAINTS
from proset.solver import MAX_ITER, TOL
from proset.validation import as_before_if_it_fails


class ProsetClassifier(Answers, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Classifier from few weighted prototypes with Gaussian kernels and sparse feature weights.

    Without arguments it scales the features and chooses its penalties from the data. `published` is the classifier of
    the published study, with other defaults.

    Parameters
    ----------
    n_batches : int >= 0, default=1
        Number of batches of prototypes (B); with 0 it predicts the class prior, or what `base` predicts.
    n_candidates : int >= 1, "all" or None, default=None
        Number of candidates for prototypes drawn per batch (M). None means 5000, or all samples if there are fewer;
        with `references="split"` 1000, or as many as `max_fraction` allows. "all" is for `references="leave_one_out"`;
        its time grows with the square of the number of samples.
    max_fraction : float in (0, 1), default=0.5
        Largest proportion of a bin of samples that may become candidates (eta); for `references="split"`.
    lambda_v, lambda_w : float in [0, 1e6] or "auto", default="auto"
        Penalties on feature weights and on prototype weights. "auto" chooses them by cross-validation along a path of
        penalties, for one batch; see `proset.penalty_path`. The choice is deterministic. With ``references="split"``
        "auto" means 1e-3 and 1e-8, as published.
    alpha_v, alpha_w : float in [0, 1], default=0.95
        Proportion of l2 (squared) in these penalties; the rest is l1. Opposite to scikit-learn's `l1_ratio`.
    max_iter : int >= 1, default=2000
        Largest number of solver iterations per batch.
    tol : float > 0, default=1e-5
        Tolerance of the solver on the projected gradient; see `proset.solver`.
    random_state : int, RandomState or None, default=None
        Seed for drawing candidates.
    n_jobs : int or None, default=None
        Number of threads of `fit` and of predictions: None means 1, -1 one per processor, -2 one less, and so on. A fit
        uses at most one per 512 samples. The result does not depend on it.
    references : {"leave_one_out", "split"}, default="leave_one_out"
        Samples that the likelihood of a batch counts. "leave_one_out": all of them, each predicted without itself as a
        prototype; see `proset.leave_one_out`. "split": those that were not drawn as candidates, as published; faster,
        with fewer prototypes and mostly larger losses.
    class_weight : dict or "balanced", optional
        Factors of the sample weights by class label, 1 for labels that are not in it. "balanced" gives all classes the
        same total weight, so that the class prior is uniform. Unlike a whole-number `sample_weight`, a factor of 2 does
        not stand for two copies of a sample.
    warm_start : bool, default=False
        Whether `fit` with a larger `n_batches` adds batches to those of the last call, on the same data. If nothing
        else changes, the model is that of a fit of all batches; changed parameters apply to new batches.
    verbose : int, default=0
        From 1 on, `fit` prints a line per batch.
    scale : bool, default=True
        Whether each feature is divided by its standard deviation before its weight is penalised. The fitted model is in
        the units of `X` in either case. Without it, features should be on a scale of about 1.
    max_prototypes : {"one_standard_error", "best"}, int >= 0 or None, default="one_standard_error"
        Largest number of prototypes over all batches: after the fit, prototypes are removed and all weights fitted
        again, see `proset.elimination`. With a name, cross-validation chooses the number: "best" has the smallest
        log-loss on held-out samples, "one_standard_error" is the smallest number whose log-loss is at most one standard
        error (of what prototypes gain) above that. None keeps every prototype with a positive weight, as
        ``references="split"`` always does.
    max_features : int >= 1 or None, default=None
        Largest number of features with a positive weight in any batch; the others are removed before the prototypes, in
        the same way.
    base : estimator, "prefit" or None, default=None
        Classifier with `predict_proba` that prototypes correct, see `proset.base_model`. It is cross-fitted to the
        training samples while prototypes are fitted, then fitted to all of them. One in a
        `sklearn.frozen.FrozenEstimator` stays as it is, and `fit` needs `base_probabilities`; with "prefit" there is
        no estimator, and predictions need them, too. None means the class proportions. Not with
        ``references="split"``.
    categorical_features : "from_dtype", array-like of str, int or bool, or None, default="from_dtype"
        Columns of `X` that are categories, see `proset.columns`. "from_dtype": those of text, booleans and categorical
        types, of which ordered ones are ranks. A list has further ones by name, number or as a mask, and must include
        all columns of text. None is an empty list.
    cost_matrix : array-like, shape (K, K), or None, default=None
        Entry (i, k) is the cost of predicting class k if class i is true, in the order of `classes_`, or of a frame
        whose index and columns are the classes. `predict` takes the class with the smallest expected cost;
        probabilities do not change. None means that all errors cost the same.

    Attributes
    ----------
    lambda_v_, lambda_w_ : float
        Penalties of the fit; infinite if no model predicts held-out samples better than the class proportions or
        `base`. Then the batches are empty.
    penalty_search_ : dict of arrays
        Penalties tried by "auto", in order: "lambda_v", "lambda_w", "mean_loss" (log-loss on held-out samples) and
        "standard_error" (of its difference from the smallest one); also "prior_loss", that of the class proportions or
        `base`. Only if there was a choice.
    prototype_path_ : dict of arrays
        One entry per model of the elimination path, by increasing "n_prototypes": "n_features", "objective" (all
        penalties included), "leave_one_out_loss" (the log-loss in it) and, where the size was chosen, "mean_loss" (on
        held-out samples, with at most that many). The last model has all prototypes. Only if `max_prototypes` or
        `max_features` ask for it and the penalties leave prototypes.
    base_ : estimator, "prefit" or None
        Base model, fitted to all samples; not in models from files.
    scale_ : ndarray, shape (D,)
        Divisor of each numeric feature, rounded to 16 bits; 1 for others, constant ones and with ``scale=False``.
    feature_range_ : ndarray, shape (2, D)
        Smallest and largest value of each feature in the training data; of categories, of their numbers.
    categories_ : list, length D
        Levels of each column of categories: all of an ordered type, else those in the training data, sorted, with None
        for a missing one. None for numbers.
    feature_weights_ : ndarray, shape (B, D)
        Feature weights of the batches for features divided by `scale_`, so that they can be compared; 0 in empty ones.
    classes_ : ndarray, shape (K,)
        Class labels.
    class_prior_ : ndarray, shape (K,)
        Proportions of the classes in the training data, by weight.
    n_features_in_ : int
        Number of columns of `X` (D).
    feature_names_in_ : ndarray of str, shape (D,)
        Only if `X` had string column names.
    batches_ : tuple of `proset.model.Batch`
        Prototypes and their weights.
    active_features_ : ndarray of int
        Features with positive weight in at least one non-empty batch.
    n_prototypes_ : int
        Number of prototypes over all batches.
    n_iter_ : int
        Largest number of solver iterations of a batch, of the last refit if prototypes were removed (0 without
        batches).
    n_samples_fit_ : int
        Number of training samples with positive weight.
    training_familiarity_ : ndarray, shape (n_batches + 1, m)
        Reference distribution of `familiarity_quantile`, by number of batches; see `proset.familiarity`.

    Notes
    -----
    `proset.objective` states the objective that a fit minimises.

    References
    ----------
    N. Ruf, proset technical report (2021), chapter on the classifier.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetClassifier().fit(X, y)
    >>> model.active_features_.tolist()  # length and width of petals
    [2, 3]
    >>> 3 <= model.n_prototypes_ < 100
    True
    >>> model.predict(X[[0, 75, 149]]).tolist()
    [0, 1, 2]
    """

    _parameter_constraints: ClassVar = CONSTRAINTS
    __metadata_request__fit: ClassVar = {"groups": False}  # groups of a splitter around it stay there
    # `n_batches` of a prediction is for calls of this classifier, not for meta-estimators around it.
    __metadata_request__predict: ClassVar = {"n_batches": UNUSED}
    __metadata_request__predict_proba: ClassVar = {"n_batches": UNUSED}

    def __init__(
        self,
        n_batches: int = 1,
        n_candidates: int | str | None = None,
        max_fraction: float = MAX_FRACTION,
        lambda_v: float | str = "auto",
        lambda_w: float | str = "auto",
        alpha_v: float = ALPHA,
        alpha_w: float = ALPHA,
        max_iter: int = MAX_ITER,
        tol: float = TOL,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        references: str = "leave_one_out",
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        scale: bool = True,
        max_prototypes: int | str | None = SIZE_RULE,
        max_features: int | None = None,
        base: Any = None,
        categorical_features: Any = "from_dtype",
        cost_matrix: npt.ArrayLike | None = None,
    ):
        self.n_batches = n_batches
        self.n_candidates = n_candidates
        self.max_fraction = max_fraction
        self.lambda_v = lambda_v
        self.lambda_w = lambda_w
        self.alpha_v = alpha_v
        self.alpha_w = alpha_w
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.references = references
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.scale = scale
        self.max_prototypes = max_prototypes
        self.max_features = max_features
        self.base = base
        self.categorical_features = categorical_features
        self.cost_matrix = cost_matrix

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_training"}  # see `proset.training`

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @classmethod
    def published(cls, **parameters: Any) -> "ProsetClassifier":
        """The classifier with the defaults of the published study.

        Those are ``references="split"``, ``lambda_v=1e-3``, ``lambda_w=1e-8`` and ``scale=False``. They were chosen on
        data with little noise; with noisy classes such a model is over-confident.

        Parameters
        ----------
        **parameters
            Any parameter of the class.

        Returns
        -------
        ProsetClassifier
            Not fitted.

        Examples
        --------
        >>> ProsetClassifier.published(n_batches=2)
        ProsetClassifier(lambda_v=0.001, lambda_w=1e-08, n_batches=2,
                         references='split', scale=False)
        """
        return cls(**{**PUBLISHED, **parameters})

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        base_probabilities: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> "ProsetClassifier":
        """Fit all batches.

        Parameters
        ----------
        X : array-like, or frame of pandas, polars or Arrow, shape (N, D)
            Numbers, text, booleans and categories; values may be missing. Numbers are between -1e100 and 1e100.
        y : array-like, shape (N,)
            Class labels; at least two classes have samples of positive weight.
        sample_weight : array-like, shape (N,), optional
            Non-negative weights. They replace counts in the prior and the likelihood. Samples of weight 0 are left out;
            otherwise candidates are drawn without regard to weights. With leave-one-out references, whole numbers up to
            1e9 count copies (after division by their greatest common divisor): copies of a row know each other's class,
            and without `base` a weight of 2 is the same row twice. For importance weights, use numbers that are not all
            whole. `base` gets the weights, too.
        base_probabilities : array-like, shape (N, K), optional
            Class probabilities by models like `base` that did not see the samples, in the order of the sorted classes.
            Needed if `base` is frozen or "prefit", not allowed without `base`. By default `base` is cross-fitted.
        groups : array-like, shape (N,), optional
            Samples of a group stay in one fold when `base` is cross-fitted; otherwise groups are not used.

        Returns
        -------
        self

        Warns
        -----
        ConvergenceWarning
            If a batch did not converge.
        UserWarning
            If nothing is learnt, `base` warns or is worse than the prior, or text looks like numbers or names of rows.

        Raises
        ------
        ValueError
            If an argument is out of range or not as described, `X` is infinite or, with ``scale=False``, far from a
            scale of 1, `y` has one class or missing labels, weights are negative, all zero or huge, a class is too
            small for ``references="split"``, or, with ``warm_start=True``, the data are not those of the last fit.
        TypeError
            If `X` is sparse.

        Examples
        --------
        >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
        >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
        >>> model.classes_.tolist(), model.class_prior_.tolist()
        (['left', 'right'], [0.5, 0.5])
        """
        with as_before_if_it_fails(self):
            models, X = fitting.fit(self, X, y, sample_weight, base_probabilities, groups)
            self.n_samples_fit_ = len(X)
            self._sized_familiarity = [training_familiarity(of_size, X, self._n_threads()) for of_size in models]
            place = next(i for i, of_size in enumerate(self._sized) if of_size is self._model)
            self.training_familiarity_ = self._sized_familiarity[place]
            fitting.warn(self, X)
        return self

    def size_table(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        n_features: int | Sequence[int] | None = None,
        *,
        base_probabilities: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> dict[str, np.ndarray]:
        """Cross-validated log-loss by numbers of features and prototypes; this object stays as it is.

        Parameters
        ----------
        X, y, sample_weight, base_probabilities, groups
            As in `fit`. The parameters `max_features` and `max_prototypes` are not used.
        n_features : int or sequence of int, optional
            Numbers of features, at least 1. By default up to 10, from 1 to all that the fits on the folds have.

        Returns
        -------
        dict of arrays
            "n_features", shape (F,), increasing; "n_prototypes", shape (S,), from 0 to the largest number in the fits
            on the folds; "mean_loss" and the "standard_error" of what prototypes gain, both of shape (F, S), of models
            with at most these numbers of features and prototypes. If no penalties help, "n_prototypes" is 0 alone.

        Raises
        ------
        ValueError
            As in `fit`, or with ``references="split"``, no batch, too few samples or an `n_features` below 1.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> table = ProsetClassifier().size_table(*load_iris(return_X_y=True), n_features=[1, 2])
        >>> table["mean_loss"].shape == (2, len(table["n_prototypes"]))
        True
        """
        other = clone(self).set_params(max_prototypes="best")  # any name, for the folds
        return fitting.size_table(other, X, y, sample_weight, n_features, base_probabilities, groups)
