"""
The wrong and the right way to select features with cross-validation
====================================================================

50 samples of two balanced classes and 5,000 features that have nothing to do with the class: no classifier can be wrong
in less than half of the cases. Repeats section 7.10.2 of T. Hastie, R. Tibshirani and J. Friedman, The Elements of
Statistical Learning, 2nd edition (2009), with one nearest neighbour on the 100 features of the largest correlation.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline


def errors(seed: int, n_samples: int = 50, n_features: int = 5000, n_selected: int = 100) -> tuple[float, float]:
    """Error rates of five-fold cross-validation with features selected before, and inside every fold.

    Parameters
    ----------
    seed : int
    n_samples : int >= 10, even
    n_features, n_selected : int

    Returns
    -------
    wrong, right : float
    """
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_samples, n_features)), np.arange(n_samples) % 2
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    select = SelectKBest(f_classif, k=n_selected)  # the F statistic of two classes grows with the absolute correlation
    neighbour = KNeighborsClassifier(n_neighbors=1)
    selected_before = select.fit_transform(X, y)  # has seen the classes of the samples that are left out
    wrong = 1 - cross_val_score(neighbour, selected_before, y, cv=folds).mean()
    right = 1 - cross_val_score(make_pipeline(select, neighbour), X, y, cv=folds).mean()
    return float(wrong), float(right)


if __name__ == "__main__":
    found = np.array([errors(seed) for seed in range(50)])
    ways = ("before cross-validation", "inside every fold")
    for way, values in zip(ways, found.T, strict=True):
        print(
            f"selected {way}: error {values.mean():.3f}, standard deviation {values.std(ddof=1):.3f} over 50 data sets"
        )
    figure, axes = plt.subplots(layout="constrained")
    axes.boxplot(found, tick_labels=[f"selected {way}" for way in ways])
    axes.axhline(0.5, linestyle="--", color="grey")
    axes.set_ylabel("error rate of cross-validation")
    plt.show()
