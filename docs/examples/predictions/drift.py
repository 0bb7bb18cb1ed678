"""
Are new samples still like the old ones?
========================================

About 5 % of new samples are less familiar than 95 % of the training samples, as long as they come from the same source.
`drift` counts them: among all, near each prototype, and by each feature alone.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import DriftDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_new, y_train, _ = train_test_split(X, y, stratify=y, test_size=0.4, random_state=0)
model = make_pipeline(StandardScaler(), ProsetClassifier(random_state=0)).fit(X_train, y_train)

DriftDisplay.from_estimator(model, X_new)
plt.show()

# %%
# As usual. Now an instrument is replaced, and one of the features comes out two fifths larger.

name = "worst radius"
changed = X_new.assign(**{name: 1.4 * X_new[name]})
DriftDisplay.from_estimator(model, changed)
plt.show()

# %%
# All samples together look as usual, but not that feature, and too many samples are near the prototype of class 0. No
# labels are needed to see this. With labels it is seen what it does:

y_new = y[X_new.index]
print(f"accuracy would have been {model.score(X_new, y_new):.3f}, now it is {model.score(changed, y_new):.3f}")
