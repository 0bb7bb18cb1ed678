"""
How many batches
================

Batches are added one after the other, and earlier ones never change. So a model with eight batches holds those with
fewer, and one pass over the samples gives the predictions of all of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from proset import ProsetClassifier
from proset.plot import BatchPathDisplay

rng = np.random.default_rng(0)
X = rng.uniform(0, 4, size=(4000, 2))
y = np.floor(X).sum(axis=1).astype(int) % 2  # a checkerboard
y = np.where(rng.random(len(y)) < 0.05, 1 - y, y)
X_train, X_test, y_train, y_test = X[:2000], X[2000:], y[:2000], y[2000:]

model = ProsetClassifier(n_batches=8, n_candidates=40, max_prototypes=None, random_state=0).fit(X_train, y_train)

# %%
# 40 candidates a batch are few for this board, so that further batches help. Batches beyond what is needed do no harm:
# they are small or empty.

figure, axes = plt.subplots(layout="constrained")
BatchPathDisplay.from_estimator(model, X_train, y_train, name="training", ax=axes)
BatchPathDisplay.from_estimator(model, X_test, y_test, name="test", ax=axes)
plt.show()
