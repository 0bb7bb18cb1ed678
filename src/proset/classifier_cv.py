"""The search for penalties and numbers of batches and prototypes of `ProsetClassifier`, in stages."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from proset import fitting
from proset.classifier import ProsetClassifier
from proset.defaults import MAX_PENALTY, N_FOLDS, SEARCHED, SELECTION_RULE, SIZE_RULE
from proset.losses import LOSSES
from proset.penalty_path import CORE_CANDIDATES, Pair
from proset.search import Fold, seed
from proset.search_parts import PARAMETERS, REFIT, STAGE_1, STAGE_2, AlongPath, OneByOne, Part
from proset.search_space import Values, pairs
from proset.search_stages import Stages
from proset.searched_model import SearchedModel
from proset.validation import as_before_if_it_fails

FEWER_CANDIDATES = 400  # of rough fits, where pairs are drawn or on a grid


class ProsetClassifierCV(SearchedModel):
    """`ProsetClassifier` with penalties and numbers of batches and prototypes found by cross-validation, in stages.

    Stage 1 fits one batch for each pair of penalties and selects a pair. Stage 2 fits up to `n_batches` batches with it
    and selects their number. Stage 3 removes prototypes. Then, with `refit`, the classifier is fitted to all samples.

    `ProsetClassifier` chooses its penalties without a search. Use one for other folds (groups, time), another criterion
    or rule, steps of a Pipeline that must be fitted in the folds, more than one batch, or to see what was tried.

    Parameters
    ----------
    estimator : ProsetClassifier or Pipeline, optional
        All other parameters come from it. A Pipeline ends with a `ProsetClassifier`, and its other steps are fitted in
        every fold. A `base` must not be fitted: it is fitted in every fold, too.
    lambda_v : (low, high), list of float, or float; default=(1e-5, 0.4)
        Penalty on feature weights. A tuple is a range above 0, a list or array is a grid, a number is kept; all values
        are at most 1e6.
    lambda_w : (low, high), list of float, or float; default=(1e-8, 1e-1)
        Penalty on prototype weights, in the same way.
    n_batches : int >= 0, default=1
        Largest number of batches.
    prototypes : {"one_standard_error", "best"}, int >= 0 or None, default="one_standard_error"
        Rule of stage 3, in the place of the estimator's `max_prototypes`: the smallest number of prototypes whose mean
        loss over the folds is at most one standard error (of what prototypes gain) above the smallest one, or the
        number that has the smallest. A number is kept. With None (all prototypes), with ``references="split"``, which
        does not allow a number, or if no batch is selected, there is no stage 3.
    n_iter : int >= 1 or None, default=None
        With a range: None goes along the path of `proset.penalty_path`, about ten pairs; a number draws that many,
        the logarithms of their values uniformly in the ranges, and a grid next to a range is gone through in turn.
        Without a range all pairs of the two grids are tried.
    cv : int, splitter or iterable, default=5
        As in scikit-learn, with at least 2 folds; a number means stratified folds, which keep `groups` together if
        there are any.
    criterion : {"log_loss", "error"}, default="log_loss"
        The loss to minimise: the log-loss of the probabilities, or the proportion of samples whose most probable
        class is wrong, whatever `cost_matrix` says.
    selection_rule : {"one_standard_deviation", "one_standard_error", "best"}, default="best"
        Rule of stages 1 and 2. "best" takes the setting with the smallest mean loss over the folds. The others take the
        simplest setting whose mean exceeds the smallest one by no more than the standard deviation of the best
        setting's losses (over the folds, with n - 1), or by no more than this deviation divided by the square root of
        the number of folds. Simpler means larger lambda_v * lambda_w, fewer batches.
    early_stopping : bool, default=True
        Whether to skip fits that are unlikely to matter. Stage 1: pairs that are drawn or on a grid are tried on one
        fold after the other, and a pair is stopped when its mean loss so far exceeds that of the best pair on the same
        samples by more than 2 standard errors of the difference. Stage 2 ends with the first batch that does not
        lower the mean loss.
    scale : bool, default=False
        Whether to put a `StandardScaler` before the classifier, which scales features itself unless it has
        ``scale=False``. Not for tables with text.
    refit : bool, default=True
        Whether to refit the best setting on all samples, as predictions require.
    n_jobs : int or None, default=None
        Fits at the same time, by threads; None is 1, -1 one per processor. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed for drawing penalties and, instead of that of the estimator, the candidates of each fit.
    verbose : int, default=0
        From 1 on, `fit` prints its progress to stderr.

    Attributes
    ----------
    best_params_ : dict
        "lambda_v", "lambda_w", "n_batches" and, if stage 3 limits the number of prototypes, "max_prototypes".
    best_index_ : int
        Index of the selected pair of penalties in `cv_results_`.
    best_score_ : float
        Mean score of the selected setting over the folds, in the last stage.
    best_estimator_ : ProsetClassifier or Pipeline
        Fitted on all samples; `random_state` is a number that gives the same fit again. Only with `refit`.
    cv_results_ : dict of arrays
        Stage 1 in the form of scikit-learn, a value for each pair: "params", "param_lambda_v", "param_lambda_w",
        "split0_test_score", ..., "mean_test_score", "std_test_score" (with n), "rank_test_score", mean and standard
        deviation of "fit_time" and "score_time" in seconds, "within_threshold" and "stopped". Scores are negative
        losses. If a pair was stopped, its scores are NaN on the folds where it was not tried, and mean and deviation
        are those of the other folds; it ranks behind all other pairs and cannot be selected.
    stage2_results_ : dict of arrays
        Stage 2 in the same form, a value for each number of batches that was tried, "param_n_batches"; without times,
        as all are from the same fits.
    stage3_results_ : dict of arrays
        Stage 3 in the same form, a value for each number of prototypes, "param_max_prototypes"; only if there was one.
    threshold_, stage2_threshold_, stage3_threshold_ : float
        Smallest score within the threshold of the rule; with "best" or a number, which have no threshold, that of
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

    With leave-one-out references, fits of the folds are rough: they have a tolerance of 1e-3, and at most 4,000
    references and 1,000 candidates (400 where pairs are drawn or on a grid).

    The search of the published study, but for its random numbers, is ``ProsetClassifierCV(ProsetClassifier.published(),
    lambda_v=(1e-6, 1e-1), lambda_w=(1e-9, 1e-4), n_iter=50, n_batches=10, selection_rule="one_standard_deviation",
    early_stopping=False)`` on scaled features.

    References
    ----------
    N. Ruf, proset technical report (2021), chapter on the case study.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from proset import ProsetClassifierCV
    >>> X, y = load_wine(return_X_y=True)
    >>> search = ProsetClassifierCV(random_state=0).fit(X, y)
    >>> sorted(search.best_params_)
    ['lambda_v', 'lambda_w', 'max_prototypes', 'n_batches']
    >>> 4 <= len(search.cv_results_["params"]) <= 20
    True
    >>> search.score(X, y) > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchedModel._parameter_constraints,
        "lambda_v": [tuple, "array-like", Interval(Real, 0, MAX_PENALTY, closed="both")],
        "lambda_w": [tuple, "array-like", Interval(Real, 0, MAX_PENALTY, closed="both")],
        "n_batches": [Interval(Integral, 0, None, closed="left")],
        "prototypes": ProsetClassifier._parameter_constraints["max_prototypes"],
        "n_iter": [Interval(Integral, 1, None, closed="left"), None],
        "criterion": [StrOptions(set(LOSSES))],
        "early_stopping": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        lambda_v: tuple[float, float] | npt.ArrayLike = SEARCHED["lambda_v"],
        lambda_w: tuple[float, float] | npt.ArrayLike = SEARCHED["lambda_w"],
        n_batches: int = 1,
        prototypes: int | str | None = SIZE_RULE,
        n_iter: int | None = None,
        cv: Any = N_FOLDS,
        criterion: str = "log_loss",
        selection_rule: str = SELECTION_RULE,
        early_stopping: bool = True,
        scale: bool = False,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ):
        self.estimator = estimator
        self.lambda_v = lambda_v
        self.lambda_w = lambda_w
        self.n_batches = n_batches
        self.prototypes = prototypes
        self.n_iter = n_iter
        self.cv = cv
        self.criterion = criterion
        self.selection_rule = selection_rule
        self.early_stopping = early_stopping
        self.scale = scale
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None, groups: npt.ArrayLike | None = None
    ) -> "ProsetClassifierCV":
        """Search, then fit on all samples.

        Parameters
        ----------
        X : array-like, shape (N, D)
            Or a frame, or what else the first step of a Pipeline takes.
        y : array-like, shape (N,)
            Class labels, at least two different ones.
        sample_weight : array-like, shape (N,), optional
            Non-negative; they count in fits and in losses. Steps of a Pipeline get them if they request them (metadata
            routing of scikit-learn).
        groups : array-like, shape (N,), optional
            For the splitter, where a number as `cv` keeps samples of a group together, and for the folds of `base`.

        Returns
        -------
        self

        Warns
        -----
        ConvergenceWarning
            If fits did not converge, with their number; rough fits are not counted.
        UserWarning
            If by the rules no batch, or no prototype, is better than the class prior or `base`; and as in the `fit` of
            `ProsetClassifier`.

        Raises
        ------
        ValueError
            If an argument is out of range, the estimator is of another kind or has a fitted base, `ProsetClassifier`
            refuses the data, or a fold has no sample of a class to fit on.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> search = ProsetClassifierCV(lambda_v=[1e-3, 1e-2], lambda_w=1e-8, n_batches=1, cv=3)
        >>> search.fit(X, y).cv_results_["params"]
        [{'lambda_v': 0.001, 'lambda_w': 1e-08}, {'lambda_v': 0.01, 'lambda_w': 1e-08}]
        """
        self._validate_params()
        root = int(check_random_state(self.random_state).randint(2**31))
        if isinstance(self.prototypes, Integral) and self._new_classifier().references == "split":
            raise ValueError(
                f"prototypes: {self.prototypes} is not allowed with references='split', must be None or a rule"
            )
        with as_before_if_it_fails(self):
            spaces = {name: Values.of(name, getattr(self, name)) for name in ("lambda_v", "lambda_w")}
            data, folds = self._parts(X, y, sample_weight, groups)
            walks = self.n_iter is None and any(space.is_range for space in spaces.values())
            n_candidates = CORE_CANDIDATES if walks else FEWER_CANDIDATES
            parts = [self._part_of(fold, f, root, n_candidates) for f, fold in enumerate(folds)]
            codes = [np.searchsorted(self.classes_, fold.y_score) for fold in folds]
            how = self.criterion, self.early_stopping, self.n_jobs, self.verbose
            stages = Stages(parts, codes, [fold.weight_score for fold in folds], *how)

            key = np.random.SeedSequence(root, spawn_key=(PARAMETERS,))
            given = None if walks else pairs(spaces["lambda_v"], spaces["lambda_w"], self.n_iter or 1, key)
            tried, losses, seconds = stages.of_pairs(given, tuple(space.on_path() for space in spaces.values()))
            settings = [dict(zip(spaces, pair, strict=True)) for pair in tried]
            simplicity: list[tuple[float, ...]] = [(lambda_v * lambda_w,) for lambda_v, lambda_w in tried]
            self.cv_results_, self.best_index_, self.threshold_ = self._select(settings, simplicity, losses, seconds)
            self.cv_results_["stopped"] = np.isnan(losses).any(axis=1)

            stage2 = stages.of_batches(tried[self.best_index_], self.n_batches)
            numbers = range(len(stage2))
            self.stage2_results_, n_batches, self.stage2_threshold_ = self._select(
                [{"n_batches": b} for b in numbers], [(-b,) for b in numbers], stage2
            )
            self.best_params_ = {**settings[self.best_index_], "n_batches": n_batches}
            self.best_score_ = float(self.stage2_results_["mean_test_score"][n_batches])
            _warn_of_convergence(parts)
            if n_batches == 0:
                instead = "the class prior" if self._new_classifier().base is None else "the base model alone"
                warnings.warn(
                    f"nothing was learnt: by the selection rule {instead} is as good as any number of batches; "
                    "the features may tell nothing about the classes",
                    stacklevel=2,
                )
            limit = self._stage_3(stages, tried[self.best_index_], n_batches)
            if limit is not None:
                self.best_params_["max_prototypes"] = limit
            if limit == 0 and n_batches > 0:
                warnings.warn(
                    "nothing was learnt: by the rule of stage 3 no prototype is worth its place", stacklevel=2
                )
            if self.refit:
                parameters = {"max_prototypes": None, **self.best_params_, "random_state": seed(root, REFIT)}
                self.best_estimator_ = self._refit(data, **parameters)
        return self

    def _part_of(self, fold: Fold, number: int, root: int, n_candidates: int) -> Part:
        classifier = self._new_classifier()
        if classifier.references == "leave_one_out":
            scored = fold.X_score, fold.y_score, n_candidates, fold.groups
            return AlongPath(fitting.fold(classifier, fold.X, fold.y, fold.weight, *scored))
        return OneByOne(fold, self._new_classifier, lambda stage, *key: seed(root, stage, number, *key))

    def _stage_3(self, stages: Stages, pair: Pair, n_batches: int) -> int | None:
        """The largest number of prototypes, None for all; sets what is known of each number."""
        for name in ("stage3_results_", "stage3_threshold_"):
            self.__dict__.pop(name, None)
        if self.prototypes is None:
            return None
        kept = int(self.prototypes) if isinstance(self.prototypes, Integral) else None
        sizes, table = stages.of_sizes(pair, n_batches, self._new_classifier().max_features, kept)
        if not sizes:
            return None
        rule = self.prototypes if isinstance(self.prototypes, str) else "best"
        self.stage3_results_, chosen, self.stage3_threshold_ = self._select(
            [{"max_prototypes": n} for n in sizes], [(-n,) for n in sizes], table, rule=rule, common=table[0]
        )
        if kept is not None:
            chosen = sizes.index(min(kept, sizes[-1]))
        self.best_score_ = float(self.stage3_results_["mean_test_score"][chosen])
        if kept is not None:
            return kept
        return sizes[chosen] if chosen < len(sizes) - 1 else None


def _warn_of_convergence(parts: list[Part]) -> None:
    exact = [part for part in parts if isinstance(part, OneByOne)]
    for name, stage in (("stage 1", STAGE_1), ("stage 2", STAGE_2)):
        converged = [one for part in exact for one in part.converged[stage]]
        if failed := converged.count(False):
            warnings.warn(
                f"{name}: {failed} of {len(converged)} fits have batches that did not converge; increase max_iter or "
                "tol of the estimator, or standardise the features, for example with scale=True",
                ConvergenceWarning,
                stacklevel=3,
            )
