"""Every claim with records that make it true and records that make it false."""

from ast import literal_eval
from dataclasses import replace
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import KDTree
from tests.proset_study.config_files import merged
from tests.proset_study.report.conftest import PUBLISHED, published_rows

from proset.cover import Cover
from proset.model import Batch, Model
from proset_study.base.records import write_json
from proset_study.data.dataset import DataSet
from proset_study.data.splits import TEST, select_fold
from proset_study.fits.final import FinalModel
from proset_study.methods.adaboost import AdaBoost
from proset_study.methods.bagging import Bagging
from proset_study.methods.decision_tree import DecisionTree
from proset_study.methods.knn import FittedKNN
from proset_study.methods.nearest_prototype import FittedPrototypes
from proset_study.methods.proset import FittedProset
from proset_study.methods.random_forest import RandomForest
from proset_study.methods.set_cover import FittedSetCover
from proset_study.report.claims import CLAIMS, COLUMNS, data_sets_of, decide, write_claims
from proset_study.report.claims.checks import ELEVEN, FIVE, SIX
from proset_study.report.claims.evidence import KNN, Evidence, PublishedEvidence, StoredEvidence
from proset_study.report.claims.learning import LEARNERS
from proset_study.report.claims.measures import count_regions, separable, training_log_loss
from proset_study.report.claims.prototype_selection import METHODS, MISMATCH, TANGENT
from proset_study.report.rows import read_cells
from proset_study.store.results import Row, write_rows
from proset_study.store.stored import Missing, Stored
from proset_study.study.config.checks import load


class Records(Evidence):
    """Evidence in memory, as the functions below write it; records without a data set are of this one."""

    def __init__(self, data_set, records, replicates=None):
        self.records = {(*place, on or data_set): value for (*place, on), value in records.items()}
        self._replicates = [self] if replicates is None else replicates

    @property
    def replicates(self):
        return self._replicates

    def _get(self, what, experiment, variant, data_set):
        if (what, experiment, variant, data_set) not in self.records:
            raise Missing(f"{experiment} {variant}".strip() + f" on {data_set}")
        return self.records[what, experiment, variant, data_set]

    def value(self, experiment, data_set, section, quantity, variant=""):
        return self._get((section, quantity), experiment, variant, data_set)

    def curve(self, experiment, data_set, variant=""):
        losses = self._get("losses", experiment, variant, data_set)
        return losses if isinstance(losses, dict) else dict(enumerate(losses))

    def final(self, experiment, data_set, variant=""):
        return self._get("model", experiment, variant, data_set)

    def truth(self, data_set, X):
        return np.asarray(self._get("truth", "", "", data_set))

    def is_generated(self, data_set):
        return data_set in ("checker", "xor_6f")

    def variants(self, experiment, data_set):
        return [v for what, e, v, d in self.records if (what, e, d) == ("model", experiment, data_set)]


def records_of(what, variant=("",), on=("",), **by_experiment):
    """Records by experiment, of some variants, on some data sets."""
    variants, data_sets = ([x] if isinstance(x, str) else x for x in (variant, on))
    places = product(by_experiment.items(), variants, data_sets)
    return {(what, experiment, v, d): value for (experiment, value), v, d in places}


curves = partial(records_of, "losses")  # of stage 2 by size
model = partial(records_of, "model")
SYMBOLS = {  # of records, as claims show them; T is the threshold and "best" the lowest loss of the last stage
    "L": ("final", "log_loss"),
    "A": ("final", "roc_auc"),
    "BA": ("final", "balanced_accuracy"),
    "F": ("final", "active_features"),
    "prototypes": ("final", "prototypes"),
    "lambda_v": ("stage1", "optimal_lambda_v"),
    "max_depth": ("stage1", "optimal_max_depth"),
    "stage1": ("stage1", "selected_log_loss"),
    "rounds": ("stage2", "optimal_iterations"),
    "k": ("cv", "selected_k"),
    "T": ("stage2", "threshold"),
    "best": ("stage2", "optimal_log_loss"),
    "best1": ("stage1", "optimal_log_loss"),
    "batches": ("stage2", "selected_batches"),
    "c": "losses",
}
OF_KNN = {"F": ("data", "features"), "T": ("cv", "threshold"), "best": ("cv", "optimal_log_loss")}
SETS = {"six": SIX, "five": FIVE, "eleven": ELEVEN}


def scores(text):
    """Records as in "L E1/E2 0.3 E7-candidates=100 0.4 on six"; colons are between values of a curve or replicates."""
    records = {}
    for term in text.split(","):
        numbers, _, on = term.partition(" on ")
        symbol, *pairs = numbers.split()
        for runs, values in zip(pairs[::2], pairs[1::2], strict=True):
            found = [literal_eval(value) for value in values.split(":")]
            for run in runs.split("/"):
                experiment, _, variant = run.partition("-")
                what = OF_KNN.get(symbol, SYMBOLS[symbol]) if experiment in KNN else SYMBOLS[symbol]
                value = found if len(found) > 1 else found[0]
                records |= records_of(what, variant, SETS.get(on, on), **{experiment: value})
    return records


def truth(probabilities, on=("",)):
    return {("truth", "", "", data_set): probabilities for data_set in on}


def batch(points, labels, weight, bandwidth):
    """Prototypes with the same weight; `bandwidth` is 1 / feature weight."""
    labels = np.asarray(labels)
    order = np.argsort(labels, kind="stable")
    rows = np.arange(len(labels))
    points = np.asarray(points, dtype=float)[order]
    features = 1.0 / np.broadcast_to(np.asarray(bandwidth, dtype=float), points.shape[1])
    return Batch(features, points, labels[order], np.full(len(labels), float(weight)), rows, rows, 0.0, 1, 1, True, "")


def proset_final(*batches, X=None, y=None, lambda_w=None, probabilities=None):
    """A final model of two equally frequent classes, all of its data in the training part."""
    width = batches[0].prototypes.shape[1]
    model = Model(np.array([0.5, 0.5]), np.zeros(width), batches)
    return final(FittedProset(model), width, X, y, probabilities, lambda_w)


def knn_final(X, y, k, probabilities=None):
    X = np.asarray(X, dtype=float)
    fitted = FittedKNN(X, np.asarray(y), np.ones(len(y)), 2, k, "euclidean", 0.0, KDTree(X))
    return final(fitted, X.shape[1], X, y, probabilities)


def final(fitted, width, X=None, y=None, probabilities=None, lambda_w=None):
    X = np.zeros((2, width)) if X is None else np.asarray(X, dtype=float)
    y = np.arange(len(X)) % 2 if y is None else np.asarray(y)
    names = np.array([f"class {k}" for k in range(y.max() + 1)])
    return SimpleNamespace(
        model=FinalModel(fitted, np.zeros(width), np.ones(width)),
        data=DataSet(X, y, np.arange(width).astype(str), names),
        X_train=X,
        folds=np.zeros(len(X), dtype=int),
        probabilities=None if probabilities is None else np.array(probabilities),
        fit={"parameters": {"lambda_w": lambda_w}},
    )


def fitted_to(X, y, fitted=None, **attributes):
    """A final model of some method, fitted to all of the data, which are also its test part."""
    made = final(fitted, len(X[0]), X, y)
    made.part = replace(select_fold(made.data, made.folds, TEST - 1, False), X_score=made.data.X, y_score=made.data.y)
    made.X_train = made.X_test = made.data.X
    made.y, made.weight = made.data.y, np.ones(len(X))
    vars(made).update(attributes)
    return made


