"""
Rejecting what is like nothing seen
===================================

`RejectOptionClassifier` gives no class to samples of low familiarity. How low is too low, held-out training samples
say: with `rejection_rate=0.05`, about 5 % of samples like the training ones are rejected. Here the training data have
the digits 0 to 7 only.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from proset import ProsetClassifier, RejectOptionClassifier

X, y = load_digits(return_X_y=True)
X, known = X / 16, y < 8
X_train, X_test, y_train, y_test = train_test_split(X[known], y[known], stratify=y[known], random_state=0)
model = RejectOptionClassifier(ProsetClassifier(random_state=0), rejection_rate=0.05).fit(X_train, y_train)
for name, images in {"0 to 7": X_test, "8 and 9": X[~known]}.items():
    print(f"of {name} {(model.predict(images) == -1).mean():.1%} are rejected")

# %%
# `score_quantile` serves all rates at once. The line of the digits that are known is near the diagonal, which is what
# is promised. Nothing is promised about samples from elsewhere, and not all of them are unlike the known digits in the
# pixels that the model uses.

rates = np.linspace(0, 0.3, 61)
figure, axes = plt.subplots(layout="constrained")
for name, images in {"test images of 0 to 7": X_test, "images of 8 and 9": X[~known]}.items():
    axes.plot(rates, np.mean(model.score_quantile(images)[:, None] < rates, axis=0), label=name)
axes.axline((0, 0), slope=1, color="grey", linestyle="--", label="rejection_rate")
axes.set(xlabel="rejection_rate", ylabel="proportion rejected", xlim=(0, 0.3), ylim=(0, 1))
axes.legend()
plt.show()
