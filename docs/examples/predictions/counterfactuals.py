"""
What would change the prediction
================================

`counterfactuals` finds the nearest sample that is predicted otherwise: with as few features changed as possible, and
these as little as possible. With up to eight active features that there is nothing nearer is proved.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from proset import ProsetClassifier
from proset.plot import CounterfactualDisplay

rng = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "income": rng.normal(3000, 700, 600).clip(800).round(-1),
        "debts": rng.gamma(3, 4000, 600).round(-2),
        "age": rng.integers(20, 70, 600),
        "contract": rng.choice(["permanent", "temporary", "none"], 600),
    }
)
score = X["income"] / 700 - X["debts"] / 5000 - 2 + X["contract"].map({"permanent": 1, "temporary": 0, "none": -2})
y = np.where(score + rng.normal(0, 0.5, 600) > 0, "paid back", "failed")
model = ProsetClassifier(random_state=0).fit(X, y)

applicant = X[(model.predict(X) == "failed") & (X["contract"] == "none")].head(1)
CounterfactualDisplay.from_estimator(model, applicant)
plt.show()

# %%
# The arrow is the change. But a proposal may be one that nobody could follow, or like no one in the data. Now the
# income has to stay, a permanent contract is not to be had, debts may only fall, and the proposal has to be at least as
# familiar as 10 % of the training samples.

constraints = {"fixed": ["income"], "ranges": {"contract": ["temporary"]}, "directions": {"debts": "down"}}
CounterfactualDisplay.from_estimator(
    model, applicant, "paid back", probability=0.8, min_familiarity_quantile=0.1, **constraints
)
plt.show()

# %%
# If no sample fulfils all that, the answer says so, and whether this is proved.

found = model.counterfactuals(applicant, "paid back", probability=0.999, **constraints)
print(found[["class", "found", "proved"]].to_string(index=False))
