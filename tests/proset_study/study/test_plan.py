from tests.proset_study.config_files import merged

from proset_study.study.config.checks import load
from proset_study.study.plan import describe, seconds_to_model


def test_jobs_and_fits_are_counted_and_time_falls_with_cores():
    study = load(merged())
    place, fold = {"study": "study", "replicate": "0"}, {"first_fold": "1", "last_fold": "2"}
    jobs = [
        ("data", {**place, "data_set": "wine"}),
        ("stage1", {**place, "run": "E3", "data_set": "wine", **fold, "first_trial": "0", "last_trial": "24"}),
        ("stage1", {**place, "run": "E9", "data_set": "wine", **fold, "first_trial": "0", "last_trial": "49"}),
        ("stage2", {**place, "run": "E8", "data_set": "wine", "first_fold": "0", "last_fold": "0"}),
        ("fit", {**place, "run": "E7-candidates=1500", "data_set": "xor_6f"}),
        ("fit", {**place, "run": "D39", "data_set": "checker"}),
    ]
    assert describe(jobs, study, 1).startswith(
        "6 jobs with 1 fits of knn, 5 fits of logistic_regression, 55 fits of proset, 100 fits of xgboost: about "
    )
    large = [
        ("stage1", {**place, "run": "E3", "data_set": "xor_6f", **fold, "first_trial": "0", "last_trial": "49"})
    ] * 100
    minutes = [float(describe(large, study, cores).split("about ")[1].split()[0]) for cores in (1, 4)]
    assert 3 < minutes[0] / minutes[1] < 5
    assert describe([], study, 2) == "0 jobs with no fits: about 1 seconds on 2 core(s)"


def test_what_is_further_from_a_final_model_starts_first():
    study = load(merged())
    place = {"replicate": "0", "run": "E9", "data_set": "digits"}
    block = {"first_fold": "0", "last_fold": "0", "first_trial": "0", "last_trial": "10"}
    jobs = [
        ("data", place),
        ("all_runs", place),
        ("stage1", place | block),
        ("select_parameters", place),
        ("fit", place),
        ("score", {"replicate": "0", "experiment": "E9"}),
    ]
    seconds = [seconds_to_model(rule, wildcards, study) for rule, wildcards in jobs]
    assert seconds == sorted(seconds, reverse=True)
    assert len(set(seconds)) == len(jobs)
