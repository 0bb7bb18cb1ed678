"""A ranking of methods on the same data sets, each with how its numbers have been checked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proset_study.report.analysis import statistics

VERIFIED, RECOMPUTED, CLAIMED = "verified by refits", "recomputed from predictions", "only claimed"


@dataclass(frozen=True)
class Entry:
    """One experiment: test scores by data set, means over replicates and fit seeds, and what they rest on."""

    name: str  # of the experiment, or of the method where there is none
    method: str
    source: str  # the report, or the store that the predictions are from
    losses: dict[str, float]  # log-loss; empty if no probabilities are predicted
    errors: dict[str, float]  # balanced error
    scored: int  # fits behind the numbers
    recomputed: int  # fits whose numbers were computed from their predictions
    refitted: int = 0  # final models that were fitted again and predict the same

    @property
    def status(self) -> str:
        """How the numbers were checked; the strongest that holds for all of them."""
        if self.recomputed < self.scored:
            return CLAIMED
        return VERIFIED if self.refitted else RECOMPUTED

    def is_ranked(self, data_sets: Sequence[str]) -> bool:
        """Whether there is a log-loss on all of the data sets."""
        return set(data_sets) <= self.losses.keys()


def ranked(entries: Sequence[Entry], data_sets: Sequence[str]) -> list[tuple[float, Entry]]:
    """Entries with all data sets, by their mean rank in log-loss; equal ones share a rank.

    >>> a, b = (Entry(name, name, "", {"wine": loss}, {}, 1, 0) for name, loss in (("a", 0.5), ("b", 0.25)))
    >>> [(rank, entry.name) for rank, entry in ranked([a, b], ["wine"])]
    [(1.0, 'b'), (2.0, 'a')]
    """
    compared = [entry for entry in entries if entry.is_ranked(data_sets)]
    losses = np.array([[entry.losses[data_set] for entry in compared] for data_set in data_sets])
    means = statistics.rank(np.round(losses, statistics.STORED_DECIMALS)).mean(axis=0).tolist()
    return sorted(zip(means, compared, strict=True), key=lambda pair: (pair[0], pair[1].name))
