"""The charts to touch of the front page: methods, prototypes, response curves, estimates of the error."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import altair
import numpy as np

from proset_study import methods
from proset_study.methods.labels import method_name
from proset_study.report.analysis import response_curves
from proset_study.report.analysis.losses import losses_by_method, overlaps
from proset_study.report.analysis.paired import MIN_REPLICATES, shown_interval
from proset_study.report.analysis.prototypes import error_path, prototype_finals
from proset_study.report.analysis.verdict import Verdict, printed_losses
from proset_study.report.evaluations.bootstrap import ESTIMATES, bootstrap_rows
from proset_study.report.figures.style import ESTIMATOR_COLOURS, method_style
from proset_study.report.pages.charts import Chart, Control, based, choice, not_from_zero, specification, tip
from proset_study.store.metrics import LOSSES
from proset_study.store.stored import Stored

MAX_STEPS = 120  # of a path that are shown
SHOWN = 25  # data sets of a large study whose searches are shown
ENDS = {"low": "from", "high": "to"}  # of intervals
EMPHASIS = altair.condition("datum.on", altair.value(1.0), altair.value(0.15))  # opacity of what is highlighted, or not
_SHAPES = {  # Matplotlib's markers in Vega, whose own shapes have no names for the last two
    **{"o": "circle", "s": "square", "^": "triangle-up", "D": "diamond", "v": "triangle-down", "P": "cross"},
    **{"<": "triangle-left", ">": "triangle-right"},
    "X": "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z",
    "*": "M0,-1L.25,-.3L1,-.3L.4,.12L.6,.85L0,.4L-.6,.85L-.4,.12L-1,-.3L-.25,-.3Z",
}


def front_charts(stored: Stored, found: Verdict, published: Path) -> list[Chart]:
    """Charts of the front page for which there are records."""
    charts = [methods_chart(stored, found, published)]
    charts += [prototypes_chart(stored), response_chart(stored), estimates_chart(stored)]
    return [chart for chart in charts if chart is not None]


def methods_chart(stored: Stored, found: Verdict, published: Path) -> Chart | None:
    """Scores of all methods that are compared, by data set."""
    experiments = stored.study.compared_experiments
    overlap, printed = overlaps(stored, experiments), printed_losses(stored, published, experiments)
    rows: list[dict[str, Any]] = []
    for score in LOSSES:
        for method, by_data_set in losses_by_method(stored, experiments, score).items():
            if not LOSSES[score].fits(methods.get(method)):
                continue
            for data_set, by_replicate in by_data_set.items():
                values = list(by_replicate.values())
                row = {"score": score, "method": method_name(method), "data_set": data_set, "n": len(values)}
                row |= _mean_and_ends(values, overlap[data_set])
                rows.append(row | ({"published": printed.get((method, data_set))} if score == "log-loss" else {}))
    if not rows:
        return None
    names = [m for m in methods.METHODS if method_name(m) in {row["method"] for row in rows}]
    scales = method_scales(names)
    base = based().encode(
        y=altair.Y("data_set:N", sort=altair.EncodingSortField("place", op="min"), title=None),
        yOffset=altair.YOffset("method:N", sort=[method_name(m) for m in names]),
    )
    tips = [tip("data_set:N", title="data set"), tip("method:N"), tip("mean:Q", ".3f")]
    tips += [tip("low:Q", ".3f", "95 % from"), tip("high:Q", ".3f", "to"), tip("n:Q", title="replicates")]
    tips += [tip("published:Q", ".2f")]
    mean = not_from_zero(altair.X, "mean:Q", "test score (left is better)")
    layers = altair.layer(
        base.mark_rule(strokeWidth=1.5, clip=True).encode(x="low:Q", x2="high:Q", color=scales["color"]),
        base.mark_tick(color="black", thickness=2, size=12).encode(x="published:Q", tooltip=tips),
        base.mark_point(filled=True, size=70, opacity=1).encode(x=mean, tooltip=tips, **scales),
    ).properties(width="container", usermeta={"step": 11, "rows": ["data_set", "method"]})
    with_rows = {row["data_set"] for row in rows}
    data_sets = [d for d in stored.study.data_sets if d in with_rows]
    every = [] if stored.study.is_large else [("", "all")]  # of very many no chart
    return Chart(
        id="explore-methods",
        title="Test scores by data set and method",
        note="Hover over a mark to see its numbers. Black ticks are published values. Marks without a line have fewer"
        f" than {MIN_REPLICATES} replicates, or one test part.",
        controls=[
            Control("score", "Measure", [(s, s) for s in LOSSES if any(r["score"] == s for r in rows)], (found.score,)),
            Control("data_set", "Data set", [*every, *((d, d) for d in data_sets)], ("" if every else data_sets[0],)),
            Control("sort", "Order", [("", "as in the study"), ("mean", "lowest score first")], ("",)),
            methods_control(names, found.methods),
        ],
        specs={"": specification(layers)},
        rows=rows,
        columns={"data_set": "data set", "method": "method", "mean": "mean", **ENDS, "n": "replicates"},
    )


def prototypes_chart(stored: Stored) -> Chart | None:
    """Cross-validated error along the paths of the methods with prototypes."""
    rows, found = [], set()
    for data_set in stored.study.data_sets[: SHOWN if stored.study.is_large else None]:
        for final in prototype_finals(stored, stored.replicates[0], data_set):
            found.add(final.run.method)
            path, selected = error_path(final), final.stage2["selected"]
            for i in thinned(len(path["step"]), selected):
                if path["prototypes"][i] == 0 and i != selected:  # a path begins with the class prior
                    continue
                row: dict[str, Any] = {"data_set": data_set, "method": method_name(final.run.method)}
                row |= {"prototypes": float(path["prototypes"][i]), "error": float(path["error"][i])}
                row |= {"se": float(path["standard_error"][i])}
                rows.append({**row, "chosen": "yes" if i == selected else ""})
    if not rows:
        return None
    names = [m for m in methods.METHODS if m in found]
    scales = method_scales(names)
    scale = altair.Scale(type="log" if all(row["prototypes"] for row in rows) else "symlog")
    base = based().encode(
        x=altair.X("prototypes:Q", scale=scale, title="prototypes"),
        y=not_from_zero(altair.Y, "error:Q", "error rate in cross-validation"),
        opacity=EMPHASIS,
    )
    tips = [tip("method:N"), tip("prototypes:Q", ",.0f"), tip("error:Q", ".3f"), tip("se:Q", ".3f", "standard error")]
    tips += [tip("chosen:N", title="selected size")]
    layers = altair.layer(
        base.mark_line(strokeWidth=1.6).encode(color=scales["color"]),
        base.mark_point(filled=True, size=60).encode(tooltip=tips, **scales),
        base.mark_point(size=160, color="black").transform_filter("datum.chosen == 'yes'"),
    ).properties(width="container", height=340)
    shown = {"method": "method", "prototypes": "prototypes", "error": "error rate", "se": "standard error"}
    return Chart(
        id="explore-prototypes",
        title="Error against the number of prototypes",
        note="Rings mark the selected sizes. Methods without a path are single points.",
        controls=[choice(rows, "data_set", "Data set"), highlight(names)],
        specs={"": specification(layers)},
        rows=rows,
        columns={**shown, "chosen": "selected"},
    )


def response_chart(stored: Stored) -> Chart | None:
    """What methods add to the score of the Bayes rule as one property of generated data is varied."""
    rows: list[dict[str, Any]] = []
    names: list[str] = []
    for curves in response_curves.response_curves(stored):
        names += [m for m in curves.methods if m not in names]
        score = response_curves.SCORES[curves.score]
        for varied, on_curve in curves.points.items():
            for (method, data_set), by_replicate in curves.excess.items():
                for value in (v for v, d in on_curve.items() if d == data_set):
                    row = {"score": score, "property": response_curves.title(varied), "method": method_name(method)}
                    rows.append({**row, "value": float(value), **_mean_and_ends(list(by_replicate.values()))})
    if not rows:
        return None
    scales = method_scales(names)
    x = altair.X("value:O", title="value of the property", axis=altair.Axis(labelAngle=0))
    base = based().encode(x=x, opacity=EMPHASIS)
    tips = [tip("method:N"), tip("value:Q"), *(tip(f"{name}:Q", ".3f") for name in ("mean", "low", "high"))]
    mean = altair.Y("mean:Q", title="excess over the score of the Bayes rule")
    layers = altair.layer(
        base.mark_rule().encode(y="low:Q", y2="high:Q", color=scales["color"]),
        base.mark_line().encode(y="mean:Q", color=scales["color"]),
        base.mark_point(filled=True, size=60).encode(y=mean, tooltip=tips, **scales),
    ).properties(width="container", height=340)
    return Chart(
        id="explore-responses",
        title="Response curves",
        note="Marks are means over replicates, lines are 95 % intervals.",
        controls=[
            choice(rows, "property", "Property"),
            choice(rows, "score", "Measure"),
            highlight(names),
            methods_control(names, names),
        ],
        specs={"": specification(layers)},
        rows=rows,
        columns={"method": "method", "value": "value", "mean": "mean", **ENDS},
    )


def estimates_chart(stored: Stored) -> Chart | None:
    """Estimates of the error from the training part, next to the test set."""
    rows: list[dict[str, Any]] = []
    finals = [f for f in stored.evaluated("bootstrap") if f.replicate == stored.replicates[0]]
    for row in bootstrap_rows(finals):
        if row["score"] == "log_loss" and not methods.get(row["method"]).probabilistic:
            continue
        for key, (estimate, *_, error) in ESTIMATES.items():
            found = {"data_set": row["dataset"], "method": method_name(row["method"]), "estimate": estimate}
            found |= {"score": row["score"].replace("_", "-"), "mean": float(row[key])}
            if error and row[error] is not None:
                found |= {"low": row[key] - row[error], "high": row[key] + row[error]}
            rows.append(found)
    if not rows:
        return None
    estimates = [estimate for estimate, *_ in ESTIMATES.values()]
    colours = altair.Scale(domain=estimates, range=list(ESTIMATOR_COLOURS))
    colour = altair.Color("estimate:N", scale=colours, legend=altair.Legend(orient="top", title=None))
    base = based().encode(
        y=altair.Y("method:N", title=None, sort=None), yOffset=altair.YOffset("estimate:N", sort=estimates)
    )
    mean = not_from_zero(altair.X, "mean:Q", "estimate (line: one standard error)")
    tips = [tip("data_set:N"), tip("method:N"), tip("estimate:N"), tip("mean:Q", ".3f")]
    layers = altair.layer(
        base.mark_rule().encode(x="low:Q", x2="high:Q", color=colour),
        base.mark_point(filled=True, size=60).encode(x=mean, color=colour, tooltip=tips),
    ).properties(width="container", usermeta={"step": 14, "rows": ["method", "estimate"]})
    return Chart(
        id="explore-estimates",
        title="Estimates of the error",
        note="Cross-validation and bootstrap use the training set only.",
        controls=[choice(rows, "data_set", "Data set"), choice(rows, "score", "Measure")],
        specs={"": specification(layers)},
        rows=rows,
        columns={"method": "method", "estimate": "estimate", "mean": "value", **ENDS},
    )


def highlight(compared: Iterable[str]) -> Control:
    """One method, or none."""
    names = [(name, name) for name in map(method_name, compared)]
    return Control("highlight", "Highlight", [("", "none"), *names], ("",))


def methods_control(compared: Iterable[str], chosen: Iterable[str]) -> Control:
    """Check boxes for methods."""
    names = [(name, name) for name in map(method_name, compared)]
    return Control("method", "Methods", names, tuple(map(method_name, chosen)), True)


def method_scales(compared: Iterable[str]) -> dict[str, Any]:
    """Altair's encodings of colour and shape: a method looks as in the figures."""
    names, styles = zip(*((method_name(m), method_style(m)) for m in compared), strict=True)
    legend = altair.Legend(orient="top", title=None, columns=7)
    colours = altair.Scale(domain=list(names), range=[style["color"] for style in styles])
    shapes = altair.Scale(domain=list(names), range=[_SHAPES[style["marker"]] for style in styles])
    return {
        "color": altair.Color("method:N", scale=colours, legend=legend),
        "shape": altair.Shape("method:N", scale=shapes, legend=legend),
    }


def thinned(number: int, *kept: int) -> list[int]:
    """Places on a path of a length that are shown: some of equal distance, and others to keep."""
    even = np.linspace(0, number - 1, min(number, MAX_STEPS)).round().astype(int).tolist()
    return sorted({*even, *kept})


def _mean_and_ends(values, overlap=0.0):
    found = {"mean": float(np.mean(values))}
    if ends := shown_interval(values, overlap):
        found["low"], found["high"] = ends
    return found
