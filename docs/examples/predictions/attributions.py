"""
What each feature adds to a prediction
======================================

`explain` says which prototypes a prediction is made of, `attributions` which features: the Shapley values of the class
probabilities. With up to 15 active features they are exact, because similarities are products of one factor for each
feature.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import AttributionsDisplay, AttributionSummaryDisplay, ExplanationDisplay

wine = load_wine(as_frame=True)
y = wine.target_names[wine.target]
X_train, X_test, y_train, y_test = train_test_split(wine.data, y, stratify=y, random_state=0)
model = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.01, random_state=0)).fit(X_train, y_train)

x = X_test.head(1)
ExplanationDisplay.from_estimator(model, x, top=5)
plt.show()

# %%
# The same prediction by features. The dashed line is the mean probability of the class over 100 training samples, the
# solid one that of this sample, and each bar is what one feature adds.

AttributionsDisplay.from_estimator(model, x)
plt.show()

# %%
# They add up to the probabilities, exactly. `model[-1].attributions(...).to_shap()` opens in the plots of the package
# shap.

found = model[-1].attributions(X_test, transformer=model)
total = found.base_values + found.values.sum(axis=1)
print(f"largest difference from predict_proba: {np.abs(total - model.predict_proba(X_test)).max():.1e}")
print("estimated:", found.error_std is not None)

# %%
# Over many samples, by how much each feature moves the probabilities, up or down.

AttributionSummaryDisplay.from_estimator(model, X_test)
plt.show()
