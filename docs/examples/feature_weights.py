"""
Which features a model uses
===========================

The penalty on feature weights sets most of them to zero. What is left is an inverse bandwidth: the larger the weight
of a feature, the smaller the distance in it over which two samples count as similar.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
pipeline = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.01, random_state=0)).fit(X, y)
model = pipeline[-1]
print(f"{len(model.active_features_)} of {X.shape[1]} features, {model.n_prototypes_} prototypes")

# %%
# Weights of the features in use, largest first.

weights = model.batches_[0].feature_weights[model.active_features_]
names = X.columns[model.active_features_]
order = weights.argsort()

figure, axes = plt.subplots(figsize=(6.4, 0.4 * len(names) + 1), layout="constrained")
axes.barh(names[order], weights[order])
axes.set_xlabel("feature weight (per standard deviation)")
plt.show()
