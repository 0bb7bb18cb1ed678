"""
Few samples: leave-one-out references
=====================================

As published, a batch draws candidates for prototypes and judges them by the samples that are left
(`references="split"`). By default every sample is both, and none sees itself. That matters where samples are few.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss

from proset import ProsetClassifier

X_test, y_test = make_moons(2000, noise=0.25, random_state=10_000)
sizes = [20, 40, 80, 160, 320]
losses = {"split": [], "leave_one_out": []}
for size in sizes:
    for references in losses:
        found = []
        for seed in range(10):
            X, y = make_moons(size, noise=0.25, random_state=seed)
            model = ProsetClassifier(references=references, random_state=seed).fit(X, y)
            found.append(log_loss(y_test, model.predict_proba(X_test)))
        losses[references].append(np.mean(found))

figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for references, values in losses.items():
    axes.plot(sizes, values, marker="o", label=references)
axes.set_xscale("log", base=2)
axes.set(xlabel="training samples", ylabel="test log-loss, mean of 10 draws", xticks=sizes, xticklabels=sizes)
axes.legend(title="references")
plt.show()
