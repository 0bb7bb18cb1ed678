"""What pandas and polars read of a store is what was predicted; stores of machines become one, or are refused."""

import json
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.shared import code_blocks

from proset_study.base.records import read_json
from proset_study.release.predictions import MODEL, SCHEMA, VERSION, merge_stores, read_index, write_store
from proset_study.report.analysis.manifest import manifest
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config.study import Study

INDEX = Path(layout.STORE_INDEX).name
PAGE = "docs/predictions.md"


@pytest.fixture(scope="module")
def store(whole, tmp_path_factory):
    return written(tmp_path_factory.mktemp("store") / "all", whole)


def written(folder, stored, commit="0123456789ab", **changes):
    """The store of a study, or of a part of it: the config with `changes`."""
    write_store(folder, Stored(stored.folder, Study.of({**stored.study.config, **changes})), commit)
    return folder


def contents(store):
    return {path.name: path.read_bytes() for path in store.iterdir()}


@pytest.fixture
def halves(whole, tmp_path):
    """One machine has run E3 to E5, the other E4, E8 and E9, the former without one data set."""
    only, experiments = whole.study.config["only"], whole.study.config["experiments"]
    first = {name: [d for d in only[name] if d != "odd"] for name in ("E3", "E4", "E5")}
    second = {name: only[name] if name != "E3" else ["odd"] for name in experiments}
    return [
        written(tmp_path / str(i), whole, only=only) for i, only in enumerate((first | {"E8": [], "E9": []}, second))
    ]


@pytest.fixture
def changed(store, tmp_path):
    """A copy to spoil."""
    return shutil.copytree(store, tmp_path / "changed")


def table(change, schema=SCHEMA):
    """Change the table of a data set, and its checksum with it."""

    def rewrite(store):
        path = store / "cross.parquet"
        columns = pa.Table.from_pandas(change(pq.read_table(path).to_pandas()), SCHEMA, preserve_index=False).columns
        pq.write_table(pa.table(columns, schema), path)
        files = {**read_json(store / INDEX)["files"], path.name: sha256(path.read_bytes()).hexdigest()}
        index(files=files)(store)

    return rewrite


def index(**changes):
    """Change keys of the index."""

    def rewrite(store):
        (store / INDEX).write_text(json.dumps({**read_json(store / INDEX), **changes}) + "\n", encoding="utf-8")

    return rewrite


def test_every_prediction_comes_back_to_the_bit_with_its_row_and_origin(whole, store):
    final = whole.final("E3", "odd")
    table = pq.read_table(store / "odd.parquet").to_pandas().query("experiment == 'E3' and fit_seed == 2")
    assert np.array_equal(table["probability"], final.probabilities_of_fits[2].ravel())
    assert np.array_equal(table["row"].unique(), np.flatnonzero(final.folds == -1))
    assert table["label"].iloc[::2].tolist() == final.data.class_names[final.y].tolist()
    assert np.array_equal(table["weight"].iloc[::2], final.weight)
    assert set(table["arithmetic"]) == {final.fit["arithmetic"]}
    assert set(table["commit"]) == {"0123456789ab"}
    data = read_index(store)["data"]
    known = manifest(whole)["data_sha256"]
    assert {f"replicate_{r}/{d}/data.npz": digest for d in data for r, digest in data[d].items()} == known


@pytest.fixture
def known(whole):
    """Log-loss of the results."""
    rows = [row for row in whole.rows if (row.section, row.quantity, row.fit_seed) == ("final", "log_loss", 0)]
    return {(row.dataset, row.experiment, row.variant): row.value for row in rows}


def test_what_the_page_says_of_pandas_and_polars_gives_the_log_loss_of_the_results(known, store, tmp_path, monkeypatch):
    (tmp_path / "reports/study").mkdir(parents=True)
    (tmp_path / "reports/study/predictions").symlink_to(store)
    monkeypatch.chdir(tmp_path)
    in_pandas, in_polars, wide = map(run_block, code_blocks(PAGE, "python"))
    assert in_pandas["log_loss"].to_dict() == pytest.approx(known, rel=1e-11)
    assert {row[:3]: row[3] for row in in_polars["log_loss"].rows()} == pytest.approx(known, rel=1e-11)
    assert np.allclose(wide["wide"].sum(axis=1), 1, atol=1e-6)


def test_what_it_says_of_r_does_so_too(known, store, tmp_path):
    rscript = shutil.which("Rscript")
    if not rscript or subprocess.run([rscript, "-e", "library(nanoparquet)"], capture_output=True).returncode:
        pytest.skip("needs R with its package nanoparquet")
    (code,) = code_blocks(PAGE, "r")
    shutil.copytree(store, tmp_path / "reports/study/predictions")
    (tmp_path / "page.R").write_text(f"{code}\nwrite.csv(sums, 'sums.csv')\n", encoding="utf-8")
    subprocess.run([rscript, "page.R"], cwd=tmp_path, check=True, timeout=300)
    sums = pd.read_csv(tmp_path / "sums.csv", keep_default_na=False)
    found = {(row.dataset, row.experiment, row.variant): row.loss / row.weight for row in sums.itertuples()}
    assert found == pytest.approx(known, rel=1e-11)


