"""Charts to touch: Vega-Lite specifications made with Altair, rows of data, and the controls that choose among them.

`templates/charts.js` filters the rows by the controls of a chart's form, which are those of the browser, so that keys
and screen readers reach them, and draws the rest by the specification. The library is a file next to
the pages, which the first chart in the window loads.
"""

import json
from dataclasses import dataclass
from typing import Any

import altair

from proset_study.report.wording import in_script

ROWS = "rows"  # the name of the data in every specification


@dataclass(frozen=True)
class Control:
    """A choice among the values of a column, or of `charts.js` if the name is "sort" or "highlight".

    `options` are pairs of value and text, of which `chosen` are chosen at first; `many` allows several.
    """

    name: str
    title: str
    options: list[tuple[str, str]]
    chosen: tuple[str, ...]
    many: bool = False


@dataclass(frozen=True)
class Chart:
    """A chart with its controls.

    `columns` are key and heading of what the table of numbers shows. Where there are several specifications, the column
    "spec" says for which a row is.
    """

    id: str
    title: str
    note: str
    controls: list[Control]
    specs: dict[str, dict[str, Any]]
    rows: list[dict[str, Any]]
    columns: dict[str, str]

    @property
    def json(self) -> str:
        """The chart for the script: columns of values instead of rows with keys, texts as places in a list of them."""
        keys = list(dict.fromkeys(key for row in self.rows for key in row))
        columns = {key: _packed([row.get(key) for row in self.rows]) for key in keys}
        found = {"specs": self.specs, "columns": columns, "shown": self.columns}
        return in_script(json.dumps(found, allow_nan=False, separators=(",", ":")))


def choice(rows: list[dict[str, Any]], name: str, title: str) -> Control:
    """One of the values of a column, the first one at first."""
    values = list(dict.fromkeys(row[name] for row in rows))
    return Control(name, title, [(value, value) for value in values], (values[0],))


def based() -> Any:
    """An Altair chart of the rows."""
    return altair.Chart(altair.NamedData(ROWS))


def tip(field: str, format: Any = altair.Undefined, title: Any = altair.Undefined) -> Any:
    """A line of what a pointer shows."""
    return altair.Tooltip(field, format=format, title=title)


def not_from_zero(channel: Any, field: str, title: str | None) -> Any:
    """An encoding whose axis need not have zero."""
    return channel(field, title=title, scale=altair.Scale(zero=False))


def specification(chart: Any) -> dict[str, Any]:
    """The specification of an Altair chart in the look of the pages."""
    found: dict[str, Any] = (
        chart.configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridColor="#EEEEEE")
        .configure_legend(labelFontSize=12, titleFontSize=12)
        .to_dict(validate=False)
    )
    if found.get("width") == "container":
        found["autosize"] = {"type": "fit-x", "contains": "padding"}
    return found


def _packed(values):
    texts = list(dict.fromkeys(values))
    if all(isinstance(value, str) for value in texts):
        places = {text: place for place, text in enumerate(texts)}
        return {"texts": texts, "places": [places[value] for value in values]}
    return [float(f"{value:.4g}") if isinstance(value, float) else value for value in values]
