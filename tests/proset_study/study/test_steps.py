from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.proset_study.small_study import config_of

from proset_study.base.records import file_digest, read_json
from proset_study.data.dataset import DataSet
from proset_study.store.missing import find_missing_models, log_of
from proset_study.store.scores import score
from proset_study.study import all_runs, blocks, fingerprints, inputs, layout, steps
from proset_study.study.config.checks import load
from proset_study.study.finished import finished_evaluations, refuse_lost
from proset_study.study.layout import Place

SEEN = layout.ALL_RUNS, layout.ALL_DATA_SETS
SEARCH = {"trials": 2, "complexity": 3, "space": {"min_samples_leaf": {"integers": [1, 9]}}}
TREES = {"method": "random_forest", "data_sets": ["wine"], "stage2": {"complexity": 4}, "title": "trees"}


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Extra trees that take their parameters from a random forest, in one job."""
    monkeypatch.chdir(tmp_path)
    extra = {**TREES, "method": "extra_trees", "stage1": {"from": "forest"}}
    experiments = {"forest": {**TREES, "stage1": SEARCH}, "extra": extra}
    return config_of("few", {"wine": {"sklearn": "wine"}}, experiments, jobs="data_sets")


def run_all(study):
    steps.run_all(study, 0, "wine", all_runs.key_of_all(study, 0, "wine"))


def test_the_search_that_another_run_takes_from_is_made_for_it_alone(config):
    study = load({**config, "only": {"extra": ["wine"]}})
    run_all(study)
    found = read_json(Place(study, 0, "wine", "extra").file(layout.FIT))["parameters"]
    whole = load({**config, "study": "whole"})
    run_all(whole)
    assert found == read_json(Place(whole, 0, "wine", "extra").file(layout.FIT))["parameters"]


def test_the_code_of_the_method_that_parameters_are_from_counts(config, monkeypatch):
    study = load(config)
    before = all_runs.run_key(study, "extra", "wine")
    real = fingerprints.key
    monkeypatch.setattr(
        all_runs, "key", lambda job, **of: real(job, **of) + ("x" if of.get("method") == "random_forest" else "")
    )
    all_runs.run_key.cache_clear()
    assert all_runs.run_key(study, "extra", "wine") != before
    all_runs.run_key.cache_clear()


def test_a_library_may_raise_anything_and_what_depends_on_it_is_not_made(config, monkeypatch):
    config["experiments"]["neighbours"] = {**TREES, "method": "knn"}
    study = load(config)

    class LibraryError(Exception):
        pass

    def fail(*_):
        raise LibraryError("no trees today")

    monkeypatch.setattr("proset_study.methods.random_forest.RandomForest.fit", fail)
    with pytest.raises(RuntimeError) as error:
        run_all(study)
    forest, extra = str(error.value).split("\nextra: ")
    extra, last = extra.splitlines()
    assert forest.startswith("forest: RuntimeError: fold 0: 2 of 2 trials failed\ntrial 0 with {'min_samples_leaf': ")
    assert forest.count("}: LibraryError: no trees today\n") == 4  # in two folds
    assert forest.count('raise LibraryError("no trees today")') == 2  # where, for who wrote the method
    assert extra == "it takes parameters from forest"
    first = "forest (RuntimeError: fold 0: 2 of 2 trials failed)"
    assert last == f"2 of 3 runs failed: {first}, extra (it takes parameters from forest)"
    assert Place(study, 0, "wine", "neighbours").file(layout.FIT).exists()


def test_data_that_was_left_half_made_is_made_again_by_the_same_job(config, monkeypatch):
    """Rules of Snakemake would take it for their own and for up to date."""
    study = load(config)
    run_all(study)

    def interrupted(*_):
        raise KeyboardInterrupt

    changed = load({**config, "seed": 2})
    with monkeypatch.context() as patch:
        patch.setattr(steps, "prepare_data_set", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_all(changed)
    again = load({**config, "seed": 2, "jobs": "searches"})
    assert Place(again, "0", "wine", "extra").is_in_one_job
    split = Place(again, 0, "wine").file(layout.SPLIT)
    before = split.read_bytes()
    run_all(again)
    assert split.read_bytes() != before


def test_results_of_another_table_are_seen_and_a_lost_model_is_named(config, tmp_path):
    """Snakemake compares the content of small files, and knows of none but that of the whole job."""
    rng = np.random.default_rng(0)
    config["data_sets"] = {"wine": {"file": "wine.csv", "target": "y"}}
    found = []
    for _ in range(2):
        table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]).assign(y=rng.integers(2, size=60))
        table.to_csv("wine.csv", index=False)
        file_digest.cache_clear()  # the next run is another process
        study = load(config)
        run_all(study)
        inputs.gather(study, 0)
        found.append(
            [(tmp_path / layout.result(study, name, replicate=0, data_set="wine")).read_bytes() for name in SEEN]
        )
    assert not set(found[0]) & set(found[1])
    refuse_lost(study, [0])
    fit = Place(study, 0, "wine", "extra").file(layout.FIT)
    fit.unlink()
    said = f"^{fit} is lost: rm results/few/replicate_0/wine/all_runs.json and give the command again"
    with pytest.raises(FileNotFoundError, match=said):
        refuse_lost(study, [0])
    with pytest.raises(FileNotFoundError, match=said):
        score(study, 0, "extra")


def test_a_search_that_failed_after_a_change_lacks_its_model_though_that_of_the_former_config_is_there(config):
    study = load({**config, "jobs": "searches", "folds_per_job": {"random_forest": 1}, "only": {"forest": ["wine"]}})
    place = Place(study, 0, "wine", "forest")
    for file in (Path(file) for _, files in place.steps() for file in files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert not find_missing_models(study)
    part, _ = place.part_files("stage2", blocks.blocks_of(study, "stage2", "forest", "wine"))
    log = log_of(study, "stage2", part)
    log.parent.mkdir(parents=True)
    log.write_text("ValueError: too many trees\n", encoding="utf-8")
    (model,) = find_missing_models(study)
    assert (model.reason, model.target) == ("ValueError: too many trees", part)


@pytest.mark.parametrize(
    ("weighted", "said"),
    [
        (lambda folds, y: folds != 1, r"data_sets.wine: weight: fold 1 has no row of positive weight"),
        (lambda folds, y: (folds >= 0) | (y != 2), r"the test part has no row of positive weight of class 'class_2'"),
    ],
)
def test_weights_that_leave_nothing_to_score_are_refused(config, monkeypatch, weighted, said):
    study = load(config)
    steps.prepare_data_set(study, 0, "wine")
    place = Place(study, 0, "wine")
    data = DataSet.load(place.file(layout.DATA))
    folds = steps.split_of(study, 0, "wine", data)
    data = DataSet(**{**vars(data), "sample_weight": weighted(folds, data.y).astype(float)})
    monkeypatch.setattr(DataSet, "load", lambda path: data)
    with pytest.raises(ValueError, match=said):
        steps.make_split(study, 0, "wine")


def test_a_class_of_too_few_training_groups_is_refused(config, monkeypatch):
    study = load(config)
    steps.prepare_data_set(study, 0, "wine")
    data = DataSet.load(Place(study, 0, "wine").file(layout.DATA))
    tested = np.arange(len(data.y)) % 3 == 0
    group = np.where(tested, 100, np.where(data.y == 2, 0, np.arange(len(data.y)) % 20))
    data = DataSet(**{**vars(data), "test": tested, "group": group})
    monkeypatch.setattr(DataSet, "load", lambda path: data)
    with pytest.raises(
        ValueError, match=r"data_sets.wine: folds: \d is more than the 1 groups with class 'class_2' in the"
    ):
        steps.make_split(study, 0, "wine")


def test_other_code_than_was_planned_is_not_run(config):
    """The process has the modules of then; what it made would be taken for that of the code of now."""
    study = load(config)
    with pytest.raises(RuntimeError, match="the code has changed since the run was planned"):
        steps.run_all(study, 0, "wine", "another key")
    assert not Place(study, 0, "wine").file(layout.DATA).exists()


def test_models_of_a_former_config_or_of_a_failed_job_are_missing(config):
    config["experiments"]["tree"] = {**TREES, "method": "decision_tree", "parameters": {"min_samples_leaf": 1}}
    config["evaluations"] = {"bootstrap": {"of": {"tree": ["wine"]}, "samples": 2}}
    study = load(config)
    run_all(study)
    assert not find_missing_models(study)
    assert len(finished_evaluations(study, [0])) == 1
    other = {**config["experiments"], "tree": {**config["experiments"]["tree"], "stage2": {"complexity": 3}}}
    changed = load({**config, "experiments": other})
    (model,) = find_missing_models(changed)
    assert (model.run, model.reason) == ("tree", "not run")
    assert model.target == Place(changed, 0, "wine").name(layout.ALL_RUNS)
    assert not finished_evaluations(changed, [0])
    run_all(changed)
    assert not find_missing_models(changed)
    resampled = load({**changed.config, "evaluations": {"bootstrap": {"of": {"tree": ["wine"]}, "samples": 3}}})
    assert not find_missing_models(resampled)
    assert not finished_evaluations(resampled, [0])
    Place(changed, 0, "wine", "forest").file(layout.PREDICTIONS).unlink()
    assert [model.run for model in find_missing_models(changed)] == ["forest"]
