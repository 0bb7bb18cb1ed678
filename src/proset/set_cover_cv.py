"""The search for the radius of `SetCoverClassifier`."""

import sys
from collections.abc import Iterable, Iterator
from numbers import Integral
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.parallel import Parallel, delayed

from proset.cover import path_radii
from proset.search import Fold, SearchCV, of_model, seed
from proset.set_cover import SetCoverClassifier
from proset.validation import as_before_if_it_fails

FOLDS, REFIT = range(2)  # what random numbers are for
WIDTH = 30  # of a progress bar


class SetCoverClassifierCV(SearchCV):
    """`SetCoverClassifier` with a radius found by cross-validation; the radii share the distances of each fold.

    Parameters
    ----------
    eps : int or list of float, default=18
        Radii, all positive, or their number, at least 1. A number means quantiles of the dissimilarities between at
        most 2,000 samples, from balls of single samples to large ones.
    estimator : SetCoverClassifier or Pipeline, optional
        All other parameters come from it; its `n_neighbors` must be None. A Pipeline ends with a `SetCoverClassifier`,
        and its other steps are fitted in every fold.
    cv : int, splitter or iterable, default=5
        As in scikit-learn, with at least 2 folds; a number means stratified folds, which keep `groups` together if
        there are any.
    selection_rule : {"one_standard_deviation", "one_standard_error", "best"}, default="one_standard_deviation"
        As in `ProsetClassifierCV`; the loss is the proportion of wrong classes, and larger balls are simpler.
    scale : bool, default=False
        Whether to standardise features before the classifier, by statistics of the samples that it is fitted to. Not
        for tables with text.
    refit : bool, default=True
        Whether to refit the best setting on all samples, as predictions require.
    n_jobs : int or None, default=None
        Number of folds at the same time, by threads; None is 1, -1 one per processor. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed for the rounding of each fit, instead of that of the estimator.
    verbose : int, default=0
        From 1 on, `fit` draws a progress bar on stderr.

    Attributes
    ----------
    best_params_ : dict
        "eps".
    best_index_ : int
        Index of the selected radius in `cv_results_`.
    best_score_ : float
        Mean score of the selected radius over the folds.
    best_estimator_ : SetCoverClassifier or Pipeline
        Fitted on all samples. Only with `refit`.
    cv_results_ : dict of arrays
        In the form of scikit-learn, a value for each radius: "params", "param_eps", "split0_test_score", ...,
        "mean_test_score", "std_test_score" (with n), "rank_test_score", "within_threshold". Scores are negative losses.
    threshold_ : float
        Smallest score within the threshold of the rule; with "best", which has none, that of
        "one_standard_deviation".
    n_splits_ : int
        Number of folds.
    classes_ : ndarray, shape (K,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (D,)
        Only if `X` had string column names.

    Notes
    -----
    Held-out samples count in the loss by their `sample_weight` and by the `class_weight` of the estimator, as in a fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import SetCoverClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SetCoverClassifierCV(eps=[0.3, 0.6, 1.2, 2.4]).fit(X, y)
    >>> search.best_params_["eps"] in (0.6, 1.2)
    True
    >>> search.best_estimator_.eps == search.best_params_["eps"]
    True
    """

    _classifier = SetCoverClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchCV._parameter_constraints,
        "eps": [Interval(Integral, 1, None, closed="left"), "array-like"],
    }

    def __init__(
        self,
        eps: int | npt.ArrayLike = 18,
        *,
        estimator: Any = None,
        cv: Any = 5,
        selection_rule: str = "one_standard_deviation",
        scale: bool = False,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ):
        self.eps = eps
        self.estimator = estimator
        self.cv = cv
        self.selection_rule = selection_rule
        self.scale = scale
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None, groups: npt.ArrayLike | None = None
    ) -> "SetCoverClassifierCV":
        """Search, then fit on all samples.

        Parameters
        ----------
        X : array-like, shape (N, D)
            Or a frame, or what else the first step of a Pipeline takes.
        y : array-like, shape (N,)
            Class labels.
        sample_weight : array-like, shape (N,), optional
            Non-negative; they count in fits and in losses. Steps of a Pipeline get them if they request them (metadata
            routing of scikit-learn).
        groups : array-like, shape (N,), optional
            For the splitter, where a number as `cv` keeps samples of a group together.

        Returns
        -------
        self

        Warns
        -----
        UserWarning
            As in the `fit` of `SetCoverClassifier`.

        Raises
        ------
        ValueError
            If an argument is out of range, the estimator is of another kind or has `n_neighbors`, `SetCoverClassifier`
            refuses the data, or a fold has no sample of a class to fit on.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> SetCoverClassifierCV(eps=3, scale=True).fit(X, y).cv_results_["mean_test_score"].shape
        (3,)
        """
        self._validate_params()
        root = int(check_random_state(self.random_state).randint(2**31))
        with as_before_if_it_fails(self):
            data, folds = self._parts(X, y, sample_weight, groups)
            classifier = self._new_classifier()
            if classifier.n_neighbors is not None:
                raise ValueError(
                    f"n_neighbors: {classifier.n_neighbors} is not allowed in a search for eps, must be None"
                )
            radii = self._radii(data.X, classifier)
            calls = (delayed(self._losses)(fold, radii, seed(root, FOLDS, f)) for f, fold in enumerate(folds))
            found = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(calls)
            self.cv_results_, self.best_index_, self.threshold_ = self._select(
                [{"eps": float(radius)} for radius in radii],
                [(radius,) for radius in radii],
                np.array(list(_progress(found, len(folds), self.verbose))).T,
            )
            self.best_params_ = dict(self.cv_results_["params"][self.best_index_])
            self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
            if self.refit:
                self.best_estimator_ = self._refit(data, **self.best_params_, random_state=seed(root, REFIT))
        return self

    def _radii(self, X: Any, classifier: SetCoverClassifier) -> np.ndarray:
        if isinstance(self.eps, Integral):
            return path_radii(classifier._some_distances(X), int(self.eps))
        radii = np.asarray(self.eps, dtype=float)
        if radii.ndim != 1 or not radii.size or not radii.min() > 0:
            raise ValueError(f"eps: {self.eps!r} is not allowed, must be a number of radii, or a list of positive ones")
        return radii

    def _losses(self, fold: Fold, radii: np.ndarray, random_state: int) -> list[float]:
        classifier = self._new_classifier(random_state=random_state)
        return [
            float(np.average(fitted.predict(fold.X_score) != fold.y_score, weights=fold.weight_score))
            for fitted in classifier._path(fold.X, fold.y, fold.weight, radii)
        ]

    @of_model
    def predict(self, X: Any) -> np.ndarray:
        """The predicted class of each sample; see `SetCoverClassifier.predict`."""
        found, X = self._seen(X)
        return found.predict(X)

    @of_model
    def familiarity(self, X: Any) -> np.ndarray:
        """How deep each sample is in a ball; see `SetCoverClassifier.familiarity`."""
        found, X = self._seen(X)
        return found.familiarity(X)


def _progress(items: Iterable[list[float]], number: int, verbose: int) -> Iterator[list[float]]:
    """Pass on the items; with `verbose`, draw a bar of how many there have been."""
    started = perf_counter()
    for done, item in enumerate(items, start=1):
        yield item
        if verbose and WIDTH * done // number > WIDTH * (done - 1) // number:
            bar = "#" * (WIDTH * done // number)
            line = f"\rfolds: [{bar:<{WIDTH}}] {done} of {number}, {perf_counter() - started:.1f} s"
            print(line, end="\n" if done == number else "", file=sys.stderr, flush=True)
