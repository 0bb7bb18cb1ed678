"""The charts to touch of a study: methods, prototypes, response curves, estimates of the error, searches, images."""

import base64
import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from PIL import Image

from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.methods.weighted import WeightedPrototypeModel, weighted
from proset_study.report.analysis import response_curves
from proset_study.report.analysis.losses import losses_by_method, overlaps
from proset_study.report.analysis.paired import LEVEL, mean_difference
from proset_study.report.analysis.prototypes import error_path, prototype_finals
from proset_study.report.analysis.verdict import Verdict, compared_experiments
from proset_study.report.evaluations.bootstrap import ESTIMATES, bootstrap_rows
from proset_study.report.figures.search import searched
from proset_study.report.figures.style import (
    ESTIMATOR_COLOURS,
    axis_name,
)
from proset_study.report.pages.charts import ROWS, Chart, Control, method_scales, methods_control, specification
from proset_study.store.metrics import LOSSES
from proset_study.store.results import FINAL, read_published
from proset_study.store.stored import Final, Stored

MAX_STEPS = 120  # of a path that are shown
MAX_PROTOTYPES = 20  # of a class, as images
_RULE = {"optimal": "optimum", "selected": "selected", "within": "within the threshold", "": "other"}


def front_charts(stored: Stored, found: Verdict, published: Path) -> list[Chart]:
    """Charts of the front page for which there are records."""
    charts = (
        methods_chart(stored, found, published),
        prototypes_chart(stored),
        response_chart(stored),
        estimates_chart(stored),
    )
    return [chart for chart in charts if chart.rows]


def search_charts(stored: Stored) -> list[Chart]:
    """Charts of the page of searches."""
    charts = (trials_chart(stored), sizes_chart(stored), images_chart(stored))
    return [chart for chart in charts if chart.rows]


def methods_chart(stored: Stored, found: Verdict, published: Path) -> Chart:
    """Scores of all methods that are compared, by data set."""
    import altair

    experiments = compared_experiments(stored)
    overlap = overlaps(stored, experiments)
    printed = {
        (row.method, row.dataset): row.value
        for row in read_published(published)
        if row.experiment in experiments and (row.section, row.quantity) == (FINAL, "log_loss")
    }
    rows = []
    for score in LOSSES:
        for method, by_data_set in losses_by_method(stored, experiments, score).items():
            if not LOSSES[score].fits(methods.get(method)):
                continue
            for data_set, values in by_data_set.items():
                row = {"score": score, "method": method_name(method), "data_set": data_set, "n": len(values)}
                row["mean"] = float(np.mean(list(values.values())))
                if len(values) > 1:
                    mean = mean_difference(list(values.values()), overlap[data_set])
                    row["low"], row["high"] = mean.interval(LEVEL)
                if score == "log-loss":
                    row["published"] = printed.get((method, data_set))
                rows.append(row)
    names = [m for m in methods.METHODS if method_name(m) in {row["method"] for row in rows}]
    base = altair.Chart(altair.NamedData(ROWS)).encode(
        y=altair.Y("data_set:N", sort=altair.EncodingSortField("place", op="min"), title=None),
        yOffset=altair.YOffset("method:N", sort=[method_name(m) for m in names]),
    )
    scales = method_scales(names)
    tooltip = [
        altair.Tooltip("data_set:N", title="data set"),
        "method:N",
        altair.Tooltip("mean:Q", format=".3f"),
        altair.Tooltip("low:Q", title="95 % from", format=".3f"),
        altair.Tooltip("high:Q", title="to", format=".3f"),
        altair.Tooltip("n:Q", title="replicates"),
        altair.Tooltip("published:Q", format=".2f"),
    ]
    layers = altair.layer(
        base.mark_rule(strokeWidth=1.5, clip=True).encode(x="low:Q", x2="high:Q", color=scales["color"]),
        base.mark_tick(color="black", thickness=2, size=12).encode(x="published:Q", tooltip=tooltip),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x=altair.X("mean:Q", title="test score (left is better)", scale=altair.Scale(zero=False)),
            tooltip=tooltip,
            **scales,
        ),
    ).properties(width="container", usermeta={"step": 11, "rows": ["data_set", "method"]})
    data_sets = [d for d in stored.study.data_sets if any(row["data_set"] == d for row in rows)]
    return Chart(
        id="explore-methods",
        title="Methods on the data sets",
        note="Point at a mark for its numbers. Black ticks: published values; marks without a line: one replicate.",
        controls=[
            Control("score", "Measure", [(s, s) for s in LOSSES if any(r["score"] == s for r in rows)], ("log-loss",)),
            Control("data_set", "Data set", [("", "all"), *((d, d) for d in data_sets)], ("",)),
            Control("sort", "Order", [("", "of the study"), ("mean", "lowest first")], ("",)),
            methods_control(names, found.methods),
        ],
        specs={"": specification(layers)},
        rows=rows,
        columns={
            "data_set": "data set",
            "method": "method",
            "mean": "mean",
            "low": "from",
            "high": "to",
            "n": "replicates",
        },
    )


