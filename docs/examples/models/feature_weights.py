"""
Which features a model uses
===========================

In a fit most feature weights become zero. What is left is an inverse bandwidth: the larger the weight of a feature,
the smaller the difference in it up to which two samples count as similar.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import FeatureWeightsDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
model = make_pipeline(StandardScaler(), ProsetClassifier(n_batches=2, random_state=0)).fit(X, y)
print(f"{len(model[-1].active_features_)} of {X.shape[1]} features: {X.columns[model[-1].active_features_].tolist()}")

# %%
# Weights are per standard deviation, as the classifier sees standardised features.

FeatureWeightsDisplay.from_estimator(model, feature_names=X.columns)
plt.show()
