"""The config files of the project, merged as Snakemake merges them."""

from copy import deepcopy
from functools import cache

import yaml
from snakemake.utils import update_config
from tests.shared import ROOT


@cache
def _read(file):
    return yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))


def read(file):
    """The content of one file."""
    return deepcopy(_read(file))


def all_data_sets():
    """The entries of the data sets of all config files, by the name of the file and their own."""
    files = [ROOT / "config.yaml", *sorted((ROOT / "workflow").rglob("*.yaml"))]
    return {
        (file.stem, name): entry
        for file in files
        for name, entry in ((_read(file) or {}).get("data_sets") or {}).items()
    }


def merged(*overlays):
    """The config of the study, with overlays."""
    config = read("config.yaml")
    for file in overlays:
        update_config(config, read(file))
    return config
