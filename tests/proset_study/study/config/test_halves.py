import pytest

from proset_study.study.config.checks import ConfigError, load
from proset_study.study.config.halves import DEVELOPMENT, HALVES, half_of

DATA_SETS = {
    **{f"generated_{i}": {"generator": "xor", "features": 2 + i % 3} for i in range(21)},
    **{f"table_{i}_{target}": {"file": f"{i}.csv", "target": target} for i in range(6) for target in "ab"},
}


def halves(names=tuple(DATA_SETS), **more):
    return [half_of({"data_sets": list(names), "half": half, **more}, DATA_SETS) for half in HALVES]


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


def test_a_config_runs_its_half_alone():
    config = {
        "study": "battery",
        "seed": 1,
        "replicates": [0],
        "folds": 5,
        "test_fraction": 0.3,
        "data_sets": {name: value for name, value in DATA_SETS.items() if "generator" in value},
        "experiments": {
            "E8": {"title": "k", "method": "knn", "data_sets": ["generated_0"], "stage2": {"complexity": 5}}
        },
    }
    names = list(config["data_sets"])
    suite = {"data_sets": names, "experiments": ["E8"], "half": DEVELOPMENT}
    assert load({**config, "suite": suite}).data_sets == half_of(suite, DATA_SETS)
    for wrong, message in (
        ({"half": "both"}, "suite.half"),
        ({"used": ["iris"]}, "suite.used: unknown data set 'iris'"),
    ):
        with pytest.raises(ConfigError, match=message):
            load({**config, "suite": {**suite, **wrong}})
