"""Fitted classifiers for use without Python: as ONNX, C, JavaScript and SQL.

Each form gives the same answers as the classifier; tests run all of them. In C, JavaScript and SQL, probabilities,
shares of prototypes and attributions to features (`proset.convert.attributions`) differ by at most 1e-12 from the
formula of `proset.objective` in double precision; the same holds for ONNX before it rounds them to single precision.
`ProsetClassifier.predict_proba` computes kernel values in single precision where that is accurate enough and differs
from all of them by about 5e-7. A `SetCoverClassifier` has labels only.
"""

from proset.convert.c import to_c
from proset.convert.javascript import to_javascript
from proset.convert.onnx import to_onnx
from proset.convert.page import to_html
from proset.convert.sql import to_sql

__all__ = ["to_c", "to_html", "to_javascript", "to_onnx", "to_sql"]
