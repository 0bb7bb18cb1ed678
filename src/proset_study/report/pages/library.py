"""The library that draws charts: a file that the pages of a report share."""

from pathlib import Path

from proset_study.base.records import write_text

LIBRARY = Path(__file__).with_name("vega.js")  # made by tests/proset_study/report/pages/test_library.py


def write_library(path: Path) -> None:
    """Write Vega-Embed with Vega-Lite and Vega as a script with a text that pages unpack: gzip in base64."""
    write_text(path, LIBRARY.read_text(encoding="utf-8"))
