"""The fit of a `ProsetClassifier`: its data, its penalties, its batches, and how many prototypes stay.

Functions take the estimator, read its parameters and set its fitted attributes.
"""

import warnings
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state

from proset import corrections, elimination, leave_one_out, model, penalty_path, size_choice
from proset.base_fit import fit_base
from proset.candidates import check_class_sizes
from proset.defaults import N_CANDIDATES, PUBLISHED
from proset.encode import encode
from proset.fitted_model import FittedModel
from proset.growth import Growth, digest
from proset.objective import Penalty
from proset.preparation import Prepared, prepared
from proset.training import Training
from proset.validation import no_overflow

Folds = list[penalty_path.Fold]


def fit(
    classifier: FittedModel,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    base_probabilities: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
) -> tuple[list[model.Model], np.ndarray]:
    """Fit without warnings, which a search would repeat for every fold.

    Returns
    -------
    (models, X) : the model of each size, increasing, of the scaled samples of positive weight, and these.
    """
    for name in ("_training", "prototype_path_", "_regions"):  # of an earlier fit; not every fit has them
        classifier.__dict__.pop(name, None)
    classifier._is_edited = False
    data = prepare(classifier, X, y, sample_weight)
    _check_limits(classifier)
    base = fit_base(classifier, X, data, sample_weight, base_probabilities, groups)
    task = None if classifier.references == "split" else _task(classifier, data, base)
    penalty, folds = _penalty(classifier, task)
    growth = _growth(classifier, data, base)
    fitted = _without(data.constant, _all_batches(classifier, data, base, task, penalty, growth))
    models, n = [fitted], None
    is_limited = classifier.max_prototypes is not None or classifier.max_features is not None
    if task is not None and is_limited and fitted.n_prototypes():
        models, n = _smaller(classifier, fitted, data, task, penalty, folds)
    classifier._sized = [of_size.in_units_of(data.X, data.scale).with_rows(data.rows) for of_size in models]
    place = classifier._largest(n)
    classifier._store(classifier._sized[place])
    if task is not None and base is not None:
        classifier._regions = corrections.regions(models[place], task)
    parameters = classifier.get_params(deep=False)
    parameters["base"] = clone(parameters["base"], safe=False)  # whose parameters may be set after the fit
    classifier._training = Training(
        X,
        y,
        sample_weight,
        base_probabilities,
        groups,
        random_state=growth.state,
        points=data.X,
        codes=data.codes,
        weight=data.weights,
        copies=data.copies,
        rows=data.rows,
        base=base,
        parameters=parameters,
        size=(fitted.n_prototypes(), len(fitted.active_features())),
    )
    classifier.__dict__.pop("_last_growth", None)
    if classifier.warm_start:
        classifier._last_growth = growth
    return models, data.scaled


def prepare(
    classifier: FittedModel, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None
) -> Prepared:
    """The samples of a fit; sets what they decide."""
    classifier._validate_params()
    with no_overflow():
        encoded, labels, encoding = encode(classifier, X, y, reset=True)
    class_weight, scale = classifier.class_weight, classifier.scale
    data = prepared(encoded, np.asarray(labels), encoding.n_levels, sample_weight, class_weight, scale)
    classifier._encoding, classifier._columns, classifier.classes_ = encoding, data.columns, data.classes
    classifier.scale_, classifier.feature_range_ = data.scale, data.feature_range
    classifier._costs()
    return data


def fold(
    classifier: FittedModel,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    X_score: Any,
    y_score: Any,
    n_candidates: int,
    groups: npt.ArrayLike | None,
) -> penalty_path.Fold:
    """Samples to fit rough models to, and others to score them on, for a search."""
    data = prepare(classifier, X, y, sample_weight)
    if isinstance(classifier.base, str | FrozenEstimator):
        raise ValueError(
            f"base: {classifier.base!r} is not allowed in a search, which fits the base in every fold; give an "
            "estimator that is not fitted"
        )
    task = _task(classifier, data, fit_base(classifier, X, data, sample_weight, None, groups))
    scored = classifier._scaled(classifier._validated(X_score)) - task.samples.centre
    codes, alphas = np.searchsorted(data.classes, y_score), (classifier.alpha_v, classifier.alpha_w)
    return penalty_path.Fold.of(task, scored, codes, *alphas, n_candidates, classifier._base_of(X_score))


