"""Support vector machine with the Gaussian kernel exp(-gamma d(x, x')^2), d Euclidean unless told otherwise; no path.

Probabilities are a sigmoid of the decision values (of each class against the rest), fitted by cross-validation inside
the training data. With `coupling` 1 they are those of every pair of classes, coupled (`methods.coupling`), which is the
same for two classes. For the digits of scikit-learn, with C = 10 and gamma = 1/64, the log-loss is 0.30 by classes
against the rest, 0.20 by the same with a temperature, 0.118 by LIBSVM's coupling and 0.113 by ours (means of four
splits).

The width is given by `gamma`, or by `gamma_features`, gamma times the number of features: squared distances of scaled
features grow with their number.

With another dissimilarity than the Euclidean distance the kernel matrix may have negative eigenvalues. Then the
absolute value of the smallest is added to its diagonal ("shift"), which makes it definite and leaves the kernel of
different samples, and so predictions, as they are; how much it was is in the summary, `kernel_shift`.

C. Cortes and V. Vapnik, Support-vector networks, Machine Learning 20 (1995), 273-297.
J. Platt, Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods, in
Advances in Large Margin Classifiers, MIT Press (1999), 61-74.
V. Roth, J. Laub, M. Kawanabe and J. M. Buhmann, Optimal cluster preserving embedding of nonmetric proximity data, IEEE
Trans. Pattern Analysis and Machine Intelligence 25 (2003), 1540-1551.
"""

from dataclasses import dataclass

import numpy as np

from proset_study.data.distances import distances
from proset_study.data.metrics import EUCLIDEAN, PRECOMPUTED
from proset_study.methods.base import Cost, Range
from proset_study.methods.estimators import EstimatorMethod, FittedEstimator

FOLDS = 3  # of the calibration
WIDTHS = ("gamma", "gamma_features")
ROUNDING = 1e-7  # of the largest eigenvalue: dissimilarities are stored in single precision


@dataclass(frozen=True)
class FittedKernelMachine(FittedEstimator):
    """A support vector machine on kernel matrices; see `FittedEstimator`."""

    points: np.ndarray  # shape (n, D), as `FoldData.points`
    metric: str  # as `FoldData.metric`
    gamma: float
    shift: float  # added to the diagonal of the kernel matrix, >= 0

    def staged_predict_proba(self, X):
        return super().staged_predict_proba(kernel(X, self.points, self.metric, self.gamma))

    def staged_summary(self):
        features = 0 if self.metric == PRECOMPUTED else self.points.shape[1]
        return {**super().staged_summary(), "active_features": [features], "kernel_shift": [self.shift]}


class SVM(EstimatorMethod):
    label = "SVM"
    place = 5
    cost = Cost(0.015, 6.5e-8, rows=2)
    metrics = "symmetric"
    draws = True
    parameters = {  # noqa: RUF012
        "C": Range(1e-6, 1e6),
        "gamma": Range(1e-6, 1e6),
        "gamma_features": Range(1e-6, 1e6),
        "balanced": Range(0, 1, integer=True),
        "coupling": Range(0, 1, integer=True),
    }
    required = ("C",)
    alternatives = (WIDTHS,)
    quantities = ("active_features", "support_vectors")
    imports = ("scipy.linalg", "scipy.spatial.distance")
    trusted = (
        "proset_study.methods.coupling.PairwiseCoupling",
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
        (width,) = (parameters[name] for name in WIDTHS if name in parameters)
        return -width, -parameters["C"]  # wide kernels first, then a soft margin

    @staticmethod
    def estimator(parameters, complexity, seed, kernel="rbf"):
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.model_selection import StratifiedKFold
        from sklearn.svm import SVC

        from proset_study.methods.coupling import PairwiseCoupling

        balanced = "balanced" if parameters.get("balanced", 0) else None  # classes have the same weight
        machine = SVC(C=float(parameters["C"]), gamma=float(parameters["gamma"]), kernel=kernel, class_weight=balanced)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        if parameters.get("coupling", 0):
            return PairwiseCoupling(machine.set_params(decision_function_shape="ovo"), folds)
        return CalibratedClassifierCV(machine, method="sigmoid", cv=folds, n_jobs=1, ensemble=False)

    @staticmethod
    def measures(estimator):
        coupled = hasattr(estimator, "machine_")
        machine = estimator.machine_ if coupled else estimator.calibrated_classifiers_[0].estimator
        return {"active_features": [machine.n_features_in_], "support_vectors": [int(machine.n_support_.sum())]}

    def fit(self, parameters, complexity, seed):
        data, gamma = self.data, gamma_of(parameters, self.data.n_features)
        coupling = parameters.get("coupling", 0) and data.n_classes > 2  # of two classes there is one pair
        parameters = {**parameters, "gamma": gamma, "coupling": coupling}
        if data.metric == EUCLIDEAN:
            return super().fit(parameters, complexity, seed)
        matrix = kernel(data.X, data.points, data.metric, gamma)
        matrix[np.diag_indices_from(matrix)] += (shift := shift_of(matrix))
        estimator = self.estimator(parameters, complexity, int(seed.generate_state(1)[0]), PRECOMPUTED)
        estimator.fit(matrix, data.y, **({} if data.weight is None else {"sample_weight": data.weight}))
        return FittedKernelMachine(type(self), estimator, complexity, data.points, data.metric, gamma, shift)

    @classmethod
    def load(cls, arrays):
        fitted = super().load(arrays)
        if "metric" not in arrays:
            return fitted
        others = arrays["points"], str(arrays["metric"]), float(arrays["gamma"]), float(arrays["shift"])
        return FittedKernelMachine(cls, fitted.estimator, fitted.complexity, *others)


def gamma_of(parameters: dict[str, float], n_features: int) -> float:
    """Gamma, which is given as it is or times the number of features; ValueError unless by one of both.

    >>> gamma_of({"gamma": 0.5}, 4), gamma_of({"gamma_features": 1.0}, 4)
    (0.5, 0.25)
    """
    given = [name for name in WIDTHS if name in parameters]
    if len(given) != 1:
        raise ValueError(
            f"parameters: {' and '.join(given) or 'neither'} given, exactly one of {' and '.join(WIDTHS)} is needed"
        )
    if given == ["gamma"]:
        return float(parameters["gamma"])
    if n_features == 0:
        raise ValueError("gamma_features: dissimilarities have no features, name gamma")
    return float(parameters["gamma_features"]) / n_features


def kernel(X: np.ndarray, points: np.ndarray, metric: str, gamma: float) -> np.ndarray:
    """The Gaussian kernel of dissimilarities, shape (n, m); X, points and metric as in `distances.distances`."""
    matrix: np.ndarray = np.exp(-gamma * distances(X, points, metric).astype(np.float64) ** 2)
    return matrix


def shift_of(matrix: np.ndarray) -> float:
    """What must be added to the diagonal of a symmetric matrix so that no eigenvalue is negative, up to `ROUNDING`.

    >>> shift_of(np.array([[1.0, 0.5], [0.5, 1.0]])), round(shift_of(np.array([[1.0, 1.5], [1.5, 1.0]])), 12)
    (0.0, 0.5)
    """
    from scipy.linalg import eigvalsh

    eigenvalues = eigvalsh(matrix)
    return float(-eigenvalues[0]) if eigenvalues[0] < -ROUNDING * eigenvalues[-1] else 0.0
