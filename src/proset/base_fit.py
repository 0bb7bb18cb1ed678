"""The base of a fit: it is fitted, and predicts the samples that prototypes are fitted to."""

from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, _num_samples

from proset import base_model
from proset.encoding import as_table
from proset.fitted_model import FittedModel
from proset.groups import complete_groups
from proset.preparation import Prepared


def fit_base(
    classifier: FittedModel, X: Any, data: Prepared, sample_weight: Any, given: Any, groups: Any
) -> np.ndarray | None:
    """q_0 of the samples of positive weight; sets `base_`. `X` and the arguments after `data` are as in `fit`."""
    base, rows = classifier.base, data.rows
    classifier.base_ = base
    if base is None:
        if given is not None:
            raise ValueError("base_probabilities: not allowed without base; use base='prefit', or leave them out")
        return None
    if given is None and isinstance(base, str | FrozenEstimator):
        raise ValueError(
            "base_probabilities: None is not allowed with a base that is fitted already, must be probabilities of "
            "the samples by models that did not see them; cross_val_predict(..., method='predict_proba') gives them"
        )
    held_out = None
    if given is not None:
        held_out = base_model.rounded(base_model.checked(given, _num_samples(X), len(data.classes))[rows])
    if isinstance(base, str):
        return held_out
    base_model.check(base, data.classes)
    n = _num_samples(X)
    weight = None if sample_weight is None else _check_sample_weight(sample_weight, np.empty(n))[rows]
    groups = None if groups is None else complete_groups(groups, n)[rows]
    X, y = _safe_indexing(X if hasattr(X, "shape") else as_table(X), rows), data.classes[data.codes]
    if held_out is not None:
        with base_model.warned_once(base, stacklevel=6):
            classifier.base_ = base_model.fitted(base, X, y, weight)
        return held_out
    try:
        classifier.base_, held_out = base_model.cross_fitted(base, X, y, data.classes, weight, groups)
    except ValueError as error:
        if "could not convert string" in str(error):
            words = f"{base_model.name_of(base)} takes no text, put an encoder before it in a Pipeline"
            raise ValueError(f"base: {words}; {error}") from error
        raise
    return held_out
