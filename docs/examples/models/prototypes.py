"""
All prototypes of a model
=========================

Prototypes are rows of the training data. Each is a line here, with an axis for each feature in use; the wider the
line, the larger the weight.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import ParallelCoordinatesDisplay

wine = load_wine(as_frame=True)
model = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.03, random_state=0))
model.fit(wine.data, wine.target_names[wine.target])
ParallelCoordinatesDisplay.from_estimator(model)
plt.show()

# %%
# The same as a table, in the units of the data.

table = model[-1].export(transformer=model)
table.sort_values("weight", ascending=False).head().round(3)
