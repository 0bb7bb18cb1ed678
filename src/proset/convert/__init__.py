"""Fitted classifiers for use without Python: as ONNX, C, JavaScript and SQL.

Each form says the same as the classifier; tests run all of them. In C, JavaScript and SQL, probabilities differ by at
most 1e-12 from the formula of `proset.objective` in double precision, in ONNX also, before they are rounded to single
precision; so do the shares of prototypes and attributions to features (`proset.convert.attributions`).
`ProsetClassifier.predict_proba` computes kernel values in single precision where that is accurate enough and differs
from all of them by about 5e-7. `SetCoverClassifier` has labels only.
"""

from proset.convert.c import to_c
from proset.convert.javascript import to_javascript
from proset.convert.onnx import to_onnx
from proset.convert.page import to_html
from proset.convert.sql import to_sql

__all__ = ["to_c", "to_html", "to_javascript", "to_onnx", "to_sql"]
