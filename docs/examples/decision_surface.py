"""
Prototypes and decision surface
===============================

Two interleaved half circles. The model keeps few of the training samples as prototypes; the class of a point is
decided by the prototypes near it, and the class probabilities fall back to the proportions of the classes where none
is near.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.datasets import make_moons

from proset import ProsetClassifier

X, y = make_moons(n_samples=300, noise=0.2, random_state=0)
model = ProsetClassifier(random_state=0).fit(X, y)
print(f"{model.n_prototypes_} prototypes from {len(X)} samples, training accuracy {model.score(X, y):.3f}")

# %%
# Colour is the probability of the second class. Rings are prototypes; their area is the weight.

grid = np.meshgrid(np.linspace(-2.5, 3.5, 200), np.linspace(-2, 2.5, 150))
probability = model.predict_proba(np.column_stack([axis.ravel() for axis in grid]))[:, 1].reshape(grid[0].shape)

figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
surface = axes.contourf(*grid, probability, levels=np.linspace(0, 1, 21), cmap="RdBu_r", alpha=0.6)
axes.scatter(*X.T, c=y, cmap=ListedColormap(["#2166ac", "#b2182b"]), s=8)
batch = model.batches_[0]
weight = batch.prototype_weights / batch.prototype_weights.max()
axes.scatter(*batch.prototypes.T, s=30 + 250 * weight, facecolors="none", edgecolors="black", linewidths=1.2)
figure.colorbar(surface, label="probability of the second class", ticks=[0, 0.5, 1])
plt.show()
