"""
Errors and prediction sets by group
===================================

A classifier may be good on average and bad in a group of samples. Here one sample in eight is from a second clinic,
whose measurements are noisier.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

from proset import ConformalClassifier, ProsetClassifier, group_rates
from proset.plot import GroupRatesDisplay


def draw(n, rng):
    small = rng.random(n) < 1 / 8
    ill = rng.integers(0, 2, n)
    noise = np.where(small, 2.5, 1.0)[:, None] * rng.normal(size=(n, 2))
    X = pd.DataFrame(ill[:, None] * [2.0, 1.0] + noise, columns=["marker", "pressure"])
    return X.assign(clinic=np.where(small, "small", "large")), np.where(ill, "ill", "healthy")


rng = np.random.default_rng(102)
X_train, y_train = draw(1000, rng)
X_test, y_test = draw(4000, rng)
estimator = make_pipeline(
    make_column_transformer(("passthrough", ["marker", "pressure"])), ProsetClassifier(lambda_v=0.01, lambda_w=1e-4)
)

# %%
# The first row of the table is of all samples. The line is the 95 % interval of the error rate.

model = estimator.fit(X_train, y_train)
rates = group_rates(model, X_test, y_test, groups="clinic")
print(rates[["n", "error", "log loss", "true positive rate", "false positive rate", "unfamiliar"]].round(3).to_string())
GroupRatesDisplay.from_estimator(model, X_test, y_test, groups="clinic")
plt.show()

# %%
# Sets that hold the right class of 90 % of all samples hold that of fewer samples from the small clinic. With
# `group_by`, each clinic has a threshold of its own (Mondrian prediction): about 90 % in both, larger sets where the
# measurements say less. That is no better classifier, it says how sure it may be.

pooled = ConformalClassifier(estimator, confidence_level=0.9).fit(X_train, y_train)
mondrian = ConformalClassifier(estimator, confidence_level=0.9, group_by="clinic").fit(X_train, y_train)
for name, conformal in {"one threshold": pooled, "one for each clinic": mondrian}.items():
    print(name, group_rates(conformal, X_test, y_test, "clinic")[["coverage", "set size"]].round(3), sep="\n")
