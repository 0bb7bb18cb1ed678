"""
All prototypes of a model
=========================

Prototypes are rows of the training data. Each is a line here, with an axis for each feature in use; the wider the
line, the larger the weight.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import ParallelCoordinatesDisplay

cancer = load_breast_cancer(as_frame=True)
y = cancer.target_names[cancer.target]
model = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.03, random_state=0)).fit(cancer.data, y)
ParallelCoordinatesDisplay.from_estimator(model)
plt.show()