def size_table(
    classifier: FittedModel,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    n_features: int | Sequence[int] | None,
    base_probabilities: npt.ArrayLike | None,
    groups: npt.ArrayLike | None,
) -> dict[str, np.ndarray]:
    """See `proset.ProsetClassifier.size_table`."""
    if classifier.references == "split":
        raise ValueError("references: 'split' is not allowed for a table of sizes, must be 'leave_one_out'")
    if classifier.n_batches == 0:
        raise ValueError("n_batches: 0 is not allowed for a table of sizes, must be at least 1")
    data = prepare(classifier, X, y, sample_weight)
    base = fit_base(classifier, X, data, sample_weight, base_probabilities, groups)
    penalty, folds = _penalty(classifier, _task(classifier, data, base))
    if not folds:
        raise ValueError(f"X: {len(data.X)} samples are not allowed for a table of sizes, they are too few")
    pair = penalty.lambda_v, penalty.lambda_w
    is_nothing = bool(np.isinf(pair).any())  # no penalties gave a model better than the class proportions or the base
    if n_features is None:
        n_features = [1] if is_nothing else _spread(size_choice.n_features(folds, pair, classifier.n_batches))
    listed: list[Any] = [*n_features] if isinstance(n_features, Iterable) else [n_features]
    if not (listed and all(isinstance(n, Integral) and int(n) >= 1 for n in listed)):
        raise ValueError(f"n_features: {n_features!r} is not allowed, must be whole numbers of at least 1")
    numbers = sorted({int(n) for n in listed})
    if is_nothing:
        loss = np.full((len(numbers), 1), classifier.penalty_search_["prior_loss"])
        none = np.zeros(1, dtype=int)
        return {"n_features": np.array(numbers), "n_prototypes": none, "mean_loss": loss, "standard_error": 0.0 * loss}
    found = size_choice.cross_validate(folds, pair, classifier.n_batches, numbers[::-1])[::-1]
    sizes = max((of_number.sizes for of_number in found), key=max)
    at = [np.searchsorted(of_number.sizes, sizes, side="right") - 1 for of_number in found]
    return {
        "n_features": np.array(numbers),
        "n_prototypes": np.array(sizes),
        "mean_loss": np.array([of_number.mean[i] for of_number, i in zip(found, at, strict=True)]),
        "standard_error": np.array([of_number.error[i] for of_number, i in zip(found, at, strict=True)]),
    }


def warn(classifier: FittedModel, X: np.ndarray) -> None:
    """Warn of batches that did not converge, and of a fit to scaled samples that learnt nothing; called by `fit`."""
    for number, batch in enumerate(classifier.batches_, start=1):
        if not batch.converged and len(batch.labels):  # without prototypes there is no weight to improve
            warnings.warn(
                f"batch {number} did not converge after {batch.n_iter} iterations ({batch.message}); "
                f"increase {'tol' if 'line search' in batch.message else 'max_iter or tol'}",
                ConvergenceWarning,
                stacklevel=3,
            )
    if classifier.n_batches > 0 and not (len(classifier.active_features_) and classifier.n_prototypes_):
        instead = "the class prior" if classifier.base is None else "that of the base model"
        why = _why_nothing(classifier, X)
        warnings.warn(f"nothing was learnt, every prediction is {instead}; {why}", stacklevel=3)


