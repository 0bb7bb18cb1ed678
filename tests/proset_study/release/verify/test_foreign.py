import pytest

from proset_study.release.verify.foreign import Refused, checked_study


@pytest.mark.parametrize(
    ("entry", "file"),
    [
        ({"file": "/etc/own.csv", "target": "t"}, "/etc/own.csv"),
        ({"file": "statsmodels:../../../../own.csv", "target": "t"}, "statsmodels:../../../../own.csv"),
        ({"file": "tests:conftest.py", "target": "t"}, "tests:conftest.py"),  # a folder here, not installed
        ({"file": "not_installed:own.csv", "target": "t"}, "not_installed:own.csv"),
        ({"openml": {"task_id": 31}}, "data/openml/task_31.parquet"),
        ({"openml": {"data_id": "../../x"}}, "data/openml/data_../../x.parquet"),
        ({"openml": {}}, "data/openml/data_None.parquet"),
    ],
)
def test_a_table_that_a_stranger_names_is_read_only_if_the_reader_names_it_too(entry, file):
    config = {"data_sets": {"theirs": entry}, "experiments": {"E": {"data_sets": ["theirs"]}}}
    with pytest.raises(Refused, match=f"'theirs' is made of '{file}', which is not part of the report"):
        checked_study(config, [])
    with pytest.raises(Refused, match="the config is refused"):  # it goes on: this config lacks the rest
        checked_study(config, [file])


def test_a_table_that_no_experiment_names_is_not_read_and_not_asked_for():
    entry = {"file": "/etc/own.csv", "target": "t"}
    with pytest.raises(Refused, match="the config is refused"):
        checked_study({"data_sets": {"theirs": entry}, "experiments": {"E": {"data_sets": ["others"]}}}, [])
    with pytest.raises(Refused, match="'theirs' is made of"):
        checked_study({"data_sets": {"theirs": entry}, "suite": {"used": ["theirs"]}}, [])


def test_a_table_of_an_installed_package_is_read():
    config = {"data_sets": {"theirs": {"file": "statsmodels:datasets/fair/fair.csv", "target": "t"}}}
    with pytest.raises(Refused, match="the config is refused"):
        checked_study(config, [])


@pytest.mark.parametrize("file", [["own.csv"], {"own": "csv"}, 3])
def test_a_file_that_is_no_text_is_refused_in_one_line(file):
    config = {"data_sets": {"own": {"file": file}}, "experiments": {"E1": {"data_sets": ["own"]}}}
    with pytest.raises(Refused, match=r"^manifest\.json: .*file"):
        checked_study(config, ())
