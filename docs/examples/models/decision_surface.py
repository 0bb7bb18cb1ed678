"""
Prototypes and decision surface
===============================

Two interleaved half circles. The model keeps few of the training samples as prototypes; the class of a point is
decided by their weighted distances.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from proset import ProsetClassifier
from proset.plot import DecisionSurfaceDisplay

X, y = make_moons(n_samples=300, noise=0.2, random_state=0)
model = ProsetClassifier(lambda_v=0.01, random_state=0).fit(X, y)
print(f"{model.n_prototypes_} prototypes from {len(X)} samples, training accuracy {model.score(X, y):.3f}")

# %%
# Circles are prototypes; their area is the weight. The README shows this figure (``docs/images/decision_surface.png``).

DecisionSurfaceDisplay.from_estimator(model, X, y)
plt.show()
