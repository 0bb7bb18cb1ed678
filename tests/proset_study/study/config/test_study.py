import copy
import os
import re

import pytest
from snakemake.utils import update_config
from tests.proset_study.config_files import merged, read
from tests.shared import ROOT

from proset_study import methods
from proset_study.base.records import file_digest
from proset_study.study import layout
from proset_study.study.config.checks import RESERVED, ConfigError, load
from proset_study.study.config.schema import RENAMED, SCHEMA, schema


@pytest.fixture
def config():
    return merged()


@pytest.fixture
def replicates():
    """Which experiments are repeated."""
    return read("workflow/replicates.yaml")


def test_the_study_is_the_published_one(config):
    study = load(config)
    six = ["iris_2f", "wine", "cancer", "digits", "checker", "xor_6f"]
    five = ["checker_rot", "xor_3f", "xor_4f", "xor_5f", "xor_6_6f"]
    data_sets = {e: runs[0].data_sets for e, runs in study.experiments.items()}
    published = {
        **{f"E{i}": six for i in (1, 2, 3, 4, 5, 6, 8, 9)},
        "E7": ["checker", "xor_6f"],
        **{f"E{i}": five for i in (10, 11, 12)},
        "S16": six,
        "D39": ["checker"],
        "D40": ["checker"],
        "X1": ["xor_3f", "xor_4f", "xor_5f", "xor_6f", "xor_6_6f"],
    }
    assert published.items() <= data_sets.items()
    assert [r.variant for r in study.experiments["E7"]] == ["candidates=100", "candidates=300", "candidates=1500"]
    assert {
        e: runs[0].settings["parameters"]["alpha_v"] for e, runs in study.experiments.items() if e in ("E1", "E2", "E3")
    } == {"E1": 0.05, "E2": 0.5, "E3": 0.95}
    runs = study.runs
    assert study.stage1_run(runs["E4"]) is runs["E3"]
    assert study.stage1_run(runs["E6"]) is None
    assert runs["E4"].selection_rule == "best"
    assert [runs["E8"].stage("stage2", d)["complexity"] for d in six] == [30, 30, 100, 100, 30, 30]
    assert [runs["E11"].stage("stage2", d)["complexity"] for d in five] == [30, 30, 30, 30, 100]
    depths = [runs["E9"].stage("stage1", d)["space"]["max_depth"]["integers"][1] for d in six]
    assert depths == [9, 9, 9, 9, 9, 19]
    depths = [runs["E12"].stage("stage1", d)["space"]["max_depth"]["integers"][1] for d in five]
    assert depths == [9, 9, 9, 19, 19]
    assert runs["E9"].stage("stage1", "xor_6f")["space"]["subsample"] == {"uniform": [0.1, 0.9]}
    assert runs["E9"].stage("stage1", "wine")["parameters"] == {"learning_rate": 0.1}
    assert runs["E9"].stage("stage2", "wine")["parameters"] == {"learning_rate": 0.01}


def test_e14_has_one_model_for_each_method_and_data_set(config, replicates):
    """Of a method of your own it may have fewer, and those of one replicate only."""
    study = load(config)
    assert study.tables["E14"]["kind"] == "methods"
    runs = [run for e in study.tables["E14"]["experiments"] for run in study.experiments[e]]
    cells = [(run.method, data_set) for run in runs for data_set in run.data_sets if data_set != "mixture"]  # of E13
    assert len(cells) == len(set(cells))
    repeated = {run.method for run in runs if run.experiment in replicates["additional_replicates"]["only"]}
    assert len([method for method, _ in cells if method in repeated]) == 11 * len(repeated)
    assert len(repeated) > 15


def test_methods_that_are_ranked_have_the_same_replicates(config, replicates):
    with_rows = [c for c, entry in config["comparisons"].items() if entry.get("rows") == "methods"]
    repeated = replicates["additional_replicates"]["only"]
    update_config(config, replicates)
    study = load(config)
    assert study.replicates == list(range(10))
    for comparison in (*with_rows, "E13"):
        for experiment in repeated.keys() & set(config["comparisons"][comparison]["experiments"]):
            for run in study.experiments[experiment]:
                assert all(study.data_sets_of(run, r) == run.data_sets for r in study.replicates), experiment


