"""
Familiarity: how much a prediction has to go by
===============================================

A classifier gives probabilities everywhere, also where it has seen nothing. The familiarity of a sample is the weight
of the prototypes near it. Where it is near zero, the prediction is the class proportions and nothing else.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from proset import ProsetClassifier

X, y = make_blobs(300, centers=[[-1, 0], [1, 0], [0, 1.5]], cluster_std=0.4, random_state=0)
model = ProsetClassifier(random_state=0).fit(X, y)

for point in ([-1.0, 0.0], [0.0, 0.2], [3.0, 3.0]):
    probability = model.predict_proba([point])[0].round(3)
    print(f"{point}: probabilities {probability}, familiarity {model.familiarity([point])[0]:.3g}")

# %%
# The last point is far from all samples. The contours are powers of ten.

grid = np.meshgrid(np.linspace(-4, 4, 200), np.linspace(-3, 4.5, 200))
familiarity = model.familiarity(np.column_stack([axis.ravel() for axis in grid])).reshape(grid[0].shape)

figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
levels = np.arange(-6, 4)
filled = axes.contourf(*grid, np.log10(familiarity + 1e-12), levels=levels, cmap="Greys", extend="both")
axes.scatter(*X.T, c=y, s=10, cmap="viridis")
figure.colorbar(filled, label="familiarity, power of ten")
plt.show()
