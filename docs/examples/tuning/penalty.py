"""
The penalty on feature weights
==============================

`lambda_v` is the parameter to tune first. Feature weights are inverse bandwidths: a larger penalty makes kernels
wider, so that fewer prototypes are needed, and drops features in the end.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
penalties = np.logspace(-5, -0.5, 10)
path = []
for penalty in penalties:
    pipeline = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=penalty, random_state=0)).fit(X_train, y_train)
    model = pipeline[-1]
    path.append((len(model.active_features_), model.n_prototypes_, log_loss(y_test, pipeline.predict_proba(X_test))))

figure, rows = plt.subplots(3, sharex=True, figsize=(6.4, 5.6), layout="constrained")
for axes, values, name in zip(rows, np.transpose(path), ["features", "prototypes", "test log-loss"], strict=True):
    axes.semilogx(penalties, values, marker="o")
    axes.set(ylabel=name, ylim=(0, None))
rows[-1].set_xlabel("lambda_v")
plt.show()
