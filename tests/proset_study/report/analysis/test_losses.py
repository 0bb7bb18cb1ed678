import pytest
from tests.proset_study.report.analysis.test_over_data_sets import Given

from proset_study.report.analysis.losses import losses_by_method, overlaps


def test_the_first_experiment_of_a_method_counts_and_generated_data_do_not_overlap():
    given = Given({"A": {"d0": {0: 0.25}}, "B": {"d0": {0: 0.5}, "d1": {0: 0.5}}}, generators=["d1"])
    assert losses_by_method(given, ["A", "B"], "log-loss") == {"proset": {"d0": {0: 0.25}, "d1": {0: 0.5}}}
    assert losses_by_method(given, ["B", "A"], "balanced error")["proset"]["d0"] == {0: 0.25}
    assert overlaps(given, ["A", "B"]) == {"d0": pytest.approx(30 / 70), "d1": 0.0}
