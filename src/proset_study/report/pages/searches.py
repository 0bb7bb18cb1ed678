"""The charts to touch of the page of searches: trials of stage 1, sizes of stage 2, prototypes as images."""

import base64
import io
import re
import warnings
from statistics import fmean
from typing import Any

import altair
import numpy as np
from PIL import Image

from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.methods.weighted import WeightedPrototypeModel, weighted
from proset_study.report.figures.search import WORDS, searched
from proset_study.report.figures.style import axis_name
from proset_study.report.pages.charts import Chart, based, choice, not_from_zero, specification, tip
from proset_study.report.pages.explore import SHOWN, thinned
from proset_study.store.stored import Stored

MAX_PROTOTYPES = 20  # of a class, as images
_STATES = {  # of a setting, with their colours
    "optimum": "#D55E00",
    "selected": "#000000",
    "within the threshold": "#332288",
    "other": "#B0B0B0",
}


def search_charts(stored: Stored) -> list[Chart]:
    """Charts of the page of searches for which there are records."""
    charts = (trials_chart(stored), sizes_chart(stored), images_chart(stored))
    return [chart for chart in charts if chart is not None]


def trials_chart(stored: Stored) -> Chart | None:
    """All settings of stage 1 with their cross-validated loss; a search at a time."""
    rows: list[dict[str, Any]] = []
    specs: dict[str, dict[str, Any]] = {}
    for final in _shown(stored):
        selection = final.stage1
        if not selection or final.stage1_folder != final.folder or not final.trials or final.run.variant:
            continue
        values = searched(final)
        kind = f"{final.run.method} {' '.join(values)} {final.run.criterion}"
        if kind not in specs:
            with warnings.catch_warnings():  # of one parameter for all panels, which is what is wanted
                warnings.simplefilter("ignore", UserWarning)
                specs[kind] = specification(_panels(final.run.method, list(values), WORDS[final.run.criterion]))
        sizes: dict[int, list[float]] = {}
        for record in final.trials:
            if "prototypes" in record["summary"]:
                sizes.setdefault(record["trial"], []).append(record["summary"]["prototypes"])
        for i, mean in enumerate(selection["mean"]):
            row = {"search": _search(final), "spec": kind, "trial": i + 1, "loss": mean}
            row |= {"deviation": selection["standard_deviation"][i]}
            row |= {f"p{k}": float(x[i]) for k, x in enumerate(values.values())}
            row |= {"setting": ", ".join(f"{name} = {x[i]:.3g}" for name, x in values.items())}
            row |= {"state": _state(selection, i), "threshold": selection["threshold"]}
            if trial := sizes.get(selection["trials"][i]):
                row["prototypes"] = fmean(trial)
            rows.append(row)
    if not rows:
        return None
    shown = {"trial": "trial", "setting": "setting", "loss": "mean loss", "deviation": "deviation over folds"}
    return Chart(
        id="explore-searches",
        title="Stage 1: parameter settings",
        note="Hover over a setting to mark it in all panels. The dashed line is the threshold of the published rule.",
        controls=[choice(rows, "search", "Search")],
        specs=specs,
        rows=rows,
        columns={**shown, "state": "state", "prototypes": "prototypes"},
    )


def sizes_chart(stored: Stored) -> Chart | None:
    """Cross-validated loss along the paths of stage 2."""
    rows = []
    for final in _shown(stored):
        selection = final.stage2
        if final.run.variant or len(selection["settings"]) < 2:
            continue
        for i in thinned(len(selection["settings"]), selection["optimal"], selection["selected"]):
            mean, deviation = selection["mean"][i], selection["standard_deviation"][i]
            row = {"search": _search(final), "size": selection["settings"][i], "loss": mean}
            row |= {"low": mean - deviation, "high": mean + deviation, "state": _state(selection, i)}
            rows.append({**row, "threshold": selection["threshold"]})
    if not rows:
        return None
    base = based().encode(x=altair.X("size:Q", title="size (batches, neighbours, rounds)"))
    loss = not_from_zero(altair.Y, "loss:Q", "mean loss over the folds")
    tips = [tip("size:Q"), tip("loss:Q", ".3f"), tip("state:N")]
    layers = altair.layer(
        base.mark_area(opacity=0.15).encode(y="low:Q", y2="high:Q"),
        base.mark_line().encode(y="loss:Q"),
        _threshold(based()),
        base.mark_point(filled=True, size=50).encode(y=loss, color=_by_state(), tooltip=tips),
    ).properties(width="container", height=300)
    return Chart(
        id="explore-sizes",
        title="Stage 2: model size",
        note="The band is one standard deviation over the folds. The published rule selects the simplest size within"
        " the threshold, the dashed line. The loss is the log-loss, where the search does not say otherwise.",
        controls=[choice(rows, "search", "Search")],
        specs={"": specification(layers)},
        rows=rows,
        columns={"size": "size", "loss": "mean loss", "state": "state"},
    )


