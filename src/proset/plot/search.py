"""Results of searches by cross-validation: what was tried, the threshold of the rule, and what was chosen."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.ticker import MaxNLocator
from sklearn.utils.validation import check_is_fitted

from proset.plot import style

LONG_PATH = 15  # more sizes than this are drawn as a line with a band
LOSSES = {"log_loss": "mean log-loss over folds (nats)", "error": "mean error rate over folds"}
NAMES = {
    "lambda_v": r"$\lambda_v$ (penalty on feature weights)",
    "lambda_w": r"$\lambda_w$ (penalty on prototype weights)",
    "n_batches": "batches of prototypes",
    "eps": "radius of the balls",
}


class SearchPlaneDisplay:
    r"""Mean losses of all settings of two parameters, by colour.

    Rings mark the settings within the threshold of the rule, crosses those that are no better than the class prior. It
    is recommended to use `from_estimator`.

    Parameters
    ----------
    x, y : ndarray, shape (n_settings,)
        Values of the parameters.
    selection : mapping
        As `proset.selection.select` returns it.
    names : two of str
        Labels of the axes.
    loss_name : str
    prior : float, default=inf
        Loss of the class prior.

    Attributes
    ----------
    points_ : matplotlib PathCollection
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

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

    def __init__(
        self,
        *,
        x: np.ndarray,
        y: np.ndarray,
        selection: Mapping[str, Any],
        names: Sequence[str],
        loss_name: str,
        prior: float = np.inf,
    ):
        self.x = x
        self.y = y
        self.selection = selection
        self.names = names
        self.loss_name = loss_name
        self.prior = prior

    @classmethod
    def from_estimator(cls, search: Any, *, ax: Axes | None = None, legend: bool = True) -> "SearchPlaneDisplay":
        """Draw stage 1 of a search.

        Parameters
        ----------
        search : ProsetClassifierCV
            Fitted.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        legend : bool, default=True

        Returns
        -------
        SearchPlaneDisplay

        Raises
        ------
        ValueError
            If `search` is no `ProsetClassifierCV`.
        """
        results = _searched(search, "stage2_results_", "ProsetClassifierCV").cv_results_
        return cls(
            x=_values(results, "lambda_v"),
            y=_values(results, "lambda_w"),
            selection=_selection(results, search.threshold_, search.best_index_),
            names=[NAMES["lambda_v"], NAMES["lambda_w"]],
            loss_name=LOSSES[search.criterion],
            prior=_prior(search),
        ).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> "SearchPlaneDisplay":
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        legend : bool, default=True

        Returns
        -------
        self
        """
        axes = style.new_axes(ax)
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
            scale(axes, direction, values, name)
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
        self.ax_, self.figure_ = axes, axes.figure
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


class SearchProfileDisplay:
    r"""Mean losses of all settings against one parameter, with the standard deviation over the folds.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    x : ndarray, shape (n_settings,)
        Values of the parameter.
    selection : mapping
        As `proset.selection.select` returns it.
    name : str
        Label of the axis.
    loss_name : str
    prior : float, optional
        Loss of the class prior.
    connected : bool, default=False
        Whether to connect the settings by a line, where no other parameter varies.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

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

    def __init__(
        self,
        *,
        x: np.ndarray,
        selection: Mapping[str, Any],
        name: str,
        loss_name: str,
        prior: float | None = None,
        connected: bool = False,
    ):
        self.x = x
        self.selection = selection
        self.name = name
        self.loss_name = loss_name
        self.prior = prior
        self.connected = connected

    @classmethod
    def from_estimator(
        cls, search: Any, *, parameter: str = "lambda_v", ax: Axes | None = None, legend: bool = True
    ) -> "SearchProfileDisplay":
        """Draw stage 1 of a search.

        Parameters
        ----------
        search : ProsetClassifierCV
            Fitted.
        parameter : {"lambda_v", "lambda_w"}, default="lambda_v"
        ax : matplotlib Axes, optional
            By default those of a new figure.
        legend : bool, default=True

        Returns
        -------
        SearchProfileDisplay

        Raises
        ------
        ValueError
            If `search` is no `ProsetClassifierCV`, or `parameter` is not one of these.
        """
        names = ("lambda_v", "lambda_w")
        if parameter not in names:
            raise ValueError(f"parameter: {parameter!r} is not allowed, must be one of {', '.join(names)}")
        results = _searched(search, "stage2_results_", "ProsetClassifierCV").cv_results_
        (other,) = set(names) - {parameter}
        return cls(
            x=_values(results, parameter),
            selection=_selection(results, search.threshold_, search.best_index_),
            name=NAMES[parameter],
            loss_name=LOSSES[search.criterion],
            prior=_prior(search),
            connected=len(np.unique(_values(results, other))) == 1,
        ).plot(ax, legend=legend)

    def plot(
        self, ax: Axes | None = None, *, color: str = style.COLOURS[0], legend: bool = True
    ) -> "SearchProfileDisplay":
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        color : color, optional
            Of the settings.
        legend : bool, default=True

        Returns
        -------
        self
        """
        axes = style.new_axes(ax)
        mean, deviation = np.array(self.selection["mean"]), np.array(self.selection["standard_deviation"])
        within = np.isin(np.arange(len(mean)), self.selection["within"])
        axes.errorbar(self.x, mean, deviation, fmt="none", ecolor="#BBBBBB", elinewidth=0.8, zorder=1)
        if self.connected:
            order = self.x.argsort()
            axes.plot(self.x[order], mean[order], color=color, zorder=2)
        look: dict[str, Any] = {"s": 16, "edgecolor": color, "zorder": 3}
        axes.scatter(self.x[~within], mean[~within], facecolor=axes.get_facecolor(), label="setting", **look)
        axes.scatter(self.x[within], mean[within], facecolor=color, label="within the threshold", **look)
        _choice(axes, self.x, self.selection)
        scale(axes, "x", self.x, self.name)
        axes.set_ylabel(self.loss_name)
        loss_axis([axes], mean, deviation, self.prior)
        if legend:
            style.legend(axes)
        self.ax_, self.figure_ = axes, axes.figure
        return self


class SearchPathDisplay:
    """Mean losses along a path of sizes, such as the number of batches, with the standard deviation over the folds.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    sizes : ndarray, shape (n_sizes,)
    selection : mapping
        As `proset.selection.select` returns it.
    name : str
        Label of the axis.
    loss_name : str
    prior : float, optional
        Loss of the class prior.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

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

    def __init__(
        self, *, sizes: np.ndarray, selection: Mapping[str, Any], name: str, loss_name: str, prior: float | None = None
    ):
        self.sizes = sizes
        self.selection = selection
        self.name = name
        self.loss_name = loss_name
        self.prior = prior

    @classmethod
    def from_estimator(cls, search: Any, *, ax: Axes | None = None, legend: bool = True) -> "SearchPathDisplay":
        """Draw the batches of stage 2 of a search, or its radii.

        Parameters
        ----------
        search : ProsetClassifierCV or SetCoverClassifierCV
            Fitted.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        legend : bool, default=True

        Returns
        -------
        SearchPathDisplay

        Raises
        ------
        ValueError
            If `search` is neither of these.
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

    def plot(
        self, ax: Axes | None = None, *, color: str = style.COLOURS[0], legend: bool = True
    ) -> "SearchPathDisplay":
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        color : color, optional
            Of the line.
        legend : bool, default=True

        Returns
        -------
        self
        """
        axes = style.new_axes(ax)
        mean, deviation = np.array(self.selection["mean"]), np.array(self.selection["standard_deviation"])
        sizes, label = self.sizes, "mean over folds"
        if len(sizes) > LONG_PATH:
            band: dict[str, Any] = {"color": color, "alpha": 0.25, "linewidth": 0, "rasterized": True}
            axes.fill_between(sizes, mean - deviation, mean + deviation, **band)
            axes.plot(sizes, mean, color=color, label=label)
            axes.xaxis.set_major_locator(whole_numbers(sizes))
        else:
            axes.errorbar(sizes, mean, deviation, color=color, marker="o", capsize=2, elinewidth=0.9, label=label)
            axes.set_xticks(sizes[:: 1 + len(sizes) // 8])
        _choice(axes, sizes, self.selection)
        axes.set(xlabel=self.name, ylabel=self.loss_name)
        loss_axis([axes], mean, deviation, self.prior)
        if legend:
            style.legend(axes)
        self.ax_, self.figure_ = axes, axes.figure
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


def scale(axes: Axes, direction: str, values: np.ndarray, name: str) -> None:
    """Label an axis of a parameter; it is logarithmic if the values span much, else ticks of whole numbers are such."""
    axes.set(**{f"{direction}label": name})
    if values.min() > 0 and values.max() > 30 * values.min():
        style.log_axis(axes, direction)
    else:
        getattr(axes, f"{direction}axis").set_major_locator(whole_numbers(values))


def whole_numbers(values: np.ndarray) -> MaxNLocator:
    """Where ticks are: at whole numbers if all values are."""
    return MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=not (values % 1).any())


def _roles(ink: str) -> dict[str, dict[str, Any]]:
    return {"optimal": style.optimum_style(ink), "selected": style.choice_style(ink)}


def _choice(axes: Axes, x: np.ndarray, selection: Mapping[str, Any]) -> None:
    ink = style.ink(axes)
    axes.axhline(selection["threshold"], label="threshold", color=ink, linestyle="--", linewidth=1.0)
    for role, look in _roles(ink).items():
        axes.scatter(x[selection[role]], selection["mean"][selection[role]], label=ROLES[role], **look)


def _searched(search: Any, attribute: str, kind: str) -> Any:
    """The search, if it is fitted and of the kind that has an attribute."""
    check_is_fitted(search)
    if not hasattr(search, attribute):
        raise ValueError(f"search: {type(search).__name__} is not allowed, must be a {kind}")
    return search


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


def _prior(search: Any) -> float:
    """Loss without a batch, which is that of the class prior."""
    return float(-search.stage2_results_["mean_test_score"][0])