def data_only(X, y):
    return final(None, len(X[0]), X, y)


def sizes(*counts):
    """A model with batches of so many prototypes."""
    return proset_final(*(batch(np.zeros((n, 1)), [0] * n, 1.0, 1.0) for n in counts))


def trained(lambda_w, weight, test_log_loss=None):
    """A model that is the surer of its training data the larger the weight."""
    X, y = [[-1.0], [1.0]], [0, 1]
    made = proset_final(batch(X, y, weight, 1.0), X=X, y=y, lambda_w=lambda_w)
    made.scores = {"log_loss": test_log_loss}
    return made


def along_paths(*counts):
    """Two folds with so many prototypes by batch on average, not the same in the first batch."""
    paths = [np.cumsum([0, counts[0] + more, *counts[1:]]).tolist() for more in (-1, 1)]
    return SimpleNamespace(paths=[{"staged_summary": {"prototypes": path}} for path in paths])


def swept(value, bandwidth, test_log_loss):
    """A model with this value of both penalties, the steeper the smaller the bandwidth."""
    X, y = [[-1.0], [1.0]], [0, 1]
    made = proset_final(batch(X, y, 1.0, bandwidth), X=X, y=y, lambda_w=value)
    made.fit["parameters"]["lambda_v"] = value
    made.scores, made.X_test = {"log_loss": test_log_loss}, made.X_train
    return made


def predicted(lambda_w, p):
    return proset_final(batch([[0.0]], [0], 1.0, 1.0), lambda_w=lambda_w, probabilities=[[p, 1 - p]])


def islands(n):
    """A surface of class 0 with n spots of class 1 in the unit square."""
    spots = [[(i + 0.5) / n, (i + 0.5) / n] for i in range(n)]
    background = batch([[0.5, 0.5]], [0], 1.0, 1e6)
    return proset_final(background, batch(spots, [1] * n, 100.0, 0.02), X=[[0, 0], [1, 1]], y=[0, 1])


def features(*active):
    weights = [1.0 if d in active else np.inf for d in range(12)]
    return proset_final(batch(np.zeros((1, 12)), [0], 1.0, weights))


NEAR, CONSTANT = (proset_final(batch([[1.0, 0.0]], [0], 5.0, width)) for width in (1.0, np.inf))
CORNERS = ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
ONE_APART = data_only([[0, 9], [1, 9], [0, 0], [2, 0], [1, 0], [3, 0]], [0, 0, 1, 1, 2, 2])
IN_A_ROW = data_only([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]], [0, 0, 1, 1, 2, 2])
PAIR_APART = data_only([[-3, 3], [3, 3], [-2, 0], [-1, 2.5], [2, 0], [1, 2.5]], [0, 0, 1, 1, 2, 2])
NONE_APART = data_only([[0, 0], [1, 1], [0, 1], [1, 0], [0.4, 0.5], [0.6, 0.5]], [0, 0, 1, 1, 2, 2])
LOW, HIGH = "lambda_w=1e-09", "lambda_w=1e-05"


def recorded(**records):
    return SimpleNamespace(evaluation=records.get, label="E3", data_set="wine")


def learned(least, most):
    points = [{"fraction": part, "error": error} for part, error in ((0.1, least), (1.0, most))]
    return recorded(learning_curve={"points": [{"fraction": 0.1, "not_fitted": "too few samples"}, *points]})


def split_error(bias2, variance):
    return recorded(bias_variance={"bias2": bias2, "variance": variance})


def estimates_of(draws):
    final = [recorded(error_estimates={"draws": draws})]
    return model(estimates_knn=final, estimates_decision_tree=final)


def estimated(**estimates):
    """Final models of E18 with these estimates by draw, true error 0.5."""
    by_draw = [dict(zip(estimates, values, strict=True)) for values in zip(*estimates.values(), strict=True)]
    return estimates_of([{"estimates": {k: [v, 0.0, 1.0, 0.5] for k, v in draw.items()}} for draw in by_draw])


def with_true_errors(*true):
    """The same with a true error for each draw, measured with a standard error of 0.01."""
    return estimates_of([{"standard_error": 0.01, "estimates": {"training": [0.0, 0.0, 0.0, e]}} for e in true])


def along(first, last):
    """A final model with squared bias and variance at both ends of its path."""
    points = [{"squared": {"bias2": bias2, "variance": variance}} for bias2, variance in (first, last)]
    return [recorded(complexity_curve={"points": points})]


LOW_ENDS, CENTRED, HIGH_ENDS = [0.3, 0.4, 0.35], [0.4, 0.6, 0.5], [0.6, 0.7, 0.65]  # of 0.5
NEAR_TRUTH = [0.499, 0.501, 0.5]
WIDE, NARROW = [0.2, 0.8, 0.5], [0.3, 0.7, 0.5]
SIMPLE, COMPLEX = (0.3, 0.1), (0.1, 0.3)  # squared bias, variance


def covering(*newly_covered, labels=None, **attributes):
    """A set cover whose prototypes cover so many samples that none before them did."""
    n = np.array(newly_covered)
    cover = Cover(np.arange(len(n)), np.zeros(len(n), dtype=int) if labels is None else labels, n, n, n, n, None)
    made = final(FittedSetCover(np.zeros((len(n), 1)), np.ones(1), [cover], 0, 2, "euclidean"), 1)
    vars(made).update(attributes)
    return made


THREE_QUARTERS = np.array([0, 0, 0, TEST])  # in the training part


def sweeps(data_set, *low_and_high):
    """Numbers of prototypes at two values of lambda_w, of replicates."""
    models = {LOW: predicted(1e-9, 0.9), HIGH: predicted(1e-5, 0.9)}
    for made in models.values():
        made.folds = THREE_QUARTERS
    numbers = zip(models, low_and_high, strict=True)
    return {
        **{("model", "S16", v, data_set): [made] * len(low_and_high[0]) for v, made in models.items()},
        **{(("final", "prototypes"), "S16", v, data_set): list(values) for v, values in numbers},
    }


def spread_classes(*prototypes_of_each):
    """Classes of four samples each, every one twice as wide as the one before, and their prototypes."""
    X = [[10.0 * k + 2.0**k * i] for k in range(len(prototypes_of_each)) for i in range(4)]
    part = fitted_to(X, np.repeat(np.arange(len(prototypes_of_each)), 4))
    labels = np.repeat(np.arange(len(prototypes_of_each)), prototypes_of_each)
    return covering(*np.ones_like(labels), labels=labels, part=part.part, folds=THREE_QUARTERS)


def objective_by_radius(*objective):
    return SimpleNamespace(paths=[{"staged_summary": {"objective": [2 * v for v in objective]}}] * 2)


def fitted_by(method, parameters, complexity, X, y, **attributes):
    made = fitted_to(X, y)
    fitted = method(made.part).fit(parameters, complexity, np.random.SeedSequence(0))
    return fitted_to(X, y, fitted, **attributes)


def keeping(*rows):
    """A model whose prototypes are samples of a line, the first half of which is of one class."""
    X, rows = np.arange(40.0)[:, None], list(rows)
    y = np.repeat([0, 1], 20)
    return fitted_to(X, y, FittedPrototypes.of([(X[rows], y[rows])], fitted_to(X, y).part))


