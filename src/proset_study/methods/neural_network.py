"""Neural network of rectified linear units, fitted by L-BFGS with a squared penalty; no path.

It has one hidden layer, or as many of the same size as `layers` says.

It ends after `MAX_ITER` iterations, which is before the minimum for many units: another kind of regularisation.

D. E. Rumelhart, G. E. Hinton and R. J. Williams, Learning representations by back-propagating errors, Nature 323
(1986), 533-536.
"""

from proset_study.methods.base import Cost, Name, Range
from proset_study.methods.estimators import EstimatorMethod

ALPHA = 1e-4  # scikit-learn's
MAX_ITER = 1000


class NeuralNetwork(EstimatorMethod):
    place = 29
    names = (Name("units", "hidden units"), Name("alpha", number=".2g"))
    cost = Cost(0.05, 7.5e-4, features=0.25)
    draws = True
    parameters = {  # noqa: RUF012
        "units": Range(1, 10_000, integer=True),
        "alpha": Range(0.0, 1e6),
        "layers": Range(1, 10, integer=True),
    }
    required = ("units",)
    quantities = ("active_features", "weights")

    @staticmethod
    def simplicity(parameters):
        return -parameters.get("layers", 1), -parameters["units"], parameters.get("alpha", ALPHA)

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.neural_network import MLPClassifier

        return MLPClassifier(
            hidden_layer_sizes=(int(parameters["units"]),) * int(parameters.get("layers", 1)),
            alpha=parameters.get("alpha", ALPHA),
            solver="lbfgs",
            max_iter=MAX_ITER,
            random_state=seed,
        )

    @staticmethod
    def measures(estimator):
        return {
            "active_features": [estimator.n_features_in_],
            "weights": [sum(part.size for part in (*estimator.coefs_, *estimator.intercepts_))],
        }
