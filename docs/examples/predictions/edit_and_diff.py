"""
Change a model by hand, and see what changed
============================================

Someone who knows the field may object to a prototype or to a feature. `edited` leaves it out and fits the rest again;
`diff` says what that does to weights and predictions.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier, diff
from proset.plot import DifferenceDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
scaler = StandardScaler().set_output(transform="pandas")
pipeline = make_pipeline(scaler, ProsetClassifier(lambda_v=0.001, random_state=0)).fit(X_train, y_train)
model = pipeline[-1]
names = [X.columns[d] for d in model.active_features_]
print(names)

# %%
# Without one of its features the others get other weights. Circles are before, dots after.

without = next(name for name in names if name.startswith("worst"))
other = model.edited(pin={without: 0.0})
print(f"without {without!r}")
DifferenceDisplay.from_estimators(pipeline, other, X_test)
plt.show()

# %%
# One prototype is left with almost no weight, for it differed from the others in that feature. Samples that
# the model was not fitted to show what all this costs: here the feature was worth keeping.

print(diff(model, other, scaler.transform(X_test)))
for name, one in {"before": model, "after": other}.items():
    print(f"{name}: log-loss {log_loss(y_test, one.predict_proba(scaler.transform(X_test))):.4f}")
