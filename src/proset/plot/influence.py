"""Which rows of the training data help, and which do harm."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from proset.plot import style
from proset.plot.display import DataFrame, Display
from proset.plot.fitted import Fitted
from proset.validation import checked_count

HELPS, HARMS = style.COLOURS[0], style.COLOURS[4]
PROTOTYPE: dict[str, Any] = {"marker": "D", "markersize": 5, "markerfacecolor": "white"}


class InfluenceDisplay(Display):
    """Rows of the training data by what the loss on other samples would be without them, as bars to either side of 0.

    To the right are rows that help: without them the loss rises. Diamonds mark prototypes.

    Parameters
    ----------
    influence : pandas.DataFrame
        As `ProsetClassifier.influence` returns it, with "loss".
    top : int >= 1, default=10
        Rows to show: at most this many that help most, and at most this many that do most harm.

    Attributes
    ----------
    shown_ : pandas.DataFrame
        The rows that are drawn, the most helpful first.
    bars_ : matplotlib BarContainer

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import InfluenceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> y[10] = 2  # was 0
    >>> model = ProsetClassifier().fit(X[::2], y[::2])
    >>> display = InfluenceDisplay.from_estimator(model, X[1::2], y[1::2], top=3)
    >>> display.ax_.get_yticklabels()[-1].get_text()  # 10 is row 5 of those
    'row 5, class 2'
    """

    influence: "DataFrame"
    top: int = 10

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        top: int = 10,
        ax: Axes | None = None,
    ) -> Self:
        """Leave out rows, one at a time, and draw those that matter most.

        Parameters
        ----------
        estimator : estimator
            A fitted `ProsetClassifier`, or a `Pipeline` or search with one; steps before the classifier stay as they
            were fitted.
        X : array-like, shape (N, D)
            Samples as `estimator` takes them, preferably not those of `fit`.
        sample_weight, rows
            As in `ProsetClassifier.influence`.
        """
        fitted, top = Fitted(estimator), checked_count(top)
        found = fitted.proset().influence(fitted.table(X), y, sample_weight, rows=rows)
        return cls(influence=found, top=top).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        table = self.influence.sort_values("loss", ascending=False, kind="stable")
        helpful, harmful = table[table["loss"] > 0].head(self.top), table[table["loss"] < 0].tail(self.top)
        shown = table[table.index.isin(helpful.index) | table.index.isin(harmful.index)]
        loss, place = shown["loss"].to_numpy(dtype=float), np.arange(len(shown))
        largest = np.abs(loss[np.isfinite(loss)]).max(initial=0.0) or 1.0
        width = np.clip(loss, -1.2 * largest, 1.2 * largest)  # without the only row of a class the loss is infinite
        axes = self._axes(ax, (7.5, 1.4 + 0.25 * max(len(shown), 2)))
        ink = style.ink(axes)
        self.bars_ = axes.barh(place, width, height=0.7, color=[HELPS if value > 0 else HARMS for value in loss])
        span = max(width.max(initial=0.0), 0.0) - min(width.min(initial=0.0), 0.0) or 1.0
        for y, (value, end) in enumerate(zip(loss, width, strict=True)):
            words = "∞" if np.isinf(value) else f"{value:+.2g}"
            axes.text(max(end, 0.0) + 0.025 * span, y, words, va="center", size="small", color=ink)
        axes.axvline(0.0, color=ink, linewidth=0.8)
        of_prototype = shown["prototype"].to_numpy(dtype=bool)
        axes.plot(np.zeros(of_prototype.sum()), place[of_prototype], markeredgecolor=ink, linestyle="none", **PROTOTYPE)
        pairs = zip(shown["row"], shown["class"], strict=True)
        axes.set_yticks(place, [f"row {row}, class {style.plain(label)}" for row, label in pairs])
        if 0 < len(helpful) < len(shown):
            axes.axhline(len(helpful) - 0.5, color=style.GREY, linestyle=":", linewidth=1.0)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set(
            xlabel="rise of the mean log-loss without the row",
            xlim=(min(0.0, width.min(initial=0.0)) - 0.05 * span, max(0.0, width.max(initial=0.0)) + 0.17 * span),
            ylim=(max(len(shown), 1) - 0.4, -0.6),
        )
        handles: list[Any] = [Patch(color=HELPS, label="helps"), Patch(color=HARMS, label="does harm")]
        handles += [style.marker("prototype", markeredgecolor=ink, **PROTOTYPE)]
        style.legend(axes, handles=handles, title=f"{len(table):,} rows tried", alignment="left")
        self.shown_ = shown
        return self
