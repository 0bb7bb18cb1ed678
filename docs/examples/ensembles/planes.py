"""
Ensembles on one plane: a tree, bagging, a forest, boosting
===========================================================

The same trees in four ways, on two patterns. On the moons, which are curved and overlap, the mean of many trees is
smoother than one of them and errs less. The second pattern is as simple as can be, a straight line that is parallel to
no axis: a tree makes stairs of it, and bagging only blurs the stairs, where logistic regression, in the last panel,
needs two numbers. A mean of trees is of the same kind as they are, so that bagging may not capture simple patterns.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

METHODS = {
    "tree": DecisionTreeClassifier(random_state=0),
    "bagging": BaggingClassifier(DecisionTreeClassifier(), n_estimators=100, random_state=0),
    "random forest": RandomForestClassifier(max_features=1, random_state=0),
    "boosting (AdaBoost)": AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=100, random_state=0),
    "logistic regression": LogisticRegression(C=100.0),
}


def line(n_samples: int, random_state: int) -> tuple[np.ndarray, np.ndarray]:
    """Uniform points in a square; the class says on which side of a straight line a point is."""
    X = np.random.default_rng(random_state).uniform(-1, 1, (n_samples, 2))
    return X, (X @ [1.0, 1.6] > 0.2).astype(int)


def compared(train: tuple[np.ndarray, np.ndarray], test: tuple[np.ndarray, np.ndarray]) -> dict[str, float]:
    """Test error rate of each method, which is fitted."""
    return {name: 1 - method.fit(*train).score(*test) for name, method in METHODS.items()}


def draw(axes: np.ndarray, X: np.ndarray, y: np.ndarray, errors: dict[str, float]) -> None:
    """The training samples, and the probability of one class by each of the fitted methods."""
    low, high = X.min(axis=0) - 0.2, X.max(axis=0) + 0.2
    sides = [np.linspace(low[j], high[j], 150) for j in range(2)]
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(*sides)])
    for panel, (title, method) in zip(axes, {"training samples": None, **METHODS}.items(), strict=True):
        if method is not None:
            probability = method.predict_proba(points)[:, 1].reshape(150, 150)
            panel.contourf(*sides, probability, levels=np.linspace(0, 1, 11), cmap="RdBu", alpha=0.8)
            panel.contour(*sides, probability, levels=[0.5], colors="black", linewidths=0.8)
            title += f"\ntest error {100 * errors[title]:.1f} %"
        panel.scatter(*X.T, c=y, cmap="RdBu", s=6, edgecolor="black", linewidth=0.2)
        panel.set(title=title, xticks=[], yticks=[])


if __name__ == "__main__":
    patterns = {
        "moons": (make_moons(200, noise=0.35, random_state=0), make_moons(5000, noise=0.35, random_state=1)),
        "line": (line(200, 0), line(5000, 1)),
    }
    figure, axes = plt.subplots(2, 6, figsize=(12, 4.6), layout="constrained")
    for row, (name, (train, test)) in zip(axes, patterns.items(), strict=True):
        errors = compared(train, test)
        draw(row, *train, errors)
        print(f"{name}: " + ", ".join(f"{method} {error:.3f}" for method, error in errors.items()))
    plt.show()
