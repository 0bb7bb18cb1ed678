"""What keeps fits and workers fast, without clocks: evaluations, objectives reached, memory, imports."""

import sys
import tracemalloc

import pytest
from benchmarks.cases import Case, first_batch, first_fold
from benchmarks.fits import in_float64, published_path
from tests.build import run

from proset.solver import MAX_ITER, TOL


@pytest.mark.parametrize(
    ("data_set", "setting", "evaluations"),
    [("cancer", "selected", 110), ("cancer", "default", 150), ("digits", "selected", 140)],
)
def test_few_evaluations_reach_an_objective_no_worse_than_the_published_path(data_set, setting, evaluations):
    objective = first_batch(first_fold(data_set), Case(data_set, setting).penalty, seed=0)
    ours = objective.minimum(MAX_ITER, TOL)
    theirs = published_path(objective)
    assert ours.converged
    assert ours.n_evaluations <= evaluations
    assert in_float64(objective, ours.x) <= in_float64(objective, theirs.x) + 1e-4
    features = [int((objective.unpack(x)[0] > 0).sum()) for x in (ours.x, theirs.x)]
    assert abs(features[0] - features[1]) <= 1


def test_an_evaluation_allocates_little_besides_its_results():
    objective = first_batch(first_fold("xor_6f"), Case("xor_6f", "default").penalty, seed=0)
    objective(objective.start())
    tracemalloc.start()
    objective(objective.start())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5e6  # kernel values alone would be 10 MB in float32


HEAVY = {"scipy", "sklearn", "pandas", "xgboost", "matplotlib", "numba", "jsonschema", "yaml"}


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import proset_study.__main__, proset_study.study.steps, proset_study.methods.proset", set()),
        ("import proset_study.__main__, proset_study.store.results", set()),
        ("import proset, proset.cover", set()),
        ("from proset_study.base.environment import import_xgboost_alone as i; i()", {"scipy", "xgboost"}),
    ],
)
def test_workers_import_only_what_they_need(code, allowed):
    imported = run(sys.executable, "-c", f"{code}; import sys; print(*sys.modules)").split()
    assert {name.split(".")[0] for name in imported} & HEAVY == allowed
