"""
Influential rows
================

What would the model be without one row of its training data? `suspicious_labels` and `influence` refit it without each,
from its current weights. Here ten labels of 110 are wrong, and which ones is known.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import InfluenceDisplay

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=110, stratify=y, random_state=0)
flipped = np.random.default_rng(0).choice(len(y_train), 10, replace=False)
y_train[flipped] = (y_train[flipped] + 1) % 3
model = ProsetClassifier(random_state=0).fit(X_train, y_train)

found = model.suspicious_labels(top=10)
print(found.assign(flipped=found["row"].isin(flipped)).round(3).to_string(index=False))

# %%
# Nine of the ten are wrong indeed. This takes the training data alone. With other samples, `influence` says which rows
# help and which do harm: to the left are those without which the loss falls.

display = InfluenceDisplay.from_estimator(model, X_test, y_test)
plt.show()
harmful = display.influence.nsmallest(10, "loss")["row"]
print(f"of the 10 most harmful rows {harmful.isin(flipped).sum()} have wrong labels")

# %%
# `forget` gives the model that was never shown some rows. It is the same, to the bit, as a fit to the others.

less = model.forget(found["row"])
for name, one in {"all rows": model, "without the suspicious ones": less}.items():
    print(f"{name}: log-loss {log_loss(y_test, one.predict_proba(X_test)):.3f}, {one.n_prototypes_} prototypes")
