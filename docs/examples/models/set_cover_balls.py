"""
Prototypes by set cover
=======================

`SetCoverClassifier` chooses prototypes without weights: few balls of one radius that hold the samples of their class
and few of the others. The radius decides how many there are.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from proset import SetCoverClassifier
from proset.plot import BallsDisplay

X, y = make_moons(n_samples=200, noise=0.15, random_state=0)
figure, both = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axes, radius in zip(both, [0.3, 0.6], strict=True):
    model = SetCoverClassifier(eps=radius).fit(X, y)
    BallsDisplay.from_estimator(model, X, y, ax=axes, legend=radius == 0.6)
    axes.set_title(f"radius {radius}: {len(model.prototypes_)} prototypes")
plt.show()