def searched_for_errors(stage1=None, stage2=None):
    """Mean errors in cross-validation of the trials, and along the path."""
    return SimpleNamespace(stage1={"mean": stage1}, stage2={"mean": stage2})


def wrong_on(n):
    """Predictions for ten samples, n of them wrong if the first class is always the most probable."""
    return SimpleNamespace(probabilities=np.eye(2)[[1] * n + [0] * (10 - n)], X_test=None)


def searched(parameter, mean_by_value):
    settings = [{parameter: value} for value in mean_by_value]
    return SimpleNamespace(stage1={"settings": settings, "mean": [*mean_by_value.values()], "threshold": 0.5})


KNOWN = [[0.9, 0.1]] * 10  # true class probabilities
HALVES = [[0.1, 0.9]] * 5 + [[0.9, 0.1]] * 5
ON_A_LINE = [[float(i)] for i in range(40)]
BY_SIDE, BY_TURNS = np.repeat([0, 1], 20), np.tile([0, 1], 20)
TREE = {"min_samples_leaf": 1}
SPLIT, NOT_SIGNIFICANT = (fitted_by(DecisionTree, TREE, 3, ON_A_LINE, y) for y in (BY_SIDE, BY_TURNS))
POINTS = np.random.default_rng(0).normal(size=(600, 12))
SIX_RELEVANT = (POINTS[:, :6].sum(axis=1) > 0).astype(int)
FOREST = {"min_samples_leaf": 1, "max_features": 0.3}
RELEVANT, OTHERS = (fitted_by(RandomForest, FOREST, 30, X, SIX_RELEVANT) for X in (POINTS, POINTS[:, ::-1]))
BAGGED = fitted_by(Bagging, TREE, 5, ON_A_LINE, BY_SIDE)
MISLABELLED = np.isin(np.arange(40), [5, 13, 33])
STUMPS = {"max_depth": 1, "learning_rate": 0.5}
BOOSTED = fitted_by(AdaBoost, STUMPS, 3, ON_A_LINE, np.where(MISLABELLED, 1 - BY_SIDE, BY_SIDE))
# By claim and data set: records that make it true; then changes of these that make it false. Of claims about all
# replicates the values are those of one replicate after the other.
SCORES = """
S1 wine: c E1/E2/E3/E4/E5/E6 0.7:0.4:0.3:0.25:0.25:0.25:0.25:0.25:0.25:0.25:0.25; c E4 0.7:0.5:0.2:0.2; c E1 0.3:0.3:0.3
S2 checker: c E6 0.7:0.2, best E7-candidates=100 0.3; c E6 0.7:0.3
S3 xor_6f: c E7-candidates=100 1:0.6 E7-candidates=300 1:0.5 E6 1:0.4; c E6 1:0.5; c E7-candidates=300 1:0.6
S4 wine: c E1/E2/E3/E4/E5/E6 0.7:0.4:0.3:0.25:0.25:0.25:0.25:0.25:0.25:0.25:0.25, T E1/E2/E3/E4/E5/E6 0.3; T E5 0.24
S4 checker: c E1/E2/E3/E4/E5/E6/E7-candidates=100/E7-candidates=300/E7-candidates=1500
    0.7:0.4:0.3:0.25:0.25:0.25:0.25:0.25:0.25:0.25:0.25, T E1/E2/E3/E4/E5/E6 0.3
    E7-candidates=100/E7-candidates=300/E7-candidates=1500 1; T E7-candidates=1500 0.24
S4 xor_3f: c E10 0.7:0.4:0.3:0.25:0.25:0.25:0.25:0.25:0.25:0.25:0.25, T E10 0.25; T E10 0.24
S7 wine: c E3 1:0.3 E6 1:0.2, T E3/E6 0.3; T E6 0.1; T E3 0.1
S8 xor_3f: batches E10 9; batches E10 10
S8 checker: batches E1/E2/E3/E5/E6/E7-candidates=100/E7-candidates=300/E7-candidates=1500 2; batches
    E7-candidates=100 10; batches E1 10
S9 checker: c E3 1:0.3 E6 1:0.4, T E3/E6 0.3; T E6 0.4
S12 wine: lambda_v E1/E2/E3/E5 0.001; lambda_v E5 0.10000000000000012; lambda_v E1 1e-06
S12 xor_3f: lambda_v E10 1e-05; lambda_v E10 0.1
S14 wine: L E6 0.3, T E3 0.3; L E6 0.31
S15 wine: L E5 0.3, T E3 0.3; L E5 0.31
S21: F E1/E3 3 on six, F E3 4 on wine; F E1 4 on cancer
A23: L E1/E2/E3 0.3 on six, L E1 0.4 on wine; L E2 0.4 on iris_2f; L E3 0.4 on iris_2f
A24 cancer: F E1 1, L E1 0.4, T E1 0.3; F E1 2; F E1 0; L E1 0.3
A25: L E1/E2/E3/E4 0.3 on six, L E4 0.2 on wine; L E4 0.3 on wine; L E3 0.1 on cancer
A28 wine: L E3 0.3, T E4 0.3; L E3 0.31
A29 checker: L E5 0.17 E3 0.16, T E3 0.18, best E3 0.17; L E5 0.14; L E5 0.18
A31 iris_2f: L E6 0.6, T E3 0.5; L E6 0.5
A32 wine: L E6 0.5, T E3 0.5; L E6 0.6
A33 checker: L E7-candidates=100 0.4 E7-candidates=300 0.3, T E6 0.2; L E7-candidates=300 0.2; L E7-candidates=100 0.2
A34 checker: L E7-candidates=1500 0.18 E6 0.2, T E6 0.18; L E6 0.21; L E7-candidates=1500 0.15; T E6 0.17
A35 checker: L E7-candidates=100 0.4 E7-candidates=300 0.3 E6 0.2; L E6 0.3; L E7-candidates=100 0.3
D39 checker: A D39 0.55; A D39 0.56
D40 checker: BA E8 0.9 D40 0.95; BA E8 0.89; BA D40 0.89
D41 xor_6f: L E3/E8 0.5 E9 0.7; L E3 0.49; L E8 0.49; L E9 0.49
M42 iris_2f: A E3/E8 0.9 E9 0.88, BA E3/E8/E9 0.9, L E8 0.3 E3 0.4 E9 0.5, T E8 0.4; L E8 0.4; T E8 0.39; L E9 0.4; A E9
    0.87; BA E3 0.93
M43 wine: A E3/E8/E9 0.9, BA E3/E8/E9 0.9, L E8 0.3 E3 0.4 E9 0.5, T E8 0.4; L E8 0.4; T E8 0.39; L E9 0.4; BA E8 0.87
M44 cancer: A E3/E8/E9 0.9, BA E3/E8/E9 0.9, L E3 0.3 E8 0.4 E9 0.5, T E3 0.4; L E3 0.4; T E3 0.39; L E9 0.4; A E8 0.87
M45 digits: A E3 0.92 E8/E9 0.9, BA E3/E8 0.9 E9 0.88, L E3 0.15 E9 0.17 E8 0.2, T E3 0.22 E9 0.18, best E3 0.2 E9 0.17;
    L E9 0.18; L E9 0.12; A E3 0.93; BA E9 0.87; T E3 0.18; L E8 0.18
M46 checker: L E9 0.1 E3 0.2 E8 0.3, T E9 0.1 E3 0.2; L E9 0.11; L E3 0.1; T E3 0.19; L E8 0.2
M47 xor_6f: A E3/E8 0.9 E9 0.47, BA E3/E8/E9 0.9, L E3 0.52 E8 0.53 E9 0.69, T E3 0.56 E8 0.53, best E3 0.55 E8 0.53; L
    E8 0.54; A E8 0.93; BA E8 0.87; L E9 0.68; A E9 0.54
M48 wine: T E8/E3 0.4 E9 0.5, best E8/E9 0.3 E3 0.2; T E3 0.3; T E9 0.4
M49 wine: T E3 0.5 E8/E9 0.4, best E3/E8/E9 0.3; T E8 0.5; best E9 0.2
M51 iris_2f: L E8 0.4, T E3 0.4 E9 0.5; L E8 0.41; T E9 0.39
M51 xor_3f: L E11 0.4, T E10 0.4 E12 0.5; L E11 0.41; T E12 0.39
M52: rounds E9 1000 on six, rounds E12 900 on five; rounds E9 999 on wine
M54 wine: best E9 0.3, stage1 E9 0.4, rounds E9 300; stage1 E9 0.3; rounds E9 100
M55 xor_3f: max_depth E12 3; max_depth E12 4
N60 checker_rot: L E12 0.1 E10 0.2, T E12 0.2; L E12 0.2; T E12 0.19
N61 checker_rot: L E10 0.19 E12 0.15, L E3 0.16 on checker, A E10/E12 0.95, BA E10/E12 0.95, A E3 0.94 on checker, BA E3
    0.96 on checker; L E10 0.2; L E12 0.12; A E12 0.96; BA E10 0.94
N62 checker_rot: L E11 0.3, T E12 0.2; L E11 0.2
N63 checker_rot: L E12 0.3, T E9 0.2 on checker; L E12 0.2
N64 xor_3f: L E12 0.1 E10 0.2 E11 0.3, T E12 0.2; L E12 0.2; T E12 0.19; L E11 0.2
N65 xor_4f: L E10 0.1 E11 0.2 E12 0.3, T E10 0.2; L E10 0.2; T E10 0.19; L E12 0.2
N66 xor_5f: L E10 0.4 E11 0.5 E12 0.69, T E10 0.4, A E12 0.5; L E10 0.41; L E11 0.4; L E12 0.68; A E12 0.54
N68 xor_6_6f: L E3 0.5 on xor_6f, L E10 0.6, T E3 0.6 on xor_6f; L E10 0.5; L E10 0.61
N69 xor_6_6f: L E11 0.7 E12 0.69, A E11 0.47 E12 0.53; L E11 0.6; L E12 0.6; A E11 0.46; A E12 0.54
N71 xor_6_6f: best E11 0.694; best E11 0.692
N74 xor_4f: L E10 0.3 E12 0.4; L E12 0.3
N74 xor_6f: L E3 0.3 E9 0.4; L E9 0.3
N75 wine: F E3 4 E8 13 E9 9, L E3 0.2 E8 0.1 E9 0.3, T E3 0.1 E8 0.2 E9 0.9; F E8 4; F E9 4; T E8 0.19; L E9 0.05, T E9
    0.1
F5 xor_3f_turned: L turned_xgboost 0.1 turned_proset 0.2 on xor_3f, L turned_proset 0.2 turned_xgboost 0.3; L
    turned_xgboost 0.2; L turned_xgboost 0.2 on xor_3f
P1 digits: BA set_cover 0.94 nearest_neighbour 0.96, prototypes set_cover 49 nearest_neighbour 100; BA set_cover 0.93;
    prototypes set_cover 50
P2 digits: BA set_cover_centres 0.95 set_cover 0.94; BA set_cover 0.95
P3 mixture: BA set_cover/lvq 0.7 k_medoids 0.6; BA lvq 0.6; BA set_cover 0.5
P4 digits: BA k_means/lvq 0.7 k_medoids 0.6; BA lvq 0.6; BA k_means 0.5
B3: L random_forest/bagging 0.3 on eleven, L bagging 0.4 on six; L random_forest 0.4 on wine
P6 penguins: BA E15_nearest_neighbour-metric=manhattan/E15_set_cover-metric=euclidean 0.9
    E15_set_cover-metric=manhattan/E15_k_medoids-metric=manhattan/E15_nearest_neighbour-metric=euclidean/E15_k_medoids-metric=euclidean
    0.8; BA E15_nearest_neighbour-metric=euclidean 0.9; BA E15_set_cover-metric=manhattan 0.95
P10 digits_16: BA E16_nearest_neighbour-metric=tangent/E16_set_cover-metric=tangent 0.9
    E16_nearest_neighbour-metric=euclidean/E16_set_cover-metric=euclidean 0.8; BA E16_set_cover-metric=euclidean 0.9; BA
    E16_nearest_neighbour-metric=tangent 0.7
P11 families: BA E17_set_cover-metric=mismatch 0.78 E17_nearest_neighbour-metric=mismatch 0.8; BA
    E17_set_cover-metric=mismatch 0.77; BA E17_set_cover-metric=mismatch/E17_nearest_neighbour-metric=mismatch 0.75
C10: L bagging/decision_tree 0.3 on eleven, L decision_tree 0.4 on six; L decision_tree 0.3 on wine
B4: L random_forest/bagging 0.3 on eleven, L bagging 0.4 on six, L E9 0.3 on six, L E12 0.2 on five, L E9 0.2 on wine; L
    E9 0.3 on wine
S22 wine: L E1 0.1:0.5:0.1:0.5:0.1:0.5:0.1:0.5:0.1:0.5 E3 0.1:0.2:0.2:0.1:0.1:0.1:0.2:0.2:0.1:0.1; L E1
    0.3:0.3:0.3:0.3:0.3:0.3:0.3:0.3:0.3:0.3; L E1 0.11:0.12:0.11:0.12:0.11:0.12:0.11:0.12:0.11:0.12
M50 wine: L E3 0.1:0.2:0.2:0.1:0.1:0.1:0.2:0.2:0.1:0.1 E8 0.1:0.6:0.1:0.6:0.1:0.6:0.1:0.6:0.1:0.6 E9
    0.1:0.5:0.1:0.5:0.1:0.5:0.1:0.5:0.1:0.5; L E8 0.3:0.3:0.3:0.3:0.3:0.3:0.3:0.3:0.3:0.3; L E9
    0.3:0.3:0.3:0.3:0.3:0.3:0.3:0.3:0.3:0.3
"""