def images_chart(stored: Stored) -> Chart | None:
    """The heaviest prototypes of models of images: what each is, weighs and explains."""
    rows: list[dict[str, Any]] = []
    entries = stored.study.config["data_sets"].items()
    for data_set, entry in list(entries)[: SHOWN if stored.study.is_large else None]:
        finals = [f for f in stored.finals(data_set=data_set) if methods.makes(f.run.method, WeightedPrototypeModel)]
        if "image" in entry and (final := next((f for f in finals if f.fit["summary"]["prototypes"]), None)):
            rows += _image_rows(final, tuple(entry["image"]))
    if not rows:
        return None
    rank = altair.X("rank:O", title="rank by weight within the class", axis=altair.Axis(labelAngle=0))
    tips = [tip("label:N"), tip("weight:Q"), tip("batch:Q"), tip("nearest:Q", title="test samples it explains most")]
    tips += [tip("right:Q", title="of which correctly predicted")]
    images = based().mark_image(width=40, height=40)
    images = images.encode(x=rank, y=altair.Y("label:N", title="class"), url="image:N", tooltip=tips)
    return Chart(
        id="explore-images",
        title="Prototypes as images",
        note="A prototype explains a test sample if it contributes most to the predicted class of the sample.",
        controls=[choice(rows, "model", "Model")],
        specs={"": specification(images.properties(width=altair.Step(46), height=altair.Step(46)))},
        rows=rows,
        columns={
            **{"label": "class", "rank": "rank", "weight": "weight", "batch": "batch"},
            **{"nearest": "test samples explained", "right": "of which correctly predicted"},
        },
    )


def _shown(stored):
    """Final models of the first replicate, in a large study those of the first data sets."""
    if not stored.study.is_large:
        return stored.finals()
    data_sets = set(stored.study.data_sets[:SHOWN])
    return [final for final in stored.finals() if final.data_set in data_sets]


def _search(final):
    by = "" if final.run.criterion == "log_loss" else f", by {WORDS[final.run.criterion]}"
    return f"{final.data_set}: {final.label}, {method_name(final.run.method)}{by}"


def _state(selection, i):
    optimum, selected, within, other = _STATES
    if i in (selection["selected"], selection["optimal"]):
        return selected if i == selection["selected"] else optimum
    return within if selection["mean"][i] <= selection["threshold"] else other


def _by_state(legend=True):
    colours = altair.Scale(domain=list(_STATES), range=list(_STATES.values()))
    return altair.Color("state:N", scale=colours, legend=altair.Legend(orient="top", title=None) if legend else None)


def _threshold(base):
    return base.mark_rule(strokeDash=[4, 3]).encode(y="max(threshold):Q")


def _panels(method, names, loss):
    """A panel for each parameter, and their plane if there are two; a setting under the pointer is marked in all."""
    hover = altair.selection_point(
        "hover", on="pointerover", clear="pointerout", fields=["trial"], nearest=True, empty=False
    )
    size = altair.condition(hover, altair.value(220), altair.value(45))
    tips = [tip("trial:Q"), tip("setting:N"), tip("loss:Q", ".3f"), tip("deviation:Q", ".3f")]
    tips += [tip("prototypes:Q", ",.0f"), tip("state:N")]

    def x(k, channel=altair.X):
        is_log = methods.get(method).parameters[names[k]].low >= 0 and names[k].startswith(("lambda", "C", "gamma"))
        scale = altair.Scale(type="log") if is_log else altair.Scale(zero=False, nice=False)
        title = re.sub(r"\$\\?(lambda|alpha)_(\w)\$", r"\1_\2", axis_name(names[k]))  # Vega has no formulas
        return channel(
            f"p{k}:Q", title=title, scale=scale, axis=altair.Axis(format=".0e" if is_log else "~g", tickCount=6)
        )

    base, panels = based(), []
    if len(names) == 2:
        legend = altair.Legend(title=loss, orient="right")
        colour = altair.Color("loss:Q", scale=altair.Scale(scheme="viridis", reverse=True), legend=legend)
        marks = base.mark_point(filled=True, stroke="black", strokeWidth=0.5, opacity=1)
        plane = marks.encode(x=x(0), y=x(1, altair.Y), color=colour, size=size, tooltip=tips)
        panels.append(plane.properties(width=250, height=250))
    for k in range(len(names)):
        y = not_from_zero(altair.Y, "loss:Q", f"mean {loss}" if k == 0 else None)
        marks = base.mark_point(filled=True, opacity=1)
        points = marks.encode(x=x(k), y=y, color=_by_state(k == 0), size=size, tooltip=tips)
        panels.append(altair.layer(points, _threshold(base)).properties(width=250, height=250))
    return altair.hconcat(*panels).add_params(hover).resolve_scale(color="independent")


def _image_rows(final, shape):
    fitted, model = weighted(final.model.fitted), final.model
    found, bandwidths = fitted.prototypes(), fitted.feature_weights()
    X = final.model.scaled(final.X_test)
    predicted = final.probabilities.argmax(axis=1)
    terms = np.empty((len(X), len(found.labels)))
    for j, (position, batch) in enumerate(zip(found.X, found.batch, strict=True)):
        terms[:, j] = found.weights[j] * np.exp(-0.5 * ((bandwidths[batch - 1] * (X - position)) ** 2).sum(axis=1))
    terms[found.labels[None, :] != predicted[:, None]] = -1.0
    nearest = terms.argmax(axis=1)
    for k, name in enumerate(final.data.class_names):
        own = np.flatnonzero(found.labels == k)
        for rank, j in enumerate(own[np.argsort(-found.weights[own], kind="stable")][:MAX_PROTOTYPES], start=1):
            explained = nearest == j
            pixels = (found.X[j] * model.scale + model.centre).reshape(shape)
            yield {
                "model": _search(final),
                "label": str(name),
                "rank": rank,
                "weight": float(found.weights[j]),
                "batch": int(found.batch[j]),
                "nearest": int(explained.sum()),
                "right": int((explained & (predicted == final.y)).sum()),
                "image": _png(pixels),
            }


def _png(pixels):
    low, high = pixels.min(), pixels.max()
    picture = Image.fromarray((255 * (1 - (pixels - low) / (high - low or 1.0))).round().astype(np.uint8))
    buffer = io.BytesIO()
    picture.resize([5 * side for side in picture.size], Image.Resampling.NEAREST).save(buffer, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
