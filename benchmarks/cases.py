"""The problems that are timed: the first training fold of five data sets, at two settings of the penalties."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from proset import arithmetic, library, model
from proset.candidates import draw_candidates
from proset.model import Model
from proset.objective import Objective, Penalty
from proset.solver import MAX_ITER, TOL
from proset_study.base.seeds import generator, integer_seed, seed_sequence
from proset_study.data.sources import make
from proset_study.data.splits import TEST, FoldData, select_fold
from proset_study.data.splitting import split

SEED = 20210
DATA = {
    "checker": {"generator": "checker"},
    "xor_6f": {"generator": "xor", "features": 6},
    "xor_6_6f": {"generator": "xor", "features": 6, "irrelevant": 6},
    "digits": {"sklearn": "digits"},
    "cancer": {"sklearn": "breast_cancer"},
}
SMALL = {"iris_2f": {"sklearn": "iris", "features": [0, 1]}, "wine": {"sklearn": "wine"}}
PENALTIES = {  # (lambda_v, lambda_w): the published selection of E3 (of E10 for xor_6_6f), and the defaults
    "selected": {
        "checker": (5.6e-5, 1.7e-8),
        "xor_6f": (8.2e-3, 1.4e-7),
        "xor_6_6f": (8.1e-4, 9.3e-7),
        "digits": (7.3e-3, 8.6e-9),
        "cancer": (2.9e-2, 7.1e-5),
    },
    "default": dict.fromkeys(DATA, (1e-3, 1e-8)),
}


@dataclass(frozen=True)
class Case:
    """One data set and one setting of the penalties."""

    data_set: str
    setting: str

    @property
    def penalty(self) -> Penalty:
        """With the l2 share of E3."""
        lambda_v, lambda_w = PENALTIES[self.setting][self.data_set]
        return Penalty(lambda_v, lambda_w, 0.95, 0.95)


def all_cases(data_sets: list[str] | None = None) -> list[Case]:
    """Every data set with every setting, or only some data sets."""
    return [Case(d, s) for d in data_sets or DATA for s in PENALTIES]


def first_fold(data_set: str) -> FoldData:
    """Four folds to fit, scaled by their own statistics, and the first to score, as in the study's replicate 0."""
    return _part(data_set, 0)


def training_part(data_set: str) -> FoldData:
    """The whole training part, as final models of the study get it."""
    return _part(data_set, TEST)


def _part(data_set, held_out):
    data = make((DATA | SMALL)[data_set], SEED, data_set, 0)
    folds = split(data.y, 5, 0.3, integer_seed(SEED, "split", data_set, 0))
    return select_fold(data, folds, held_out, scaled=True)


def fit(fold: FoldData, penalty: Penalty, seed: int, n_threads: int = 1) -> Model:
    """Our fit of one batch, with the settings of the study."""
    return model.fit(
        fold.X,
        fold.y,
        fold.n_classes,
        n_batches=1,
        n_candidates=1000,
        max_fraction=0.5,
        penalty=penalty,
        max_iter=MAX_ITER,
        tol=TOL,
        seed=seed_sequence(SEED, "benchmark", seed),
        n_threads=n_threads,
    )


def levels() -> list[str]:
    """Levels of instructions that this machine has, the best one first; the portable one only where it is alone."""
    found = [name for name in ("avx512", "avx2") if library.library().proset_use_level(name.encode())]
    library.library().proset_use_level(None)
    return found or [arithmetic.level()]


@contextmanager
def at(level: str) -> Iterator[None]:
    """Let the library use the instructions of a level."""
    library.library().proset_use_level(level.encode())
    try:
        yield
    finally:
        library.library().proset_use_level(None)


def first_batch(fold: FoldData, penalty: Penalty, seed: int) -> Objective:
    """Objective of the first batch with candidates drawn from a seed."""
    prior = np.bincount(fold.y) / len(fold.y)
    q = np.tile(prior, (len(fold.y), 1))
    candidates = draw_candidates(q, fold.y, 1000, 0.5, generator(SEED, "benchmark", seed))
    weight = np.ones(len(fold.y))
    return model.batch_objective(fold.X, fold.y, weight, q, candidates, np.zeros(fold.X.shape[1]), penalty)[0]
