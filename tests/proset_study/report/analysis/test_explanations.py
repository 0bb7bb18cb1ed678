"""A report on tables with categories and gaps, which some methods take as they are and others do not."""

from html import escape
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.proset_study.report.conftest import write_bare_page
from tests.proset_study.small_study import check_findings, compute
from tests.proset_study.small_study import config_of as study_config

from proset_study.base.records import read_json
from proset_study.report.analysis.explanations import _point, explained_points
from proset_study.report.analysis.response_curves import response_curves, response_section
from proset_study.report.pages.front_page import write_explore
from proset_study.report.write import write_page_of
from proset_study.store.stored import Stored
from proset_study.store.trained import load_trained
from proset_study.study.config.checks import ConfigError, load
from proset_study.study.failures import LOCAL

COLOURS = ["01", "red & <b>", None]
MIXED = {"generator": "mixed", "test_samples": 150, "impute": "median"}
AS_IT_IS = "The {} are used as they are by proset (few prototypes) and histogram boosting"


def config_of(folder) -> dict:
    rng = np.random.default_rng(4)
    colour, size = rng.integers(0, 3, 160), rng.normal(size=160)
    table = pd.DataFrame({"size": size.round(3), "colour": np.array(COLOURS, dtype=object)[colour]})
    table["kind"] = np.where((size > 0) ^ (colour == 0), "<i>", "no")
    table.loc[rng.random(160) < 0.15, "size"] = np.nan
    table.to_csv(folder / "own.csv", index=False)
    own = {"file": str(folder / "own.csv"), "target": "kind", "categorical": ["colour"]}
    trees = {"max_leaf_nodes": 4, "learning_rate": 0.3, "min_samples_leaf": 3}
    every = ["imputed", "complete", "lacking"]
    imputed, lacking = {**own, "impute": "median"}, {**MIXED, "missing_by_value": 0.3}
    data_sets = {"gaps": own, "imputed": imputed, "complete": MIXED, "lacking": lacking}
    penalties = {"lambda_v": 1e-3, "lambda_w": 1e-6}
    experiments = {
        "few": {"method": "proset_few", "stage2": {"complexity": 9}},
        "boosting": {"method": "hist_gradient_boosting", "parameters": trees, "stage2": {"complexity": 5}},
        "proset": {"method": "proset", "data_sets": every, "parameters": penalties, "stage2": {"complexity": 2}},
        "neighbours": {"method": "knn", "data_sets": every, "stage2": {"complexity": 5}},
    }
    return study_config("mixed", data_sets, experiments, seed=2, replicates=[0])


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Stored:
    folder = tmp_path_factory.mktemp("mixed")
    return compute(config_of(folder), folder)


def test_values_are_those_of_the_table(stored):
    final = stored.final("few", "gaps")
    table = pd.read_csv(stored.study.config["data_sets"]["gaps"]["file"], dtype={"colour": str})
    assert final.feature_names.tolist() == ["size", "colour"]
    for i in range(0, 40, 4):
        row = int(final.part.rows_score[i])
        point = _point(final, "", i, row)
        shown = dict(zip(point["features"], point["position"], strict=True))
        expected = table.loc[row]
        if "colour" in shown:
            assert shown["colour"] == ("(missing)" if pd.isna(expected["colour"]) else expected["colour"])
        if "size" in shown:
            assert shown["size"] == ("(missing)" if np.isnan(expected["size"]) else f"{expected['size']:.3g}")
        assert not point["filled_in"].any()
        assert sum(term["share"] for term in point["terms"]) <= 1 + 1e-9
    assert len(explained_points(stored, "gaps")) == 3


def test_a_trained_model_explains_by_categories(stored):
    final = stored.final("few", "gaps")
    table = pd.read_csv(stored.study.config["data_sets"]["gaps"]["file"], dtype={"colour": str})
    trained = load_trained(final.folder)
    rows = table.iloc[final.part.rows_score[:5]]
    np.testing.assert_allclose(trained.predict_proba(rows).to_numpy(), final.probabilities[:5], rtol=1e-6)
    found = trained.explain(rows)
    prototypes = found[found["batch"] > 0]
    fitted = table.iloc[prototypes["row"]]
    assert prototypes["value of colour"].tolist() == fitted["colour"].fillna("(missing)").tolist()
    np.testing.assert_allclose(prototypes["value of size"].astype(float), fitted["size"], rtol=1e-9)
    assert (fitted["kind"].to_numpy() == prototypes["class"]).all()
    other = trained.explain(rows.assign(colour="blue"))
    assert set(other.loc[other["term"] == "sample", "value of colour"]) == {"(not in the fitted rows)"}


def test_the_report_says_which_methods_saw_the_table_as_it_is(stored, tmp_path):
    for data_set in ("gaps", "imputed"):
        write_page_of(data_set, stored, tmp_path / "report", LOCAL, [data_set])
    for data_set in ("complete", "lacking"):
        write_bare_page(stored, tmp_path / "report", data_set)
    write_explore(tmp_path / "report/explore.html", stored)
    pages = {d: (tmp_path / f"report/data_sets/{d}.html").read_text(encoding="utf-8") for d in stored.study.data_sets}
    both, one_hot = AS_IT_IS.format("categories and missing values"), "a feature of 0 and 1 for each category"
    assert f"{both}." in pages["gaps"]
    for name in ("imputed", "lacking"):
        assert f"{both}; proset and KNN use {one_hot} and imputed missing values." in pages[name]
    assert f"{AS_IT_IS.format('categories')}; proset and KNN use {one_hot}." in pages["complete"]
    for point in explained_points(stored, "gaps"):
        assert all(f"<td>{escape(value)}</td>" in pages["gaps"] for value in point["position"])
    figures = {d: read_json(tmp_path / f"report/figures/{d}/figures.json")["figures"] for d in ("gaps", "imputed")}
    names = {data_set: {figure["name"] for figure in found} for data_set, found in figures.items()}
    assert {"imputed_feature_weights", "imputed_column_weights"} <= names["imputed"]
    assert "gaps_column_weights" in names["gaps"]
    assert "gaps_feature_weights" not in names["gaps"]
    for found in figures.values():
        check_findings([SimpleNamespace(**figure) for figure in found])


def test_curves_of_mixed_tables(stored):
    error, loss = response_curves(stored)
    assert error.points == {"mixed tables missing_by_value": {0.0: "complete", 0.3: "lacking"}}
    assert loss.methods == ["proset_few", "hist_gradient_boosting", "proset", "knn"]
    rows = response_section([error], "proset")[0]["rows"]
    assert {row[0] for row in rows} == {"missing by value (mixed tables)"}
    complete, lacking = (float(row[2]) for row in rows)
    assert complete == 0
    assert 0.1 < lacking < 0.35


def test_a_method_that_needs_numbers_is_refused_before_anything_is_computed(tmp_path):
    config = config_of(tmp_path)
    assert load(config).data_settings("gaps")["gaps"] is True
    assert "gaps" not in load(config).data_settings("imputed")
    config["experiments"]["neighbours"]["data_sets"] = ["gaps"]
    assert load(config).needing_numbers("gaps") == ["neighbours"]
    assert "gaps" not in load(config).data_settings("gaps")  # so that the job which reads the table refuses it
    del config["data_sets"]["lacking"]["impute"]
    with pytest.raises(ConfigError, match="'lacking' is not allowed, it has missing values and proset needs numbers"):
        load(config)
    config["experiments"]["proset"]["data_sets"] = ["imputed"]
    assert load(config).data_sets == ["gaps", "imputed", "complete", "lacking"]