def test_further_replicates_have_the_evaluations_that_are_named_for_them():
    study = load(merged("workflow/replicates.yaml"))
    found = [(run.name, d) for _, run, d in study.evaluated("bias_variance", [3])]
    assert found == [("decision_tree", "xor_3f"), ("bagging", "xor_3f")]
    assert set(found) < {(run.name, d) for _, run, d in study.evaluated("bias_variance", [0])}
    assert not list(study.evaluated("learning_curve", [3]))


def test_a_wrong_reference_in_the_schema_is_named_in_a_line(config, monkeypatch, tmp_path):
    wrong = tmp_path / "schema.yaml"
    text = SCHEMA.read_text(encoding="utf-8")
    wrong.write_text(text.replace('$ref: "#/$defs/trials"', '$ref: "#/$defs/trails"', 1), encoding="utf-8")
    monkeypatch.setattr("proset_study.study.config.schema.SCHEMA", wrong)
    with pytest.raises(ValueError, match=r"^schema.yaml: there is no /\$defs/trails for a \$ref to name$"):
        load(config)


def test_a_method_that_does_not_say_how_long_its_path_is_may_have_any(config):
    config["experiments"]["set_cover"]["stage2"]["complexity"] = 1000
    load(config)


def test_a_broken_method_and_weights_that_a_method_cannot_take_are_refused(config, monkeypatch, tmp_path):
    (tmp_path / "own.csv").write_text("a,w,t\n1,1,x\n2,1,y\n", encoding="utf-8")
    config["data_sets"]["own"] = {"file": str(tmp_path / "own.csv"), "target": "t", "weight": "w"}
    config["experiments"]["svm"]["data_sets"] = ["own"]
    load(config)
    svm = methods.get("svm")
    monkeypatch.setattr(svm, "weights", "none")
    message = "experiments.svm.data_sets: 'own' is not allowed, it has weights and svm takes none"
    with pytest.raises(ConfigError, match=message):
        load(config)
    monkeypatch.setattr(svm, "weights", "some")
    methods.get.cache_clear()
    message = "experiments.svm.method: proset_study.methods.svm breaks the interface .* `weights` is 'some', allowed"
    with pytest.raises(ConfigError, match=message):
        load(config)


def test_the_number_of_trials_is_not_part_of_what_a_trial_depends_on(config):
    before = load(copy.deepcopy(config)).stage1_settings("E3", "wine")
    config["experiments"]["E3"]["stage1"]["trials"] = 100
    assert load(config).stage1_settings("E3", "wine") == before


def test_the_design_of_a_search_is_in_its_settings_if_it_is_given(config):
    before = load(copy.deepcopy(config)).stage1_settings("E3", "wine")
    assert "design" not in before
    config["experiments"]["E3"]["stage1"]["design"] = "sobol"
    assert load(config).stage1_settings("E3", "wine") == {**before, "design": "sobol"}


def test_parameters_of_stage_1_alone_are_those_of_its_trials(config):
    """By which the selection tells the simpler one of two trials."""
    config["experiments"]["E9"] |= {"parameters": {"min_child_weight": 2.0}, "overrides": {"wine": {"stage1": {}}}}
    config["experiments"]["E9"]["overrides"]["wine"]["stage1"]["parameters"] = {"reg_lambda": 2.0}
    taken = {"title": "the same", "method": "xgboost", "stage1": {"from": "E9"}, "selection_rule": "best"}
    config["experiments"]["taken"] = {**taken, "data_sets": ["wine"], "stage2": config["experiments"]["E9"]["stage2"]}
    study = load(config)
    assert study.fixed_parameters("E9", "wine") == {"min_child_weight": 2.0, "learning_rate": 0.1, "reg_lambda": 2.0}
    assert study.fixed_parameters("E9", "cancer") == {"min_child_weight": 2.0, "learning_rate": 0.1}
    assert study.fixed_parameters("E8", "wine") == {}
    assert study.fixed_parameters("taken", "wine") == study.fixed_parameters("E9", "wine")


def test_only_restricts_experiments_and_data_sets(config):
    config["only"] = {"E3": ["wine"], "E8": ["wine", "iris_2f"]}
    study = load(config)
    assert {e: r[0].data_sets for e, r in study.experiments.items()} == {"E3": ["wine"], "E8": ["iris_2f", "wine"]}
    assert study.data_sets == ["iris_2f", "wine"]
    assert {"E1_to_E6", "E3_E8_E9"} <= set(study.comparisons)
    assert "E10_E11_E12" not in study.comparisons


