"""Results of searches by cross-validation: what was tried, the threshold of the rule, and what was chosen."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from sklearn.utils.validation import check_is_fitted

from proset.plot import style
from proset.plot.display import Display

PENALTIES = "lambda_v", "lambda_w"
LONG_PATH = 15  # more sizes than this are drawn as a line with a band
LOSSES = {"log_loss": "mean log-loss over folds (nats)", "error": "mean error rate over folds"}
NAMES = {
    "lambda_v": r"$\lambda_v$ (penalty on feature weights)",
    "lambda_w": r"$\lambda_w$ (penalty on prototype weights)",
    "n_batches": "batches of prototypes",
    "eps": "radius of the balls",
}


class SearchPlaneDisplay(Display):
    r"""Mean losses of all settings of two parameters, by colour.

    Rings mark the settings within the threshold of the rule, crosses the settings no better than the class prior.

    Parameters
    ----------
    x, y : ndarray, shape (n_settings,)
        Values of the parameters.
    names : two of str
        Labels of the axes.
    prior : float, default=inf
        Loss of the class prior.

    Attributes
    ----------
    points_ : matplotlib PathCollection

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifierCV
    >>> from proset.plot import SearchPlaneDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> search = ProsetClassifierCV(n_iter=4, n_batches=2, cv=3, random_state=0).fit(X, y)
    >>> display = SearchPlaneDisplay.from_estimator(search)
    >>> display.ax_.get_xlabel()
    '$\\lambda_v$ (penalty on feature weights)'
    """

    x: np.ndarray
    y: np.ndarray
    selection: Mapping[str, Any]
    names: Sequence[str]
    loss_name: str
    prior: float = np.inf

    @classmethod
    def from_estimator(cls, search: Any, *, ax: Axes | None = None, legend: bool = True) -> Self:
        """Draw stage 1 of a search."""
        shown = _stage1(search)
        x, y = (_values(search.cv_results_, parameter) for parameter in PENALTIES)
        return cls(x=x, y=y, names=[NAMES[parameter] for parameter in PENALTIES], **shown).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        axes = self._axes(ax)
        ink, mean = style.ink(axes), np.array(self.selection["mean"])
        within = np.isin(np.arange(len(mean)), self.selection["within"])
        useless = mean >= self.prior
        self.points_ = axes.scatter(
            self.x,
            self.y,
            c=mean,
            s=38,
            cmap=style.LOSS_MAP,
            norm=Normalize(mean.min(), mean[~useless].max(initial=mean.min() * 1.01)),
            edgecolors=[ink if w else style.GREY for w in within],
            linewidths=[1.2 if w else 0.4 for w in within],
            zorder=3,
        )
        axes.scatter(self.x[useless], self.y[useless], s=16, marker="x", color="white", linewidth=0.8, zorder=4)
        chosen = {}
        for role, look in _roles(ink).items():
            place = self.selection[role]
            chosen[ROLES[role]] = axes.scatter(self.x[place], self.y[place], **look)
        for direction, values, name in zip("xy", (self.x, self.y), self.names, strict=True):
            style.scale(axes, direction, values, name)
        bar = axes.figure.colorbar(
            self.points_,
            ax=axes,
            extend="max" if useless.any() else "neither",
            aspect=30,
            location="bottom" if legend else "right",
        )
        bar.set_label(self.loss_name)
        if legend:
            found = self._marks(ink, bool(useless.any())) | chosen
            style.legend(axes, handles=list(found.values()), labels=list(found))
        return self

    def _marks(self, ink: str, useless: bool) -> dict[str, Any]:
        """What a legend shows of the settings."""
        found: dict[str, Any] = {}
        ring = {"marker": "o", "markerfacecolor": "none", "markeredgecolor": ink, "markersize": 6}
        found["within the threshold"] = style.marker("", markeredgewidth=1.2, **ring)
        if useless:
            worst = {"marker": "o", "color": self.points_.cmap(1.0), "markersize": 6}
            cross = {"marker": "x", "color": "white", "markersize": 4, "markeredgewidth": 0.8}
            found["no better than the prior"] = (style.marker("", **worst), style.marker("", **cross))
        return found


class SearchProfileDisplay(Display):
    r"""Mean losses of all settings against one parameter, with the standard deviation over the folds.

    Parameters
    ----------
    x : ndarray, shape (n_settings,)
        Values of the parameter.
    name : str
        Label of the axis.
    prior : float, optional
        Loss of the class prior.
    connected : bool, default=False
        Whether to connect the settings by a line, where no other parameter varies.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifierCV
    >>> from proset.plot import SearchProfileDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> search = ProsetClassifierCV(n_iter=4, n_batches=2, cv=3, random_state=0).fit(X, y)
    >>> display = SearchProfileDisplay.from_estimator(search)
    >>> display.ax_.get_xlabel()
    '$\\lambda_v$ (penalty on feature weights)'
    """

    x: np.ndarray
    selection: Mapping[str, Any]
    name: str
    loss_name: str
    prior: float | None = None
    connected: bool = False

    @classmethod
    def from_estimator(
        cls, search: Any, *, parameter: str = "lambda_v", ax: Axes | None = None, legend: bool = True
    ) -> Self:
        """Draw stage 1 of a search.

        Parameters
        ----------
        parameter : {"lambda_v", "lambda_w"}, default="lambda_v"

        """
        if parameter not in PENALTIES:
            raise ValueError(f"parameter: {parameter!r} is not allowed, must be one of {', '.join(PENALTIES)}")
        shown, (other,) = _stage1(search), set(PENALTIES) - {parameter}
        connected = len(np.unique(_values(search.cv_results_, other))) == 1
        x = _values(search.cv_results_, parameter)
        return cls(x=x, name=NAMES[parameter], connected=connected, **shown).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, color: str = style.COLOURS[0], legend: bool = True) -> Self:
        axes = self._axes(ax)
        mean, deviation = np.array(self.selection["mean"]), np.array(self.selection["standard_deviation"])
        within = np.isin(np.arange(len(mean)), self.selection["within"])
        axes.errorbar(self.x, mean, deviation, fmt="none", ecolor="#BBBBBB", elinewidth=0.8, zorder=1)
        if self.connected:
            order = self.x.argsort()
            axes.plot(self.x[order], mean[order], color=color, zorder=2)
        look: dict[str, Any] = {"s": 16, "edgecolor": color, "zorder": 3}
        axes.scatter(self.x[~within], mean[~within], facecolor=axes.get_facecolor(), label="setting", **look)
        axes.scatter(self.x[within], mean[within], facecolor=color, label="within the threshold", **look)
        style.scale(axes, "x", self.x, self.name)
        _finish(self, axes, self.x, legend)
        return self


class SearchPathDisplay(Display):
    """Mean losses along a path of sizes, such as the number of batches, with the standard deviation over the folds.

    Parameters
    ----------
    sizes : ndarray, shape (n_sizes,)
    name : str
        Label of the axis.
    prior : float, optional
        Loss of the class prior.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset import ProsetClassifierCV
    >>> from proset.plot import SearchPathDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> search = ProsetClassifierCV(n_iter=4, n_batches=2, cv=3, random_state=0).fit(X, y)
    >>> display = SearchPathDisplay.from_estimator(search)
    >>> display.ax_.get_xlabel()
    'batches of prototypes'
    """

    sizes: np.ndarray
    selection: Mapping[str, Any]
    name: str
    loss_name: str
    prior: float | None = None

    @classmethod
    def from_estimator(cls, search: Any, *, ax: Axes | None = None, legend: bool = True) -> Self:
        """Draw the batches of stage 2 of a search, or its radii.

        Parameters
        ----------
        search : ProsetClassifierCV or SetCoverClassifierCV
            Fitted.

        """
        _searched(search, "threshold_", "ProsetClassifierCV or SetCoverClassifierCV")
        results, threshold, parameter = search.cv_results_, search.threshold_, "eps"
        if hasattr(search, "stage2_results_"):
            results, threshold, parameter = search.stage2_results_, search.stage2_threshold_, "n_batches"
        sizes = _values(results, parameter)
        selected = int(np.flatnonzero(sizes == search.best_params_[parameter])[0])
        return cls(
            sizes=sizes,
            selection=_selection(results, threshold, selected),
            name=NAMES[parameter],
            loss_name=LOSSES[getattr(search, "criterion", "error")],
        ).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, color: str = style.COLOURS[0], legend: bool = True) -> Self:
        axes = self._axes(ax)
        mean, deviation = np.array(self.selection["mean"]), np.array(self.selection["standard_deviation"])
        sizes, label = self.sizes, "mean over folds"
        if len(sizes) > LONG_PATH:
            band: dict[str, Any] = {"color": color, "alpha": 0.25, "linewidth": 0, "rasterized": True}
            axes.fill_between(sizes, mean - deviation, mean + deviation, **band)
            axes.plot(sizes, mean, color=color, label=label)
            axes.xaxis.set_major_locator(style.whole_numbers(sizes))
        else:
            axes.errorbar(sizes, mean, deviation, color=color, marker="o", capsize=2, elinewidth=0.9, label=label)
            axes.set_xticks(sizes[:: 1 + len(sizes) // 8])
        axes.set_xlabel(self.name)
        _finish(self, axes, sizes, legend)
        return self


ROLES = {"optimal": "optimum", "selected": "selection"}


def loss_axis(shared: Sequence[Axes], mean: np.ndarray, deviation: np.ndarray, prior: float | None) -> None:
    """Common scale of the losses, logarithmic if they span much; the loss of the class prior where it is in view."""
    first = shared[0]
    low, high = (mean - deviation).min(), (mean + deviation).max()
    if mean.max() > 5 * mean.min() > 0:
        style.log_axis(first, "y", dense=True)
        low = max(low, mean.min() / 2)
        first.set_ylim(low / 1.2, high * 1.2)
    else:
        margin = 0.05 * (high - low or 1.0)
        first.set_ylim(max(low - margin, 0.0), high + margin)
    if prior is not None:
        bottom, top = first.get_ylim()
        label = "class prior" if bottom <= prior <= top else None
        for axes in shared:
            axes.axhline(prior, color=style.GREY, linestyle=":", linewidth=1.0, label=label, zorder=0)


def _roles(ink: str) -> dict[str, dict[str, Any]]:
    return {"optimal": style.optimum_style(ink), "selected": style.choice_style(ink)}


def _finish(display: SearchProfileDisplay | SearchPathDisplay, axes: Axes, x: np.ndarray, legend: bool) -> None:
    """The threshold, what was chosen, and the axis of losses."""
    ink, selection = style.ink(axes), display.selection
    mean = np.array(selection["mean"])
    axes.axhline(selection["threshold"], label="threshold", color=ink, linestyle="--", linewidth=1.0)
    for role, look in _roles(ink).items():
        axes.scatter(x[selection[role]], mean[selection[role]], label=ROLES[role], **look)
    axes.set_ylabel(display.loss_name)
    loss_axis([axes], mean, np.array(selection["standard_deviation"]), display.prior)
    if legend:
        style.legend(axes)


def _searched(search: Any, attribute: str, kind: str) -> Any:
    """The search, if it is fitted and of the kind that has an attribute."""
    check_is_fitted(search)
    if not hasattr(search, attribute):
        raise ValueError(f"search: {type(search).__name__} is not allowed, must be a {kind}")
    return search


def _stage1(search: Any) -> dict[str, Any]:
    """What displays of the first stage show alike."""
    results = _searched(search, "stage2_results_", "ProsetClassifierCV").cv_results_
    return {
        "selection": _selection(results, search.threshold_, search.best_index_),
        "loss_name": LOSSES[search.criterion],
        "prior": float(-search.stage2_results_["mean_test_score"][0]),  # without a batch there is the class prior
    }


def _values(results: Mapping[str, Any], parameter: str) -> np.ndarray:
    return np.asarray(results[f"param_{parameter}"], dtype=float)


def _selection(results: Mapping[str, Any], threshold: float, selected: int) -> dict[str, Any]:
    """Scores of a search as losses, in the form of `proset.selection.select`."""
    losses = -np.array([scores for name, scores in results.items() if name.startswith("split")])
    n_scored = (~np.isnan(losses)).sum(axis=0)  # fewer folds for settings that were stopped
    mean = np.nanmean(losses, axis=0)
    squares = np.nansum((losses - mean) ** 2, axis=0)
    return {
        "mean": mean,
        "standard_deviation": np.sqrt(squares / np.maximum(n_scored - 1, 1)),  # as the rule has it
        "threshold": -threshold,
        "within": np.flatnonzero(results["within_threshold"]),
        "optimal": int(results["rank_test_score"].argmin()),
        "selected": selected,
    }
