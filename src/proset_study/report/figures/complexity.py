"""Test log-loss of the final models, sorted, with their complexity next to them."""

from proset.plot.style import GREY, plain
from proset_study.methods import get
from proset_study.methods.labels import method_name
from proset_study.report.analysis.losses import final_loss, prior_loss
from proset_study.report.figures.registry import FigureSpec, of_data_set
from proset_study.report.figures.style import ReportFigure, canvas, method_style
from proset_study.report.wording import leader, model
from proset_study.store.stored import Final

QUANTITIES = {"active_features": "features", "prototypes": "prototypes"}
ROOM = 1.15  # the axis ends at the class prior's log-loss times this


def complexity_figure(finals: list[Final]) -> ReportFigure:
    """Test log-loss of the models, least first, with active features and prototypes as numbers."""
    losses = {f.run.name: final_loss(f, "log_loss") for f in finals}
    finals = sorted(finals, key=lambda f: losses[f.run.name])
    prior = prior_loss(finals[0])
    end = ROOM * max(prior, min(loss for loss, _ in losses.values()))
    figure, (axes, margin) = canvas(7.0, 0.8 + 0.19 * len(finals), 1, 2, sharey=True, width_ratios=(4, 1))
    axes.axvline(prior, color=GREY, linestyle=":", linewidth=1.0)
    cut = []
    for y, final in enumerate(finals):
        loss, error = losses[final.run.name]
        if loss > end:
            axes.annotate(f"{loss:.2f} →", (end, y), ha="right", va="center", size=8)
            cut.append(final.label)
            continue
        axes.hlines(y, max(0.0, loss - error), min(end, loss + error), color="#C4C4C4", linewidth=0.9, zorder=1)
        axes.plot(loss, y, linestyle="none", markersize=6, **method_style(final.run.method))
    for x, (key, heading) in zip((0.4, 1.0), QUANTITIES.items(), strict=True):
        margin.text(x, -0.8, heading, size=8, ha="right", va="bottom")
        for y, final in enumerate(finals):
            if (number := final.fit["summary"].get(key)) is not None:
                margin.text(x, y, f"{number:,}", size=8, ha="right", va="center")
    margin.axis("off")
    axes.set_yticks(range(len(finals)), [_named(f) for f in finals])
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="test log-loss (nats); dotted: class prior", xlim=(0.0, end), ylim=(len(finals) - 0.4, -1.6))
    first = finals[0]
    by_model = {model(f): losses[f.run.name][0] for f in finals}
    texts = [f"{f.label} {losses[f.run.name][0]:.3g}" for f in finals]
    beyond = f" Beyond the axis: {', '.join(cut[:4])}{' and others' * (len(cut) > 4)}." if cut else ""
    return ReportFigure(
        title=f"{first.data_set}: test log-loss and complexity",
        finding=f"On this split the lowest test log-loss is {leader(by_model)}{_with_prototypes(finals, losses)}.",
        caption="Lines are one standard error over the test samples, which all models share: differences between models"
        f" are more certain than the lines suggest.{beyond}",
        alt=f"Test log-loss on {first.data_set}, least first: {', '.join(texts)}; the lowest is that of {first.label}.",
        figure=figure,
    )


def _named(final):
    name = plain(method_name(final.run.method))
    return name if final.label == final.run.method else f"{plain(final.label)}, {name}"


def _with_prototypes(finals, losses):
    """The first model with prototypes, how many it has, and for what log-loss."""
    for final in finals:
        if number := final.fit["summary"].get("prototypes"):
            if final is finals[0]:
                return f", with {number:,} prototypes"
            return f"; {model(final)} needs {number:,} prototypes for {losses[final.run.name][0]:.3f}"
    return ""


@of_data_set("Loss and complexity")
def _plan(available):
    yield FigureSpec("complexity", [run for run in available.runs if get(run.method).probabilistic], complexity_figure)
