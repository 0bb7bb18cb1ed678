"""
Scale the features first
========================

A fit begins with the same weight for every feature, a weight for features on a scale of about 1. Here are the wine
data, standardised and then multiplied by a factor.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier

X, y = load_wine(return_X_y=True)
model = ProsetClassifier(random_state=0)
print(f"as measured:  accuracy {cross_val_score(model, X, y).mean():.3f}")
print(f"standardised: accuracy {cross_val_score(make_pipeline(StandardScaler(), model), X, y).mean():.3f}")

# %%
# From a standard deviation of about 10 on nothing is learnt: at the start no sample is near any other, and a fit
# cannot find out that it should take smaller weights. `fit` then warns. Put a scaler and the model in a pipeline, so
# that in a cross-validation the scaler sees the training part only.

factors = np.logspace(-2, 2, 9)
scores = []
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for factor in factors:
        scores.append(cross_val_score(model, factor * StandardScaler().fit_transform(X), y).mean())

figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
axes.semilogx(factors, scores, marker="o")
axes.axhline(np.bincount(y).max() / len(y), linestyle="--", color="grey", label="largest class")
axes.set(xlabel="standard deviation of the features", ylabel="accuracy, 5 folds", ylim=(0, 1))
axes.legend()
plt.show()
