"""Whether new samples are still like the training samples."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from proset.plot import style
from proset.plot.display import DataFrame, Display
from proset.plot.fitted import Fitted
from proset.units import feature_names
from proset.validation import checked_count

ACCENT = style.COLOURS[4]
USUAL: dict[str, Any] = {"marker": "|", "markersize": 13, "markeredgewidth": 2.0, "linestyle": "none"}
HEADS = {"prototype": "samples nearest to prototype", "feature": "all samples, by one feature"}


class DriftDisplay(Display):
    """How many of the new samples are unfamiliar: of all, near each prototype, and by each feature alone.

    Dots are shares with their intervals, short lines the usual shares. Significant differences have another colour.
    Without samples near a prototype there is no dot.

    Parameters
    ----------
    drift : pandas.DataFrame
        As `ProsetClassifier.drift` returns it.
    confidence_level : float, default=0.95
        Confidence level of the intervals.
    top : int >= 1, default=10
        Prototypes and features to show of each, significant differences first, then the largest shares.

    Attributes
    ----------
    shown_ : pandas.DataFrame
        The rows that are drawn, from top to bottom.
    lines_ : list of matplotlib ErrorbarContainer
        Rows that are as usual, and rows that differ.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import DriftDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = DriftDisplay.from_estimator(ProsetClassifier().fit(X, y), X + [0, 0, 3, 0])
    >>> display.shown_.loc[display.shown_["differs"] & (display.shown_["of"] == "feature"), "name"].tolist()
    ['x2']
    """

    drift: "DataFrame"
    confidence_level: float = 0.95
    top: int = 10

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike,
        *,
        level: float = 0.05,
        reference: npt.ArrayLike | None = None,
        confidence_level: float = 0.95,
        top: int = 10,
        ax: Axes | None = None,
    ) -> Self:
        """Count unfamiliar samples and draw the shares.

        Parameters
        ----------
        X : array-like, shape (N, D)
            New samples, as `estimator` takes them.
        level, reference, confidence_level
            As in `ProsetClassifier.drift`; `reference` as `estimator` takes it.
        """
        fitted, top = Fitted(estimator), checked_count(top)
        model = fitted.proset()
        usual = None if reference is None else fitted.table(reference)
        found = model.drift(fitted.table(X), level, reference=usual, confidence_level=confidence_level)
        names = dict(zip(feature_names(model, None), fitted.names, strict=True))
        is_feature = found["of"] == "feature"
        found["name"] = [names[name] if of else name for name, of in zip(found["name"], is_feature, strict=True)]
        return cls(drift=found, confidence_level=confidence_level, top=top).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        import pandas as pd

        table = self.drift
        parts = [table[table["of"] == "all"]]
        ticks, place = ["all samples"], 1.0
        positions, places = [0.0], [0.0]  # of all ticks, and of those that are rows
        for of, head in HEADS.items():
            part = table[table["of"] == of]
            if not len(part):
                continue
            shown = part.sort_values(["differs", "below"], ascending=False, kind="stable").head(self.top)
            hidden = "" if len(shown) == len(part) else f", {len(shown)} of {len(part)}"
            ticks += [f"{head}{hidden}:", *(_name(row) for row in shown.to_dict("records"))]
            positions += [place + 0.2 + i for i in range(len(shown) + 1)]
            places += positions[-len(shown) :]
            place = positions[-1] + 1.0
            parts.append(shown)
        shown, at = pd.concat(parts), np.array(places)
        axes = self._axes(ax, (8.0, 1.4 + 0.28 * place))
        below, low, high = (shown[name].to_numpy(dtype=float) for name in ("below", "low", "high"))
        axes.plot(shown["usual below"], at, color=style.GREY, label="usual", zorder=1, **USUAL)
        self.lines_ = []
        differs = shown["differs"].to_numpy(dtype=bool)
        for chosen, colour, label in ((~differs, style.COLOURS[0], "as usual"), (differs, ACCENT, "differs")):
            chosen = chosen & ~np.isnan(below)
            where = [values[chosen] for values in (at, below, low, high)]
            look = {"color": colour, "label": label if chosen.any() else None}
            self.lines_.append(style.intervals(axes, *where, **look))
        axes.set_yticks(positions, ticks)
        for text, position in zip(axes.get_yticklabels(), positions, strict=True):
            text.set_fontstyle("normal" if position in places else "italic")
        axes.tick_params(axis="y", length=0)
        axes.set(
            xlabel=f"unfamiliar samples, {100 * self.confidence_level:g} % interval",
            xlim=(-0.01, None),
            ylim=(place - 0.4, -0.6),
        )
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
        axes.grid(axis="x", color=style.GREY, alpha=0.2)
        style.legend(axes)
        self.shown_ = shown
        return self


def _name(row: Any) -> str:
    name = style.plain(row["name"])
    return name if row["of"] == "feature" else f"{name}, class {style.plain(row['class'])} (n = {row['samples']:,})"
