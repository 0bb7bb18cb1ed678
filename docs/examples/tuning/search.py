"""
Tuning in two stages
====================

`ProsetClassifierCV` searches the penalties with one batch, then the number of batches with the penalties it found.
Both times it takes the setting with the lowest mean loss.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from proset import ProsetClassifierCV
from proset.plot import SearchPathDisplay, SearchPlaneDisplay

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
search = ProsetClassifierCV(n_iter=30, n_batches=4, scale=True, random_state=0).fit(X_train, y_train)
print(search.best_params_)
print(f"test log-loss {log_loss(y_test, search.predict_proba(X_test)):.3f}")

# %%
# Stage 1: the mean loss over the folds of each pair of penalties.

SearchPlaneDisplay.from_estimator(search)
plt.show()

# %%
# Stage 2: the mean loss with 0, 1, ..., 4 batches, and its standard deviation over the folds.

SearchPathDisplay.from_estimator(search)
plt.show()
