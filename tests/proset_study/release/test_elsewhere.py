"""Predictions of a method from elsewhere are scored as the report scores its own, or refused with what is wrong."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proset_study.base.records import write_json
from proset_study.release.elsewhere import (
    COLUMNS,
    Protocol,
    read_predictions,
    scored,
    write_standing_of,
    write_store_of,
)
from proset_study.release.predictions import merge_stores, read_index
from proset_study.report.analysis.standing import GIVEN
from proset_study.store.results import Row, read_rows
from proset_study.study import layout

INDEX = Path(layout.STORE_INDEX).name


@pytest.fixture(scope="module")
def protocol(report, tmp_path_factory):
    return Protocol(report, tmp_path_factory.mktemp("protocol"))


@pytest.fixture
def mine(report, tmp_path):
    """E8 of the report, as somebody else would write it down: one fit, no more columns than are needed."""
    for file in (report / layout.STORE).glob("*.parquet"):
        table = pd.read_parquet(file).query("experiment == 'E8' and fit_seed == 0")
        (tmp_path / "mine").mkdir(exist_ok=True)
        table[list(COLUMNS)].assign(method="mine").to_parquet(tmp_path / "mine" / file.name)
    return tmp_path / "mine"


def test_the_scores_of_a_store_are_those_of_the_report(report, protocol, whole):
    found = read_predictions(report / layout.STORE, protocol, whole.study.data_sets)
    assert {one.experiment for one in found} == {"E3", "E4", "E5", "E8", "E9"}
    ours = {(*row.case, row.quantity, row.fit_seed): row.value for one in found for row in scored(one, protocol)}
    theirs = [row for row in read_rows(report / layout.ALL_SCORES, Row) if row.section in ("data", "final")]
    compared = [(row.value, ours[key]) for row in theirs if (key := (*row.case, row.quantity, row.fit_seed)) in ours]
    assert len(compared) > 6 * len(found) - 1
    assert {"train_samples", "test_samples"} <= {row.quantity for row in theirs if (*row.case, row.quantity, 0) in ours}
    assert all(value == pytest.approx(again, rel=1e-11) for value, again in compared)


def test_a_method_from_elsewhere_stands_where_the_same_one_of_the_report_does(report, mine, tmp_path):
    write_standing_of(mine, report, tmp_path / "out", "", tmp_path / "scratch")
    found = pd.read_csv(tmp_path / "out/differences.csv")
    assert set(found["method"]) == {"mine"}
    of_itself = found[found["rival"] == "E8"]
    assert set(of_itself["dataset"]) == {"flowers", "cross", "odd"}
    assert of_itself["difference"].tolist() == pytest.approx([0] * 3, abs=1e-11)
    text = (tmp_path / "out/standing.md").read_text(encoding="utf-8")
    assert text.startswith(f"# mine among the methods of {report.name}\n")
    assert GIVEN in text


def test_its_store_merges_with_that_of_the_report(report, mine, tmp_path):
    write_store_of(mine, report, tmp_path / "store", "mine", "", tmp_path / "scratch")
    merge_stores([report / layout.STORE, tmp_path / "store"], tmp_path / "merged")
    table = pd.read_parquet(tmp_path / "merged", filters=[("dataset", "==", "odd"), ("fit_seed", "==", 0)])
    columns = ["row", "weight", "label", "class", "probability"]
    ours, theirs = (table.loc[table["experiment"] == name, columns].to_numpy().tolist() for name in ("mine", "E8"))
    assert ours == theirs
    write_store_of(report / layout.STORE, report, tmp_path / "other", "mine", "E3", tmp_path / "scratch")
    with pytest.raises(ValueError, match="experiment mine has settings that differ from those in"):
        merge_stores([tmp_path / "store", tmp_path / "other"], tmp_path / "again")


def test_labels_are_compared_by_their_error(report, mine, tmp_path):
    for file in mine.iterdir():
        table = pd.read_parquet(file)
        largest = table.groupby("row")["probability"].transform("idxmax") == table.index
        table.assign(probability=largest.astype(float)).to_parquet(file)
    write_standing_of(mine, report, tmp_path / "out", "", tmp_path / "scratch")
    assert set(pd.read_csv(tmp_path / "out/differences.csv")["score"]) == {"balanced error"}


def test_of_a_store_of_several_methods_one_is_named(report, tmp_path):
    store = report / layout.STORE
    with pytest.raises(ValueError, match=r"there are several methods; name one of 'E3', 'E4', 'E5', .*by --experiment"):
        write_standing_of(store, report, tmp_path / "out", "", tmp_path / "scratch")
    write_standing_of(store, report, tmp_path / "out", "E8", tmp_path / "scratch")
    with pytest.raises(ValueError, match=r"flowers\.parquet: no experiment 'E99' of data set 'flowers'"):
        write_standing_of(store, report, tmp_path / "out", "E99", tmp_path / "scratch")


def test_a_store_of_other_data_is_refused(report, protocol, tmp_path):
    shutil.copytree(report / layout.STORE, store := tmp_path / "store")
    index = read_index(store)
    index["data"]["cross"]["0"] = "0" * 64
    write_json(store / INDEX, index)
    with pytest.raises(ValueError, match=r"store: data set cross, replicate 0, has the SHA-256 0{12}, that of .* is"):
        read_predictions(store, protocol, ["cross"])


def every_other(table):
    return table[table["row"] != table["row"].iloc[0]]


WRONG = {
    "a row that is trained on": (
        lambda table: table.assign(row=table["row"] + 10_000),
        r"replicate 0: row 1\d{4} is not in the test part, which has 36 rows",
    ),
    "a row that is missing": (every_other, r"replicate 0: 1 of the 36 test rows are missing, the first is row \d+"),
    "a row twice": (lambda table: pd.concat([table, table]), r"row \d+ has two probabilities of one class, or two "),
    "a class that is unknown": (
        lambda table: table.assign(**{"class": "x" + table["class"]}),
        "class 'x0' is not allowed, allowed are '0', '1'",
    ),
    "a class that is missing": (
        lambda table: table[table["class"] == "1"],
        r"row \d+ needs a probability from 0 to 1 of each class, '0', '1'",
    ),
    "a probability that is none": (
        lambda table: table.assign(probability=np.where(table["class"] == "1", 1.5, -0.5)),
        r"row \d+ needs a probability from 0 to 1 of each class",
    ),
    "probabilities of another sum": (
        lambda table: table.assign(probability=table["probability"] / 2),
        r"the probabilities of row \d+ sum to 0.5, must be 1",
    ),
    "a replicate that is unknown": (
        lambda table: table.assign(replicate=7),
        "replicate 7 is not allowed, .* has no such",
    ),
    "a column that is missing": (lambda table: table.drop(columns="row"), r"cross\.parquet: column 'row' is missing"),
    "text for numbers": (lambda table: table.assign(row="a"), r"cross\.parquet: Failed to parse string"),
    "a value that is missing": (lambda table: table.assign(method=None), "column 'method' has missing values"),
    "another data set": (lambda table: table.assign(dataset="odd"), "no predictions of data set 'cross'"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said(protocol, mine, what):
    change, words = WRONG[what]
    change(pd.read_parquet(mine / "cross.parquet")).to_parquet(mine / "cross.parquet")
    with pytest.raises(ValueError, match=words):
        read_predictions(mine, protocol, ["cross"])


def test_what_is_not_there_is_said(protocol, mine, tmp_path):
    (mine / "odd.parquet").unlink()
    with pytest.raises(ValueError, match=r"mine: data set 'odd' is missing; each needs a file <data set>\.parquet"):
        read_predictions(mine, protocol, ["cross", "odd"])
    with pytest.raises(ValueError, match=r"predictions: '.*nowhere' is no folder"):
        read_predictions(tmp_path / "nowhere", protocol, ["cross"])
    with pytest.raises(ValueError, match=r"report: '.*mine' has no manifest\.json and results\.csv\.xz, a report has"):
        Protocol(mine, tmp_path)
