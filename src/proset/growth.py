"""How far a fit has come, for one that goes on with more batches."""

import hashlib
from dataclasses import dataclass

import numpy as np

from proset.model import Stage


@dataclass
class Growth:
    """What a fit needs to go on.

    Attributes
    ----------
    state : RandomState
        From which the seed was drawn.
    seed : SeedSequence
    key : str
        Digest of the data; empty if it will not go on.
    n_batches : int
    verbose : int
        Whether to print a line for a new batch.
    stage : tuple, optional
        Of `proset.model`; None before the first batch.
    """

    state: np.random.RandomState
    seed: np.random.SeedSequence
    key: str
    n_batches: int
    verbose: int
    stage: Stage | None = None

    def added(self, stage: Stage) -> None:
        """A batch has been added."""
        self.stage = stage
        if self.verbose:
            batches = stage[0].batches
            last = batches[-1]
            print(
                f"batch {len(batches)} of {self.n_batches}: objective {last.objective:.6g} after {last.n_iter} "
                f"iterations, {len(last.labels)} prototypes, {len(last.active_features)} features",
                flush=True,
            )


def digest(*arrays: np.ndarray) -> str:
    """SHA-256 of the bytes of arrays."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(array.tobytes())
    return found.hexdigest()
