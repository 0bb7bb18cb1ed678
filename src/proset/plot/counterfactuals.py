"""What would have had to be different about one sample."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from proset.counterfactuals import is_changed
from proset.encoding import CATEGORY, is_missing
from proset.plot import style
from proset.plot.display import Display
from proset.plot.fitted import Fitted
from proset.plot.samples import change, one_sample, text
from proset.validation import checked_count

if TYPE_CHECKING:
    import pandas as pd

REACH = 4.0  # standard deviations that are shown on either side, if no change is larger
CHARACTER = 0.018  # width of one, as a proportion of the axes
NOW, THEN = "o", ">"


class CounterfactualDisplay(Display):
    """The nearest sample that is predicted otherwise: an arrow for each feature that differs.

    Dots are the sample as it is. The length of an arrow is the change in standard deviations of the training data, or 1
    for another category; their sum is the cost.

    Parameters
    ----------
    found : pandas.Series
        A row of what `ProsetClassifier.counterfactuals` returns.
    features : pandas.DataFrame
        For each active feature: its "name"; "value" and "new value" in the units of the table; "change" in standard
        deviations; "low" and "high", how far the ends of the training data are from the sample, NaN for categories.
    top : int >= 1, default=15
        Features to show, those that change first.

    Attributes
    ----------
    arrows_ : list of matplotlib Annotation

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import CounterfactualDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ProsetClassifier().fit(X, y)
    >>> display = CounterfactualDisplay.from_estimator(model, X.iloc[[60]], target=2)
    >>> display.found["changed"], [label.get_text() for label in display.ax_.get_yticklabels()]
    ('petal length (cm)', ['petal length (cm)', 'petal width (cm)'])
    """

    found: "pd.Series[Any]"
    features: "pd.DataFrame"
    top: int = 15

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        x: npt.ArrayLike,
        target: Any = None,
        *,
        probability: float | None = None,
        fixed: Sequence[Any] = (),
        ranges: Mapping[Any, Any] | None = None,
        directions: Mapping[Any, str] | None = None,
        only_training_rows: bool = False,
        min_familiarity_quantile: float = 0.0,
        top: int = 15,
        ax: Axes | None = None,
    ) -> Self:
        """Find and draw what would have had to be different about one sample.

        Parameters
        ----------
        target, probability, fixed, directions, only_training_rows, min_familiarity_quantile
            As in `ProsetClassifier.counterfactuals`; features by their names in the data, or by number.
        ranges : dict, optional
            The same, in the units of the data.

        Returns
        -------
        CounterfactualDisplay
            If there is no such sample, the title says so.
        """
        import pandas as pd

        checked_count(top)
        fitted, table = Fitted(estimator), one_sample(x)
        model, point = fitted.proset(), fitted.encoded(table)
        found = model.counterfactuals(
            fitted.table(table),
            target,
            probability=probability,
            fixed=[_number(fitted, feature) for feature in fixed],
            ranges={_number(fitted, d): _range(fitted, point, d, allowed) for d, allowed in (ranges or {}).items()},
            directions={_number(fitted, feature): direction for feature, direction in (directions or {}).items()},
            only_training_rows=only_training_rows,
            min_familiarity_quantile=min_familiarity_quantile,
        ).iloc[0]
        active = model.active_features_
        then = point.copy()
        if found["found"]:
            values = found.to_numpy()[len(found) - len(active) :]
            then[0, active] = [_place(value, fitted.levels[d]) for value, d in zip(values, active, strict=True)]
        rows = fitted.as_given(np.concatenate([point, then]))[:, active]
        is_category = np.array([model._encoding.kinds[d] == CATEGORY for d in active], dtype=bool)
        columns = model._model.columns
        spread = (model.scale_ if columns is None else columns.spread)[active]
        differs = is_changed(point, then)[0, active]
        move = np.where(is_category, 1.0 * differs, (then - point)[0, active] / spread)
        low, high = np.where(is_category, np.nan, (model.feature_range_ - point)[:, active] / spread)
        names = np.array([fitted.names[d] for d in active], dtype=object)
        found = found.copy()
        found["changed"] = ", ".join(names[differs])
        features = {"name": names, "value": rows[0], "new value": rows[1], "change": np.where(differs, move, 0.0)}
        return cls(found=found, features=pd.DataFrame(features | {"low": low, "high": high}), top=top).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        features = self.features
        order = np.argsort(-np.abs(features["change"].to_numpy(dtype=float)), kind="stable")
        shown = features.iloc[order[: self.top]]
        axes = self._axes(ax, (8.5, 1.6 + 0.42 * max(len(shown), 2)))
        ink, place = style.ink(axes), np.arange(len(shown))
        changes = shown["change"].to_numpy(dtype=float)
        low, high = ((shown[name]).to_numpy(dtype=float) for name in ("low", "high"))
        left = min(-0.5, *changes, max(np.nanmin(low, initial=-0.5), -REACH))
        right = max(0.5, *changes, min(np.nanmax(high, initial=0.5), REACH))
        span = right - left
        left, right = left - 0.04 * span, right + 0.04 * span
        axes.hlines(
            place, np.clip(low, left, right), np.clip(high, left, right), color=style.GREY, linewidth=1, alpha=0.7
        )
        axes.scatter(np.zeros(len(shown)), place, marker=NOW, color=style.COLOURS[0], s=36, zorder=3)
        self.arrows_ = []
        for y, (value, new, move) in enumerate(zip(shown["value"], shown["new value"], changes, strict=True)):
            if move:
                look = {"arrowstyle": "-|>", "color": style.COLOURS[4], "linewidth": 2.0, "shrinkA": 0, "shrinkB": 0}
                arrow = axes.annotate("", (move, y), (0.0, y), arrowprops=look, zorder=2)
                self.arrows_.append(arrow)
            words = change(value, new) if move else text(value)
            weight = "bold" if move else "normal"
            room = min(len(words) * CHARACTER * span, span) / 2.0
            at = np.clip(move / 2.0, left + room, right - room)
            axes.text(at, y - 0.12, words, ha="center", va="bottom", size="small", color=ink, fontweight=weight)
        axes.set_yticks(place, [style.plain(name) for name in shown["name"]])
        axes.set(
            xlabel="standard deviations from the sample; another category is 1",
            xlim=(left, right),
            ylim=(len(shown) - 0.5, -0.8) if len(shown) else (0.5, -0.5),
        )
        axes.set_title(self._title(), fontsize="medium", loc="left")
        handles = [
            style.marker("the sample", marker=NOW, color=style.COLOURS[0]),
            *([style.marker("change", marker=THEN, color=style.COLOURS[4])] if self.arrows_ else []),
            Line2D([], [], color=style.GREY, linewidth=1, label="range of training data"),
        ]
        style.legend(axes, handles=handles, title=self._facts(len(features) - len(shown)), alignment="left")
        return self

    def _title(self) -> str:
        found = self.found
        now = f"class {style.plain(found['class'])}"
        if not found["found"]:
            known = "There is provably no" if found["proved"] else "No"
            return f"{now}. {known} counterfactual{'' if found['proved'] else ' was found'}"
        if not found["n_changed"]:
            return f"{now}. Nothing has to change"
        then = f"class {style.plain(found['class then'])}"
        return f"{now} → {then}" if found["class then"] != found["class"] else f"{now}, as before"

    def _facts(self, n_hidden: int) -> str:
        found, lines = self.found, []
        if found["found"]:
            lines = [
                f"probability {found['probability']:.3f}",
                f"familiarity quantile {found['familiarity quantile']:.2f}",
                "nothing is nearer (proved)" if found["proved"] else "something may be nearer",
            ]
        if n_hidden:
            lines.append(f"{n_hidden} features not shown")
        return "\n".join(lines)


def _number(fitted: Fitted, feature: Any) -> Any:
    """The number of a feature that is named as in the data; else as it is, for the classifier to judge."""
    return fitted.names.index(feature) if isinstance(feature, str) and feature in fitted.names else feature


def _range(fitted: Fitted, point: np.ndarray, feature: Any, allowed: Any) -> Any:
    """Ends of a range in the units of the classifier, where they are given in those of the data."""
    d = _number(fitted, feature)
    is_pair = isinstance(d, int) and 0 <= d < point.shape[1] and fitted.levels[d] is None and np.shape(allowed) == (2,)
    is_pair = is_pair and all(isinstance(end, Real) for end in allowed) and allowed[0] <= allowed[1]
    if fitted.estimator is fitted.model or not is_pair or fitted.is_mixed or not fitted.units:
        return allowed
    rows = np.tile(fitted.to_units(point), (2, 1))
    ends = np.array(allowed, dtype=float)
    rows[:, d] = np.where(np.isfinite(ends), ends, rows[:, d])
    return tuple(np.where(np.isfinite(ends), fitted.encoded(rows)[:, d], ends).tolist())


def _place(value: Any, levels: Sequence[Any] | None) -> Any:
    """A value as a number, categories as their places among the levels."""
    value = None if is_missing(value) else value
    if levels is None or (value is None and None not in levels):
        return np.nan if value is None else value
    return levels.index(value) if value in levels else len(levels)
