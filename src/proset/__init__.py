"""Prototype classifiers with the interface of scikit-learn.

`ProsetClassifier` fits few weighted prototypes with Gaussian kernels and sparse feature weights, `SetCoverClassifier`
chooses prototypes by set cover; `ProsetClassifierCV` and `SetCoverClassifierCV` find their parameters by
cross-validation. `RejectOptionClassifier` rejects samples unlike the training data, `ConformalClassifier` gives
sets of classes; `group_rates` has errors by group. `save_model` and `load_model` keep a fitted `ProsetClassifier` in a
file that executes nothing, `model_card` describes it, `diff` compares two. `to_onnx`, `to_c`, `to_javascript`, `to_sql`
and `to_html` write classifiers for use without Python.
"""

from importlib import import_module

__version__ = "0.3.0"
_HOME = {
    "ConformalClassifier": "proset.conformal",
    "ProsetClassifier": "proset.classifier",
    "ProsetClassifierCV": "proset.classifier_cv",
    "RejectOptionClassifier": "proset.rejection",
    "SetCoverClassifier": "proset.set_cover",
    "SetCoverClassifierCV": "proset.set_cover_cv",
    "diff": "proset.editing",
    "group_rates": "proset.rates",
    "load_model": "proset.model_io",
    "model_card": "proset.card",
    "risk_coverage_curve": "proset.rejection",
    "save_model": "proset.model_io",
    "to_c": "proset.convert",
    "to_html": "proset.convert",
    "to_javascript": "proset.convert",
    "to_onnx": "proset.convert",
    "to_sql": "proset.convert",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> object:
    # Lazy: the workers of the study need the numerical core only, and importing scikit-learn takes longer than a fit.
    if name not in _HOME:
        raise AttributeError(f"module 'proset' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"import_module"})