CASES = {
    (claim_id, data_set): [scores(text) for text in cases.split(";")]
    for line in SCORES.strip().replace("\n    ", " ").splitlines()
    for place, _, cases in [line.partition(": ")]
    for claim_id, _, data_set in [place.partition(" ")]
}
# The same with models.
CASES |= {
    ("S5", "iris_2f"): [
        model(E4=sizes(*range(10, 0, -1)), E6=sizes(3, 1)),
        model(E4=sizes(*range(1, 11))),
        model(E6=sizes(5, *range(9, 1, -1), 5)),
        model(E4=sizes(9, *range(1, 9), 8)),
    ],
    ("S6", "xor_3f"): [
        model(E10=along_paths(*range(10, 0, -1))),
        model(E10=along_paths(*range(1, 11))),
        model(E10=along_paths(5, *range(9, 1, -1), 5)),
        model(E10=along_paths(9, *range(1, 9), 8)),
    ],
    ("S6", "wine"): [
        model(**dict.fromkeys(("E1", "E2", "E3", "E4", "E5", "E6"), along_paths(*range(9, -1, -1)))),
        model(E4=along_paths(*[1] * 10)),
    ],
    ("S11", "wine"): [
        scores("best1 E5 0.2, best S16-lambda_w=1e-09 0.4 S16-lambda_w=1e-05 0.3")
        | model(S16=None, variant=(LOW, HIGH)),
        scores("best S16-lambda_w=1e-05 0.2"),
        scores("best1 E5 0.3"),
    ],
    ("S13", "wine"): [
        model(S13=None, variant=("max_fraction=0.5", "max_fraction=0.1"))
        | scores("best S13-max_fraction=0.5 0.3 S13-max_fraction=0.1 0.2")
        | scores("T S13-max_fraction=0.5/S13-max_fraction=0.1 0.3"),
        scores("T S13-max_fraction=0.1 0.29"),
    ],
    ("S17", "wine"): [
        model(S16=trained(1e-9, 5.0), variant=LOW) | model(S16=trained(1e-5, 1.0), variant=HIGH),
        model(S16=trained(1e-5, 50.0), variant=HIGH),
    ],
    ("S18", "wine"): [
        model(S16=predicted(1e-9, 0.9), variant=LOW) | model(S16=predicted(1e-5, 0.6), variant=HIGH),
        model(S16=predicted(1e-5, 0.1), variant=HIGH),
        model(S16=predicted(1e-7, 0.95), variant="lambda_w=1e-7"),
    ],
    ("S19", "wine"): [
        model(S16=predicted(1e-9, 0.9), variant=LOW)
        | model(S16=predicted(1e-5, 0.6), variant=HIGH)
        | scores("best S16-lambda_w=1e-09 0.3 S16-lambda_w=1e-05 0.2")
        | scores("T S16-lambda_w=1e-09 0.5 S16-lambda_w=1e-05 0.3"),
        scores("best S16-lambda_w=1e-09 0.31"),
    ],
    ("S20", "wine"): [
        model(S16=predicted(1e-9, 0.9), variant=LOW)
        | model(S16=predicted(0.001, 0.6), variant="lambda_w=0.001")
        | scores("best S16-lambda_w=1e-09 0.3 S16-lambda_w=0.001 0.4"),
        scores("best S16-lambda_w=0.001 0.3"),
    ],
    ("S23", "wine"): [
        model(S16=trained(1e-9, 5.0), variant=LOW)
        | model(S16=trained(1e-7, 1.0), variant="lambda_w=1e-07")
        | model(S16=trained(1e-5, 9.0), variant=HIGH)
        | scores("best S16-lambda_w=1e-09 0.3 S16-lambda_w=1e-07 0.2 S16-lambda_w=1e-05 0.4, T S16-lambda_w=1e-07 0.3")
        | scores("prototypes S16-lambda_w=1e-09 5 S16-lambda_w=1e-07 9 S16-lambda_w=1e-05 2"),
        scores("T S16-lambda_w=1e-07 0.4"),
        scores("prototypes S16-lambda_w=1e-09 9"),
        model(S16=trained(1e-7, 5.0), variant="lambda_w=1e-07"),
    ],
    ("A26", "iris_2f"): [model(E4=islands(3), E3=islands(2)), model(E3=islands(3))],
    ("D37", "iris_2f"): [model(E3=ONE_APART), *[model(E3=d) for d in (IN_A_ROW, PAIR_APART, NONE_APART)]],
    ("D38", "wine"): [model(E3=IN_A_ROW), model(E3=ONE_APART)],
    ("M53", "wine"): [curves(E9={999: 0.4, 1000: 0.5}) | scores("T E9 0.5"), scores("T E9 0.45")],
    ("M53", "xor_3f"): [curves(E12={1000: 0.5}) | scores("T E12 0.5"), scores("T E12 0.45")],
    ("M59", "wine"): [
        model(E3=NEAR, E8=knn_final(*CORNERS, k=1)),
        model(E3=CONSTANT),
        model(E8=knn_final(*CORNERS, k=4)),
    ],
    ("N67", "xor_6_6f"): [
        scores("F E10 6") | model(E10=features(*range(6))),
        scores("F E10 7"),
        scores("F E10 5"),
        model(E10=features(0, 1, 2, 3, 4, 6)),
    ],
    ("N70", "xor_6_6f"): [
        scores("k E11 95") | model(E11=knn_final([[0], [1]], [0, 1], 1, [[0.5, 0.5], [0.4, 0.6]])),
        scores("k E11 94"),
        model(E11=knn_final([[0], [1]], [0, 1], 1, [[0.5, 0.5], [0.3, 0.7]])),
    ],
    ("P5", ""): [
        scores(f"BA {'/'.join(METHODS)} 0.9 on eleven")
        | scores("BA set_cover/nearest_neighbour/k_medoids 0.8 on wine, BA lvq 0.8 on digits"),
        scores("BA lvq 1.0 on eleven"),
    ],
    ("C1", "wine"): [
        model(E3=learned(0.3, 0.1), E8=learned(0.3, 0.1), E9=learned(0.3, 0.1)),
        model(E8=learned(0.1, 0.1)),
    ],
    ("B1", "xor_3f"): [
        model(bagging=split_error(0.2, 0.1), decision_tree=split_error(0.1, 0.2)),
        model(bagging=split_error(0.2, 0.2)),
    ],
    ("B2", "xor_3f"): [
        model(bagging=split_error(0.2, 0.1), decision_tree=split_error(0.1, 0.2)),
        model(bagging=split_error(0.1, 0.1)),
    ],
    ("F1", "wine"): [
        model(E9=trained(1e-9, 1.0, 0.6), X2=trained(1e-9, 1.0, 0.8)),
        model(X2=trained(1e-9, 1.0, 0.6)),
        model(X2=trained(1e-9, 0.1, 0.6)),
    ],
    ("F2", "wine"): [
        model(E3=NEAR, E9=knn_final(*CORNERS, k=1)),
        model(E3=knn_final(*CORNERS, k=1)),
        model(E9=CONSTANT),
    ],
    ("F4", "wine"): [
        model(sweep_lambda_v=swept(1e-6, 0.3, 1.0), variant="lambda_v=1e-06")
        | model(sweep_lambda_v=swept(1e-1, 10.0, 0.8), variant="lambda_v=0.1")
        | model(sweep_lambda_w=swept(1e-9, 10.0, 0.8), variant=LOW)
        | model(sweep_lambda_w=swept(1e-5, 10.0, 0.7), variant=HIGH),
        model(sweep_lambda_v=swept(1e-1, 0.3, 0.8), variant="lambda_v=0.1"),
        model(sweep_lambda_v=swept(1e-1, 10.0, 1.5), variant="lambda_v=0.1")
        | model(sweep_lambda_w=swept(1e-5, 10.0, 1.3), variant=HIGH),
        model(sweep_lambda_w=swept(1e-5, 10.0, 0.1), variant=HIGH),
    ],
    ("F3", "irrelevant_48"): [
        model(curve_knn=wrong_on(1), on="irrelevant_0")
        | model(curve_knn=wrong_on(2), on="irrelevant_12")
        | model(curve_knn=wrong_on(3), on="irrelevant_48")
        | truth(KNOWN, on=("irrelevant_0", "irrelevant_12", "irrelevant_48")),
        model(curve_knn=wrong_on(1), on="irrelevant_12"),
        model(curve_knn=wrong_on(2), on="irrelevant_48"),
    ],
    ("P7", "wine"): [
        model(set_cover=objective_by_radius(1.0, 2.2), set_cover_lp=objective_by_radius(1.0, 2.0)),
        model(set_cover=objective_by_radius(1.2, 2.0)),
    ],
    ("P8", "digits"): [
        model(set_cover=covering(5, 1, 2, 1, 1, 1, 1)) | scores("prototypes set_cover 7"),
        model(set_cover=covering(5, 1, 2, 1, 1, 1)) | scores("prototypes set_cover 6"),
    ],
    ("C4", "xor_3f"): [
        model(E10=fitted_to(ON_A_LINE, BY_SIDE, folds=np.arange(40) % 3)),
        model(E10=fitted_to(ON_A_LINE, BY_SIDE, folds=np.arange(40) // 10)),
    ],
    ("C6", ""): [
        scores(f"L {'/'.join(e for of in LEARNERS.values() for e in of)} 0.5 on eleven")
        | scores("L E3 0.4 on six, L E10 0.4 on five, L svm 0.3 on wine"),
        scores("L svm 0.5 on wine"),
    ],
    ("C8", "noise_20"): [
        model(curve_decision_tree=wrong_on(3)) | truth(HALVES),
        model(curve_decision_tree=wrong_on(2)),
    ],
    ("C12", "wine"): [
        model(decision_tree=SPLIT) | scores("L decision_tree 0.3 class_prior 0.5"),
        model(decision_tree=NOT_SIGNIFICANT),
    ],
    ("C12", "checker"): [
        model(decision_tree=NOT_SIGNIFICANT) | scores("L decision_tree/class_prior 0.5"),
        scores("L decision_tree 0.3"),
    ],
    ("B6", "wine"): [
        model(adaboost=searched("max_depth", {9: 0.6, 2: 0.4})),
        model(adaboost=searched("max_depth", {9: 0.5})),
    ],
    ("B7", "noise_30"): [
        model(curve_adaboost=wrong_on(5), curve_xgboost=wrong_on(5), curve_random_forest=wrong_on(3))
        | model(curve_adaboost=wrong_on(1), curve_xgboost=wrong_on(1), curve_random_forest=wrong_on(0), on="baseline")
        | truth(KNOWN, on=("noise_30", "baseline")),
        model(curve_xgboost=wrong_on(4)),
        model(curve_random_forest=wrong_on(4)),
    ],
    ("B8", "noise_10"): [
        model(curve_adaboost=BOOSTED) | truth(np.eye(2)[BY_SIDE]),
        truth(np.eye(2)[np.where(MISLABELLED | (np.arange(40) > 30), BOOSTED.y, 1 - BOOSTED.y)]),
    ],
    ("B9", "wine"): [
        curves(open_random_forest={100: 0.3, 500: 0.3})
        | model(open_random_forest=searched("features_exponent", {0.9: 0.6, 0.4: 0.5})),
        curves(open_random_forest={100: 0.3, 500: 0.4}),
        model(open_random_forest=searched("features_exponent", {0.9: 0.4, 0.4: 0.6})),
    ],
    ("B12", "xor_6_6f"): [model(random_forest=RELEVANT), model(random_forest=OTHERS)],
    ("B13", "wine"): [
        model(bagging=BAGGED, random_forest=BAGGED) | scores("BA bagging/random_forest 1.0"),
        scores("BA bagging 0.97"),
        scores("BA random_forest 0.97"),
    ],
    ("S16", "wine"): [sweeps("wine", [10, 12, 11], [20, 22, 22]), sweeps("wine", [20, 22, 22], [10, 12, 11])],
    ("S16", "xor_6f"): [
        sweeps("xor_6f", [10, 30, 50], [12, 33, 52]),  # by less than they differ between replicates
        sweeps("xor_6f", [12, 33, 52], [10, 30, 50]),
    ],
    ("Q1", "mixture_189"): [
        model(estimates_knn=along(COMPLEX, SIMPLE), estimates_decision_tree=along(SIMPLE, COMPLEX)),
        model(estimates_knn=along(SIMPLE, COMPLEX)),
        model(estimates_decision_tree=along(SIMPLE, SIMPLE)),
    ],
    ("Q4", "mixture_54"): [
        estimated(bootstrap_naive=LOW_ENDS, bootstrap_left_out=HIGH_ENDS),
        estimated(bootstrap_naive=HIGH_ENDS, bootstrap_left_out=HIGH_ENDS),
        estimated(bootstrap_naive=LOW_ENDS, bootstrap_left_out=LOW_ENDS),
    ],
    ("Q7", "mixture_54"): [estimated(training=LOW_ENDS), estimated(training=NEAR_TRUTH)],
    ("C2", "mixture_54"): [
        estimated(holdout_10=WIDE, holdout_20=NARROW, holdout_50=CENTRED),
        estimated(holdout_10=CENTRED, holdout_20=NARROW, holdout_50=CENTRED),
        estimated(holdout_10=WIDE, holdout_20=NARROW, holdout_50=[0.1, 0.9, 0.5]),
    ],
    ("P9", "digits"): [
        model(set_cover=[spread_classes(1, 2, 3, 4), spread_classes(1, 2, 4, 3)] * 5),
        model(set_cover=[spread_classes(4, 3, 2, 1), spread_classes(3, 4, 2, 1)] * 5),
    ],
    ("P9", "digits_16"): [
        model(E16_set_cover=[spread_classes(1, 2, 3, 4)] * 3, variant=TANGENT),
        model(E16_set_cover=[spread_classes(4, 3, 2, 1)] * 3, variant=TANGENT),
    ],
    ("P13", "wine"): [
        model(condensed_nn=keeping(19, 20), set_cover=keeping(5, 35)),
        model(condensed_nn=keeping(4, 34)),
        model(set_cover=keeping(18, 20)),
    ],
    ("P14", "families"): [
        model(E17_set_cover=searched_for_errors(stage2=[0.1, 0.02, 0.03]), variant=MISMATCH)
        | model(E17_svm=searched_for_errors(stage1=[0.1, 0.018]), variant=MISMATCH),
        model(E17_svm=searched_for_errors(stage1=[0.1, 0.03]), variant=MISMATCH),
    ],
    ("C3", "mixture_54"): [with_true_errors(0.2, 0.3, 0.4), with_true_errors(0.29, 0.3, 0.31)],
    ("C14", "mixture_54"): [
        estimated(folds_5=CENTRED, holdout_20=LOW_ENDS),
        estimated(folds_5=LOW_ENDS, holdout_20=CENTRED),
    ],
    ("C5", "mixture_54"): [estimated(nested=NEAR_TRUTH), estimated(nested=LOW_ENDS), estimated(nested=HIGH_ENDS)],
    ("C13", "mixture_54"): [estimated(validation=LOW_ENDS), estimated(validation=NEAR_TRUTH)],
}
SHOW_NEITHER = {  # records of replicates that differ too much, or are too few, for either verdict
    ("S22", "wine"): scores("L E1 0.1:0.3:0.2:0.2:0.1:0.1:0.3:0.2:0.2:0.1 E3 0.3:0.1:0.1:0.2:0.2:0.3:0.1:0.1:0.2:0.2"),
    ("S16", "wine"): sweeps("wine", [10, 12, 11], [16, 15, 19]),  # generated data would hold
    ("S16", "xor_6f"): sweeps("xor_6f", [10, 12, 11], [12, 10, 11]),
    ("P9", "digits"): model(set_cover=[spread_classes(1, 2, 3, 4), spread_classes(1, 3, 4, 2)] * 5),
    ("Q4", "mixture_54"): estimated(bootstrap_naive=LOW_ENDS, bootstrap_left_out=CENTRED),
    ("Q7", "mixture_54"): estimated(training=CENTRED),
    ("C5", "mixture_54"): estimated(nested=CENTRED),
    ("C13", "mixture_54"): estimated(validation=CENTRED),
}


NOT_DECIDABLE = "not decidable"
NO_E3 = scores("L E9 0.1 E8 0.3, T E9 0.2 E3 0.3")
WITHOUT_WINE = {place: value for place, value in scores("F E1/E3 3 on six").items() if place[-1] != "wine"}
NOT_FITTED = dict.fromkeys(
    model(E3=None, E8=None, E9=None),
    recorded(learning_curve={"points": [{"fraction": 0.1, "not_fitted": "too few samples"}]}),
)
LARGE_AND_SMALL = ", ".join(f"a fit of E3 to {part} of the training part of wine" for part in ("1", "0.1"))
FEW_BATCHES = model(E4=sizes(3, 2), E6=sizes(3))
ONE_VARIANT = model(S16=predicted(1e-9, 0.9), variant=LOW)
NO_1E9 = model(S16=predicted(1e-5, 0.9), variant=HIGH) | model(S16=predicted(1e-6, 0.9), variant="lambda_w=1e-06")


def verdict_on(claim_id, data_set, records):
    evidence = records
    if not isinstance(records, Evidence):
        evidence = (replicated if CLAIMS[claim_id].over_replicates else Records)(data_set, records)
    (verdict,) = (verdict for verdict in decide(claim_id, evidence) if verdict.data_set == data_set)
    return verdict


def replicated(data_set, records):
    by_replicate = [dict(zip(records, values, strict=True)) for values in zip(*records.values(), strict=True)]
    replicates = []
    replicates += [Records(data_set, values, replicates) for values in by_replicate]
    return replicates[0]


@pytest.mark.parametrize(
    ("claim_id", "data_set", "records", "expected"),
    [
        pytest.param(claim_id, data_set, holding | change, expected, id=f"{claim_id}-{data_set}-{expected}{i}")
        for (claim_id, data_set), (holding, *contradictions) in CASES.items()
        for expected, changes in (("holds", [{}]), ("fails", contradictions))
        for i, change in enumerate(changes)
    ],
)
def test_claim(claim_id, data_set, records, expected):
    assert verdict_on(claim_id, data_set, records).verdict == expected


@pytest.mark.parametrize(("claim_id", "data_set"), SHOW_NEITHER)
def test_what_is_not_significant_decides_nothing(claim_id, data_set):
    decided = verdict_on(claim_id, data_set, SHOW_NEITHER[claim_id, data_set])
    assert decided.verdict == "undetermined", decided
    assert decided.evidence


def test_every_claim_is_tested():
    assert {claim_id for claim_id, _ in CASES} == set(CLAIMS)


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_nothing_is_decided_without_records(claim_id):
    for verdict in decide(claim_id, Records("", {})):
        assert verdict.verdict == NOT_DECIDABLE
        assert verdict.evidence.startswith("missing: ")


def test_one_missing_data_set_does_not_hide_the_others():
    records = scores("L E6 0.3, T E3 0.4, L E6 0.5 on checker, T E3 0.4 on checker")
    verdicts = {v.data_set: (v.verdict, v.evidence) for v in decide("S14", Records("wine", records))}
    assert list(verdicts) == list(SIX)
    assert verdicts["wine"] == ("holds", "L E6 0.3 <= T E3 0.4")
    assert verdicts["checker"] == ("fails", "L E6 0.5 > T E3 0.4")
    assert verdicts["digits"] == (NOT_DECIDABLE, "missing: E6 on digits, E3 on digits")


EVIDENCE = [  # claim, data set, records, verdict, evidence
    # What is there decides if it can; what is missing is named.
    ("D40", "checker", scores("BA E8 0.8"), "fails", "BA E8 0.8 < 0.9"),
    ("D40", "checker", scores("BA E8 0.95"), NOT_DECIDABLE, "BA E8 0.95 >= 0.9; missing: D40 on checker"),
    ("M46", "checker", NO_E3, "fails", "L E9 0.1 <= T E9 0.2 < L E3 ? <= T E3 0.3 >= L E8 0.3"),
    ("S9", "checker", scores("c E3 1:0.5, T E3 0.4"), "holds", "c(1) E3 0.5 > T E3 0.4; selected B E6 ? == 1"),
    ("S9", "checker", scores("c E3 1:0.5, T E3 0.6"), NOT_DECIDABLE, "missing: E6 on checker"),
    ("S21", "", WITHOUT_WINE, NOT_DECIDABLE, "missing: E3 on wine, E1 on wine"),
    ("C1", "wine", NOT_FITTED, NOT_DECIDABLE, f"missing: {LARGE_AND_SMALL}"),
    ("S22", "wine", scores("L E1 0.1:0.3 E3 0.1:0.2"), NOT_DECIDABLE, "missing: 8 more replicates"),
    ("S5", "wine", FEW_BATCHES, NOT_DECIDABLE, "missing: a final model with 10 batches on wine"),
    ("S18", "wine", ONE_VARIANT, NOT_DECIDABLE, "missing: two variants of S16 on wine"),
    ("S19", "wine", NO_1E9, NOT_DECIDABLE, "missing: lambda_w = 1e-9 in S16 on wine"),
    # Numbers that are nearly the same are shown with the digits that tell which is larger.
    ("S14", "wine", scores("L E6 0.52632, T E3 0.52628"), "fails", "L E6 0.52632 > T E3 0.52628"),
    ("S14", "wine", scores(f"L E6 0.5, T E3 {0.5 - 1e-12}"), "holds", "L E6 0.5 <= T E3 0.5"),
]


@pytest.mark.parametrize(("claim_id", "data_set", "records", "verdict", "evidence"), EVIDENCE)
def test_evidence(claim_id, data_set, records, verdict, evidence):
    decided = verdict_on(claim_id, data_set, records)
    assert (decided.verdict, decided.evidence) == (verdict, evidence)


def test_regions_touch_at_edges_only():
    assert count_regions(islands(4)) == 5
    checkerboard = knn_final(np.argwhere(np.ones((4, 4))), np.indices((4, 4)).sum(axis=0).ravel() % 2, k=1)
    assert count_regions(checkerboard) == 16


def test_separable_by_linear_scores_of_any_number_of_classes(rng):
    X = rng.normal(size=(60, 3))
    y = (X @ rng.normal(size=(3, 4))).argmax(axis=1)
    assert separable(X * [1e-3, 1.0, 1e6], y)
    assert not separable(X, np.roll(y, 1))


def test_training_log_loss_is_that_of_the_training_part():
    fitted = trained(1e-9, 5.0)
    everything = training_log_loss(fitted)
    fitted.data.y[1] = 0
    assert training_log_loss(fitted) > everything
    fitted.folds[1] = TEST
    assert training_log_loss(fitted) == pytest.approx(everything)


# What the published numbers say: the data sets on which a claim fails, and those on which it cannot be decided.
NEEDS_RECORDS = {
    *("S1", "S3", "S4", "S5", "S6", "S11", "S13", "S16", "S17", "S18", "S19", "S20", "S22", "S23"),
    *("A26", "D37", "D38", "D39", "M50", "M59"),
    *("D40", "N67", "N70"),  # for a part of it
    *(claim_id for claim_id in CLAIMS if claim_id[0] in "FPQCB"),
}
UNDECIDED_IF_PUBLISHED = {
    **{claim_id: CLAIMS[claim_id].data_sets for claim_id in NEEDS_RECORDS},
    "S2": ("xor_6f",),
    "M53": ("xor_6f", "xor_5f", "xor_6_6f"),  # elsewhere the optimum is at 1,000
}
FAILS_IF_PUBLISHED = {
    "S7": ("wine", "digits", "checker", "xor_6f"),
    "S12": ("wine",),
    "S14": ("iris_2f", "checker"),
    "A28": ("cancer",),
    "A29": ("cancer", "digits"),
    "A32": ("checker",),
    "M49": ("cancer", "digits", "checker"),
    "M51": ("checker", "checker_rot", "xor_3f", "xor_5f"),
    "M54": ("iris_2f", "cancer", "digits", "checker", "xor_6f", "xor_3f", "xor_4f", "xor_5f", "xor_6_6f"),
    "M55": ("wine", "cancer", "digits", "checker", "checker_rot", "xor_3f", "xor_4f", "xor_5f"),
}


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_published_numbers(claim_id):
    found = decide(claim_id, PublishedEvidence(published_rows()))
    assert [v.data_set for v in found if v.holds is None] == list(UNDECIDED_IF_PUBLISHED.get(claim_id, ()))
    assert [v.data_set for v in found if v.holds is False] == list(FAILS_IF_PUBLISHED.get(claim_id, ()))


@pytest.mark.parametrize(
    ("claim_id", "data_set", "evidence"),
    [
        ("S2", "checker", "c(1) E6 0.2 < min c E7 candidates=100 0.42"),
        ("S7", "checker", "selected B E3 2 != 1"),
        ("S12", "wine", "1e-06 < lambda_v E5 0.1 >= 0.1"),
        ("S21", "", "sum of F E3 36 > sum of F E1 34"),
        ("A29", "cancer", "|L E5 - L E3| 0.06 > SD E3 0.05"),
        (
            "M44",
            "cancer",
            "L E3 0.16 < L E8 0.18 <= T E3 0.19 < L E9 0.21; range of A 0.01 <= 0.02; range of BA 0.02 <= 0.02",
        ),
        ("M52", "", "data sets with optimum 1000 8 > half of them 5.5"),
        ("N63", "checker_rot", "L E12 0.18 > T E9 checker 0.09"),
        ("N70", "xor_6_6f", "k E11 100 >= 95; missing: the published tables do not say"),
    ],
)
def test_published_evidence_shows_the_numbers(claim_id, data_set, evidence):
    assert verdict_on(claim_id, data_set, PublishedEvidence(published_rows())).evidence == evidence


@pytest.fixture
def stored(tmp_path):
    """Two replicates of a study with some numbers of E3 and E6."""
    study = load({**merged(), "replicates": [0, 1]})
    for replicate, loss in ((0, 0.3), (1, 0.9)):
        folder = tmp_path / f"replicate_{replicate}"
        threshold, final_loss, not_searched = (
            Row(replicate, experiment, "proset", "wine", "", section, quantity, value, role)
            for experiment, section, quantity, value, role in (
                ("E3", "stage2", "threshold", 0.5, ""),
                ("E6", "final", "log_loss", loss, ""),
                ("E6", "stage1", "x", None, "optimal"),
            )
        )
        write_rows(folder / "E3.csv", [threshold], Row)
        write_rows(folder / "E6.csv", [final_loss, not_searched], Row)
    return Stored(tmp_path, study)


def test_stored_evidence(tmp_path, stored):
    write_json(tmp_path / "replicate_0/wine/E6/fit.json", {})
    write_json(tmp_path / "replicate_0/wine/E6/stage2.json", {"settings": [0, 1], "mean": [0.7, 0.2]})
    first, second = StoredEvidence(stored, 0).replicates
    assert first.value("E6", "wine", "final", "log_loss") == 0.3
    assert second.value("E6", "wine", "final", "log_loss") == 0.9
    assert first.curve("E6", "wine") == {0: 0.7, 1: 0.2}
    assert first.loss("E6", "wine", 1) == 0.2
    assert [data_set for data_set in SIX if first.is_generated(data_set)] == ["checker", "xor_6f"]
    assert first.variants("E7", "checker") == ["candidates=100", "candidates=300", "candidates=1500"]
    for what, request in {
        "E6 on cancer": lambda: first.value("E6", "cancer", "final", "log_loss"),
        "stage1 optimal_x of E6 on wine": lambda: first.value("E6", "wine", "stage1", "optimal_x"),
        "size 2 of E6 on wine": lambda: first.loss("E6", "wine", 2),
        "E7 on wine": lambda: first.variants("E7", "wine"),
        "E7 candidates=100 on checker": lambda: first.final("E7", "checker", "candidates=100"),
    }.items():
        with pytest.raises(Missing, match=what):
            request()


def test_file_has_a_row_for_every_claim_and_data_set_of_the_study(tmp_path, stored):
    write_claims(tmp_path / "claims.csv", stored, PUBLISHED)
    rows = read_cells(tmp_path / "claims.csv")
    assert tuple(rows[0]) == COLUMNS
    assert [(row["id"], row["dataset"]) for row in rows] == [
        (i, d) for i in CLAIMS for d in data_sets_of(i, stored.study)
    ]
    known = {(row["id"], row["dataset"]): row for row in rows}
    assert known["S14", "wine"] == {
        "id": "S14",
        "claim": "lambda_v = 1e-3 works everywhere",
        "dataset": "wine",
        "verdict": "undetermined",
        "cannot_fail": "",
        "first": "holds",
        "evidence": "L E6 0.3 <= T E3 0.5",
        "published": "holds",
        "published_evidence": "L E6 0.07 <= T E3 0.24",
        "replicates_holding": "1",
        "replicates_decided": "2",
    }
    assert known["S14", "cancer"]["evidence"] == "missing: E6 on cancer, E3 on cancer"
    assert known["S14", "cancer"]["replicates_decided"] == "0"
    assert known["S22", "wine"]["replicates_decided"] == ""
    assert known["S12", "xor_3f"]["cannot_fail"] == "all values that are tried lie inside"


def test_the_evidence_of_a_spread_has_the_p_value_of_its_test():
    ours, theirs = [0.1, 0.5] * 5, [0.1, 0.2, 0.2, 0.1, 0.1] * 2
    p = stats.pearsonr(np.add(ours, theirs), np.subtract(ours, theirs)).pvalue
    assert verdict_on("S22", "wine", records_of(SYMBOLS["L"], E1=ours, E3=theirs)).evidence.endswith(f"(p = {p:.2g})")