def prototypes_chart(stored: Stored) -> Chart:
    """Cross-validated error along the paths of the methods with prototypes."""
    import altair

    rows, names = [], []
    for data_set in stored.study.data_sets:
        for final in prototype_finals(stored, stored.replicates[0], data_set):
            path = error_path(final)
            for i in _thinned(len(path["step"])):
                if path["prototypes"][i] > 0:
                    row: dict[str, Any] = {"data_set": data_set, "method": method_name(final.run.method)}
                    row |= {"prototypes": float(path["prototypes"][i]), "error": float(path["error"][i])}
                    row |= {
                        "se": float(path["standard_error"][i]),
                        "chosen": "yes" if i == final.stage2["selected"] else "",
                    }
                    rows.append(row)
            names.append(final.run.method)
    names = [m for m in methods.METHODS if m in names]
    if not rows:
        return Chart("explore-prototypes", "", "", [], {}, [], {})
    scales = method_scales(names)
    opacity = altair.condition("datum.on", altair.value(1.0), altair.value(0.15))
    base = altair.Chart(altair.NamedData(ROWS)).encode(
        x=altair.X("prototypes:Q", scale=altair.Scale(type="log"), title="prototypes"),
        y=altair.Y("error:Q", title="error rate in cross-validation", scale=altair.Scale(zero=False)),
        opacity=opacity,
    )
    tooltip = [
        "method:N",
        altair.Tooltip("prototypes:Q", format=",.0f"),
        altair.Tooltip("error:Q", format=".3f"),
        altair.Tooltip("se:Q", title="standard error", format=".3f"),
        altair.Tooltip("chosen:N", title="chosen size"),
    ]
    layers = altair.layer(
        base.mark_line(strokeWidth=1.6).encode(color=scales["color"]),
        base.mark_point(filled=True, size=60).encode(tooltip=tooltip, **scales),
        base.mark_point(size=160, color="black").transform_filter("datum.chosen == 'yes'"),
    ).properties(width="container", height=340)
    shown = [method_name(m) for m in names]
    return Chart(
        id="explore-prototypes",
        title="Error against the number of prototypes",
        note="Rings mark the chosen sizes; methods without a path are single points.",
        controls=[
            Control(
                "data_set",
                "Data set",
                [(d, d) for d in dict.fromkeys(r["data_set"] for r in rows)],
                (rows[0]["data_set"],),
            ),
            Control("highlight", "Highlight", [("", "none"), *((m, m) for m in shown)], ("",)),
        ],
        specs={"": specification(layers)},
        rows=rows,
        columns={
            "method": "method",
            "prototypes": "prototypes",
            "error": "error rate",
            "se": "standard error",
            "chosen": "chosen",
        },
    )


