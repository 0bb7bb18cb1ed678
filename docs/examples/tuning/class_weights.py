"""
Class weights
=============

One sample in twenty is of the rare class. Class weights change what the probabilities are about: with
`class_weight="balanced"`, a population in which both classes are equally frequent.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.metrics import PrecisionRecallDisplay, precision_score, recall_score
from sklearn.model_selection import train_test_split

from proset import ProsetClassifier

X, y = make_classification(4000, n_features=4, weights=[0.95], class_sep=0.8, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

figure, axes = plt.subplots(layout="constrained")
for class_weight in (None, "balanced"):
    model = ProsetClassifier(class_weight=class_weight, random_state=0).fit(X_train, y_train)
    found = model.predict(X_test)
    name = f"class_weight={class_weight!r}"
    print(f"{name}: recall {recall_score(y_test, found):.3f}, precision {precision_score(y_test, found):.3f}")
    PrecisionRecallDisplay.from_estimator(model, X_test, y_test, ax=axes, name=name)
plt.show()

# %%
# With weights more samples of the rare class are found, and more of the others are taken for it. The curves leave the
# threshold out, and compare only the order of the samples.
