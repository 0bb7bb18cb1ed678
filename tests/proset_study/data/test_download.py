"""Downloads through scikit-learn from a server that speaks OpenML's protocol; see tests/openml_server.py."""

import urllib.request
from pathlib import Path

import numpy as np
import pytest
from tests.openml_server import ROWS, mushrooms, serving

from proset_study.data.download import ATTEMPTS, download
from proset_study.data.openml import description
from proset_study.data.sizes import Size, size_of
from proset_study.data.sources import make

DELAY = 0.001
pytestmark = [  # what scikit-learn says before it tries again
    pytest.mark.filterwarnings("ignore:Invalid cache, redownloading:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:A network error occurred:UserWarning"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("server")) as (openml, variables), pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        urllib.request.install_opener(None)  # one that was made before has no proxy
        yield openml
    urllib.request.install_opener(None)


@pytest.fixture
def openml(server):
    """The server as it is at first: what a test changes does not stay."""
    server.data.clear()
    server.faults.clear()
    server.asked.clear()
    server.add("61", *mushrooms())
    return server


@pytest.fixture
def output(tmp_path):
    return str(tmp_path / "data/openml/x.parquet")


def features(table, **settings):
    return make({"file": table, **settings}, 0, "own", 0)


@pytest.mark.parametrize("wanted", [{"data_id": 61}, {"task_id": 31}, {"data_id": 61, "version": 2}])
def test_a_downloaded_table_is_a_data_set_like_any_other(openml, output, wanted):
    found = download(wanted, output, DELAY)
    assert found == description(output)
    assert (found["data_id"], found["name"], found["version"]) == (61, "mushrooms", 2)
    assert found["md5"] == openml.data["61"][0]["md5_checksum"]
    data = features(output, impute="median")
    columns = ["height", "rings", "cap colour", "wet"]  # no numbers of rows, no empty column
    assert data.feature_names.tolist() == columns
    assert data.class_names.tolist() == ["edible", "poisonous"]
    assert data.categories.tolist() == ["1", "dark red", "white", "(missing)", "0", "1"]
    assert np.isnan(data.X[:, 0]).sum() == ROWS // 10
    assert found["size"] == [ROWS, data.n_features, 2]
    assert not list(Path(output).parent.glob(".*"))


def test_the_size_is_known_once_a_data_set_is_there(openml, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    download({"data_id": 61}, "data/openml/data_61.parquet", DELAY)
    assert size_of({"openml": {"data_id": 61}, "impute": "median"}) == Size(ROWS, 8, 2)


def test_a_target_of_ones_own_takes_the_place_of_that_of_openml(openml, output):
    download({"task_id": 31}, output, DELAY)
    data = features(output, target="rings", threshold=2, drop=["height"], impute="most_frequent")
    assert data.feature_names.tolist() == ["cap colour", "wet", "class"]
    assert data.class_names.tolist() == ["above 2", "up to 2"]


def test_without_a_default_target_one_must_be_named(openml, output):
    attributes, text = mushrooms()
    openml.add("61", [{**a, "is_target": "false"} for a in attributes], text)
    assert download({"data_id": 61}, output, DELAY)["target"] is None
    with pytest.raises(ValueError, match="names no target; name its column in target, the columns are 'height', 'rin"):
        features(output)
    assert len(features(output, target="class", impute="mean").class_names) == 2


@pytest.mark.parametrize("faults", [[503], [429, 429, 503], ["cut off"], ["cut off", 500, "cut off"], [502, "cut off"]])
def test_faults_that_pass_are_waited_for(openml, output, faults):
    openml.faults[".arff"] = list(faults)
    download({"data_id": 61}, output, DELAY)
    assert not openml.faults[".arff"]
    assert len(features(output, impute="mean").y) == ROWS


@pytest.mark.parametrize(
    ("end", "fault", "message"),
    [
        (".arff", 503, "mushrooms.arff answers 503 .Service Unavailable.; try again later"),
        (".arff", 429, "mushrooms.arff answers 429 .Too Many Requests.; try again later"),
        (".arff", 404, "mushrooms.arff answers 404 .Not Found.$"),
        (".arff", "cut off", "what came was cut off .*; try again later"),
        ("/task/31", 503, "task/31 answers 503"),
    ],
)
def test_faults_that_stay_are_named_and_leave_nothing(openml, output, end, fault, message):
    openml.faults[end] = [fault] * 100
    with pytest.raises(ValueError, match=f"openml task_31: .*{message}"):
        download({"task_id": 31}, output, DELAY)
    asked = sum(path.endswith(end) for path in openml.asked)
    assert asked <= 2 if fault == 404 else asked >= ATTEMPTS
    assert not list(Path(output).parent.iterdir())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 3}, "openml data_61: version: 3 is not allowed, that of data/openml/data_61.parquet is 2"),
        ({"md5": "a" * 32}, "openml data_61: md5: 'a{32}' is not allowed, that of data/openml/data_61.parquet is '"),
        ({"data_id": 62}, "openml data_62: Dataset with data_id 62 not found"),
        ({"task_id": 32}, "openml task_32: there is no task 32"),
    ],
)
def test_another_data_set_than_the_config_says_is_refused(openml, output, change, message):
    with pytest.raises(ValueError, match=message):
        download({"data_id": 61, **change}, output, DELAY)


@pytest.mark.parametrize(
    ("text", "description", "message"),
    [
        (mushrooms()[1], {"md5_checksum": "0" * 32}, "The md5 checksum of the file .* expected 0{32} but got"),
        ("@relation m\n@attribute height number of cm\n@data\n1\n", {}, "Bad @ATTRIBUTE type"),
        (
            "@relation m\n@attribute height numeric\n@data\n{0 1.5}\n",
            {"format": "Sparse_ARFF"},
            "data set 61 is sparse; write it as a table",
        ),
    ],
    ids=["checksum", "no ARFF", "sparse"],
)
def test_files_that_cannot_be_taken_are_refused(openml, output, text, description, message):
    openml.add("61", mushrooms()[0], text, **description)
    with pytest.raises(ValueError, match=f"openml data_61: {message}"):
        download({"data_id": 61}, output, DELAY)
    assert not list(Path(output).parent.iterdir())
