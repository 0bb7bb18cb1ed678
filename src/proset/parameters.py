"""What is allowed for the parameters of `proset.ProsetClassifier`."""

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from proset.defaults import MAX_PENALTY

CONSTRAINTS: dict[str, list[Any]] = {
    "n_batches": [Interval(Integral, 0, None, closed="left")],
    "references": [StrOptions({"split", "leave_one_out"})],
    "n_candidates": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"}), None],
    "max_fraction": [Interval(Real, 0, 1, closed="neither")],
    "lambda_v": [Interval(Real, 0, MAX_PENALTY, closed="both"), StrOptions({"auto"})],
    "lambda_w": [Interval(Real, 0, MAX_PENALTY, closed="both"), StrOptions({"auto"})],
    "alpha_v": [Interval(Real, 0, 1, closed="both")],
    "alpha_w": [Interval(Real, 0, 1, closed="both")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "warm_start": ["boolean"],
    "verbose": ["verbose"],
    "max_prototypes": [Interval(Integral, 0, None, closed="left"), StrOptions({"one_standard_error", "best"}), None],
    "max_features": [Interval(Integral, 1, None, closed="left"), None],
    "base": [HasMethods("fit"), StrOptions({"prefit"}), None],
    "scale": ["boolean"],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "cost_matrix": ["array-like", None],
}
