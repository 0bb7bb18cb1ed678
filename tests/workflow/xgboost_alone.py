"""XGBoost without its scikit-learn interface, as `proset_study.base.environment.import_xgboost_alone` imports it."""

import sys

sys.modules["sklearn"] = None
try:
    import xgboost  # noqa: F401
finally:
    del sys.modules["sklearn"]