def test_all_errors_are_listed_at_once(config):
    config["folds"], config["seed"] = 0, "x"
    with pytest.raises(ConfigError) as caught:
        load(config)
    assert str(caught.value).count("\n- ") == 2


def test_schema_is_closed_and_describes_every_key():
    def walk(schema, path):
        if not isinstance(schema, dict):
            return
        for key, sub in schema.get("properties", {}).items():
            assert "description" in sub, f"{path}.{key}"
        if schema.get("type") == "object" and "properties" in schema:
            assert schema.get("additionalProperties") is False, path
        for key, sub in schema.items():
            if key not in ("if", "then", "else"):
                for name, inner in sub.items() if isinstance(sub, dict) else []:
                    walk(inner, f"{path}.{key}.{name}")
                walk(sub, f"{path}.{key}")

    walk(schema(), "")


def test_reserved_names_are_the_rules():
    text = "\n".join(
        p.read_text(encoding="utf-8")
        for p in [ROOT / "Snakefile", ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
    )
    rules = set(re.findall(r"^(?:use rule _job as|rule) (\w+)", text, re.MULTILINE))
    assert rules - {"_job"} == RESERVED
    assert len(rules) > 10


def test_the_subject_is_that_of_the_config_or_the_first_one_compared(config):
    study = load(config)
    assert study.subject == "proset"
    assert study.of_data_set("mixture").subject == "proset"  # on which another method is the first one
    named = load({**config, "subject": "gmlvq"})  # which is in no comparison with a row per method
    assert (named.subject, named.of_data_set("wine").subject) == ("gmlvq", "gmlvq")
    assert named.compared_experiments == ["gmlvq", *study.compared_experiments]
    assert load({**config, "subject": "svm"}).compared_experiments == study.compared_experiments
    several = load({**config, "comparisons": {}, "only": {"set_cover": ["wine"], "E8": ["wine"]}})
    assert several.compared_experiments == ["E8", "set_cover"]
    assert several.subject == "knn"
    assert load({**config, "only": {"set_cover": ["wine"], "cccd": ["wine"]}}).subject in ("set_cover", "cccd")


def test_only_checks_what_it_selects(config):
    """E4 takes over E3's searches, which are on another data set here."""
    config["experiments"]["E3"]["data_sets"] = ["wine"]
    with pytest.raises(ConfigError, match=r"experiments\.E4\.stage1\.from: 'E3' has no iris_2f"):
        load(config)
    config["only"] = {"E3": ["wine"]}
    assert list(load(config).experiments) == ["E3"]
    config["only"]["E4"] = ["cancer"]
    with pytest.raises(ConfigError, match=r"experiments\.E4\.stage1\.from: 'E3' has no cancer, only wine"):
        load(config)


def test_another_file_counts_though_it_is_older_and_braces_though_snakemake_cannot_name_them(config, tmp_path):
    for name, named in (("own.csv", True), ("o{w}n.csv", False)):
        path = tmp_path / name
        path.write_text("a,t\n1,x\n2,y\n", encoding="utf-8")
        config["data_sets"]["wine"] = {"file": str(path), "target": "t"}
        study = load(config)
        assert layout.custom_files(study, "wine") == ([str(path)] if named else [])
        before = layout.custom_version(study, "wine")
        file_digest.cache_clear()  # each command is a process of its own
        os.utime(path)
        assert layout.custom_version(study, "wine") == before
        path.write_text("a,t\n1,x\n2,y\n3,y\n", encoding="utf-8")
        file_digest.cache_clear()
        os.utime(path, (1e9, 1e9))
        assert layout.custom_version(study, "wine") != before
    assert layout.custom_version(study, "cancer") == ""


@pytest.mark.parametrize("old", RENAMED)
def test_a_key_of_a_former_version_is_refused_with_its_new_name(config, old):
    where = {"steps": config["experiments"]["E3"]["stage1"], "rule": config["experiments"]["E4"]}.get(old, config)
    where[old] = where.pop(RENAMED[old], {"numbers": [1], "only": {}})
    with pytest.raises(ConfigError, match=rf"unknown key '{old}', allowed are .*; {old} is now {RENAMED[old]}"):
        load(config)


def test_a_file_takes_a_key_of_the_merged_config_away_by_null(config):
    assert list(load(config).evaluated("learning_curve", [0]))
    without = load({**config, "evaluations": None})
    assert "evaluations" not in without.config
    assert not list(without.evaluated("learning_curve", [0]))
