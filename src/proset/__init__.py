"""Prototype classifiers with the interface of scikit-learn.

`ProsetClassifier` fits few weighted prototypes with Gaussian kernels and sparse feature weights, `SetCoverClassifier`
chooses prototypes by set cover. `save_model` and `load_model` keep a fitted `ProsetClassifier` in a file that executes
nothing; `to_onnx`, `to_c` and `to_javascript` write classifiers for use without Python.
"""

from importlib import import_module

__version__ = "0.2.0"
__all__ = ["ProsetClassifier", "SetCoverClassifier", "load_model", "save_model", "to_c", "to_javascript", "to_onnx"]

_HOME = {
    "ProsetClassifier": "proset.classifier",
    "SetCoverClassifier": "proset.set_cover",
    "load_model": "proset.model_io",
    "save_model": "proset.model_io",
    "to_c": "proset.convert",
    "to_javascript": "proset.convert",
    "to_onnx": "proset.convert",
}


def __getattr__(name: str) -> object:
    # Lazy: the workers of the study need the numerical core only, and importing scikit-learn takes longer than a fit.
    if name not in _HOME:
        raise AttributeError(f"module 'proset' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"import_module"})
