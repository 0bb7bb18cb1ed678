"""
Where is a model wrong?
=======================

A logistic regression predicts whether people voted for one of two candidates. In part of the table its rule is turned
round: young people with high education. Prototypes on top of the model find them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from statsmodels.datasets import anes96

from proset import ProsetClassifier
from proset.plot import CorrectionsDisplay, DisagreementsDisplay

table = anes96.load_pandas().data
X, y = table[["TVnews", "selfLR", "ClinLR", "DoleLR", "age", "educ", "income"]], table["vote"].astype(int)
subgroup = ((X["age"] < 40) & (X["educ"] >= 6)).to_numpy()
y = np.where(subgroup, 1 - y, y)
print(f"{subgroup.sum()} of {len(y)} rows are turned round")

base = make_pipeline(StandardScaler(), LogisticRegression())
model = ProsetClassifier(base=base).fit(X, y)

# %%
# Prototypes by what they bring. Near the first one the base gives its class a small probability, and all samples have
# it: it is in the subgroup. Where "by base" and "proportion" agree better, a prototype only makes the base surer.

found = model.disagreements()
print(found.head(5)[["row", "class", "gain", "samples", "proportion", "by base", "by model"]].round(2).to_string())
print("in the subgroup:", subgroup[found["row"].head(5)])
DisagreementsDisplay.from_estimator(model)
plt.show()

# %%
# The samples that prototypes move furthest from the base are in the subgroup, too.

moved = model.corrections(X)
print(f"of the 50 samples moved furthest {subgroup[moved['sample'].head(50)].mean():.0%} are in the subgroup")
CorrectionsDisplay.from_estimator(model, X)
plt.show()
