"""Figures as files."""

import re
from xml.etree import ElementTree

import numpy as np
from matplotlib.figure import Figure

from proset_study.report.figures.style import save


def test_a_file_has_the_style_of_a_series_once_and_no_id_without_use(tmp_path):
    figure = Figure()
    figure.subplots().errorbar(np.arange(50), np.arange(50), 1.0, marker="o", markerfacecolor="#123456", label="series")
    save(figure, tmp_path / "series")
    text = (tmp_path / "series.svg").read_text(encoding="utf-8")
    found = list(ElementTree.fromstring(text).iter())
    uses = [element for element in found if element.tag.endswith("}use")]
    assert len([use for use in uses if "style" not in use.attrib and "y" in use.attrib]) == 50  # all its markers
    assert len(re.findall("#123456", text)) == 1
    ids = {element.get("id") for element in found} - {None}
    assert ids == set(re.findall(r"(?:\"|url\()#([\w-]+)", text))  # every reference has its target, and the reverse
