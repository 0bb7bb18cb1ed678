"""Logistic regression with elastic net; its path doubles C, the inverse strength of the penalty, from 2e-5 on.

H. Zou and T. Hastie, Regularization and variable selection via the elastic net, Journal of the Royal Statistical
Society B 67 (2005), 301-320.
A. Defazio, F. Bach and S. Lacoste-Julien, SAGA: a fast incremental gradient method with support for non-strongly convex
composite objectives, NIPS (2014).
"""

from dataclasses import dataclass

import numpy as np

from proset_study.methods.base import Cost, FittedModel, Method, Name, Range

SMALLEST_C = 1e-5
MAX_ITER = 10_000


@dataclass(frozen=True)
class FittedLogisticRegression(FittedModel):
    coefficients: np.ndarray  # shape (complexity, K, D); for two classes K = 1: those of the second one
    intercepts: np.ndarray  # shape (complexity, K)
    iterations: np.ndarray  # of int, shape (complexity,)

    def staged_predict_proba(self, X):
        from scipy.special import softmax

        for coefficients, intercepts in zip(self.coefficients, self.intercepts, strict=True):
            scores = X @ coefficients.T + intercepts
            if scores.shape[1] == 1:
                scores = np.column_stack([np.zeros(len(X)), scores])
            yield softmax(scores, axis=1)

    def summary(self):
        return {
            "active_features": int((self.coefficients[-1] != 0).any(axis=0).sum()),
            "converged": bool((self.iterations < MAX_ITER).all()),
        }

    def staged_summary(self):
        return {"active_features": (self.coefficients != 0).any(axis=1).sum(axis=1).tolist()}


class LogisticRegression(Method):
    place = 17
    names = (Name("log2_c", "C (its place in the log2 grid)"), Name("l1_ratio", number=".2f"))
    cost = Cost(0.05, 6e-8, features=1.5, trees=1, complexity=1)
    draws = True
    model = FittedLogisticRegression
    # Weights are "importance": the solver goes through the rows in random order, and stops within its tolerance.
    complexity = "log2_c"
    parameters = {"l1_ratio": Range(0.0, 1.0)}  # noqa: RUF012
    required = ("l1_ratio",)
    imports = ("scipy.special", "sklearn.linear_model")

    @staticmethod
    def simplicity(parameters):
        return (parameters["l1_ratio"],)

    def fit(self, parameters, complexity, seed):
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(
            l1_ratio=parameters["l1_ratio"],
            solver="saga",
            max_iter=MAX_ITER,
            random_state=int(seed.generate_state(1)[0]),
            warm_start=True,  # each fit begins where the one before ended
        )
        fits = []
        for log2_c in range(1, complexity + 1):
            model.set_params(C=SMALLEST_C * 2.0**log2_c).fit(self.data.X, self.data.y, self.data.weight)
            fits.append((model.coef_.copy(), model.intercept_.copy(), model.n_iter_.max()))
        return FittedLogisticRegression(*map(np.array, zip(*fits, strict=True)))
