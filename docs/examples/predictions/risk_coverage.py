"""
Error rate against the proportion of samples answered
=====================================================

If the least certain samples go to somebody else, those that are left have fewer errors. Two ways to say what is
uncertain: the largest class probability is small, which finds samples between classes; or the familiarity is, which
finds samples far from all prototypes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from proset import ProsetClassifier
from proset.plot import RiskCoverageDisplay

X, y = make_moons(3000, noise=0.3, random_state=0)
model = ProsetClassifier(lambda_v=0.01, random_state=0).fit(X[:1000], y[:1000])
X_test, y_test = X[1000:], y[1000:]

figure, axes = plt.subplots(layout="constrained")
for score in ("confidence", "familiarity_quantile"):
    RiskCoverageDisplay.from_estimator(model, X_test, y_test, criterion=score, ax=axes)
plt.show()

# %%
# Where classes overlap, errors are in the overlap, and only the probability knows it. Now every tenth test sample is
# moved away from the data, with an arbitrary label: familiarity sees them, the probability does so only because it
# falls back to the class proportions there.

rng = np.random.default_rng(0)
X_test, y_test = X_test.copy(), y_test.copy()
X_test[::10] += 8 * rng.choice([-1, 1], size=X_test[::10].shape)
y_test[::10] = rng.integers(2, size=len(y_test[::10]))

figure, axes = plt.subplots(layout="constrained")
for score in ("confidence", "familiarity_quantile"):
    RiskCoverageDisplay.from_estimator(model, X_test, y_test, criterion=score, ax=axes)
plt.show()
