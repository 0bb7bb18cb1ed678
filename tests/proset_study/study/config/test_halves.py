import re

import pytest
from tests.proset_study.config_files import ROOT, merged
from tests.proset_study.small_study import config_of

from proset_study.data.sizes import fraction_tested, size_of
from proset_study.data.sources import make
from proset_study.study.config.checks import ConfigError, load
from proset_study.study.config.halves import DEVELOPMENT, HALVES, SEALED, half_of
from proset_study.study.steps import split_of

DATA_SETS = {
    **{f"generated_{i}": {"generator": "xor", "features": 2 + i % 3} for i in range(21)},
    **{f"table_{i}_{target}": {"file": f"{i}.csv", "target": target} for i in range(6) for target in "ab"},
}


def halves(names=tuple(DATA_SETS), **more):
    suite = {"data_sets": list(names), "drawn_from": list(names), **more}
    return [half_of({**suite, "half": half}, DATA_SETS) for half in HALVES]


def test_halves_are_of_the_same_size_and_a_table_is_in_one():
    development, sealed = halves()
    assert sorted([*development, *sealed]) == sorted(DATA_SETS)
    for kind in ("generated", "table"):
        in_development, in_sealed = (sum(name.startswith(kind) for name in half) for half in (development, sealed))
        assert in_development - in_sealed in (0, 1)
    tables = [{name[:7] for name in half if name.startswith("table")} for half in (development, sealed)]
    assert not set.intersection(*tables)


def test_the_order_of_the_names_changes_nothing():
    assert [set(half) for half in halves(list(DATA_SETS)[::-1])] == [set(half) for half in halves()]


def test_what_was_used_before_is_for_development():
    _, sealed = halves()
    used = [sealed[0], sealed[-1]]
    development, others = halves(used=used)
    assert not set(used) & set(others)
    (table,) = {name[:7] for name in used if name.startswith("table")}
    assert {name for name in DATA_SETS if name.startswith(table)} <= set(development)


def test_fewer_data_sets_stay_in_their_halves():
    some = list(DATA_SETS)[::3]
    for half, fewer in zip(halves(), halves(data_sets=some), strict=True):
        assert fewer == [name for name in some if name in half]


def test_a_config_runs_its_half_alone():
    generated = {name: value for name, value in DATA_SETS.items() if "generator" in value}
    config = config_of("battery", generated, {"E8": {"method": "knn", "stage2": {"complexity": 5}}})
    names = list(config["data_sets"])
    suite = {"data_sets": names, "drawn_from": names, "experiments": ["E8"], "half": DEVELOPMENT}
    assert load({**config, "suite": suite}).data_sets == half_of(suite, DATA_SETS)
    for wrong, message in (
        ({"half": "both"}, "suite.half"),
        ({"used": ["iris"]}, "suite.used: unknown data set 'iris'"),
        ({"drawn_from": names[1:]}, f"suite.data_sets: unknown data set '{names[0]}'"),
        ({"half": SEALED}, "suite.half: 'sealed' is not allowed, a study that runs the sealed half is named"),
    ):
        with pytest.raises(ConfigError, match=message):
            load({**config, "suite": {**suite, **wrong}})
    del suite["drawn_from"]
    with pytest.raises(ConfigError, match=r"suite\.drawn_from: missing"):
        load({**config, "suite": suite})


def test_the_page_of_the_battery_has_the_halves_that_the_hash_draws():
    page = (ROOT / "docs/battery.md").read_text(encoding="utf-8")
    table = [
        line.split("|")[2:4] for line in page.splitlines() if re.match(r"\| (chosen on before|real|generated) \|", line)
    ]
    overlays = {"development": (), "sealed": ("workflow/suites/battery_sealed.yaml",)}
    for half, cells in zip(HALVES, zip(*table, strict=True), strict=True):
        named = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
        study = load(merged("workflow/suites/battery.yaml", *overlays[half]))
        assert sorted(named) == sorted(study.data_sets)
        assert f"{half} ({len(named)})" in page
        (runs,) = {tuple(run.data_sets) for run in study.runs.values() if run.data_sets}  # all methods on all of them
        assert set(runs) == set(study.data_sets)


def test_long_searches_of_the_battery_are_four_times_as_long():
    short, long = (
        merged("workflow/suites/battery.yaml"),
        merged(*(f"workflow/suites/battery{end}.yaml" for end in ("", "_long"))),
    )
    for name in long["suite"]["experiments"]:
        assert long["experiments"][name]["stage1"]["trials"] == 4 * short["experiments"][name]["stage1"]["trials"]
    searched = {name for name in short["suite"]["experiments"] if "stage1" in short["experiments"][name]}
    assert set(long["suite"]["experiments"]) == searched


@pytest.mark.parametrize("overlays", [(), ("workflow/suites/battery_sealed.yaml",)], ids=HALVES)
def test_every_fold_has_all_classes_and_as_many_samples_as_neighbours(overlays):
    study = load(merged("workflow/suites/battery.yaml", *overlays))
    run, n_folds = study.runs["tuned_knn"], study.config["folds"]
    for name in study.data_sets:
        settings = study.config["data_sets"][name]
        train = size_of(settings).rows * (1 - fraction_tested(settings, study.config["test_fraction"]))
        margin = 0.9 if "group" in settings else 0.98  # groups are kept together, classes are divided evenly
        assert run.stage("stage2", name)["complexity"] <= margin * train * (n_folds - 1) / n_folds
        if "group" in settings:
            data = make(settings, study.config["seed"], name, 0)
            folds = split_of(study, 0, name, data)
            assert all(set(folds[data.y == k]) == set(folds) for k in range(len(data.class_names)))
