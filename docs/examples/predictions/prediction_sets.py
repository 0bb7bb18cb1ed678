"""
Prediction sets
===============

Instead of one class, a set that holds the right one with a probability that is chosen: split-conformal prediction,
here by the package MAPIE, needs a fitted classifier and calibration samples of their own.
"""

import matplotlib.pyplot as plt
import numpy as np
from mapie.classification import SplitConformalClassifier
from sklearn.datasets import make_blobs
from sklearn.model_selection import train_test_split

from proset import ProsetClassifier

X, y = make_blobs(3000, centers=[[-1, 0], [1, 0], [0, 1.5]], cluster_std=0.7, random_state=0)
X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=500, random_state=0)
X_calibration, X_test, y_calibration, y_test = train_test_split(X_rest, y_rest, train_size=500, random_state=0)

model = ProsetClassifier(lambda_v=0.01, random_state=0).fit(X_train, y_train)
conformal = SplitConformalClassifier(model, confidence_level=0.95, prefit=True)
conformal.conformalize(X_calibration, y_calibration)
sets = conformal.predict_set(X_test)[1][:, :, 0]
print(f"{sets[np.arange(len(y_test)), y_test].mean():.1%} of the sets hold the right class")

# %%
# Sets of two classes are between these, those of three in the middle. The promise is about the mean over all samples
# like the calibration ones, not about a single place: far from all samples, a set says nothing, which
# :doc:`familiarity </gallery/predictions/familiarity>` does.

size = sets.sum(axis=1)
figure, axes = plt.subplots(layout="constrained")
for number in np.unique(size):
    axes.scatter(*X_test[size == number].T, s=8, label=f"{number} class{'es' if number != 1 else ''}")
axes.legend(title="in the set")
plt.show()
