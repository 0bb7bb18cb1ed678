import numpy as np
import pytest

from proset_study import methods
from proset_study.report.analysis.costs import costs, operations, seconds_of
from proset_study.study.subject import SEED, make_fold_data


def test_costs_are_those_of_the_final_fits(stored):
    rows = {(row.experiment, row.dataset): row for row in costs(stored)}
    assert len(rows) == len(stored.all_finals())
    final = stored.final("E8", "cross")
    row, used = rows["E8", "cross"], final.fit["resources"]
    assert row.fit_cpu_s + row.score_cpu_s == seconds_of(final.fit)
    assert row.matrix_products * used["matrix_product_ms"] == pytest.approx(1000 * seconds_of(final.fit))
    assert row.kernel_entries == final.fit["n_fit"] * final.fit["n_scored"]
    assert row.multiply_adds == 3 * row.kernel_entries
    assert rows["E9", "cross"].kernel_entries is None  # trees have none


def record_of(name, parameters, complexity):
    data = make_fold_data(2)
    fitted = methods.get(name)(data).fit(parameters, complexity, SEED)
    sizes = {"n_fit": len(data.y), "n_scored": len(data.y_score), "n_features": 3}
    return fitted, {"method": name, "summary": fitted.summary(), **sizes}


def test_kernel_entries_of_proset_are_evaluations_by_candidates_by_references():
    penalties = {"lambda_v": 1e-3, "lambda_w": 1e-8}
    fitted, record = record_of("proset", penalties, 2)
    n, expected = record["n_fit"], 0
    for batch in fitted.model.batches:
        candidates = len(batch.candidate_index)
        expected += batch.n_evaluations * candidates * (n - candidates) + len(batch.labels) * record["n_scored"]
    entries, adds = operations(record)
    assert entries == pytest.approx(expected, rel=0.02)  # draws differ in size by a few candidates
    assert entries * 4 <= adds <= entries * 8
    fitted, record = record_of("proset_leave_one_out", penalties, 1)
    (batch,) = fitted.model.batches
    assert operations(record)[0] == batch.n_evaluations * n * n + len(batch.labels) * record["n_scored"]
    fitted, record = record_of("proset_averaged", penalties, 1)
    single = [{**record, "method": "proset", "summary": model.summary()} for model in fitted.models]
    assert operations(record) == tuple(np.sum([operations(r) for r in single], axis=0))


def test_a_machine_of_the_svm_sees_every_pair_once():
    _, record = record_of("svm", {"C": 1.0, "gamma": 1.0}, 1)
    n, support = record["n_fit"], record["summary"]["support_vectors"]
    calibration = 3 * (2 * n / 3) ** 2
    assert operations(record)[0] == pytest.approx(n**2 + calibration + support * (n + record["n_scored"]), abs=1)
