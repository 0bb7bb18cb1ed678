"""The proset classifier: few weighted prototypes, Gaussian kernels with sparse feature weights."""

from importlib import import_module

__version__ = "0.1.0"
__all__ = ["ProsetClassifier", "SetCoverClassifier", "load_model", "save_model"]

_HOME = {
    "ProsetClassifier": "proset.classifier",
    "SetCoverClassifier": "proset.set_cover",
    "load_model": "proset.model_io",
    "save_model": "proset.model_io",
}


def __getattr__(name: str) -> object:
    # Lazy: the workers of the study need the numerical core only, and importing scikit-learn takes longer than a fit.
    if name not in _HOME:
        raise AttributeError(f"module 'proset' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
