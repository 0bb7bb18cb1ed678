"""
Selection is a part of training: features, parameters, the method
==================================================================

Whatever was chosen because its score was the best has a score that is too good: of many estimates the smallest is the
luckiest as well. It does not matter what is chosen, features, parameters or the method itself. The right way treats the
choice as a step of training: cross-validation around it (nested) repeats it in every fold.

All three on the same data, 60 samples with a weak signal: the error rate that the wrong and the right way report, and
the true one of what was chosen, measured on 2,000 fresh samples. The optimism is the difference.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from proset import ProsetClassifier

NEIGHBOURS = Pipeline([("method", KNeighborsClassifier())])
GRID = {"method__n_neighbors": [*range(1, 30, 2)], "method__weights": ["uniform", "distance"]}
METHODS = [
    KNeighborsClassifier(),
    make_pipeline(StandardScaler(), ProsetClassifier(n_batches=1)),
    DecisionTreeClassifier(random_state=0),
    RandomForestClassifier(20, random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression()),
]


def samples(n_samples: int, n_features: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two balanced classes whose means differ by half a standard deviation in the first two features."""
    y = np.arange(n_samples) % 2
    X = rng.normal(size=(n_samples, n_features))
    X[:, :2] += 0.5 * y[:, None]
    return X, y


def features(seed: int, n_features: int = 500, selected: int = 10) -> tuple[float, float, float]:
    """Error of the wrong way, of the right way, and true error, when features are selected."""
    rng, folds = np.random.default_rng(seed), _folds(seed)
    (X, y), fresh = samples(60, n_features, rng), samples(2000, n_features, rng)
    select = SelectKBest(f_classif, k=selected)
    model = make_pipeline(select, KNeighborsClassifier())
    wrong = 1 - cross_val_score(KNeighborsClassifier(), select.fit_transform(X, y), y, cv=folds).mean()
    right = 1 - cross_val_score(model, X, y, cv=folds).mean()
    return wrong, right, 1 - model.fit(X, y).score(*fresh)


def parameters(seed: int) -> tuple[float, float, float]:
    """The same for the parameters of nearest neighbours."""
    return _chosen(GridSearchCV(NEIGHBOURS, GRID, cv=_folds(seed)), seed)


def method(seed: int, methods: list | None = None) -> tuple[float, float, float]:
    """The same for the choice among methods, each with its defaults."""
    grid = {"method": METHODS if methods is None else methods}
    return _chosen(GridSearchCV(NEIGHBOURS, grid, cv=_folds(seed)), seed)


def _chosen(search: GridSearchCV, seed: int) -> tuple[float, float, float]:
    rng = np.random.default_rng(seed)
    (X, y), fresh = samples(60, 5, rng), samples(2000, 5, rng)
    search.fit(X, y)
    nested = 1 - cross_val_score(search, X, y, cv=_folds(seed + 1)).mean()
    return 1 - search.best_score_, nested, 1 - search.score(*fresh)


def _folds(seed: int) -> StratifiedKFold:
    return StratifiedKFold(5, shuffle=True, random_state=seed)


if __name__ == "__main__":
    draws = 6
    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for place, (name, select) in enumerate({"features": features, "parameters": parameters, "method": method}.items()):
        found = np.array([select(seed) for seed in range(draws)])
        wrong, right, true = found.mean(axis=0)
        off = (found[:, :2] - found[:, 2:]).std(axis=0, ddof=1) / np.sqrt(draws)
        print(
            f"{name}: true error {true:.3f}; wrong way {wrong:.3f}, optimism {true - wrong:+.3f} ± {off[0]:.3f};"
            f" right way {right:.3f}, optimism {true - right:+.3f} ± {off[1]:.3f}"
        )
        for shift, value, colour, label in ((-0.2, wrong, "C3", "wrong way"), (0.0, right, "C0", "right way")):
            axes.bar(place + shift, value, 0.2, color=colour, label=label if place == 0 else None)
        axes.bar(place + 0.2, true, 0.2, color="0.6", label=None if place else "true error")
    axes.set_xticks(range(3), ["features selected", "parameters selected", "method selected"])
    axes.set(ylabel="error rate", title=f"What is reported after a selection, mean of {draws} data sets")
    axes.legend(loc="lower right")
    plt.show()
