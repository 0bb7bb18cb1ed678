"""
How many prototypes, and how many features
==========================================

After a fit, prototypes are taken away one after the other, and all weights are fitted again: one fit gives a model of
every size, and cross-validation chooses among them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from proset import ProsetClassifier
from proset.plot import PrototypePathDisplay, SizeTableDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
model = ProsetClassifier().fit(X_train, y_train)
print(f"{model.n_prototypes_} of {len(X_train)} samples are prototypes")

# %%
# The diamond marks the chosen size. A smaller model is there without another fit.

PrototypePathDisplay.from_estimator(model, X_test, y_test, criterion="error")
plt.show()
small = model.with_prototypes(100)
print(f"error with {small.n_prototypes_}: {1 - small.score(X_test, y_test):.3f}")

# %%
# Features can be taken away, too. The table has the log-loss in cross-validation by both numbers; frames mark what is
# within one standard error of the best.

SizeTableDisplay.from_estimator(ProsetClassifier(), X_train, y_train, n_features=[2, 5, 10, 15, 20])
plt.show()
