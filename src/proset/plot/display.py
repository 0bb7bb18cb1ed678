"""What all displays share: arguments that become attributes, axes to draw on, and parameters described once."""

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, dataclass_transform

from matplotlib.axes import Axes

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame
else:
    DataFrame = Any  # pandas need not be installed

# Of methods that do not describe them otherwise.
PARAMETERS = """\
estimator : estimator
    A fitted `ProsetClassifier`, or a `Pipeline`, `FrozenEstimator` or search with one.
x : array-like, shape (D,) or (1, D)
    As `estimator` takes it.
X : array-like, shape (N, D)
    As `estimator` takes them.
y : array-like, shape (N,)
search : ProsetClassifierCV
    A fitted search.
sample_weight : array-like, shape (N,), optional
features : two of str or int, optional
    The plane, by names or positions; by default the first two.
point : array-like, shape (D,), optional
    With more than two features, the plane goes through this point, by default the medians of `X` and the most frequent
    categories. Samples and prototypes are projected on it.
feature_names : sequence of str, shape (D,), optional
    Other names of the features; by default those in `fit`.
selection : mapping
    As `proset.selection.select` returns it.
loss_name : str
criterion : {"log_loss", "error"}, default="log_loss"
    Kind of loss; the error rate is that of the most probable class, whatever the `cost_matrix`.
ticks : pair of (ndarray, list of str) or None
    Positions and names of ticks on the two axes; None for an axis of plain numbers.
ax : matplotlib Axes, optional
    By default those of a new figure.
legend : bool, default=True
color : color, optional
    Of lines and marks.
**kwargs
    Of lines and marks, for `matplotlib.axes.Axes.plot`."""
ATTRIBUTES = """\
ax_ : matplotlib Axes
figure_ : matplotlib Figure"""
RAISES = """\
ValueError
    If the estimator is of another kind, or another argument does not fit it."""


@dataclass_transform(kw_only_default=True, eq_default=False)
class Display:
    """A figure that keeps what it shows.

    A subclass lists as fields what is drawn, and has

    - a class method `from_estimator` with `ax` and what else there is to choose; it computes the fields and returns
      `cls(...).plot(ax)`;
    - `plot`, which draws on `self._axes(ax)` and returns `self`.

    Docstrings leave out what would be the same everywhere. They are completed when the class is created: a parameter
    that a method does not describe is described as in `PARAMETERS`, else as in the class, one of `plot` first as in
    `from_estimator`. A parameter that is described nowhere is a KeyError.
    """

    ax_: Axes
    figure_: Any

    def __init_subclass__(cls) -> None:
        has_docstrings = cls.__doc__ is not None  # not with python -OO
        dataclass(kw_only=True, eq=False, repr=False)(cls)
        if has_docstrings:
            _complete(cls)

    def _axes(self, ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
        """The axes to draw on: those given, or those of a new figure."""
        axes: Axes = new_axes(size) if ax is None else ax
        if not isinstance(axes, Axes):
            raise ValueError(f"ax: {type(ax).__name__} is not allowed, must be one Axes of Matplotlib")
        self.ax_, self.figure_ = axes, axes.figure
        return axes


def new_axes(size: tuple[float, float] | None, n_columns: int = 1) -> Any:
    """The axes of a new figure of Matplotlib's size, or of `size` inches."""
    from matplotlib import pyplot  # not needed where axes are given

    return pyplot.subplots(1, n_columns, figsize=size, layout="constrained")[1]


def _complete(cls: type) -> None:
    """Add to the docstrings of a display what `Display` promises."""
    known = _entries(_sections(cls.__doc__)["Parameters"]) | _entries(PARAMETERS)
    methods = {name: vars(cls)[name].__func__ for name in vars(cls) if name.startswith("from_")}
    of_plot = known
    for name, function in methods.items():
        raises = {"Raises": RAISES} if name == "from_estimator" else {}
        of_plot = of_plot | _describe(function, known, {"Returns": cls.__name__} | raises)
    _describe(vars(cls)["plot"], of_plot, {"": "Draw it.", "Returns": "self"})
    _describe(cls, known, {"Attributes": ""})
    sections = _sections(cls.__doc__)
    sections[""] += f"\n\nIt is recommended to use {' or '.join(f'`{name}`' for name in methods)}."
    attributes = _entries(sections.get("Attributes", ""))
    sections["Attributes"] = "\n".join((attributes | _entries(ATTRIBUTES) | attributes).values()).strip("\n")
    cls.__doc__ = _joined(sections)


def _describe(documented: Any, known: dict[str, str], defaults: dict[str, str]) -> dict[str, str]:
    """Complete a docstring: all parameters in their order, and sections that it leaves out. Returns its own entries."""
    sections = {"": "", "Parameters": ""} | defaults | _sections(documented.__doc__)
    own = _entries(sections["Parameters"])
    names = [name for name in inspect.signature(documented).parameters if name not in ("cls", "self")]
    described = dict.fromkeys((known | own)[name] for name in names)  # once if described together
    documented.__doc__ = _joined(sections | {"Parameters": "\n".join(described)})
    return own


def _sections(docstring: str | None) -> dict[str, str]:
    """Sections of a numpydoc docstring by their titles; that of the summary is empty."""
    parts = re.split(r"^(\w+)\n-+\n", inspect.cleandoc(docstring or ""), flags=re.MULTILINE)
    return {title: text.strip("\n") for title, text in zip(["", *parts[1::2]], parts[::2], strict=True) if text}


def _entries(section: str) -> dict[str, str]:
    """Descriptions of parameters by their names."""
    entries = re.split(r"\n(?=\S)", section)
    return {name: entry for entry in entries for name in re.split(r" : |\n", entry.lstrip("*"))[0].split(", ")}


def _joined(sections: dict[str, str]) -> str:
    return "\n\n".join(f"{title}\n{'-' * len(title)}\n{text}" if title else text for title, text in sections.items())
