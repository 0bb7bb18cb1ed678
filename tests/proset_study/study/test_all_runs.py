from pathlib import Path

import pytest
from tests.proset_study.config_files import merged

from proset_study.base.environment import COPIES
from proset_study.study import all_runs, inputs, layout, steps
from proset_study.study.config import study as study_module
from proset_study.study.config.checks import load
from proset_study.study.plan import describe, fits_of


@pytest.fixture
def few():
    """Two experiments, of which one takes its parameters from the other, on two data sets."""
    only = {"E3": ["wine", "iris_2f"], "E4": ["wine"], "E8": ["wine"]}
    return merged() | {"only": only, "evaluations": {}}


def names(study):
    return {Path(file).name for file in inputs.result_files(study, study.replicates)}


def test_a_study_of_very_many_searches_has_one_job_for_each_small_data_set(monkeypatch, tmp_path, few):
    monkeypatch.chdir(tmp_path)
    study = load(few)
    assert not layout.Place(study, 0, "wine", "E3").is_in_one_job
    assert "fit.json" in names(study)
    few["replicates"] = list(range(1000))
    many = load(few)
    assert layout.Place(many, 999, "wine", "E3").is_in_one_job
    assert names(many) == {"all_runs.json"}
    assert layout.record_names(study, "replicate_0") == layout.record_names(many, "replicate_0")
    assert {Path(file).name for file in inputs.record_files(many, "replicate_7")} == {"all_runs.json"}


def test_in_a_large_study_one_file_stands_for_all_data_sets_of_a_replicate(monkeypatch, tmp_path, few):
    monkeypatch.chdir(tmp_path)
    few |= {"jobs": "data_sets", "replicates": [0, 1]}
    jobs = [f"results/study/replicate_0/{name}/all_runs.json" for name in ("iris_2f", "wine")]
    assert sorted(inputs.scored_files(load(few), ["0"], "E3")) == jobs
    monkeypatch.setattr(study_module, "MANY", 1)
    study = load(few)
    assert inputs.jobs_of_data_sets(study, 0) == jobs
    assert inputs.scored_files(study, ["0"], "E3") == ["results/study/replicate_0/all_data_sets.done"]
    assert inputs.scored_files(study, ["0"], "E8") == jobs[1:]  # an experiment does not wait for others' data sets
    for files in (inputs.result_files(study, [0, 1]), inputs.prediction_files(study)):
        assert files == [f"results/study/replicate_{r}/all_data_sets.done" for r in (0, 1)]


def test_data_sets_that_take_long_keep_jobs_of_searches(few, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    few["jobs"], few["only"] = "data_sets", {"E3": ["wine"], "E9": ["digits", "wine"]}
    few["data_sets"]["digits"] = {**few["data_sets"]["digits"]}
    few["experiments"]["E9"]["stage1"] = {**few["experiments"]["E9"]["stage1"], "trials": 1000}
    study = load(few)
    assert all_runs.seconds_of_run(study, "E9", "digits") > all_runs.SECONDS
    assert not layout.Place(study, 0, "digits", "E9").is_in_one_job
    assert layout.Place(study, 0, "wine", "E3").is_in_one_job


def test_what_was_begun_in_one_way_stays_so_but_not_on_a_shared_storage(few, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("wine/data.npz", "wine/done.json", "iris_2f/data.npz"):
        made = Path("results/study/replicate_0", name)
        made.parent.mkdir(parents=True, exist_ok=True)
        made.touch()
    for jobs in ("searches", "data_sets"):
        study = load({**few, "jobs": jobs})
        assert layout.Place(study, "0", "wine", "E3").is_in_one_job
        assert not layout.Place(study, "0", "iris_2f", "E3").is_in_one_job
    monkeypatch.setenv(COPIES, "elsewhere")
    assert not layout.Place(load({**few, "jobs": "data_sets"}), "0", "wine", "E3").is_in_one_job


def test_keys_change_with_settings_and_with_what_is_run(few):
    study, changed, fewer = (
        load(few),
        merged() | {"only": few["only"], "evaluations": {}},
        {**few, "only": {"E3": ["wine", "iris_2f"]}},
    )
    changed["experiments"]["E8"]["stage2"] = {"complexity": 7}
    changed = load(changed)
    assert all_runs.key_of_all(study, 0, "wine") == all_runs.key_of_all(load(few), 0, "wine")
    for other in (changed, load(fewer)):
        assert all_runs.key_of_all(study, 0, "wine") != all_runs.key_of_all(other, 0, "wine")
        assert all_runs.key_of_all(study, 0, "iris_2f") == all_runs.key_of_all(other, 0, "iris_2f")
    assert all_runs.run_key(study, "E3", "wine") == all_runs.run_key(changed, "E3", "wine")
    assert all_runs.run_key(study, "E8", "wine") != all_runs.run_key(changed, "E8", "wine")


def test_a_run_comes_after_the_one_that_it_takes_parameters_from(few):
    assert all_runs.runs_on(load(few), 0, "wine") == ["E3", "E8", "E4"]


def test_all_fits_of_the_job_are_counted(few):
    study = load(few)
    names = {"study": "study", "replicate": "0", "data_set": "wine"}
    fits = fits_of("all_runs", names, study)
    assert [(f.method, f.number) for f in fits] == [("proset", 5 * 50 + 5 + 5), ("knn", 6), ("proset", 10)]
    assert describe([("all_runs", names)], study, 1).startswith("1 jobs with 6 fits of knn, 270 fits of proset: about ")


def test_what_one_job_left_is_not_taken_for_that_of_searches(few, monkeypatch, tmp_path):
    """The data were lost and made again where searches are jobs: files around them are of another config then."""
    monkeypatch.chdir(tmp_path)
    one, study = load(few | {"jobs": "data_sets"}), load(few | {"jobs": "searches"})
    place = layout.Place(study, 0, "iris_2f", "E3")
    left = [place.file(name) for name in (layout.ALL_RUNS, layout.DATA_DONE, layout.RUN_DONE)]
    left.append(place.file(layout.EVALUATION_DONE, kind="bootstrap"))
    for file in left:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    assert layout.Place(one, 0, "iris_2f", "E3").is_in_one_job
    steps.data(study, 0, "iris_2f")
    assert not any(file.exists() for file in left)
    assert not any(
        layout.Place(load(few | {"jobs": jobs}), 0, "iris_2f").is_in_one_job for jobs in ("data_sets", "searches")
    )
