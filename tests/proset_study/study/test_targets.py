import re
from pathlib import Path

import pytest
from tests.proset_study.config_files import merged

from proset_study.study.config.checks import load
from proset_study.study.targets import check_targets, made, need_pages


@pytest.fixture(scope="module")
def study():
    config = merged()
    config["only"] = {"E3": ["iris_2f"], "E8": ["iris_2f", "wine"]}
    config["comparisons"]["E1_to_E6"]["evaluations"] = ["bootstrap"]
    return load(config)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "irsi_2f",
            "'irsi_2f' is not a target of this study; did you mean iris_2f? targets are all, study, downloads, par",
        ),
        ("e3", "did you mean E3?"),
        ("E99", "'E99' is not a target of this study; "),
        ("vine", "; data sets: iris_2f, wine; replicates: replicate_0"),
        ("E4", "'E4' is left out by this config; "),
        ("cancer", "'cancer' is left out by this config; "),
        ("report", "'report' is not a target of this study; targets are all, study"),  # a rule with wildcards
    ],
)
def test_a_target_that_does_not_exist_is_answered_with_those_that_do(study, target, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        check_targets([target], study)


@pytest.mark.parametrize(
    ("targets", "needed"),
    [
        ([], True),
        (["E3"], False),
        (["E3", "E3_E8_E9", "replicate_0", "downloads"], False),
        (["results/study/replicate_0/E3.csv", "reports/study/tables/E3.md"], False),
        (["wine"], True),
        (["E1_to_E6"], True),  # with the front page, which shows evaluations
        (["E3", "partial"], True),
        (["reports/study/index.html"], True),
    ],
)
def test_searches_and_tables_need_no_packages_of_pages(study, targets, needed):
    assert need_pages(targets, study) == needed


def test_a_study_is_not_named_as_those_of_standing_are():
    with pytest.raises(ValueError, match=r"^study: 'standing_knn' is not allowed, names that begin with"):
        check_targets([], load(merged() | {"study": "standing_knn"}))


def test_names_rules_and_files_are_targets(study):
    check_targets(["E3", "wine", "replicate_0", "partial", "reports/study/index.html", "any.txt"], study)


def test_what_was_made_begins_with_what_a_person_reads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ["a.csv", "b.html", "c.csv", "d.csv", "e.csv", "f.csv"]
    for name in names:
        Path(name).touch()
    assert made(["a.csv", "b.html", "lost.csv", "a.csv"], []) == "b.html, a.csv"
    assert made(names, []) == "b.html, a.csv, c.csv, d.csv, e.csv and 1 more"
    assert made(["reports/s/index.html", *names], ["reports/s"]) == "reports/s/index.html"
    assert made(["reports/s-partial"], ["reports/s", "reports/s-partial"]) == "reports/s-partial/index.html"


def test_a_file_that_one_job_makes_with_others_is_no_target(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    only = {"only": {"E8": ["wine"]}, "evaluations": {}}
    record, everything = (f"results/study/replicate_0/wine/{name}" for name in ("E8/fit.json", "all_runs.json"))
    check_targets([record], load(merged() | only))
    study = load(merged() | only | {"jobs": "data_sets"})
    check_targets([everything, "results/study/replicate_0/E8.csv", "results/other/replicate_0/wine/E8/fit.json"], study)
    with pytest.raises(ValueError, match=f"'{record}' is made with all that is run on wine; ask for {everything}"):
        check_targets([record], study)
