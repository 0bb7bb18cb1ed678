from itertools import product
from pathlib import Path

import pytest
from tests.proset_study.config_files import merged

from proset_study.study import blocks, layout
from proset_study.study.config.checks import load

STUDY = load(merged())
SEARCHED = [(run.name, d) for run in STUDY.runs.values() for d in run.data_sets if STUDY.stage1_run(run) is run]


@pytest.mark.parametrize(
    "given", [{}, {"trials_per_job": 7}, {"folds_per_job": 3}, {"trials_per_job": 1, "folds_per_job": 1}]
)
def test_blocks_cover_every_fit_once_in_order(given):
    config = merged() | {key: dict.fromkeys(("proset", "xgboost"), number) for key, number in given.items()}
    study = load(config)
    for run, data_set in (("E3", "wine"), ("E3", "checker"), ("E9", "digits")):
        made = blocks.blocks_of(study, "stage1", run, data_set)
        fits = [
            (fold, trial)
            for block in made
            for fold in range(block.first_fold, block.last_fold + 1)
            for trial in range(block.first_trial, block.last_trial + 1)
        ]
        assert sorted(fits) == list(product(range(5), range(study.n_trials(run, data_set))))
        assert list(made) == sorted(made)
        folds = [
            fold for first, last in blocks.blocks_of(study, "stage2", run, data_set) for fold in range(first, last + 1)
        ]
        assert folds == list(range(5))
        if "trials_per_job" in given:
            assert made[0].last_trial + 1 == given["trials_per_job"]
        if "folds_per_job" in given:
            assert made[0].last_fold + 1 == given["folds_per_job"]


@pytest.mark.parametrize(("run", "data_set"), SEARCHED)
def test_jobs_take_seconds_and_have_one_fold_unless_a_fold_takes_less(run, data_set):
    seconds = blocks.seconds_of_fit(STUDY, run, data_set, "stage1")
    for fold, last_fold, first, last in blocks.blocks_of(STUDY, "stage1", run, data_set):
        n_folds, n_trials = last_fold - fold + 1, last - first + 1
        assert n_trials == 1 or n_folds * n_trials * seconds <= blocks.SECONDS
        assert n_folds == 1 or n_trials == STUDY.n_trials(run, data_set)


def test_a_fit_that_takes_longer_is_a_job():
    config = merged()
    config["data_sets"]["checker"]["samples_per_square"] = 20_000
    study = load(config)
    assert blocks.seconds_of_fit(study, "E3", "checker", "stage1") > blocks.SECONDS
    assert blocks.blocks_of(study, "stage1", "E3", "checker")[:2] == ((0, 0, 0, 0), (0, 0, 1, 1))
    assert blocks.blocks_of(study, "stage2", "E3", "checker") == tuple((fold, fold) for fold in range(5))


def test_records_that_are_there_stay_as_they_were_cut(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = layout.Place(STUDY, 0, "digits", "E9")
    for stage, earlier in (("stage1", {"folds": 2, "trials": 40}), ("stage2", {"folds": 3})):
        fits = blocks.whole(STUDY, stage, "E9", "digits")
        other, now = blocks.cut(fits, **earlier), place.parts(stage, fits._asdict())
        assert blocks.sizes(other[0]) == earlier
        (file,) = place.trial_files() if stage == "stage1" else place.path_files()
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).touch()
        assert place.parts(stage, fits._asdict()) == ()
        for part in place.part_files(stage, other):
            Path(part).touch()
        assert place.parts(stage, fits._asdict()) == other
        Path(file).unlink()
        assert place.parts(stage, fits._asdict()) == now != other


def test_one_more_job_puts_the_records_of_several_together():
    place, last = layout.Place(STUDY, 0, "digits", "E9"), STUDY.n_trials("E9", "digits") - 1
    folder = "results/study/replicate_0/digits/E9"
    assert place.trial_files() == [f"{folder}/stage1/folds_0-4_trials_0-{last}.jsonl"]
    assert place.path_files() == [f"{folder}/stage2/folds_0-4.jsonl"]
    whole = blocks.whole(STUDY, "stage1", "E9", "digits")._asdict()
    parts = place.part_files("stage1", place.parts("stage1", whole))
    assert len(parts) == len(blocks.blocks_of(STUDY, "stage1", "E9", "digits")) > 1
    assert Path(parts[0]).parent == Path(place.trial_files()[0]).parent
    assert place.parts("stage1", {**whole, "last_trial": 0}) == ()  # it fits something itself
    small = layout.Place(STUDY, 0, "wine", "E3")
    assert small.parts("stage1", blocks.whole(STUDY, "stage1", "E3", "wine")._asdict()) == ()
