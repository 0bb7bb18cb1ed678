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


def merged(*overlays):
    """The config of the study, with overlays."""
    config = read("config.yaml")
    for file in overlays:
        update_config(config, read(file))
    return config
