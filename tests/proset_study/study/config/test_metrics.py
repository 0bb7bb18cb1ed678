import sys

import pytest
from snakemake.utils import update_config
from tests.proset_study.config_files import merged

from proset_study.data import dissimilarities
from proset_study.study.config import metrics
from proset_study.study.config.checks import ConfigError, load

EVERY = "distances = None; PARAMETERS = {}; ITEMS = "


def config_with(**changes):
    config = merged()
    update_config(config, changes)
    return config


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("raise TypeError('no')", "dissimilarities.own_metric cannot be imported: TypeError: no"),
        ("distances = 1", "dissimilarities.own_metric has no ITEMS, PARAMETERS"),
        (f"{EVERY}'graphs'", "own_metric is 'graphs', allowed are images, strings"),
    ],
)
def test_a_module_that_is_not_as_it_must_be_is_named(tmp_path, monkeypatch, source, message):
    (tmp_path / "own_metric.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(dissimilarities, "__path__", [str(tmp_path)])
    monkeypatch.setattr(metrics, "STORED", ("own_metric",))
    monkeypatch.delitem(sys.modules, "proset_study.data.dissimilarities.own_metric", raising=False)
    named = {"named": {"of": "own_metric", "parameters": {}}}
    with pytest.raises(ConfigError, match=message):
        load(config_with(metrics=named))


def test_ranks_are_those_of_the_metric_of_the_data_set():
    families = {"generator": "protein_families", "metric": "mismatch"}
    experiment = {"data_sets": ["families", "wine"], "metric": "rank"}
    study = load(config_with(data_sets={"families": families}, experiments={"multiedit": experiment}))
    assert study.metric("multiedit", "families") == "rank_mismatch"
    assert study.metric("multiedit", "wine") == "rank"
    assert study.stored_metrics("families") == ["mismatch"]
    assert study.stored_metrics("wine") == []
