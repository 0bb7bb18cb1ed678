"""What each feature adds to the class probabilities: of one sample, and in the mean over many."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from proset.attributions import Attributions
from proset.plot import style
from proset.plot.display import Display
from proset.plot.fitted import Fitted
from proset.plot.samples import one_sample, text
from proset.validation import checked_count


class AttributionsDisplay(Display):
    """Steps from the mean probability of a class to that of one sample, feature by feature.

    Each bar starts where the one above it ends. The first one starts at the mean over the background, the dashed line,
    and the last one ends at the probability of the sample.

    Parameters
    ----------
    attributions : proset.attributions.Attributions
        Of one sample, as `ProsetClassifier.attributions` returns it.
    number : int
        Position of the class in `attributions.output_names`.
    top : int >= 1, default=10
        Features to show, those with the largest absolute values; the others are one bar, unless there is only one.
        Features with a value of 0 are left out.

    Attributes
    ----------
    bars_ : matplotlib BarContainer

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import AttributionsDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ProsetClassifier().fit(X, y)
    >>> display = AttributionsDisplay.from_estimator(model, X.iloc[[70]])
    >>> sorted(label.get_text() for label in display.ax_.get_yticklabels())
    ['petal length (cm) = 4.8', 'petal width (cm) = 1.8']
    """

    attributions: Attributions
    number: int
    top: int = 10

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        x: npt.ArrayLike,
        *,
        label: Any = None,
        background: npt.ArrayLike | None = None,
        top: int = 10,
        ax: Axes | None = None,
    ) -> Self:
        """Compute and draw the values of one sample.

        Parameters
        ----------
        label : label of a class, optional
            By default the predicted one.
        background : array-like, shape (M, D), optional
            As in `ProsetClassifier.attributions`, and as `estimator` takes it.
        """
        fitted, table = Fitted(estimator), one_sample(x)
        model = fitted.proset()
        classes = model.classes_.tolist()
        if label is not None and label not in classes:
            raise ValueError(f"label: {label!r} is not allowed, must be one of {classes}")
        found = _attributions(fitted, table, background)
        number = classes.index(model.predict(fitted.table(table))[0] if label is None else label)
        return cls(attributions=found, number=number, top=checked_count(top)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        found, k = self.attributions, self.number
        values, base = found.values[0, :, k], float(found.base_values[0, k])
        listed, rest = _largest(np.abs(values), self.top)
        names = [f"{style.plain(found.feature_names[d])} = {text(found.display_data[0, d])}" for d in listed]
        names += [f"{len(rest)} other features"] * bool(len(rest))
        widths = np.array([*values[listed], *([values[rest].sum()] if len(rest) else [])])
        ends = base + np.cumsum(widths)
        starts, place = ends - widths, np.arange(len(widths))
        errors = np.zeros(len(widths))
        if found.error_std is not None:
            errors[: len(listed)] = found.error_std[0, listed, k]

        axes = self._axes(ax, (7.5, 1.6 + 0.3 * max(len(widths), 2)))
        ink = style.ink(axes)
        raises, lowers = style.class_style(k, ink)["color"], style.GREY
        self.bars_ = axes.barh(
            place, widths, left=starts, height=0.7, color=[raises if width > 0 else lowers for width in widths]
        )
        axes.vlines(ends[:-1], place[:-1] - 0.35, place[1:] + 0.35, color=ink, linewidth=0.6)
        if errors.any():
            axes.errorbar(ends, place, xerr=errors, fmt="none", ecolor=ink, elinewidth=1.0, capsize=2)
        probability = base + float(values.sum())
        lines = [
            axes.axvline(base, color=style.GREY, linestyle="--", zorder=0, label=f"base value: {base:.3f}"),
            axes.axvline(probability, color=ink, linewidth=1.0, zorder=0, label=f"probability: {probability:.3f}"),
        ]
        low, high = min([base, *(ends - errors)]), max([base, *(ends + errors)])
        span = (high - low) or 0.1
        ground = {"facecolor": axes.get_facecolor(), "edgecolor": "none", "pad": 0.6}
        for y, (start, end, error) in enumerate(zip(starts, ends, errors, strict=True)):
            at = max(start, end + error) + 0.015 * span
            axes.text(at, y, f"{widths[y]:+.3f}", va="center", size="small", color=ink, bbox=ground)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_yticks(place, names)
        axes.set(
            xlabel=f"probability of class {style.plain(found.output_names[k])}",
            xlim=(low - 0.05 * span, high + 0.24 * span),
            ylim=(len(widths) - 0.5, -0.5) if len(widths) else (0.5, -0.5),
        )
        meaning = [Patch(color=raises, label="raises it"), Patch(color=lowers, label="lowers it")]
        estimated = [style.marker("standard error", marker="_", color=ink, markersize=12)] if errors.any() else []
        style.legend(axes, handles=[*lines, *meaning, *estimated])
        return self


class AttributionSummaryDisplay(Display):
    """Mean shift of the class probabilities by each feature, up or down, over samples: bars by class.

    Two classes share one bar, because one of them loses what the other one gains.

    Parameters
    ----------
    mean_values : ndarray, shape (D, K)
        Means over the samples of the absolute values of `ProsetClassifier.attributions`.
    feature_names : sequence of str, length D
    class_names : sequence of str, length K
    top : int >= 1, default=10
        Features to show, those with the largest sums over the classes; the others are one bar, unless there is only
        one. Features with a value of 0 are left out.

    Attributes
    ----------
    bars_ : list of matplotlib BarContainer
        One for each class, of two classes a single one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifier
    >>> from proset.plot import AttributionSummaryDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = AttributionSummaryDisplay.from_estimator(ProsetClassifier().fit(X, y), X)
    >>> display.mean_values.shape
    (4, 3)
    """

    mean_values: np.ndarray
    feature_names: Sequence[str]
    class_names: Sequence[str]
    top: int = 10

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike,
        *,
        background: npt.ArrayLike | None = None,
        top: int = 10,
        ax: Axes | None = None,
    ) -> Self:
        """Compute and draw the means over samples.

        Parameters
        ----------
        background : array-like, shape (M, D), optional
            As in `ProsetClassifier.attributions`, and as `estimator` takes it.
        """
        fitted = Fitted(estimator)
        found = _attributions(fitted, X, background)
        return cls(
            mean_values=np.abs(found.values).mean(axis=0),
            feature_names=found.feature_names,
            class_names=found.output_names,
            top=checked_count(top),
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        listed, rest = _largest(self.mean_values.sum(axis=1), self.top)
        names = [style.plain(self.feature_names[d]) for d in listed]
        widths = self.mean_values[listed]
        if len(rest):
            names.append(f"{len(rest)} other features")
            widths = np.concatenate([widths, self.mean_values[rest].sum(axis=0, keepdims=True)])
        axes = self._axes(ax, (7.5, 1.4 + 0.3 * max(len(names), 2)))
        labels = [f"class {style.plain(name)}" for name in self.class_names]
        if len(labels) == 2:
            self.bars_ = style.stacked(axes, widths[:, 1:], ["either class"], [style.GREY])
        else:
            self.bars_ = style.stacked(axes, widths, labels)
        axes.set_yticks(range(len(names)), names)
        axes.set(
            xlabel="mean change of probability, up or down",
            xlim=(0.0, None),
            ylim=(len(names) - 0.5, -0.5) if names else (0.5, -0.5),
        )
        style.legend(axes)
        return self


def _attributions(fitted: Fitted, X: Any, background: npt.ArrayLike | None) -> Attributions:
    """Attributions of samples as the estimator takes them, under names and in units of the data."""
    model, others = fitted.proset(), None if background is None else fitted.table(background)
    found = model.attributions(fitted.table(X), others)
    return replace(found, display_data=fitted.as_given(found.data), feature_names=fitted.names)


def _largest(size: np.ndarray, top: int) -> tuple[np.ndarray, np.ndarray]:
    """Which features are shown, the largest first, and which ones are summed up; none of size 0."""
    order = np.argsort(-size, kind="stable")
    order = order[size[order] > 0]
    top = top if len(order) > top + 1 else top + 1  # a single one is no group
    return order[:top], order[top:]
