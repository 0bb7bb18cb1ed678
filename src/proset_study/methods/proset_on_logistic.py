"""Proset on top of logistic regression: prototypes where a linear model is wrong."""

from proset_study.methods.corrected import Corrected


class ProsetOnLogistic(Corrected):
    """Logistic regression with prototypes on the data of one fold; see `methods.base.Method`. C is cross-validated."""

    label = "proset on logistic regression"
    place = 33

    @staticmethod
    def cost(size, stage, fitted, scored):
        return 0.3 + 1.2e-3 * min(fitted, 5000) * (1 + size.features / 20)

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.linear_model import LogisticRegressionCV

        return LogisticRegressionCV(Cs=6, cv=4, scoring="neg_log_loss", max_iter=500)
