"""How templates become pages, which load only figures and scripts of the same report, when these are looked at."""

import os
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2

from proset_study.base.records import read_json, read_text, write_text

LIBRARY = Path(__file__).with_name("vega.js")  # made by tests/proset_study/report/pages/test_vega.py


def write_page(path: Path, template: str, **context: Any) -> None:
    """Render a template and write it."""
    write_text(path, _environment().get_template(template).render(**context))


def write_library(path: Path) -> None:
    """Write Vega-Embed with Vega-Lite and Vega, which pages share, as a script with a text that they unpack."""
    write_text(path, LIBRARY.read_text(encoding="utf-8"))


@cache  # it keeps the templates that it has compiled
def _environment() -> jinja2.Environment:
    return environment(jinja2.PackageLoader("proset_study.report.pages"))


def environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """What renders templates of HTML."""
    return jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def read_figures(folder: Path, page: Path) -> dict[str, list[dict]]:
    """What figures.json lists, each figure with the address of its picture and the size to show it in on a page."""
    address = os.path.relpath(folder, page.parent)
    listed = read_json(folder / "figures.json")
    for figure in listed["figures"]:
        svg = read_text(folder / f"{figure['name']}.svg")
        width, height = (float(size) for size in re.findall(r'(?:width|height)="([\d.]+)pt"', svg)[:2])
        figure["width"], figure["height"] = round(width / 0.75), round(height / 0.75)  # CSS pixels
        figure["source"] = quote(f"{address}/{figure['name']}.svg")
    return listed
