"""Error rates of groups of samples."""

from collections.abc import Callable
from typing import Any, Self

import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from proset.plot import style
from proset.plot.display import DataFrame, Display
from proset.rates import group_rates


class GroupRatesDisplay(Display):
    """Error rate of each group as a dot with its 95 % interval, and a dashed line at that of all samples.

    The largest rate is on top. Where intervals overlap widely, the samples do not show which group has more errors.

    Parameters
    ----------
    rates : pandas.DataFrame
        As `proset.group_rates` gives it: the first row is of all samples.

    Attributes
    ----------
    lines_ : matplotlib ErrorbarContainer

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from proset import ProsetClassifier
    >>> from proset.plot import GroupRatesDisplay
    >>> X_train, X_test, y_train, y_test = train_test_split(*load_breast_cancer(return_X_y=True), random_state=0)
    >>> model = ProsetClassifier(random_state=0).fit(X_train, y_train)
    >>> display = GroupRatesDisplay.from_estimator(model, X_test, y_test, groups=lambda X: X[:, 1] > 20)
    >>> display.rates["n"].tolist()
    [143, 83, 60]
    """

    rates: "DataFrame"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        groups: npt.ArrayLike | str | int | Callable[[Any], Any],
        *,
        sample_weight: npt.ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Compute and draw the rates of a fitted classifier.

        Parameters
        ----------
        estimator, X, y, groups, sample_weight
            As in `proset.group_rates`.
        """
        return cls(rates=group_rates(estimator, X, y, groups, sample_weight)).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        groups = self.rates.iloc[1:].sort_values("error", kind="stable", na_position="first")
        axes = self._axes(ax, (7.2, 1.3 + 0.32 * max(len(groups), 2)))
        error, low, high = (groups[name].to_numpy() for name in ("error", "error low", "error high"))
        places = range(len(groups))
        self.lines_ = style.intervals(axes, places, error, low, high, **{"color": style.COLOURS[0], **kwargs})
        of_all = self.rates["error"].iloc[0]
        axes.axvline(of_all, color=style.GREY, linestyle="--", zorder=0, label=f"all: {of_all:.1%}")
        named = zip(["(missing)" if group is None else group for group in groups.index], groups["n"], strict=True)
        axes.set_yticks(list(places), [f"{style.plain(group)}  (n = {n:,})" for group, n in named])
        axes.set(xlabel="error rate, 95 % interval", xlim=(0, None), ylim=(-0.6, len(groups) - 0.4))
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
        style.legend(axes)
        return self
