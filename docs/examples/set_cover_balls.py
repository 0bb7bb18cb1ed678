"""
Prototypes by set cover
=======================

`SetCoverClassifier` chooses prototypes without weights: few balls of one radius that hold the samples of their class
and few of the others. The radius decides how many there are.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from proset import SetCoverClassifier

X, y = make_moons(n_samples=200, noise=0.15, random_state=0)
colours = ["#2166ac", "#b2182b"]
figure, both = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharey=True)
for axes, radius in zip(both, [0.3, 0.6], strict=True):
    model = SetCoverClassifier(eps=radius).fit(X, y)
    axes.scatter(*X.T, c=[colours[label] for label in y], s=8)
    for centre, label in zip(model.prototypes_, model.prototype_labels_, strict=True):
        axes.add_patch(plt.Circle(centre, radius, color=colours[label], alpha=0.15))
    wrong = (model.predict(X) != y).mean()
    axes.set(title=f"radius {radius}: {len(model.prototypes_)} prototypes, error {wrong:.3f}", aspect="equal")
plt.show()