def response_chart(stored: Stored) -> Chart:
    """What methods add to the score of the Bayes rule as one property of generated data is varied."""
    import altair

    rows, names = [], []
    for curves in response_curves.response_curves(stored):
        names += [m for m in curves.methods if m not in names]
        for varied, on_curve in curves.points.items():
            for (method, data_set), values in curves.excess.items():
                for value in (v for v, d in on_curve.items() if d == data_set):
                    row: dict[str, Any] = {
                        "score": response_curves.SCORES[curves.score],
                        "property": response_curves.title(varied),
                    }
                    row |= {
                        "method": method_name(method),
                        "value": float(value),
                        "mean": float(np.mean(list(values.values()))),
                    }
                    if len(values) > 1:
                        row["low"], row["high"] = mean_difference(list(values.values())).interval(LEVEL)
                    rows.append(row)
    if not rows:
        return Chart("explore-responses", "", "", [], {}, [], {})
    scales = method_scales(names)
    opacity = altair.condition("datum.on", altair.value(1.0), altair.value(0.15))
    base = altair.Chart(altair.NamedData(ROWS)).encode(
        x=altair.X("value:O", title="value of the property", axis=altair.Axis(labelAngle=0)), opacity=opacity
    )
    tooltip = [
        "method:N",
        "value:Q",
        altair.Tooltip("mean:Q", format=".3f"),
        altair.Tooltip("low:Q", format=".3f"),
        altair.Tooltip("high:Q", format=".3f"),
    ]
    layers = altair.layer(
        base.mark_rule().encode(y="low:Q", y2="high:Q", color=scales["color"]),
        base.mark_line().encode(y="mean:Q", color=scales["color"]),
        base.mark_point(filled=True, size=60).encode(
            y=altair.Y("mean:Q", title="score above that of the Bayes rule"), tooltip=tooltip, **scales
        ),
    ).properties(width="container", height=340)
    shown = [method_name(m) for m in names]
    return Chart(
        id="explore-responses",
        title="Response curves",
        note="Means over replicates with 95 % intervals.",
        controls=[
            _choice(rows, "property", "Property"),
            _choice(rows, "score", "Measure"),
            Control("highlight", "Highlight", [("", "none"), *((m, m) for m in shown)], ("",)),
            methods_control(names, names),
        ],
        specs={"": specification(layers)},
        rows=rows,
        columns={"method": "method", "value": "value", "mean": "mean", "low": "from", "high": "to"},
    )


def estimates_chart(stored: Stored) -> Chart:
    """Estimates of the error from the training part, next to the test set."""
    import altair

    rows = []
    finals = [f for f in stored.evaluated("bootstrap") if f.replicate == stored.replicates[0]]
    for row in bootstrap_rows(finals):
        if row["score"] == "log_loss" and not methods.get(row["method"]).probabilistic:
            continue
        for key, (estimate, *_, error) in ESTIMATES.items():
            found: dict[str, Any] = {
                "data_set": row["dataset"],
                "method": method_name(row["method"]),
                "estimate": estimate,
            }
            found |= {"score": row["score"].replace("_", "-"), "mean": float(row[key])}
            if error and row[error] is not None:
                found |= {"low": row[key] - row[error], "high": row[key] + row[error]}
            rows.append(found)
    if not rows:
        return Chart("explore-estimates", "", "", [], {}, [], {})
    estimates = [estimate for estimate, *_ in ESTIMATES.values()]
    colour = altair.Color(
        "estimate:N",
        scale=altair.Scale(domain=estimates, range=list(ESTIMATOR_COLOURS)),
        legend=altair.Legend(orient="top", title=None),
    )
    inner = altair.Chart(altair.NamedData(ROWS)).encode(
        y=altair.Y("method:N", title=None, sort=None), yOffset=altair.YOffset("estimate:N", sort=estimates)
    )
    layers = altair.layer(
        inner.mark_rule().encode(x="low:Q", x2="high:Q", color=colour),
        inner.mark_point(filled=True, size=60).encode(
            x=altair.X("mean:Q", title="estimate (line: one standard error)", scale=altair.Scale(zero=False)),
            color=colour,
            tooltip=["data_set:N", "method:N", "estimate:N", altair.Tooltip("mean:Q", format=".3f")],
        ),
    ).properties(width="container", usermeta={"step": 14, "rows": ["method", "estimate"]})
    return Chart(
        id="explore-estimates",
        title="Estimates of the error",
        note="Cross-validation and bootstrap see the training samples only.",
        controls=[_choice(rows, "data_set", "Data set"), _choice(rows, "score", "Measure")],
        specs={"": specification(layers)},
        rows=rows,
        columns={"method": "method", "estimate": "estimate", "mean": "value", "low": "from", "high": "to"},
    )


