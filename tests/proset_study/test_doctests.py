"""Every example in a docstring of these modules runs and gives what stands there."""

import doctest
from importlib import import_module

import pytest

MODULES = {  # number of statements in examples
    "data.dataset": 2,
    "data.encoding": 9,
    "data.generated_mixed": 2,
    "data.generators": 2,
    "data.sizes": 2,
    "data.sources": 1,
    "data.splitting": 2,
    "data.distances": 4,
    "data.metrics": 1,
    "dissimilarities.blocks": 3,
    "dissimilarities.mismatch": 2,
    "dissimilarities.tangent": 5,
    "evaluations.decomposition": 2,
    "evaluations.error_estimates": 3,
    "evaluations.population": 1,
    "fingerprints": 1,
    "methods.convex_sets": 2,
    "methods.svm": 1,
    "methods.set_covering_machine": 6,
    "records": 2,
    "report.figures.words": 6,
    "report.response_curves": 4,
    "scores": 5,
    "seeds": 2,
}


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    assert doctest.testmod(import_module(f"proset_study.{module}")) == (0, MODULES[module])
