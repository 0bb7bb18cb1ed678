"""
How many batches
================

Batches are added one after the other, and earlier ones never change. So a model with ten batches holds those with
fewer, and one pass over test samples gives the predictions of all of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import log_loss

from proset import ProsetClassifier

rng = np.random.default_rng(0)
X = rng.uniform(0, 4, size=(4000, 2))
y = np.floor(X).sum(axis=1).astype(int) % 2  # a checkerboard
y = np.where(rng.random(len(y)) < 0.05, 1 - y, y)
X_train, X_test, y_train, y_test = X[:2000], X[2000:], y[:2000], y[2000:]

model = ProsetClassifier(n_batches=6, n_candidates=40, random_state=0).fit(X_train, y_train)
losses = {
    part: [log_loss(labels, p) for p in model.staged_predict_proba(features)]
    for part, features, labels in [("training", X_train, y_train), ("test", X_test, y_test)]
}
print("prototypes of each batch:", [len(batch.labels) for batch in model.batches_])

# %%
# 40 candidates a batch are few for this board, so that further batches help. Batches beyond what is needed do no harm:
# they are small or empty.

figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for part, values in losses.items():
    axes.plot(values, marker="o", label=part)
axes.set(xlabel="batches", ylabel="log-loss")
axes.legend()
plt.show()
