"""Figures of fitted classifiers, as display objects in the form of scikit-learn's.

`from_estimator` computes and draws, the object keeps what was drawn, and its `plot` draws it again, on `ax` if given.
A `Pipeline` with a scaler may be given for a classifier; axes are then in the units of the data. Legends stand at the
right of the axes: create figures of your own with `layout="constrained"`, so that there is room for them.

Needs Matplotlib, which the extra `plot` installs.
"""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("proset.plot needs Matplotlib: pip install matplotlib, or this package with [plot]") from error

from proset.plot.balls import BallsDisplay
from proset.plot.explanation import ExplanationDisplay
from proset.plot.feature_weights import FeatureWeightsDisplay
from proset.plot.path import BatchPathDisplay
from proset.plot.prototypes import ParallelCoordinatesDisplay, PrototypesDisplay
from proset.plot.risk_coverage import RiskCoverageDisplay
from proset.plot.search import SearchPathDisplay, SearchPlaneDisplay, SearchProfileDisplay
from proset.plot.surface import DecisionSurfaceDisplay

__all__ = [
    "BallsDisplay",
    "BatchPathDisplay",
    "DecisionSurfaceDisplay",
    "ExplanationDisplay",
    "FeatureWeightsDisplay",
    "ParallelCoordinatesDisplay",
    "PrototypesDisplay",
    "RiskCoverageDisplay",
    "SearchPathDisplay",
    "SearchPlaneDisplay",
    "SearchProfileDisplay",
]
