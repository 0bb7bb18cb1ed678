"""
Why this prediction
===================

A prediction is a sum: the class proportions, and for each prototype its weight times its similarity to the sample.
`explain` lists the terms, so that a prediction can be read as "because it is like these".
"""

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier

wine = load_wine(as_frame=True)
y = wine.target_names[wine.target]
X_train, X_test, y_train, y_test = train_test_split(wine.data, y, test_size=0.3, stratify=y, random_state=0)
scaler = StandardScaler().set_output(transform="pandas").fit(X_train)
model = ProsetClassifier(lambda_v=0.01, random_state=0).fit(scaler.transform(X_train), y_train)

sample = scaler.transform(X_test.iloc[[0]])
terms = model.explain(sample)
terms.head(6)

# %%
# The first rows are the class proportions. The shares of a class add up to its predicted probability.

terms.groupby("class")["share"].sum(), model.predict_proba(sample).round(4)
