"""
Different methods together: voting and stacking
================================================

Trees of one forest differ by chance, these members by what they are: proset, nearest neighbours, a tree, logistic
regression and a small neural network. A vote counts their classes or takes the mean of their probabilities; stacking
fits a logistic regression to what they predict for held-out folds, so that a member that is better counts more.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_wine, make_moons
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from proset import ProsetClassifier

MEMBERS = {
    "proset": ProsetClassifier(n_batches=2, random_state=0),
    "nearest neighbours": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    "logistic regression": LogisticRegression(),
    "neural network": MLPClassifier((20,), alpha=1e-2, max_iter=400, solver="lbfgs", random_state=0),
}


def compared(X: np.ndarray, y: np.ndarray, seed: int = 0) -> dict[str, float]:
    """Test error rate of every member, of both votes, and of stacking; half of the samples are for training."""
    members = [*MEMBERS.items()]
    methods = {
        **MEMBERS,
        "majority vote": VotingClassifier(members, voting="hard"),
        "mean probability": VotingClassifier(members, voting="soft"),
        "stacking": StackingClassifier(members, LogisticRegression(), cv=3, stack_method="predict_proba"),
    }
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    return {
        name: 1 - make_pipeline(StandardScaler(), method).fit(X_train, y_train).score(X_test, y_test)
        for name, method in methods.items()
    }


if __name__ == "__main__":
    moons = make_moons(600, noise=0.3, random_state=0)
    digits, figures = load_digits(return_X_y=True)
    data_sets = {"moons": moons, "wine": load_wine(return_X_y=True), "digits": (digits[:800], figures[:800])}
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", sharey=True)
    for panel, (name, (X, y)) in zip(axes, data_sets.items(), strict=True):
        found = compared(X, y)
        panel.barh([*found], [*found.values()], color=["0.7"] * len(MEMBERS) + ["C0"] * 3)
        panel.set(xlabel="test error rate", title=name)
        print(f"{name}: " + ", ".join(f"{method} {error:.3f}" for method, error in found.items()))
    axes[0].invert_yaxis()
    plt.show()
