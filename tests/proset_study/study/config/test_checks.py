import hashlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.proset_study.config_files import merged
from tests.shared import ROOT

from proset_study.data import generators
from proset_study.data.sizes import size_of
from proset_study.data.sources import make
from proset_study.study.config.checks import ConfigError, load
from proset_study.study.config.yaml_file import check_config_file

LISTED = {"openml_cc18": 61, "tabarena": 29, "bundled": 10}
# Those with experiments of their own.
OTHERS = {"battery", "battery_sealed", "battery_long", "battery_long_sealed", "response_curves_mixed"}
SUITES = sorted(
    f
    for f in (ROOT / "workflow/suites").glob("*.yaml")
    if "\nsuite:" in f.read_text(encoding="utf-8") and f.stem not in OTHERS
)


@pytest.mark.parametrize("file", SUITES, ids=lambda file: file.stem)
def test_a_suite_has_methods_on_all_its_data_sets_and_a_report_of_its_own(file):
    """All methods that the study compares; one of your own may be left out."""
    config = merged(file)
    study = load(config)
    assert study.name == file.stem
    assert set(study.data_sets) == set(config["suite"]["data_sets"])
    assert len(study.data_sets) == LISTED[file.stem]
    compared = {config["experiments"][name]["method"] for name in config["comparisons"]["E14"]["experiments"]}
    further = {"neural_network", "proset_leave_one_out"}
    if file.stem == "bundled":
        further |= {"proset_few", "gmlvq", "proset_on_logistic", "proset_on_forest", "proset_on_boosting"}
    own = {run.method for run in study.runs.values() if run.data_sets}
    assert further <= own <= compared | further
    assert len(own & compared) > 15
    left_out = config["suite"].get("without", {})
    for name, runs in study.experiments.items():
        assert sorted([*runs[0].data_sets, *left_out.get(name, [])]) == sorted(study.data_sets)
    assert "E14" in study.comparisons


@pytest.mark.parametrize("name", ["openml_cc18", "tabarena"])
def test_every_task_is_named_once(name):
    suite = merged(f"workflow/suites/{name}.yaml")
    tasks = [suite["data_sets"][d]["openml"]["task_id"] for d in suite["suite"]["data_sets"]]
    assert len(set(tasks)) == len(tasks)


def test_the_bundled_data_sets_are_there():
    study = load(merged("workflow/suites/bundled.yaml"))
    for name in study.data_sets:
        settings = study.data_settings(name)
        data = make(settings, 0, name, 0)
        assert len(data.y) >= 100
        assert size_of(settings).rows == pytest.approx(len(data.y), rel=0.05)
        if name == "affairs":
            assert data.feature_names[np.unique(data.category_column)].tolist() == ["occupation", "occupation_husb"]
    assert data.n_features == 9  # of doctor_visits


def test_an_experiment_outside_of_the_suite_stays_as_it_is_and_is_not_run():
    config = {**merged(), "suite": {"data_sets": ["xor_3f", "wine"], "experiments": ["E3"]}}
    config["suite"]["without"] = {"E3": ["wine"]}
    study = load(config)
    assert {name: runs[0].data_sets for name, runs in study.experiments.items()} == {"E3": ["xor_3f"]}
    assert "suite" not in study.config  # jobs and reports see what it stands for
    assert study.config["experiments"]["E8"] == config["experiments"]["E8"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("raise TypeError('no')", "generators.own_draws cannot be used: TypeError: no"),
        ("", "own_draws must have one class that inherits from proset_study.data.generators.base.Generator"),
        (
            "from dataclasses import dataclass\nfrom proset_study.data.generators.base import Generator\n"
            "@dataclass(frozen=True)\nclass Own(Generator):\n    n: int = 1\n",
            "has no description, settings of n, size, draw",
        ),
    ],
)
def test_a_generator_that_is_not_as_it_must_be_is_named(tmp_path, monkeypatch, source, message):
    (tmp_path / "own_draws.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(generators, "__path__", [str(tmp_path)])
    monkeypatch.setattr(generators, "GENERATORS", ("own_draws",))
    monkeypatch.delitem(sys.modules, "proset_study.data.generators.own_draws", raising=False)
    with pytest.raises(ConfigError, match=message):
        load({**merged(), "data_sets": {"mine": {"generator": "own_draws"}}})


def test_a_file_of_json_is_read_as_json_and_must_have_keys(tmp_path):
    (file := tmp_path / "config.json").write_text('{"study":\t"s"}', encoding="utf-8")
    assert check_config_file(file) == {"study": "s"}
    for text in ("[1]", "!!python/object/apply:os.getcwd []"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match=r"config.json has no keys; a config is a mapping"):
            check_config_file(file)


OF_A_USER = {
    "usps": {"digit": list("01") * 30, "test": [0] * 30 + [1] * 30, **{f"pixel{i}": range(60) for i in range(256)}},
    "proteins": {"id": range(60), "sequence": ["ACDEFGHIKL"] * 60, "family": ["member", "other"] * 30},
    "diabetes": {"pregnant": range(60), "glucose": range(60), "diabetes": ["neg", "pos"] * 30},
    "glass": {"Id": range(60), "RI": range(60), "Type": [1, 2, 3] * 20},
    "heart": {"age": range(60), "disease": [1, 2] * 30},
    "liver": {"mcv": range(60), "selector": [1, 2] * 30},
    "vowel": {"train_or_test": 0, "speaker": range(60), "sex": 0, "f0": range(60), "vowel": list("abc") * 20},
}


def test_data_sets_of_the_source_on_set_cover_are_taken_from_files_of_their_form(tmp_path, monkeypatch):
    config = merged("workflow/suites/set_cover.yaml")
    assert sum(1 for _ in load(config).final_models([0])) == 150
    assert set(OF_A_USER) < set(config["data_sets"])
    monkeypatch.chdir(tmp_path)
    Path("data/private").mkdir(parents=True)
    names = list(OF_A_USER)
    del config["additional_replicates"]
    config["only"] = {"E15_set_cover": names}
    config["experiments"]["E15_set_cover"] |= {"data_sets": names}
    del config["experiments"]["E15_set_cover"]["vary"]
    for name, columns in OF_A_USER.items():
        pd.DataFrame(columns).to_csv(f"data/private/{name}.csv", index=False)
    study = load(config)
    assert study.stored_metrics("proteins") == ["mismatch"]
    for name in names:
        data = make(study.data_settings(name), 0, name, 0)
        assert data.n_features == (0 if name == "proteins" else data.X.shape[1])
        assert len(data.y) == 60
        assert (data.test is None) == (name != "usps")
    config["data_sets"]["glass"]["sha256"] = "0" * 64
    with pytest.raises(ConfigError, match=r"glass.sha256: '0{64}' is not allowed, that of data/private/glass.csv is"):
        load(config)
    digest = hashlib.sha256(Path("data/private/glass.csv").read_bytes()).hexdigest()
    config["data_sets"]["glass"]["sha256"] = digest
    assert "sha256" not in load(config).data_settings("glass")
    config["data_sets"]["glass"] |= {"file": "data/private/absent.csv"}
    with pytest.raises(ConfigError, match=r"data_sets.glass.file: 'data/private/absent.csv' does not exist"):
        load(config)
