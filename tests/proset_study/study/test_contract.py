"""The contract of `study.contract` for all methods or those of `--method`, and proof that it notices faults."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml
from tests.proset_study.config_files import merged
from tests.shared import ROOT, code_blocks, load_module

from proset.model import Model
from proset_study import methods
from proset_study.methods.base import Range
from proset_study.methods.estimators import EstimatorMethod, FittedEstimator, mean_of_trees
from proset_study.methods.knn import KNN
from proset_study.methods.prototypes import Prototypes
from proset_study.study.config.runs import Run
from proset_study.study.contract import CHECKS
from proset_study.study.subject import Subject, make_fold_data, subject_of

TEMPLATE = "src/proset_study/template/methods/my_method.py"
BATTERY = ("lightgbm", "catboost")  # methods of packages of the same names, which are optional
SMALLER = {  # settings of models below prototypes, whose fits otherwise take more than half of the time of all methods
    "proset_on_forest": {"n_estimators": 12},
    "proset_on_logistic": {"Cs": [1.0], "cv": 2},
}


def template_subject() -> Subject:
    """The template with the experiment that docs/custom-method.md gives it."""
    (block,) = (block for block in code_blocks("docs/custom-method.md", "yaml") if block.startswith("experiments:"))
    (settings,) = yaml.safe_load(block)["experiments"].values()
    return Subject(methods.class_in(load_module(ROOT / TEMPLATE)), Run("own", "own", "", settings))


@pytest.fixture(scope="session")
def experiments(pytestconfig):
    suites = (ROOT / f"workflow/suites/{name}.yaml" for name in ("set_cover", "battery"))
    files = [*suites, *pytestconfig.getoption("configfile")]
    return merged(*(Path(file).absolute() for file in files))["experiments"]


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", metafunc.config.getoption("method") or [*methods.METHODS, TEMPLATE])


@pytest.fixture(scope="module")
def subjects(experiments):
    """The methods asked for so far, so that checks share their fits."""
    return cache(lambda name: template_subject() if name == TEMPLATE else subject_of(name, experiments))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_method(name, check, subjects, monkeypatch):
    if name in BATTERY:
        pytest.importorskip(name)
    if (name, check.__name__) == ("catboost", "one_thread_is_enough"):
        pytest.skip("it starts a thread that waits; test_catboost.py measures which ones compute")
    if name in SMALLER:
        whole = subjects(name).method.estimator
        smaller = staticmethod(lambda *arguments: whole(*arguments).set_params(**SMALLER[name]))
        monkeypatch.setattr(subjects(name).method, "estimator", smaller)
    check(subjects(name))


def test_a_method_needs_an_experiment_to_take_parameters_from(experiments):
    others = {name: entry for name, entry in experiments.items() if entry["method"] != "svm"}
    with pytest.raises(ValueError, match="no experiment uses 'svm'"):
        subject_of("svm", others)
    takes_over = {"method": "svm", "stage1": {"from": "other"}}
    assert subject_of("svm", {"mine": takes_over, **experiments}).run.name == "svm"
    mine = {"method": "svm", "data_sets": ["wine"], "stage2": {"complexity": 1}}
    assert subject_of("svm", {"mine": mine, **others}).run.name == "mine"


class Tree(EstimatorMethod):
    """A sound method, the base of the broken ones."""

    parameters = {"max_depth": Range(1, 10, integer=True)}  # noqa: RUF012
    required = ("max_depth",)
    complexity = "trees"
    draws = True
    trusted = ("sklearn.tree._tree.Tree",)
    staged = classmethod(lambda cls, forest, X: mean_of_trees(forest.estimators_, X))

    @staticmethod
    def simplicity(parameters):
        return (-parameters["max_depth"],)

    @staticmethod
    def estimator(parameters, complexity, seed):
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(complexity, max_depth=int(parameters["max_depth"]), random_state=seed)


def fitted_with(**functions):
    """A method whose fits have other functions than `FittedEstimator`."""
    broken = type("Broken", (FittedEstimator,), functions)

    def fit(self, parameters, complexity, seed):
        return broken(*vars(Tree.fit(self, parameters, complexity, seed)).values())

    def load(arrays):
        return broken(*vars(Tree.load(arrays)).values())

    return type("Method", (Tree,), {"fit": fit, "load": staticmethod(load), "model": broken})


def estimator_with(**settings):
    def estimator(parameters, complexity, seed):
        return Tree.estimator(parameters, complexity, seed).set_params(**settings)

    return type("Method", (Tree,), {"estimator": staticmethod(estimator)})


def shift(self, X):
    return np.roll(FittedEstimator.predict_proba(self, X), 1, axis=1)


def too_much(self, X):
    return 1.1 * FittedEstimator.predict_proba(self, X)


def spoil(self, X):
    X += 1.0
    return FittedEstimator.predict_proba(self, X)


def ignore_weights(self, parameters, complexity, seed):
    data = type(self.data)(**{**vars(self.data), "weight": None})
    return Tree.fit(type(self)(data), parameters, complexity, seed)


def fit_to_all_rows(self, parameters, complexity, seed):
    data = self.data
    X, y = np.concatenate([data.X, data.X_score]), np.concatenate([data.y, data.y_score])
    return Tree.fit(type(self)(type(data)(**{**vars(data), "X": X, "y": y})), parameters, complexity, seed)


def leave_out_categories(self, parameters, complexity, seed):
    data = self.data
    X = np.where(np.arange(data.X.shape[1]) == 1, 0.0, data.X)
    return Tree.fit(type(self)(type(data)(**{**vars(data), "X": X})), parameters, complexity, seed)


def centre_by_the_rows_to_predict(self, X):
    return FittedEstimator.predict_proba(self, X - X.mean(axis=0))


def none_for_gaps(self, X):
    return np.where(X[:, [1]] == 4.0, np.nan, np.eye(2)[X[:, 1].astype(int) % 2])


def importing(line):
    """A method whose module begins with this line."""

    def write(folder):
        file = folder / "importing.py"
        file.write_text(f"{line}\n\n\nclass Importing:\n    pass\n", encoding="utf-8")
        return load_module(file).Importing

    return write


def importing_late(init, fit):
    """A method that imports something when it is fitted."""

    def write(folder):
        file = folder / "late.py"
        file.write_text(
            "from proset_study.methods.knn import KNN\n\n\n"
            f"class Late(KNN):\n    def __init__(self, data):\n        {init}\n\n"
            f"    def fit(self, *args):\n        {fit}\n        return super().fit(*args)\n",
            encoding="utf-8",
        )
        return load_module(file).Late

    return write


def prototypes(number=2, labels=(0, 1), weights=(1.0, 1.0), batch=(1, 1), **functions):
    """A method whose fits have two prototypes and count them."""
    found = Prototypes(np.zeros((2, 3)), np.array(labels), np.array(weights), np.array(batch))
    summary = {"active_features": 3, "prototypes": number}
    fit = fitted_with(prototypes=lambda self: found, summary=lambda self: summary, **functions)
    return type("Method", (fit,), {"model": fit.model, "quantities": ("active_features", "prototypes")})


def explaining(active):
    """A method whose fits have weights for two of three features, and explain by the class prior alone."""
    prior = np.bincount(make_fold_data(3).y) / len(make_fold_data(3).y)
    return prototypes(
        class_prior=lambda self: prior,
        feature_weights=lambda self: np.array([[1.0, 2.0, 0.0]]),
        active_features=lambda self: np.array(active),
        familiarity=lambda self, X: np.zeros(len(X)),
        as_proset=lambda self: Model(prior, np.zeros(3), ()),
    )


def changed(**attributes):
    return type("Method", (Tree,), attributes)


BROKEN = {
    "interface_is_complete": [
        (changed(complexity=None), "`complexity` is missing"),
        (changed(parameters={"max_depth": (1, 3)}), "must be a Range"),
        (changed(required=("depth",)), "`required` has depth"),
        (changed(alternatives=(("max_depth", "depth"),)), "`alternatives` has depth"),
        (changed(max_complexity="12"), "`max_complexity` is '12', must be a int"),
        (changed(names=({"k": "neighbours"},)), "must be a Name"),
        (changed(label=None, place="first"), "`place` is 'first', must be a int"),
        (changed(cost=1.5), "`cost` is 1.5, must be a Callable"),
        (changed(weights="yes"), "allowed are frequency, importance, none"),
        (changed(takes_mixed="yes"), "`takes_mixed` is 'yes', must be a bool"),
        (changed(metrics="all"), "`metrics` is 'all', allowed are any, symmetric, vectors, none"),
        (fitted_with(arrays=None), "no arrays"),
    ],
    "importing_the_module_imports_no_library": [
        (importing("import sklearn.tree"), "imports .*sklearn.*; move that into a function"),
        (importing("import kmedoids"), "kmedoids"),
    ],
    "imports_are_in_no_time": [
        (importing_late("self.data = data", "super().__init__(self.data)"), "fits import .*scipy.*; move that into `_"),
        (importing_late("super().__init__(data); import sklearn", "import sklearn.dummy"), r"import .*sklearn\.dummy"),
    ],
    "parameters_are_as_declared": [
        (changed(fixed=staticmethod(lambda n: {"depth": 1})), "fixed"),
        (changed(required=()), "max_depth"),
    ],
    "same_seed_same_model": [
        (estimator_with(random_state=None), "predict differently"),
        (fitted_with(arrays=lambda self: {"a": np.array(id(self))}), "arrays of two fits"),
    ],
    "what_draws_says_so": [(changed(draws=False), "`draws` is not True")],
    "rows_to_score_are_not_fitted": [(changed(fit=fit_to_all_rows), "other rows to score")],
    "a_row_is_predicted_alone": [(fitted_with(predict_proba=centre_by_the_rows_to_predict), "row alone")],
    "every_step_is_a_shorter_fit": [
        (changed(staged=classmethod(lambda cls, forest, X: (forest.predict_proba(X) for _ in range(3)))), "step 1"),
        (
            fitted_with(staged_predict_proba=lambda self, X: iter([self.estimator.predict_proba(X)])),
            "1 sizes instead of 3",
        ),
    ],
    "predictions_are_probabilities": [
        (fitted_with(predict_proba=too_much), "larger than 1"),
        (fitted_with(predict_proba=lambda self, X: np.full((len(X), 2), np.nan)), "not finite"),
        (fitted_with(predict_proba=lambda self, X: np.full((len(X), 1), 1.0)), "shape"),
        (fitted_with(predict_proba=lambda self, X: self.estimator.predict_proba(X) / 2), "sum to 1"),
    ],
    "columns_are_the_classes": [(fitted_with(predict_proba=shift), "order of the classes")],
    "weights_do_what_is_declared": [
        (changed(fit=ignore_weights), "not predicted more"),
        (changed(weights="frequency"), "are not the same as none"),
    ],
    "a_stored_model_predicts_the_same": [
        (changed(trusted=()), "Tree"),
        (fitted_with(arrays=lambda self: {"estimator": np.array([self.estimator])}), "Python objects"),
    ],
    "simplicity_sorts": [
        (changed(simplicity=staticmethod(lambda parameters: -parameters["max_depth"])), "must be a tuple"),
        (changed(simplicity=staticmethod(lambda parameters: (np.nan,))), "not finite"),
    ],
    "summaries_have_the_quantities": [
        (changed(quantities=("active_features", "leaves")), "no leaves"),
        (changed(measures=staticmethod(lambda forest: {"active_features": [np.int64(2)]})), "JSON"),
        (fitted_with(staged_summary=lambda self: {"active_features": [3]}), "staged_summary"),
    ],
    "models_are_what_is_declared": [
        (changed(model=KNN.model), "a FittedEstimator, `model` is FittedKNN"),
        (changed(quantities=("active_features", "prototypes")), "counts prototypes"),
        (fitted_with(class_prior=lambda self: np.array([0.2, 0.3, 0.5])), "class prior"),
        (fitted_with(prototypes=lambda self: Prototypes.unweighted(np.zeros((2, 3)), np.array([0, 3]))), "counts"),
        (prototypes(number=1), r"\[2, 2, 2, 2\] prototypes, the summary has 1"),
        (prototypes(labels=[0, 3]), "of no class"),
        (prototypes(weights=[1.0, 0.0]), "no weight"),
        (prototypes(batch=[2, 1]), "order of their batches"),
        (explaining(active=[0]), "not those with a weight"),
        (explaining(active=[0, 1]), "explanation"),
    ],
    "metrics_are_heard": [(changed(metrics="any"), "by a matrix it predicts differently")],
    "mixed_tables_are_taken": [
        (changed(takes_mixed=True, fit=leave_out_categories), r"decides \d+% are right"),
        (type("Method", (fitted_with(predict_proba=none_for_gaps),), {"takes_mixed": True}), "not finite"),
    ],
    "data_are_left_alone": [(fitted_with(predict_proba=spoil), "changed")],
    "one_thread_is_enough": [(estimator_with(n_jobs=2, n_estimators=50), "threads are started")],
}


def tree_subject(method):
    settings = {
        "method": "tree",
        "data_sets": ["d"],
        "stage1": {"trials": 5, "complexity": 4, "space": {"max_depth": {"integers": [1, 10]}}},
        "stage2": {"complexity": 4},
    }
    return Subject(method, Run("tree", "tree", "", settings))


@pytest.mark.parametrize(
    ("check", "method", "message"), [(check, *case) for check, cases in BROKEN.items() for case in cases]
)
def test_broken_methods_are_noticed(check, method, message, tmp_path):
    check = {c.__name__: c for c in CHECKS}[check]
    method = method if isinstance(method, type) else method(tmp_path)
    with pytest.raises((AssertionError, TypeError, KeyError, ValueError), match=message):
        check(tree_subject(method))


def test_every_check_has_a_fault_that_it_notices():
    assert set(BROKEN) == {check.__name__ for check in CHECKS}
