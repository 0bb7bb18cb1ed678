"""
Rejecting what is unlike everything seen
========================================

`RejectOptionClassifier` gives no class to the samples with the lowest familiarity. How low is too low, held-out training samples say: with `rejection_rate=0.05`, about 5 % of samples like the training ones are rejected.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from proset import ProsetClassifier, RejectOptionClassifier

X, y = load_digits(return_X_y=True)
X = X / 16
known = y < 8
X_train, X_test, y_train, y_test = train_test_split(X[known], y[known], stratify=y[known], random_state=0)
model = RejectOptionClassifier(ProsetClassifier(random_state=0), rejection_rate=0.05).fit(X_train, y_train)

groups = {"0 to 7, training": X_train, "0 to 7, test": X_test, "8 and 9": X[~known]}
for name, images in groups.items():
    print(f"{name}: {(model.predict(images) == -1).mean():.1%} rejected")