def trials_chart(stored: Stored) -> Chart:
    """All settings of stage 1 with their cross-validated loss; a search at a time."""
    rows: list[dict] = []
    specs: dict[str, dict[str, Any]] = {}
    for final in _own_searches(stored):
        selection, values = final.stage1, searched(final)
        assert selection is not None
        kind = f"{final.run.method} {' '.join(values)}"
        if kind not in specs:
            with warnings.catch_warnings():  # of one parameter for all panels, which is what is wanted
                warnings.simplefilter("ignore", UserWarning)
                specs[kind] = specification(_panels(final.run.method, list(values)))
        sizes: dict[int, list[float]] = {}
        for record in final.trials:
            if "prototypes" in record["summary"]:
                sizes.setdefault(record["trial"], []).append(record["summary"]["prototypes"])
        for i, mean in enumerate(selection["mean"]):
            row = {
                "search": _search(final),
                "spec": kind,
                "trial": i + 1,
                "loss": mean,
                "deviation": selection["standard_deviation"][i],
            }
            row |= {f"p{k}": float(x[i]) for k, x in enumerate(values.values())}
            row |= {"setting": ", ".join(f"{name} = {x[i]:.3g}" for name, x in values.items())}
            row |= {"state": _RULE[_state(selection, i)], "threshold": selection["threshold"]}
            if trial := sizes.get(selection["trials"][i]):
                row["prototypes"] = fmean(trial)
            rows.append(row)
    return Chart(
        id="explore-searches",
        title="Stage 1: settings that were tried",
        note="Point at a setting: it is marked in all panels. Dashed: the threshold of the published rule.",
        controls=[_choice(rows, "search", "Search")] if rows else [],
        specs=specs,
        rows=rows,
        columns={
            "trial": "trial",
            "setting": "setting",
            "loss": "mean log-loss",
            "deviation": "deviation over folds",
            "state": "state",
            "prototypes": "prototypes",
        },
    )


def sizes_chart(stored: Stored) -> Chart:
    """Cross-validated loss along the paths of stage 2."""
    import altair

    rows = []
    for final in stored.finals():
        selection = final.stage2
        if final.run.variant or len(selection["settings"]) < 2:
            continue
        for i in _thinned(len(selection["settings"]), selection["optimal"], selection["selected"]):
            mean, deviation = selection["mean"][i], selection["standard_deviation"][i]
            row = {"search": _search(final), "size": selection["settings"][i], "loss": mean}
            row |= {"low": mean - deviation, "high": mean + deviation, "state": _RULE[_state(selection, i)]}
            rows.append({**row, "threshold": selection["threshold"]})
    base = altair.Chart(altair.NamedData(ROWS)).encode(x=altair.X("size:Q", title="size (batches, neighbours, rounds)"))
    tooltip = ["size:Q", altair.Tooltip("loss:Q", format=".3f"), "state:N"]
    layers = altair.layer(
        base.mark_area(opacity=0.15).encode(y="low:Q", y2="high:Q"),
        base.mark_line().encode(y="loss:Q"),
        altair.Chart(altair.NamedData(ROWS)).mark_rule(strokeDash=[4, 3]).encode(y="max(threshold):Q"),
        base.mark_point(filled=True, size=50).encode(
            y=altair.Y("loss:Q", title="mean log-loss over the folds", scale=altair.Scale(zero=False)),
            color=_states(altair),
            tooltip=tooltip,
        ),
    ).properties(width="container", height=300)
    return Chart(
        id="explore-sizes",
        title="Stage 2: the size",
        note="Band: one standard deviation over the folds. The simplest size within the threshold is selected.",
        controls=[_choice(rows, "search", "Search")] if rows else [],
        specs={"": specification(layers)},
        rows=rows,
        columns={"size": "size", "loss": "mean log-loss", "state": "state"},
    )


def images_chart(stored: Stored) -> Chart:
    """The heaviest prototypes of models of images: what each is, weighs and explains."""
    import altair

    rows: list[dict] = []
    for data_set, entry in stored.study.config["data_sets"].items():
        finals = [f for f in stored.finals(data_set=data_set) if methods.makes(f.run.method, WeightedPrototypeModel)]
        if "image" in entry and finals:
            rows += _image_rows(finals[0], tuple(entry["image"]))
    layers = (
        altair.Chart(altair.NamedData(ROWS))
        .mark_image(width=40, height=40)
        .encode(
            x=altair.X("rank:O", title="rank by weight within the class", axis=altair.Axis(labelAngle=0)),
            y=altair.Y("label:N", title="class"),
            url="image:N",
            tooltip=[
                "label:N",
                "weight:Q",
                "batch:Q",
                altair.Tooltip("nearest:Q", title="test samples it explains most"),
                altair.Tooltip("right:Q", title="of them right"),
            ],
        )
        .properties(width=altair.Step(46), height=altair.Step(46))
    )
    return Chart(
        id="explore-images",
        title="Prototypes as images",
        note="A prototype explains the test samples to whose predicted class it adds the most.",
        controls=[_choice(rows, "model", "Model")] if rows else [],
        specs={"": specification(layers)},
        rows=rows,
        columns={
            "label": "class",
            "rank": "rank",
            "weight": "weight",
            "batch": "batch",
            "nearest": "explains",
            "right": "of them right",
        },
    )


