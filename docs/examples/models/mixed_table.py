"""
A table with categories and missing values
==========================================

Penguins of three species: where they live, their sex, which is not known of eleven, and what they measure. The
classifier takes the table as it is. See `Tables with categories and missing values` in the guide.
"""

import matplotlib.pyplot as plt
from palmerpenguins import load_penguins

from proset import ProsetClassifier
from proset.plot import DecisionSurfaceDisplay, ParallelCoordinatesDisplay

table = load_penguins()
X, y = table[["island", "sex", "bill_depth_mm", "body_mass_g"]], table["species"]
print(X.isna().sum().to_string())

model = ProsetClassifier().fit(X, y)
print(f"{model.n_prototypes_} prototypes, {model.score(X, y):.1%} of the training data")

# %%
# A column has one weight, however many categories it has, and its levels are known by name.

for name, weight, levels in zip(X, model.feature_weights_[0], model.categories_, strict=True):
    print(f"{name}: {weight:.2f} {levels or ''}")

# %%
# The surface has a strip for each island, and one for penguins that nobody has weighed.

DecisionSurfaceDisplay.from_estimator(model, X, y, features=["body_mass_g", "island"])
plt.show()

# %%
# Each line is a prototype, an example from the table.

ParallelCoordinatesDisplay.from_estimator(model)
plt.show()

# %%
# An explanation names the values of the sample and of the prototypes next to it.

found = model.explain(X.iloc[[3]], top=2)  # of which only the island is known
print(found[["term", "class", "share", "value of island", "value of body_mass_g"]].round(2).to_string(index=False))
