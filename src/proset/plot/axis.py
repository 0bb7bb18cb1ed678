"""Where the values of a column are on an axis: numbers, categories by name, missing values in a strip of their own."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from proset.encoding import OTHER, Category
from proset.plot import style

STRIP = 0.08  # width of the strip of missing numbers, as a proportion of the range
SPREAD = 0.6  # of marks of one category, so that they do not hide each other
EVENLY = 0.7548776662466927, 0.5698402909980532  # multiples, modulo 1, fill a square (M. Roberts' sequence)
Ticks = tuple[np.ndarray, list[str]]


@dataclass(frozen=True)
class Axis:
    """Range and levels of a column."""

    low: float  # of numbers, with a margin; of categories -1/2
    high: float  # of categories the number of levels less 1/2
    levels: tuple[Category, ...] | None = None  # None for numbers
    has_gaps: bool = False  # whether there is a strip for missing values, below `low`

    @classmethod
    def of(
        cls, values: np.ndarray, levels: tuple[Category, ...] | None, margin: float, has_gaps: bool = False
    ) -> "Axis":
        """The axis of values (N,) as the classifier has them, for numbers with a margin, a proportion of the range."""
        if levels is not None:
            shown = (*levels, OTHER) if np.nanmax(values, initial=0.0) >= len(levels) else levels
            return cls(-0.5, len(shown) - 0.5, shown, has_gaps)
        low, high = np.nanmin(values), np.nanmax(values)
        edge = margin * (high - low if high > low else 1.0)
        return cls(float(low - edge), float(high + edge), None, has_gaps)

    @property
    def start(self) -> float:
        """Where the axis begins."""
        return self.low - self.has_gaps * (STRIP * (self.high - self.low) if self.levels is None else 1.0)

    def pixels(self, resolution: int) -> tuple[np.ndarray, np.ndarray]:
        """Centres of the pixels, shape (resolution,), and the values there."""
        step = (self.high - self.start) / resolution
        centres = self.start + step * (np.arange(resolution) + 0.5)
        values = centres if self.levels is None else np.rint(centres)
        return centres, np.where(centres < self.low, np.nan, values)

    def places(self, values: np.ndarray, number: int) -> np.ndarray:
        """Where marks of values (N,) are on the first or second axis, 0 or 1; those of one category side by side."""
        places, width = values.copy(), SPREAD * (self.low - self.start)
        offsets = (np.arange(len(values)) * EVENLY[number]) % 1.0 - 0.5
        if self.levels is not None:
            places += SPREAD * offsets
        gaps = np.isnan(values)
        places[gaps] = (self.start + self.low) / 2 + width * offsets[gaps]
        return places

    def ticks(self) -> Ticks | None:
        """Positions and names; None where the numbers say it all."""
        gap = [(self.start + self.low) / 2] if self.has_gaps else []
        if self.levels is not None:
            names = [*(["missing"] * len(gap)), *(name_of(level) for level in self.levels)]
            return np.array([*gap, *range(len(self.levels))]), names
        if not gap:
            return None
        numbers = [x for x in MaxNLocator(6).tick_values(self.low, self.high) if self.low <= x <= self.high]
        return np.array([*gap, *numbers]), ["missing", *(f"{x:,.6g}" for x in numbers)]


def name_of(level: Category) -> str:
    """A level as it stands at an axis."""
    return "missing" if level is None else style.plain(str(level))


def label_plane(axes: Axes, names: Sequence[str] | np.ndarray, ticks: tuple[Ticks | None, Ticks | None]) -> None:
    """Name two axes, and what is on them."""
    axes.set(xlabel=style.plain(names[0]), ylabel=style.plain(names[1]))
    for axis, named in zip((axes.xaxis, axes.yaxis), ticks, strict=True):
        if named is not None:
            axis.set_ticks(*named)
            if axis is axes.xaxis and sum(map(len, named[1])) > 40:
                axes.tick_params(axis="x", labelrotation=30)
