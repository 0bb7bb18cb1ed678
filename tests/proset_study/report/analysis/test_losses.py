import pytest

from proset_study.report.analysis.losses import losses_by_method, overlaps
from proset_study.store.results import Row
from proset_study.store.stored import Stored


class Given(Stored):
    """Rows of two experiments with the same method."""

    def __init__(self, stored):
        super().__init__(stored.folder, stored.study)
        self._rows = {
            e: [
                Row(0, e, "proset", d, "", section, quantity, value)
                for d, loss in losses.items()
                for section, quantity, value in (
                    ("data", "train_samples", 80),
                    ("data", "test_samples", 20),
                    ("final", "log_loss", loss),
                    ("final", "balanced_accuracy", 1 - loss),
                )
            ]
            for e, losses in (("E3", {"flowers": 0.25}), ("E4", {"flowers": 0.5, "cross": 0.5}))
        }


def test_the_first_experiment_of_a_method_counts_and_generated_data_do_not_overlap(stored):
    given = Given(stored)
    assert losses_by_method(given, ["E3", "E4"], "log-loss") == {"proset": {"flowers": {0: 0.25}, "cross": {0: 0.5}}}
    assert losses_by_method(given, ["E4", "E3"], "balanced error")["proset"]["flowers"] == {0: 0.5}
    assert overlaps(Given(stored), ["E3", "E4"]) == {"flowers": pytest.approx(0.25), "cross": 0.0}
