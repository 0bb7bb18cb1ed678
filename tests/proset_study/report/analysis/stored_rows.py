"""Stored results that have nothing but rows."""

from types import SimpleNamespace

import yaml
from tests.shared import ROOT

from proset_study.store.results import Row

CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())


def stored_rows(rows: list[Row], replicates: list[int]) -> SimpleNamespace:
    """What is read of `Stored` where published numbers are set beside ours."""
    return SimpleNamespace(
        study=SimpleNamespace(experiments=list(dict.fromkeys(row.experiment for row in rows)), config=CONFIG),
        rows_of=lambda experiments: [row for row in rows if row.experiment in experiments],
        replicates=replicates,
    )
