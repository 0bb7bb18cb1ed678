"""Figures of fitted classifiers, as display objects in the form of scikit-learn's.

`from_estimator` computes and draws, the object keeps what was drawn, and its `plot` draws it again, on `ax` if given.
A `Pipeline` with a scaler may be given for a classifier; axes are then in the units of the data. Legends stand at the
right of the axes: create figures of your own with `layout="constrained"`, so that there is room for them.

Needs Matplotlib, which the extra `plot` installs.
"""

from importlib import import_module

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("proset.plot needs Matplotlib: pip install matplotlib, or this package with [plot]") from error

_DISPLAYS = {
    "attributions": ("AttributionSummaryDisplay", "AttributionsDisplay"),
    "balls": ("BallsDisplay",),
    "corrections": ("CorrectionsDisplay", "DisagreementsDisplay"),
    "counterfactuals": ("CounterfactualDisplay",),
    "difference": ("DifferenceDisplay",),
    "drift": ("DriftDisplay",),
    "explanation": ("ExplanationDisplay",),
    "feature_weights": ("FeatureWeightsDisplay",),
    "groups": ("GroupRatesDisplay",),
    "influence": ("InfluenceDisplay",),
    "prototypes": ("ParallelCoordinatesDisplay", "PrototypesDisplay"),
    "risk_coverage": ("RiskCoverageDisplay",),
    "search": ("SearchPathDisplay", "SearchPlaneDisplay", "SearchProfileDisplay"),
    "sizes": ("BatchPathDisplay", "PrototypePathDisplay", "SizeTableDisplay"),
    "surface": ("DecisionSurfaceDisplay",),
}
_HOME = {name: f"proset.plot.{module}" for module, names in _DISPLAYS.items() for name in names}
__all__ = list(_HOME)


def __getattr__(name: str) -> object:
    # Lazy: who draws one figure depends on no other, which tells the study what has become stale.
    if name not in _HOME:
        raise AttributeError(f"module 'proset.plot' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"import_module"})