def _why_nothing(classifier: FittedModel, X: np.ndarray) -> str:
    """Why no prototype or no feature has weight."""
    if classifier.max_prototypes == 0:
        return "max_prototypes=0 allows none"
    than = "the class proportions" if classifier.base is None else classifier._base_name()
    if isinstance(classifier.max_prototypes, str) and len(getattr(classifier, "prototype_path_", {})):
        by = " by more than one standard error" if classifier.max_prototypes == "one_standard_error" else ""
        return f"by cross-validation no number of prototypes is better than {than}{by}"
    if np.isinf(classifier.lambda_v_):
        return f"no penalties gave a model that predicts samples held out better than {than}"
    spread = np.nanstd(X[:, ~np.isnan(X).all(axis=0)], axis=0).max(initial=0.0)
    if not classifier.scale and not 0.1 < spread < 10.0:
        return f"the widest feature has a standard deviation of {spread:.3g}, expected is about 1: use scale=True"
    chosen = ", chosen by cross-validation," if "auto" in (classifier.lambda_v, classifier.lambda_w) else ""
    return (
        f"lambda_v={classifier.lambda_v_:g} or lambda_w={classifier.lambda_w_:g}{chosen} may be too large, or {len(X)} "
        "samples of these features tell nothing about the classes"
    )


def _task(classifier: FittedModel, data: Prepared, base: np.ndarray | None) -> leave_one_out.Task:
    return classifier._task(data.scaled, data.codes, data.weights, data.copies, base)


def _all_batches(
    classifier: FittedModel,
    data: Prepared,
    base: np.ndarray | None,
    task: leave_one_out.Task | None,
    penalty: Penalty,
    growth: Growth,
) -> model.Model:
    """The model with all prototypes that the penalties leave."""
    arrays = data.scaled, data.codes, len(data.classes)
    of_fit: dict[str, Any] = {
        "n_batches": classifier.n_batches,
        "penalty": penalty,
        "max_iter": classifier.max_iter,
        "tol": classifier.tol,
        "seed": growth.seed,
        "sample_weight": data.weight,
        "n_threads": classifier._n_threads(),
        "start": growth.stage,
        "after_batch": growth.added,
        "columns": data.columns.divided(data.scale),
    }
    given = classifier.n_candidates
    number = N_CANDIDATES[classifier.references] if given is None else given
    if task is not None:
        of_fit |= {"copies": data.copies, "minimum": penalty_path.minimum, "base": base}
        return leave_one_out.fit(*arrays, n_candidates=None if isinstance(number, str) else number, **of_fit)
    if isinstance(number, str):
        raise ValueError("n_candidates: 'all' is not allowed, must be a number with references='split'")
    check_class_sizes(np.bincount(data.codes), classifier.max_fraction, data.classes)
    return model.fit(*arrays, n_candidates=number, max_fraction=classifier.max_fraction, **of_fit)


def _without(features: np.ndarray, fitted: model.Model) -> model.Model:
    """A model without weights of some features.

    Only their penalty depends on those of constant ones, which may be too weak to end at 0 within `tol`.
    """
    weights = [np.where(features, 0.0, batch.feature_weights) for batch in fitted.batches]
    batches = zip(fitted.batches, weights, strict=True)
    return replace(fitted, batches=tuple(replace(batch, feature_weights=v) for batch, v in batches))


def _smaller(
    classifier: FittedModel,
    fitted: model.Model,
    data: Prepared,
    task: leave_one_out.Task,
    penalty: Penalty,
    folds: Folds,
) -> tuple[list[model.Model], int | None]:
    """Models of ever more prototypes, and how many are allowed or chosen; sets `prototype_path_`."""
    n, sizes = _size(classifier, folds, len(fitted.batches))
    stops = None if classifier.max_prototypes is None else () if n is None else (n,)
    settings = elimination.Settings(penalty, classifier.max_iter, classifier.tol, classifier.max_features, stops)
    path = elimination.eliminate(fitted, data.scaled, data.codes, task, settings)
    classifier.prototype_path_ = elimination.table(path)
    if sizes is not None:
        numbers = classifier.prototype_path_["n_prototypes"]
        classifier.prototype_path_["mean_loss"] = np.array([sizes.mean_at(number) for number in numbers])
    return [one.model for one in path], n


