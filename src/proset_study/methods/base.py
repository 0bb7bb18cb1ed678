"""What the study asks of a method; docs/custom-method.md shows how to write one.

A method is fitted along a *path* of growing size (batches, neighbours, boosting rounds), and every size on the path can
be scored without another fit. Stage 1 searches its other parameters at one size, stage 2 the size. A method that has no
such size has a path of length 1.

`methods.estimators` makes a method of any classifier with scikit-learn's interface. What is promised here is checked by
`proset_study.study.contract`: `pytest --method NAME`.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, get_args, get_origin, runtime_checkable

import numpy as np

from proset_study.base.ranges import Range as Range  # authors of methods find it here
from proset_study.data.splits import FoldData

WEIGHTS = ("frequency", "importance", "none")
METRICS = ("any", "symmetric", "vectors", "none")
# For people, the schedule and verification.
ABOUT = ("label", "place", "names", "cost", "averages", "draws", "unique", "operations")


@dataclass(frozen=True)
class Name:
    """How a parameter or the complexity of a method is written.

    Attributes
    ----------
    key : str
        As in the config.
    table : str
        In tables; by default the key with spaces for underscores.
    axis : str
        On the axes of figures; by default as in tables.
    number : str
        Format of its values in tables, for example ".2f"; by default whole numbers have no digits after the point,
        others two, or two significant ones if they are small.
    """

    key: str
    table: str = ""
    axis: str = ""
    number: str = ""


class Fitted(Protocol):
    """A fitted model."""

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities at full size, shape (N, K)."""

    def staged_predict_proba(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Class probabilities for every size from `Method.min_complexity` to the full one."""

    def summary(self) -> dict[str, Any]:
        """Complexity and diagnostics at full size, as JSON values; `active_features` always."""

    def staged_summary(self) -> dict[str, list]:
        """The numbers of it for every size, where the method knows them; may be empty."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything needed to predict, as plain arrays; `Method.load` reads them."""


@runtime_checkable
class PriorModel(Fitted, Protocol):
    """A fitted model that knows the class prior of what it was fitted to."""

    def class_prior(self) -> np.ndarray:
        """Proportions of the classes, shape (K,)."""


class Method(Protocol):
    """A method bound to the data of one fold, so that fits of different parameters share what they have in common."""

    model: ClassVar[type[Fitted]]  # what `fit` and `load` give; perhaps a `prototypes.PrototypeModel`
    scaled: ClassVar[bool]  # whether features are centred and scaled
    probabilistic: ClassVar[bool]  # if not, it predicts 0 or 1, and its log-loss is its error rate times 34.5
    # What sample weights are. "frequency": a weight of 2 is the row twice. "importance": heavier samples count more,
    # while draws, folds or neighbours go by rows. "none": nothing; the config refuses data that have weights.
    weights: ClassVar[str]
    # Which metrics it takes by `FoldData.metric`: "none", it has features and compares them in a way of its own;
    # "vectors", those of SciPy; "symmetric", "precomputed" as well; "any", also ranks, which are not symmetric. May be
    # left out.
    metrics: ClassVar[str] = "none"
    # Whether it takes categories and missing values as they are, see `FoldData.levels`; if not, each category is a
    # feature of 0 and 1, and missing values are filled in. May be left out.
    takes_mixed: ClassVar[bool] = False
    complexity: ClassVar[str]  # what the path counts; "fits" if there is only one size
    min_complexity: ClassVar[int]
    max_complexity: ClassVar[int] = sys.maxsize  # the longest path; may be left out
    larger_is_simpler: ClassVar[bool]
    parameters: ClassVar[dict[str, Range]]  # names and allowed values
    required: ClassVar[tuple[str, ...]]  # parameters without a default
    quantities: ClassVar[tuple[str, ...]]  # complexity measures reported of the final model

    # What follows may be left out, and changes no result.
    label: ClassVar[str] = ""  # in figures and pages; by default the name with spaces for underscores
    place: ClassVar[int] = 0  # in the palette of figures, from 1; 0 is behind all others
    names: ClassVar[tuple[Name, ...]] = ()  # of parameters and complexity
    cost: ClassVar[Callable[..., float]]  # CPU seconds of a fit; a `costs.Cost`, or a function with its parameters
    averages: ClassVar[bool] = False  # whether the path counts members of a mean, of which more are no more complex
    one_stage: ClassVar[bool] = False  # whether the path is what is searched, and parameters are rarely set
    draws: ClassVar[bool] = False  # whether a fit depends on its seed: final models are fitted with several then
    unique: ClassVar[bool] = True  # if not, several models may be equally good, and the last bits choose
    # Kernel entries or distances, and multiply-adds, of a fit and its scoring at most, from its record.
    operations: ClassVar[Callable[[dict[str, Any]], tuple[int, int]]]

    def __init__(self, data: FoldData): ...

    @staticmethod
    def simplicity(parameters: dict[str, float]) -> tuple[float, ...]:
        """Sort key: the larger, the simpler the model that these parameters give."""

    @staticmethod
    def fixed(n_features: int) -> dict[str, float]:
        """Parameters that are not searched for data with so many features."""

    def fit(self, parameters: dict[str, float], complexity: int, seed: np.random.SeedSequence) -> Fitted:
        """Fit up to `complexity` on the path: same seed, same model; a longer path begins with a shorter one."""

    @staticmethod
    def load(arrays: dict[str, np.ndarray]) -> Fitted:
        """The fitted model that gave these arrays."""


def largest_complexity(method: type[Method]) -> int:
    """The largest complexity that a method can be fitted with."""
    return 1 if method.complexity == "fits" else getattr(method, "max_complexity", Method.max_complexity)


def metrics_of(method: type[Method]) -> str:
    """By what a method compares samples; one of `METRICS`."""
    return getattr(method, "metrics", Method.metrics)


def takes_mixed(method: type[Method]) -> bool:
    """Whether a method takes categories and missing values as they are."""
    return getattr(method, "takes_mixed", Method.takes_mixed)


def faults(method: Any) -> list[str]:
    """What keeps an object from being a class that is a `Method`, in words; empty if nothing does."""
    if not isinstance(method, type):
        return ["`METHOD = ...` with a class is missing"]
    found = []
    for name, hint in Method.__annotations__.items():
        (kind,) = get_args(hint)
        kind, value = get_origin(kind) or kind, getattr(method, name, getattr(Method, name, None))
        if value is None and name in ABOUT:
            continue
        if value is None:
            found.append(f"`{name}` is missing")
        elif not isinstance(value, kind):
            found.append(f"`{name}` is {value!r}, must be a {kind.__name__}")
    functions = [name for name in ("simplicity", "fixed", "fit", "load") if not callable(getattr(method, name, None))]
    found += [f"the function `{name}` is missing" for name in functions]
    return found or _wrong_values(method)


def _wrong_values(method: type[Method]) -> list[str]:
    unknown = [name for name in method.required if name not in method.parameters]
    found = [f"`required` has {', '.join(unknown)}, which `parameters` has not"] if unknown else []
    found += [
        f"`parameters` has {value!r} for {name}, must be a Range"
        for name, value in method.parameters.items()
        if not isinstance(value, Range)
    ]
    if (metrics := metrics_of(method)) not in METRICS:
        found.append(f"`metrics` is {metrics!r}, allowed are {', '.join(METRICS)}")
    names = getattr(method, "names", Method.names)
    found += [f"`names` has {name!r}, must be a Name" for name in names if not isinstance(name, Name)]
    if method.weights not in WEIGHTS:
        found.append(f"`weights` is {method.weights!r}, allowed are {', '.join(WEIGHTS)}")
    return found
