"""Defaults of `proset.ProsetClassifier` and of its search, those of the published study, and limits."""

from typing import Any

N_CANDIDATES = {"split": 1000, "leave_one_out": 5000}  # by `references`, if there are that many samples
MAX_FRACTION = 0.5  # of a bin of samples that may become candidates
ALPHA = 0.95  # mixing ratio of both penalties: the proportion of l2
SIZE_RULE = "one_standard_error"  # for the number of prototypes
MAX_PENALTY = 1e6  # far beyond any use; the solver's quadratic model overflows at 1e300

SEARCHED = {"lambda_v": (1e-5, 0.4), "lambda_w": (1e-8, 1e-1)}  # ranges of the search
N_FOLDS = 5
SELECTION_RULE = "best"

# Of the published study, if its penalties are not searched.
PUBLISHED: dict[str, Any] = {"references": "split", "lambda_v": 1e-3, "lambda_w": 1e-8, "scale": False}
