"""What one fit costs, roughly: for the estimate at the start of a run, and the run time that a job asks of a cluster.

Measured with 1,000, 20,000 and, where it takes minutes, 200,000 rows of 20 features in 5 classes (chosen parameters in
the middle of what config.yaml searches), and taken from the records of the study (80 to 3,600 fitted rows, 2 to 64
features): CPU seconds of one thread, with the scoring of the whole path. The numbers are in
tests/proset_study/methods/test_costs.py.
"""

from dataclasses import dataclass

from proset_study.data.sizes import Size


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a fit, with c for complexity: start + c trees tree + each rows^a features^b trees^d c^e

    Trees are those of one round: one for each class, but one for two classes.
    """

    start: float
    each: float
    rows: float = 1.0
    features: float = 0.0
    trees: float = 0.0
    complexity: float = 0.0
    tree: float = 0.0


COSTS = {
    "class_prior": Cost(0.01, 1e-7),
    "logistic_regression": Cost(0.05, 6e-8, features=1.5, trees=1, complexity=1),
    "decision_tree": Cost(0.0, 6e-7, rows=1.25, features=0.5),
    "bagging": Cost(0.1, 3e-7, rows=1.25, features=0.5, complexity=1),
    "random_forest": Cost(0.0, 4e-7, rows=1.2, features=0.4, complexity=1),
    "adaboost": Cost(0.05, 2.8e-7, rows=1.25, features=0.5, complexity=1),
    "svm": Cost(0.01, 5e-8, rows=2),
    "hist_gradient_boosting": Cost(0.1, 5e-8, features=0.5, trees=1, complexity=1, tree=6e-4),
    "xgboost": Cost(0.01, 1.9e-7, trees=1, complexity=1, tree=2.5e-4),
    "explainable_boosting": Cost(0.08, 1.3e-6, features=1, trees=1),
    "nearest_neighbour": Cost(0.06, 3.3e-9, rows=2),
    "k_medoids": Cost(0.05, 2.1e-8, rows=2, trees=-0.6, complexity=1),
    "k_means": Cost(0.1, 2e-3, rows=0.5, complexity=1),
    "lvq": Cost(0.1, 3.8e-3, rows=0.5, complexity=1),
    "condensed_nn": Cost(0.05, 5.1e-8, rows=1.8),
    "cccd": Cost(0.1, 3e-9, rows=2, features=0.5),
    "set_cover": Cost(0.1, 9e-6, rows=1.5),
    "set_cover_centres": Cost(0.1, 8e-6, rows=1.5),
    "set_cover_lp": Cost(0.3, 4.7e-5, rows=1.5),
}
OTHER = Cost(0.05, 1e-6, features=0.5, complexity=1)  # a method of your own
# Of proset, by batch: overhead, each pair of a candidate and another row, features that double it. It changes with the
# arithmetic of the package: see benchmarks/results.md.
PROSET_BATCH, PROSET_PAIR, PROSET_FEATURES = 0.008, 4.5e-8, 100
PROSET_CANDIDATES = 1000  # if the config does not say
# Of k nearest neighbours, by row: the tree and its query, each distance and feature; rows that are looked at.
KNN_ROW, KNN_DISTANCE, KNN_LEAVES = 2e-6, 2.6e-9, 10
LIBRARY_METHODS = COSTS.keys() - {"xgboost"}
LIBRARY_SECONDS = 1.0  # import of scikit-learn, in jobs of these


def fit_seconds(method: str, size: Size, stage: dict, fitted: int, scored: int) -> float:
    """Rough CPU seconds of one fit.

    Parameters
    ----------
    method : str
    size : Size
        Of the whole data set.
    stage : dict
        Settings of the stage.
    fitted, scored : int
        Rows.
    """
    if method == "proset":
        candidates = min(stage["parameters"].get("n_candidates", PROSET_CANDIDATES), 0.5 * fitted)
        pairs = (fitted - candidates) * candidates * (1 + size.features / PROSET_FEATURES)
        return stage["complexity"] * (PROSET_BATCH + PROSET_PAIR * pairs)
    if method == "knn":
        seen = min(fitted, KNN_LEAVES * 4.0**size.features)  # a search tree helps where features are few
        return KNN_ROW * (fitted + scored) + KNN_DISTANCE * scored * seen * size.features
    cost = COSTS.get(method, OTHER)
    trees = size.classes if size.classes > 2 else 1
    work = fitted**cost.rows * size.features**cost.features * trees**cost.trees * stage["complexity"] ** cost.complexity
    return cost.start + stage["complexity"] * trees * cost.tree + cost.each * work
