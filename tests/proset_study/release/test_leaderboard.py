"""A leaderboard of a report and stores: ranks by hand, the status of each entry, and what contradicts is refused."""

import shutil

import numpy as np
import pandas as pd
import pytest

from proset_study.release.leaderboard import write_leaderboard
from proset_study.report.analysis.leaderboard import CLAIMED, RECOMPUTED, VERIFIED
from proset_study.store.results import Row, read_rows, write_rows
from proset_study.study import layout


def board(report, stores, folder, n_refits=0, data_sets=()):
    """The CSV of a leaderboard, by entry; next to it is the page."""
    write_leaderboard(report, stores, folder / "board.html", data_sets, n_refits, 0, folder / "scratch")
    return pd.read_csv(folder / "board.csv").set_index("name")


@pytest.fixture
def mine(report, tmp_path):
    """A method without an experiment, which predicts the classes' proportions in the test part."""
    (tmp_path / "mine").mkdir()
    for file in (report / layout.STORE).glob("*.parquet"):
        table = pd.read_parquet(file).query("experiment == 'E8' and fit_seed == 0")
        proportion = table.drop_duplicates("row")["label"].value_counts(normalize=True)
        table = table.assign(method="mine", probability=table["class"].map(proportion))
        columns = ["dataset", "replicate", "method", "row", "class", "probability"]
        table[columns].to_parquet(tmp_path / "mine" / file.name)
    return tmp_path / "mine"


def test_a_report_alone_only_claims_and_ranks_are_those_of_its_scores(report, whole, tmp_path):
    found = board(report, [], tmp_path)
    assert set(found.index) == set(whole.study.experiments)
    assert set(found["status"]) == {CLAIMED}
    losses = pd.DataFrame(
        [
            (row.experiment, row.dataset, row.value)
            for row in read_rows(report / layout.ALL_SCORES, Row)
            if row.section == "final" and row.quantity == "log_loss"
        ]
    )
    means = losses.groupby([0, 1])[2].mean().unstack()
    for name in whole.study.data_sets:
        assert found[f"log_loss_{name}"].to_dict() == pytest.approx(means[name].to_dict(), nan_ok=True)
    ranks = means.dropna().rank().mean(axis=1).sort_values()
    assert found["mean_rank"].dropna().to_dict() == pytest.approx(ranks.to_dict())
    assert list(found["mean_rank"])[: len(ranks)] == pytest.approx(list(ranks))  # best first, the others last
    page = (tmp_path / "board.html").read_text(encoding="utf-8")
    ranked, _, others = page.partition('id="not-ranked"')
    best = ranks.index[0]
    assert ranked.index(f">{best}</th>") == min(ranked.index(f">{name}</th>") for name in means.dropna().index)
    assert ">E9</th>" in others  # which was not run on one of the data sets
    assert ">E9</th>" not in ranked


def test_what_is_recomputed_and_fitted_again_says_so(report, mine, tmp_path):
    found = board(report, [report / layout.STORE, mine], tmp_path, n_refits=1)
    assert found.loc["mine", "status"] == RECOMPUTED
    assert found.loc["E8", ["status", "refitted"]].tolist() == [VERIFIED, 1]
    assert found.loc["E3", "recomputed"] == found.loc["E3", "scored"] == 9
    assert VERIFIED in (tmp_path / "board.html").read_text(encoding="utf-8")


def test_data_sets_may_be_named(report, tmp_path):
    found = board(report, [], tmp_path, data_sets=["cross", "flowers"])
    assert [name for name in found.columns if name.startswith("log_loss")] == ["log_loss_cross", "log_loss_flowers"]
    with pytest.raises(ValueError, match="data_sets: 'wine' is not allowed, allowed are 'flowers', 'cross', 'odd'"):
        board(report, [], tmp_path, data_sets=["wine"])


def test_a_report_without_scores_has_no_board(report, tmp_path):
    shutil.copy(report / layout.MANIFEST, tmp_path)
    write_rows(tmp_path / layout.ALL_SCORES, [], Row)
    with pytest.raises(ValueError, match="no experiment has scores on flowers, cross, odd in these replicates"):
        board(tmp_path, [], tmp_path)
    assert not (tmp_path / "board.html").exists()


def loose(report, folder, change):
    """The predictions of E8 without an index, changed on one data set."""
    folder.mkdir()
    for file in (report / layout.STORE).glob("*.parquet"):
        table = pd.read_parquet(file).query("experiment == 'E8'")
        (change(table) if file.stem == "cross" else table).to_parquet(folder / file.name)
    return folder


def test_predictions_of_other_scores_than_the_report_claims_are_refused(report, tmp_path):
    def sharpen(table):
        return table.assign(probability=np.where(table["class"] == table["label"], 1.0, 0.0))

    with pytest.raises(ValueError, match=r"E8 \(knn\) on cross, .*: its predictions have a log_loss of .* claims 0\."):
        board(report, [loose(report, tmp_path / "lie", sharpen)], tmp_path)


def test_predictions_that_no_fit_repeats_are_refused(report, tmp_path):
    """The probabilities of two rows of one class change places: no score sees it, a fit does."""

    def swap(table):
        table, wide = (
            table.copy(),
            table[table["fit_seed"] == 0].pivot(index="row", columns="class", values="probability"),
        )
        labels = table.drop_duplicates("row").set_index("row")["label"]
        rows = labels.index[labels == labels.iloc[0]]
        other = next(row for row in rows if not np.array_equal(wide.loc[row], wide.loc[rows[0]]))
        turned = {rows[0]: other, other: rows[0]}
        values = [wide.loc[turned.get(row, row), name] for row, name in zip(table["row"], table["class"], strict=True)]
        return table.assign(probability=values)

    lie = loose(report, tmp_path / "lie", swap)
    assert board(report, [lie], tmp_path).loc["E8", "status"] == RECOMPUTED
    with pytest.raises(ValueError, match="lie: E8 on cross, replicate 0, fitted again, predicts differently, by up to"):
        board(report, [lie], tmp_path, n_refits=3)


def test_a_method_in_two_stores_is_refused_by_the_names_of_both(report, tmp_path):
    shutil.copytree(report / layout.STORE, tmp_path / "copy")
    with pytest.raises(ValueError, match=r"copy: E\d \(\w+\) is in .*predictions, too; merge them, or leave one out"):
        board(report, [report / layout.STORE, tmp_path / "copy"], tmp_path)