def run_block(code):
    exec(code, names := {})
    return names


def test_the_same_predictions_give_the_same_bytes(whole, store, tmp_path):
    order = whole.study.config["experiments"]
    again = written(tmp_path / "again", whole, experiments={name: order[name] for name in reversed(order)})
    assert contents(again) == contents(store)


def test_parts_of_several_machines_are_the_whole_to_the_byte_in_any_order(halves, store, tmp_path):
    assert set(contents(halves[0])) < set(contents(store))
    said = merge_stores(halves, tmp_path / "merged")
    assert contents(tmp_path / "merged") == contents(store)
    n_fits = pd.read_parquet(store)[list(MODEL)].drop_duplicates().shape[0]
    assert said == f"{tmp_path / 'merged'}: {n_fits} fits on 3 data sets, from 2 stores"
    merge_stores([halves[1], halves[0], store], tmp_path / "again")
    assert contents(tmp_path / "again") == contents(store)
    assert {path.name for path in tmp_path.iterdir()} == {"0", "1", "merged", "again"}


def test_the_same_prediction_of_another_commit_is_no_conflict_and_keeps_the_first(whole, store, tmp_path):
    other = written(tmp_path / "other", whole, "other", only={**whole.study.config["only"], "E3": [], "E4": []})
    merge_stores([store, other], tmp_path / "merged")
    assert contents(tmp_path / "merged") == contents(store)
    merge_stores([other, store], tmp_path / "again")
    assert read_index(tmp_path / "again")["commits"] == ["0123456789ab", "other"]


def damage_file(store):
    path = store / "cross.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"?")


def change_data(store):
    index(data={**read_json(store / INDEX)["data"], "cross": {"0": "0" * 64}})(store)


def lose_a_digit(table):
    first = table.index[table["experiment"] == "E8"][0]
    table.loc[first, "probability"] += 1e-7
    return table


def shift_rows(table):
    table["row"] += 1
    return table.query("experiment == 'E8'")


REFUSED = {
    "another file": (damage_file, r"cross\.parquet is not the file that was written, its checksum is wrong"),
    "a missing file": (lambda store: (store / "odd.parquet").unlink(), r"odd\.parquet is missing"),
    "a file too many": (lambda store: (store / "a.parquet").touch(), "a.parquet does not belong"),
    "no index": (lambda store: (store / INDEX).unlink(), "must be a store of predictions with _index.json"),
    "another version": (index(version=VERSION + 1), "version 2 of the store is not allowed, must be 1"),
    "an index without data": (index(data=None), "data is missing or of the wrong kind"),
    "checksums that are text": (index(data={"cross": "0"}), "data of cross is '0', must have a checksum for each"),
    "other replicates": (
        table(lambda rows: rows.assign(replicate=1)),
        "its data sets and replicates are not those of the index",
    ),
    "a path as a name": (index(data={"../odd": {}}), "its files are not those of its data sets"),
    "other settings": (index(experiments={"E8": "0"}), "experiment E8 has settings that differ from"),
    "other data": (change_data, "data set cross, replicate 0, has data that differ from those in"),
    "other predictions": (
        table(lose_a_digit),
        "changed: E8 on cross, replicate 0, fit seed 0 has other predictions than in",
    ),
    "other test rows": (
        table(shift_rows),
        "changed: E8 on cross, replicate 0, fit seed 0 has other test rows than E3 on cross",
    ),
    "a number that is none": (table(lambda rows: rows.assign(probability=np.inf)), "a probability is not finite"),
    "rows in another order": (
        table(lambda rows: rows.sort_values("row", kind="stable")),
        "the rows of a fit are not together",
    ),
    "other columns": (table(lambda rows: rows, SCHEMA.remove_metadata()), "its columns are not those of version 1"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_damaged_or_contradicts_is_refused_by_name_and_nothing_is_written(store, changed, tmp_path, what):
    change, words = REFUSED[what]
    change(changed)
    with pytest.raises(ValueError, match=words):
        merge_stores([store, changed], tmp_path / "merged")
    assert {path.name for path in tmp_path.iterdir()} == {"changed"}


def test_a_store_that_is_there_is_not_written_over(store, changed):
    before = contents(changed)
    with pytest.raises(ValueError, match="changed exists, must be a new folder"):
        merge_stores([store], changed)
    assert contents(changed) == before
