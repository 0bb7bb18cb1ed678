"""What the study asks of a method; docs/custom-method.md shows how to write one.

A method is fitted along a *path* of growing size (batches, neighbours, boosting rounds), and every size on the path can
be scored without another fit. Stage 1 searches its other parameters at one size, stage 2 the size. A method that has no
such size has a path of length 1.

`methods.estimators` makes a method of any classifier with scikit-learn's interface. What is promised here is checked by
`proset_study.study.contract`: `pytest --method NAME`.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, ClassVar, Protocol, Self, get_args, get_origin, runtime_checkable

import numpy as np

from proset_study.base.ranges import Range as Range  # authors of methods find it here
from proset_study.data.splits import FoldData
from proset_study.methods.costs import DEFAULT
from proset_study.methods.costs import Cost as Cost

WEIGHTS = ("frequency", "importance", "none")
METRICS = ("any", "symmetric", "vectors", "none")
# For people, the schedule and verification: no result depends on it.
ABOUT = (
    *("label", "place", "names", "cost", "averages", "draws", "unique"),
    *("operations", "is_baseline", "prepare_process"),
)


@dataclass(frozen=True)
class Name:
    """How a parameter or the complexity of a method is written."""

    key: str  # as in the config
    table: str = ""  # in tables; by default the key with spaces for underscores
    axis: str = ""  # on the axes of figures; by default as in tables
    # Format of its values in tables, for example ".2f"; by default whole numbers have no digits after the point, others
    # two, or two significant ones if they are small.
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


@dataclass(frozen=True)
class FittedModel(Fitted):
    """A base of fitted models that are dataclasses: predictions and summary follow from the stages.

    Models of arrays, numbers and texts are stored field by field; others have `arrays` and `load` of their own.
    """

    def predict_proba(self, X):
        for last in self.staged_predict_proba(X):  # noqa: B007
            pass
        return last

    def summary(self):
        return {name: values[-1] for name, values in self.staged_summary().items()}

    def staged_summary(self):
        return {}

    def arrays(self):
        return {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def load(cls, arrays: dict[str, np.ndarray]) -> Self:
        """The model that gave these arrays; those without dimensions are numbers and texts."""
        values = {field.name: arrays[field.name] for field in fields(cls)}
        return cls(**{name: value if value.ndim else value.item() for name, value in values.items()})


def with_prefix(prefix: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays of a model that is part of another one, with longer names."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def without_prefix(prefix: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays whose names begin with `prefix`, with the names that they had before."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


class Method(ABC):
    """A method bound to the data of one fold, so that fits of different parameters share what they have in common.

    A method inherits from this class, or from one that does, and has at least `model` and `fit`. All other attributes
    have the defaults given here.
    """

    # What `fit` and `load` return. With the functions of `prototypes.PrototypeModel` it has prototypes.
    model: ClassVar[type[Fitted]]
    scaled: ClassVar[bool] = True  # whether features are centred and scaled
    probabilistic: ClassVar[bool] = True  # if not, it predicts 0 or 1, and its log-loss is its error rate times 34.5
    # What sample weights are. "frequency": a weight of 2 is the row twice. "importance": heavier samples count more,
    # while draws, folds or neighbours go by rows. "none": nothing; the config refuses data that have weights.
    weights: ClassVar[str] = "importance"
    # Which metrics it takes by `FoldData.metric`: "none", it has features and compares them in a way of its own;
    # "vectors", those of SciPy; "symmetric", "precomputed" as well; "any", also ranks, which are not symmetric.
    metrics: ClassVar[str] = "none"
    # Whether it takes categories and missing values as they are, see `FoldData.levels`; if not, each category is a
    # feature of 0 and 1, and missing values are filled in.
    takes_mixed: ClassVar[bool] = False
    complexity: ClassVar[str] = "fits"  # what the path counts; "fits" if there is only one size
    min_complexity: ClassVar[int] = 1
    max_complexity: ClassVar[int] = sys.maxsize  # the longest path
    larger_is_simpler: ClassVar[bool] = False
    parameters: ClassVar[dict[str, Range]] = {}  # names and allowed values
    required: ClassVar[tuple[str, ...]] = ()  # parameters without a default
    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = ()  # groups of parameters; exactly one of each group is given
    quantities: ClassVar[tuple[str, ...]] = ("active_features",)  # complexity measures reported of the final model
    one_stage: ClassVar[bool] = False  # whether the path is what is searched, and parameters are rarely set
    imports: ClassVar[tuple[str, ...]] = ()  # modules that fits import: imported before, their time is no part of a fit

    # The following changes no result.
    label: ClassVar[str] = ""  # in figures and pages; by default the name with spaces for underscores
    place: ClassVar[int] = 0  # in the palette of figures, from 1; 0 is behind all others
    names: ClassVar[tuple[Name, ...]] = ()  # of parameters and complexity
    cost: ClassVar[Callable[..., float]] = DEFAULT  # CPU seconds of a fit; a `Cost`, or a function with its parameters
    averages: ClassVar[bool] = False  # whether the path counts members of a mean, of which more are no more complex
    draws: ClassVar[bool] = False  # whether a fit depends on its seed: final models are fitted with several then
    unique: ClassVar[bool] = True  # if not, several models may be equally good, and the last bits choose
    is_baseline: ClassVar[bool] = False  # whether it ignores the features, so that others are only compared with it

    def __init__(self, data: FoldData):
        for module in self.imports:
            import_module(module)
        self.data = data

    @staticmethod
    def simplicity(parameters: dict[str, float]) -> tuple[float, ...]:
        """Sort key: the larger, the simpler the model that these parameters give."""
        return ()

    @staticmethod
    def fixed(n_features: int) -> dict[str, float]:
        """Parameters that are not searched for data with that number of features."""
        return {}

    @abstractmethod
    def fit(self, parameters: dict[str, float], complexity: int, seed: np.random.SeedSequence) -> Fitted:
        """Fit up to `complexity` on the path: same seed, same model; a longer path begins with a shorter one."""

    @classmethod
    def load(cls, arrays: dict[str, np.ndarray]) -> Fitted:
        """The fitted model that gave these arrays; by default by the `load` of a `FittedModel`."""
        assert issubclass(cls.model, FittedModel), "`faults` has said so"
        return cls.model.load(arrays)

    @classmethod
    def operations(cls, record: dict[str, Any]) -> tuple[int, int] | None:
        """Kernel entries or distances, and multiply-adds, of a fit and its scoring at most; None if not known."""
        return None

    @staticmethod  # noqa: B027 - most have nothing to do
    def prepare_process() -> None:
        """Called once in a process that makes fits of this method only, before its first fit."""


def largest_complexity(method: type[Method]) -> int:
    """The largest complexity that a method can be fitted with."""
    return 1 if method.complexity == "fits" else method.max_complexity


def faults(method: type[Method]) -> list[str]:
    """How a class breaks the interface of `Method`, in words; empty if it does not."""
    found = []
    for name, hint in Method.__annotations__.items():
        (kind,) = get_args(hint)
        kind, value = get_origin(kind) or kind, getattr(method, name, None)
        if value is None:
            found.append(f"`{name}` is missing")
        elif not isinstance(value, kind):
            found.append(f"`{name}` is {value!r}, must be a {kind.__name__}")
    found += [
        f"the function `{name}` is missing"
        for name in ("simplicity", "fixed", "fit", "load", "operations", "prepare_process")
        if not callable(getattr(method, name)) or name in method.__abstractmethods__
    ]
    return found or _wrong_values(method)


def _wrong_values(method: type[Method]) -> list[str]:
    found = []
    for attribute, names in (("required", method.required), ("alternatives", sum(method.alternatives, ()))):
        if unknown := [name for name in names if name not in method.parameters]:
            found.append(f"`{attribute}` has {', '.join(unknown)}, which `parameters` has not")
    found += [
        f"`parameters` has {value!r} for {name}, must be a Range"
        for name, value in method.parameters.items()
        if not isinstance(value, Range)
    ]
    found += [f"`names` has {name!r}, must be a Name" for name in method.names if not isinstance(name, Name)]
    found += [
        f"`{name}` is {value!r}, allowed are {', '.join(allowed)}"
        for name, value, allowed in (("metrics", method.metrics, METRICS), ("weights", method.weights, WEIGHTS))
        if value not in allowed
    ]
    if not issubclass(method.model, FittedModel) and not any("load" in vars(c) for c in method.__mro__ if c != Method):
        found.append(f"the function `load` is missing, which `model` needs: {method.model.__name__} is no FittedModel")
    return found
