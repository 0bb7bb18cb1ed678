"""Every statement of a source is decided by a claim or shown by a test, and reports list the verdicts."""

import json
import re

import pytest
from snakemake.utils import update_config
from tests.proset_study.config_files import merged
from tests.proset_study.report.conftest import PUBLISHED
from tests.proset_study.small_study import compute, config_of
from tests.shared import ROOT

from proset_study.report.claims import CLAIMS, COLUMNS, data_sets_of
from proset_study.report.claims.statements import ledger, statements_beside
from proset_study.report.write import write_report
from proset_study.study.config.checks import load

STATEMENTS = statements_beside(PUBLISHED)


def test_every_statement_is_decided_by_a_claim_or_shown_by_a_test_that_is_there():
    assert len({row["id"] for row in STATEMENTS}) == len(STATEMENTS) == 56
    for row in STATEMENTS:
        how, what = row["decided_by"].split(" ", 1)
        assert all(row[key] for key in ("source", "place", "statement")), row
        if how == "claim":
            assert what in CLAIMS, row
            continue
        assert how == "test", row
        file, *names = what.split("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert all(re.search(rf"^ *(def|class) {name}\b", text, re.MULTILINE) for name in names), row
        assert names, row
        assert not row["study"], row
    decided = {row["decided_by"].removeprefix("claim ") for row in STATEMENTS}
    assert {i for i in CLAIMS if i[0] in "FPQCB"} <= decided


@pytest.mark.parametrize("file", sorted({file for row in STATEMENTS for file in row["study"].split()}))
def test_statements_name_the_study_that_decides_them(file):
    """And it has no other claims: so no report shows claims about what it does not have."""
    study = load(merged(*([file] if file != "config.yaml" else [])))
    own = {i for i in CLAIMS if data_sets_of(i, study)}
    named = {row["decided_by"].removeprefix("claim ") for row in STATEMENTS if file in row["study"].split()}
    published = {i for i in CLAIMS if i[0] in "SADMN"} if file == "config.yaml" else set()
    assert own == named | published


def test_claims_belong_to_a_study_that_has_what_they_ask_for():
    demo = load(merged("workflow/demo.yaml"))
    assert data_sets_of("S15", demo) == ["iris_2f", "wine", "cancer"]  # E3; E5 is not there
    assert data_sets_of("S2", demo) == []
    config = merged()
    own = {"data_sets": {"flowers": {"sklearn": "iris"}}, "experiments": {"E8": {"data_sets": ["flowers"]}}}
    update_config(config, own | {"only": {"E8": ["flowers"]}, "evaluations": {}})
    study = load(config)
    assert not any(data_sets_of(i, study) for i in CLAIMS)


def test_the_ledger_has_all_statements_or_those_of_its_study():
    row = dict.fromkeys(COLUMNS, "") | {"first": "holds", "verdict": "holds"}
    claims = [row | {"id": "S14", "claim": "it works"}, row | {"id": "B3", "claim": "forests win", "dataset": "wine"}]
    own = ledger(claims, STATEMENTS, whole=False)
    assert [(r["id"], r["source"], r["place"]) for r in own] == [
        ("S14", "published case study", ""),
        ("Q6", "Nõmm, lecture (2025)", "random forests"),
        ("B3", "FASE ML Bootcamp, Model Engineering", "random forest"),
    ]
    assert own[1]["claim"] == next(r["statement"] for r in STATEMENTS if r["id"] == "Q6")
    assert own[1]["dataset"] == "wine"
    whole = ledger(claims, STATEMENTS, whole=True)
    assert {r["id"] for r in whole} == {"S14", *(r["id"] for r in STATEMENTS)}
    found = {r["id"]: (r["verdict"], r["evidence"]) for r in whole}
    assert found["Q4"] == ("in another report", "workflow/error_estimates.yaml")
    assert found["C11"] == ("shown by test", "tests/proset/test_examples.py::TestDecisionTree::test_worked_example")


def test_the_page_of_a_study_of_published_experiments_has_all_statements(tmp_path):
    """One of other data has none: tests/proset_study/report/analysis/test_response_curves.py."""
    neighbours = {"method": "knn", "stage2": {"complexity": 3}, "data_sets": ["wine"]}
    config = config_of("tiny", {"wine": {"sklearn": "wine"}}, {"E8": neighbours})
    write_report(compute(config, tmp_path), tmp_path / "report", PUBLISHED, ["manifest", "models", "overview"])
    page = (tmp_path / "report/index.html").read_text(encoding="utf-8")
    section = page[page.index('<details id="evidence">') :]
    listed = json.loads(re.search(r'<script type="application/json">(.*?)</script>', section)[1])
    rows = [dict(zip(listed["headings"], row, strict=True)) for row in listed["rows"]]
    by_id = {row["id"]: row for row in rows}
    assert {row["id"] for row in STATEMENTS} <= set(by_id)
    assert by_id["Q2"]["verdict"] == "shown by test"
    assert (by_id["Q2"]["source"], by_id["Q2"]["place"]) == ("Nõmm, lecture (2025)", "bias and variance")
    assert by_id["P6"]["evidence"] == "workflow/suites/set_cover.yaml"
    assert by_id["M48"] | {"source": "published case study", "data set": "wine"} == by_id["M48"]
    assert listed["filters"].keys() == {"source", "data set", "verdict"}
    assert section.count('<option value="">') == 3  # "all", and no other empty choice
    assert "in another report</option>" in section
