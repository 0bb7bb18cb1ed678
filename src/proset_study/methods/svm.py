"""Support vector machine with the Gaussian kernel exp(-gamma |x - x'|^2); it has no path.

Probabilities are a sigmoid of the decision values (of each class against the rest), fitted by cross-validation inside
the training data.

References
----------
C. Cortes and V. Vapnik, Support-vector networks, Machine Learning 20 (1995), 273-297.
J. Platt, Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods, in
Advances in Large Margin Classifiers, MIT Press (1999), 61-74.
"""

from proset_study.methods.base import Range
from proset_study.methods.costs import Cost
from proset_study.methods.estimators import EstimatorMethod

FOLDS = 3  # of the calibration


class SVM(EstimatorMethod):
    """A support vector machine on the data of one fold; see `methods.base.Method`."""

    label = "SVM"
    place = 21
    cost = Cost(0.015, 6.5e-8, rows=2)
    draws = True
    parameters = {"C": Range(1e-6, 1e6), "gamma": Range(1e-6, 1e6)}  # noqa: RUF012
    required = ("C", "gamma")
    quantities = ("active_features", "support_vectors")
    trusted = (
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.model_selection._split.StratifiedKFold",
    )

    @staticmethod
    def operations(record):
        """Every entry of a kernel matrix once: LIBSVM keeps them, up to some 5,000 rows."""
        n, machines = record["n_fit"], 1 + (FOLDS - 1) ** 2 / FOLDS  # the last one, and those of the calibration
        entries = int(machines * n**2) + record["summary"]["support_vectors"] * (n + record["n_scored"])
        return entries, entries * record["n_features"]

    @staticmethod
    def simplicity(parameters):
        return -parameters["gamma"], -parameters["C"]  # wide kernels first, then a soft margin

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.model_selection import StratifiedKFold
        from sklearn.svm import SVC

        machine = SVC(C=float(parameters["C"]), gamma=float(parameters["gamma"]))
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        return CalibratedClassifierCV(machine, method="sigmoid", cv=folds, n_jobs=1, ensemble=False)

    @staticmethod
    def measures(estimator):
        (calibrated,) = estimator.calibrated_classifiers_
        machine = calibrated.estimator
        return {"active_features": [machine.n_features_in_], "support_vectors": [int(machine.n_support_.sum())]}


METHOD = SVM
