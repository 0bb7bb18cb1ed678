"""One HTML page about a fitted classifier: its features and prototypes, what it answers, and how it does on samples.

Names come from tables of strangers: the template escapes everything.
"""

import os
from pathlib import Path
from typing import Any

import proset
from proset.files import replacing


def write_report(path: str | os.PathLike[str], title: str, contents: dict[str, Any]) -> None:
    """See `proset.ProsetClassifier.report`; `contents` are those of `proset.report_contents`."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["number"] = "{:,.4g}".format
    page = environment.get_template("report.html.j2").render(title=title, version=proset.__version__, **contents)
    with replacing(Path(path)) as file:
        file.write(page.encode("utf-8"))
