"""The open track as its page describes it: wide spaces, and no more for proset than for its rivals."""

from collections import Counter

import pytest
from tests.proset_study.config_files import merged

from proset_study import methods
from proset_study.study.all_runs import seconds_of_run
from proset_study.study.config.checks import load

OURS = ("proset_few", "proset", "proset_leave_one_out")


@pytest.fixture(scope="module")
def study():
    return load(merged("workflow/open_track.yaml"))


def seconds(study):
    """Estimated CPU seconds of a replicate, by method and data set, of what is ranked."""
    found: Counter = Counter()
    ranked = {run for name in ("open_track", "open_forms") for run in study.config["comparisons"][name]["experiments"]}
    for _, run, data_set in (model for model in study.final_models([0]) if model[1].name in ranked):
        found[run.method, data_set] += seconds_of_run(study, run.name, data_set)
    return found


def test_all_methods_are_on_all_data_sets(study):
    assert study.track == "open track"
    assert {"open_track", "open_forms"} <= set(study.comparisons)
    for runs in study.experiments.values():
        assert runs[0].data_sets == study.data_sets
    assert len(study.data_sets) == 14


def test_no_variant_of_proset_has_a_larger_budget_than_its_rivals(study):
    estimated = seconds(study)
    for data_set in study.data_sets:
        searches = [run for run in study.runs.values() if run.data_sets and study.stage1_run(run) is run]
        trials = Counter({run.method: study.n_trials(run.name, data_set) for run in searches})
        for method in OURS:
            assert trials[method] <= min(trials["xgboost"], trials["svm"])
            assert estimated[method, data_set] <= max(estimated["xgboost", data_set], estimated["svm", data_set])


def test_sizes_of_ensembles_are_not_cut(study):
    for run in study.runs.values():
        if run.data_sets and getattr(methods.get(run.method), "averages", False):
            assert run.size_rule == "largest"
            assert run.stage("stage2", "wine")["complexity"] == 500
        if run.data_sets and run.method == "xgboost":
            assert run.size_rule == "best"
            assert run.settings["parameters"]["exact"] == 1
