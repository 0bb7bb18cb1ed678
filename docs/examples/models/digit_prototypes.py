"""
Prototypes are samples: digits
==============================

Prototypes are rows of the training data, so that they can be looked at. Here are the four with the largest weight of
each class in a model of handwritten digits.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from proset import ProsetClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.3, stratify=y, random_state=0)
model = ProsetClassifier(random_state=0).fit(X_train, y_train)
print(
    f"{model.n_prototypes_} prototypes of {len(X_train)} images, {len(model.active_features_)} of 64 pixels, "
    f"test accuracy {model.score(X_test, y_test):.3f}"
)

# %%
# One column for each digit.

batch = model.batches_[0]
figure, grid = plt.subplots(4, 10, figsize=(8, 3.6), layout="constrained")
for digit, column in enumerate(grid.T):
    of_class = (batch.labels == digit).nonzero()[0]
    heaviest = of_class[batch.prototype_weights[of_class].argsort()[::-1][:4]]
    for axes, j in zip(column, heaviest, strict=False):
        axes.imshow(batch.prototypes[j].reshape(8, 8), cmap="Greys")
    for axes in column:
        axes.set_axis_off()
plt.show()