def _own_searches(stored: Stored) -> Iterator[Final]:
    return (f for f in stored.finals() if f.stage1 and f.stage1_folder == f.folder and f.trials and not f.run.variant)


def _search(final):
    return f"{final.data_set}: {final.label}, {method_name(final.run.method)}"


def _choice(rows, name, title):
    values = list(dict.fromkeys(row[name] for row in rows))
    return Control(name, title, [(v, v) for v in values], (values[0],))


def _state(selection, i):
    if i in (selection["selected"], selection["optimal"]):
        return "selected" if i == selection["selected"] else "optimal"
    return "within" if selection["mean"][i] <= selection["threshold"] else ""


def _axis(parameter):
    """Label of an axis without formulas, which Vega has not."""
    return re.sub(r"\$\\?(lambda|alpha)_(\w)\$", r"\1_\2", axis_name(parameter))


def _states(altair, legend=True):
    colours = altair.Scale(domain=list(_RULE.values()), range=["#D55E00", "#000000", "#332288", "#B0B0B0"])
    return altair.Color("state:N", scale=colours, legend=altair.Legend(orient="top", title=None) if legend else None)


def _panels(method, names):
    """A panel for each parameter, and their plane if there are two; a setting under the pointer is marked in all."""
    import altair

    hover = altair.selection_point(
        "hover", on="pointerover", clear="pointerout", fields=["trial"], nearest=True, empty=False
    )
    size = altair.condition(hover, altair.value(220), altair.value(45))
    tooltip = [
        "trial:Q",
        "setting:N",
        altair.Tooltip("loss:Q", format=".3f"),
        altair.Tooltip("deviation:Q", format=".3f"),
        altair.Tooltip("prototypes:Q", format=",.0f"),
        "state:N",
    ]
    base = altair.Chart(altair.NamedData(ROWS))

    def x(k, channel=altair.X):
        bounds = methods.get(method).parameters[names[k]]
        kind = "log" if bounds.low >= 0 and names[k].startswith(("lambda", "C", "gamma")) else "linear"
        scale = altair.Scale(type="log") if kind == "log" else altair.Scale(zero=False, nice=False)
        return channel(
            f"p{k}:Q",
            title=_axis(names[k]),
            scale=scale,
            axis=altair.Axis(format=".0e" if kind == "log" else "~g", tickCount=6),
        )

    panels = []
    if len(names) == 2:
        colour = altair.Color(
            "loss:Q",
            scale=altair.Scale(scheme="viridis", reverse=True),
            legend=altair.Legend(title="log-loss", orient="right"),
        )
        panels.append(
            base.mark_point(filled=True, stroke="black", strokeWidth=0.5, opacity=1)
            .encode(x=x(0), y=x(1, altair.Y), color=colour, size=size, tooltip=tooltip)
            .properties(width=250, height=250)
        )
    for k in range(len(names)):
        points = base.mark_point(filled=True, opacity=1).encode(
            x=x(k),
            y=altair.Y("loss:Q", title="mean log-loss" if k == 0 else None, scale=altair.Scale(zero=False)),
            color=_states(altair, legend=k == 0),
            size=size,
            tooltip=tooltip,
        )
        rule = base.mark_rule(strokeDash=[4, 3]).encode(y="max(threshold):Q")
        panels.append(altair.layer(points, rule).properties(width=250, height=250))
    return altair.hconcat(*panels).add_params(hover).resolve_scale(color="independent")


def _image_rows(final, shape):
    fitted, model = weighted(final.model.fitted), final.model
    found, bandwidths = fitted.prototypes(), fitted.feature_weights()
    X = final.scaled(final.X_test)
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


def _thinned(number, *kept):
    return sorted({*np.unique(np.linspace(0, number - 1, min(number, MAX_STEPS)).round().astype(int)).tolist(), *kept})