def _penalty(classifier: FittedModel, task: leave_one_out.Task | None) -> tuple[Penalty, Folds]:
    """The penalties that are given, or chosen, and the folds of a choice; sets `lambda_v_` and `lambda_w_`."""
    lambda_v = None if isinstance(classifier.lambda_v, str) else float(classifier.lambda_v)
    lambda_w = None if isinstance(classifier.lambda_w, str) else float(classifier.lambda_w)
    classifier.__dict__.pop("penalty_search_", None)
    folds: Folds = []
    if task is None:
        lambda_v = PUBLISHED["lambda_v"] if lambda_v is None else lambda_v
        lambda_w = PUBLISHED["lambda_w"] if lambda_w is None else lambda_w
    else:
        by_size = isinstance(classifier.max_prototypes, str) and classifier.n_batches > 0
        if by_size or lambda_v is None or lambda_w is None:
            folds = list(penalty_path.folds(task, classifier.alpha_v, classifier.alpha_w))
        if lambda_v is None or lambda_w is None:
            choice = penalty_path.choose(folds, lambda_v, lambda_w)
            lambda_v, lambda_w = choice.pair or (np.inf, np.inf)
            classifier.penalty_search_ = choice.results()
    assert lambda_v is not None
    assert lambda_w is not None
    classifier.lambda_v_, classifier.lambda_w_ = lambda_v, lambda_w
    return Penalty(lambda_v, lambda_w, classifier.alpha_v, classifier.alpha_w), folds


def _size(classifier: FittedModel, folds: Folds, n_batches: int) -> tuple[int | None, size_choice.Sizes | None]:
    """The largest number of prototypes that is allowed or chosen, and what it was chosen from."""
    if not isinstance(classifier.max_prototypes, str):
        return classifier.max_prototypes, None
    if not folds:
        return None, None
    pair = classifier.lambda_v_, classifier.lambda_w_
    (sizes,) = size_choice.cross_validate(folds, pair, n_batches, (classifier.max_features,))
    return sizes.chosen(classifier.max_prototypes), sizes


def _check_limits(classifier: FittedModel) -> None:
    """Refuse what only leave-one-out references have."""
    names = ("max_prototypes", "max_features", "base")
    limits = {name: getattr(classifier, name) for name in names}
    given = [name for name, limit in limits.items() if limit is not None and not isinstance(limit, str)]
    given += ["base"] if isinstance(classifier.base, str) else []
    if classifier.references == "split" and given:
        raise ValueError(
            f"{given[0]}: {limits[given[0]]!r} is not allowed with references='split', the published algorithm; "
            "use references='leave_one_out'"
        )


def _growth(classifier: FittedModel, data: Prepared, base: np.ndarray | None) -> Growth:
    """Growth of the last fit with `warm_start`, else a new one; ValueError if data or parameters do not continue it."""
    key, last = "", None
    if classifier.warm_start:
        arrays = data.scaled, data.codes, data.weights, data.columns.levels, np.empty(0) if base is None else base
        key, last = digest(*arrays) + classifier.references, getattr(classifier, "_last_growth", None)
    if last is None:
        state, seed = _seed(classifier.random_state)
        return Growth(state, seed, key, classifier.n_batches, classifier.verbose)
    if last.key != key:
        raise ValueError("warm_start: other data or references than in the last fit are not allowed")
    if classifier.n_batches < last.n_batches:
        raise ValueError(
            f"n_batches: {classifier.n_batches} is not allowed with warm_start=True, must be at least the "
            f"{last.n_batches} that are fitted"
        )
    return replace(last, n_batches=classifier.n_batches, verbose=classifier.verbose)


def _seed(random_state: int | np.random.RandomState | None) -> tuple[np.random.RandomState, np.random.SeedSequence]:
    """A seed, and the generator as it was before."""
    generator = check_random_state(random_state)
    return deepcopy(generator), np.random.SeedSequence(int(generator.randint(2**31)))


def _spread(n: int) -> list[int]:
    """Up to 10 whole numbers from 1 to n, with about the same ratios."""
    return sorted({round(number) for number in np.geomspace(1, n, min(n, 10))})
