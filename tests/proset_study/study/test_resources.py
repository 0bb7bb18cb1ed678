import numpy as np
import pandas as pd
import pytest
from snakemake.iocontainers import Wildcards
from tests.proset_study.config_files import merged

from proset_study.study.config.checks import load
from proset_study.study.resources import ResourceEstimate


@pytest.fixture
def config():
    return merged()


def needs_of(config):
    return ResourceEstimate(load(config))


def stage1(run, data_set):
    block = {"first_fold": "0", "last_fold": "0", "first_trial": "0", "last_trial": "49"}
    return Wildcards(fromdict={"run": run, "data_set": data_set, **block})


def test_every_attempt_asks_for_more(config):
    needs, wildcards = needs_of(config), stage1("E3", "checker")
    for attempt in (2, 3):
        assert needs.memory(wildcards, attempt) == attempt * needs.memory(wildcards, 1)
        assert needs.minutes(wildcards, attempt, "stage1") == attempt * needs.minutes(wildcards, 1, "stage1")


def test_requests_cover_what_the_study_took(config):
    """Seconds of the most expensive jobs and MiB of their processes, from the records of the study."""
    needs = needs_of(config)
    for run, data_set, seconds, mib in (
        ("E1", "checker", 28.4, 42),
        ("E12", "xor_6_6f", 2 * 32.7, 208),  # 100 trials a job
        ("E9", "digits", 2 * 26.4, 155),
    ):
        wildcards = stage1(run, data_set)
        assert needs.minutes(wildcards, 1, "stage1") > 2 * seconds / 60
        assert needs.memory(wildcards, 1) > 400 + mib  # Snakemake around it


def test_large_data_ask_for_more_memory_and_time(config, tmp_path):
    rows, features = 200_000, 20
    table = pd.DataFrame(np.zeros((rows, features), dtype=np.float32)).add_prefix("x").assign(t=0)
    table.to_parquet(tmp_path / "own.parquet")
    config["data_sets"]["own"] = {"file": str(tmp_path / "own.parquet"), "target": "t"}
    config["experiments"]["E3"]["data_sets"] = ["own", "iris_2f"]
    config["experiments"]["E4"]["data_sets"] = ["own", "iris_2f"]
    needs = needs_of(config)
    large, small = stage1("E3", "own"), stage1("E3", "iris_2f")
    measured = 50 * 86 * rows * 0.56 / 1e6  # benchmarks/results.md: 86 s for a million rows
    assert measured < 60 * needs.minutes(large, 1, "stage1") < 20 * measured
    assert needs.minutes(small, 1, "stage1") <= 5
    assert needs.memory(large, 1) > needs.memory(small, 1) + 5 * rows * features * 8e-6
    score = Wildcards(fromdict={"experiment": "E3", "replicate": "0"})
    assert needs.memory(score, 1) >= needs.memory(large, 1)
