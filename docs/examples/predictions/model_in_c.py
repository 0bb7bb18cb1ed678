"""
A model without Python
======================

`to_c` and `to_javascript` write a fitted model, with the scaler in front of it, into one file that needs nothing
else; `to_onnx` into the format of many runtimes.
"""

from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier, to_c

iris = load_iris(as_frame=True)
model = make_pipeline(StandardScaler(), ProsetClassifier(lambda_v=0.05, random_state=0))
model.fit(iris.data, iris.target_names[iris.target])

# %%
# Features come as they were measured: the scaler is part of the file.

print(to_c(model, name="iris"))
