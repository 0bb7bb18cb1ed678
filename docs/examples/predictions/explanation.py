"""
Why this prediction
===================

A prediction is a sum: the class proportions, and for each prototype its weight times its similarity to the sample.
`explain` lists the terms in the units of the table, so that a prediction reads as "because it is like these".
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier
from proset.plot import ExplanationDisplay

wine = load_wine(as_frame=True)
y = wine.target_names[wine.target]
X_train, X_test, y_train, y_test = train_test_split(wine.data, y, stratify=y, random_state=0)
model = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.01, random_state=0)).fit(X_train, y_train)

terms = model[-1].explain(X_test.head(1), top=3, transformer=model)
terms.drop(columns=terms.filter(like="similarity in")).round(3)

# %%
# The first row is the sample, then come the class proportions ("prior"), the three prototypes with the largest
# contributions, and all others summed up by class. The shares of a class add up to its predicted probability.

print(terms.groupby("class")["share"].sum().round(4))
print(model.predict_proba(X_test.head(1)).round(4))

# %%
# The same as a figure, with more prototypes.

ExplanationDisplay.from_estimator(model, X_test.head(1))
plt.show()
