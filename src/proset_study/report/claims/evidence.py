"""What a claim is decided from: the records of one replicate, or the published tables."""

from functools import cached_property
from typing import NoReturn, Protocol

import numpy as np

from proset_study.report.analysis.response_curves import true_probabilities
from proset_study.store.results import Row
from proset_study.store.stored import Final, Missing, Stored
from proset_study.study.config.study import Study

NOT_PUBLISHED = "the published tables do not say"
Tables = dict[tuple[str, str, str], dict[tuple[str, str], float]]  # case to (section, quantity) to value


class Evidence(Protocol):
    """Numbers, searches and final models; everything raises `Missing` where there is nothing."""

    def value(self, experiment: str, data_set: str, section: str, quantity: str, variant: str = "") -> float:
        """One number of the tables."""

    def loss(self, experiment: str, data_set: str, size: int, variant: str = "") -> float:
        """Mean log-loss of stage 2 (KNN: of its cross-validation) at one size: batches, k, rounds."""

    def curve(self, experiment: str, data_set: str, variant: str = "") -> dict[int, float]:
        """`loss` at every size."""

    def final(self, experiment: str, data_set: str, variant: str = "") -> Final:
        """The final model, its predictions and its data."""

    def truth(self, data_set: str, X: np.ndarray) -> np.ndarray:
        """True class probabilities at points of generated data of a response curve, shape (N, K)."""

    def variants(self, experiment: str, data_set: str) -> list[str]:
        """Names of the variants of an experiment."""

    @property
    def replicates(self) -> "list[Evidence]":
        """The same for every replicate of the study."""


class StoredEvidence:
    """The records of one replicate; see `Evidence`.

    Parameters
    ----------
    stored : Stored
    replicate : int
    """

    def __init__(self, stored: Stored, replicate: int):
        self.stored, self.replicate = stored, replicate

    @cached_property
    def _tables(self) -> Tables:
        return _tables([row for row in self.stored.rows if row.replicate == self.replicate])

    def value(self, experiment, data_set, section, quantity, variant=""):
        return _value(self._tables, experiment, data_set, section, quantity, variant)

    def loss(self, experiment, data_set, size, variant=""):
        curve = self.curve(experiment, data_set, variant)
        if size not in curve:
            raise Missing(f"size {size} of {_case(experiment, data_set, variant)}")
        return curve[size]

    def curve(self, experiment, data_set, variant=""):
        stage2 = self.final(experiment, data_set, variant).stage2
        return dict(zip(stage2["settings"], stage2["mean"], strict=True))

    def final(self, experiment, data_set, variant=""):
        return self.stored.final(experiment, data_set, variant, self.replicate)

    def truth(self, data_set, X):
        return true_probabilities(self.stored.study.config, data_set, self.replicate, X)

    def variants(self, experiment, data_set):
        runs = self.stored.study.experiments.get(experiment, [])
        found = [run.variant for run in runs if data_set in run.data_sets]
        if not found:
            raise Missing(_case(experiment, data_set))
        return found

    @cached_property
    def replicates(self):
        return [StoredEvidence(self.stored, replicate) for replicate in self.stored.replicates]


class PublishedEvidence:
    """The published tables, rounded as they are printed; see `Evidence`.

    Parameters
    ----------
    rows : list of Row
        Of published.csv, from `results.read_published`.
    """

    def __init__(self, rows: list[Row]):
        self._tables = _tables(rows)

    def value(self, experiment, data_set, section, quantity, variant=""):
        return _value(self._tables, experiment, data_set, section, quantity, variant)

    def loss(self, experiment, data_set, size, variant=""):
        table = self._tables.get((experiment, data_set, variant), {})
        for (section, quantity), value in table.items():
            role, _, step = quantity.partition("_")
            if section != "stage1" and step in ("batches", "k", "iterations") and value == size:
                return table[section, f"{role}_log_loss"]
        raise Missing(NOT_PUBLISHED)

    def curve(self, experiment, data_set, variant=""):
        raise Missing(NOT_PUBLISHED)

    def final(self, experiment, data_set, variant=""):
        raise Missing(NOT_PUBLISHED)

    def truth(self, data_set, X):
        raise Missing(NOT_PUBLISHED)

    def variants(self, experiment, data_set):
        raise Missing(NOT_PUBLISHED)

    @property
    def replicates(self):
        raise Missing(NOT_PUBLISHED)


class Planned:
    """A study that has computed nothing, and what it is asked for; see `Evidence`.

    Attributes
    ----------
    wanted : bool
        Whether its config has any of the experiments, on their data sets.
    """

    def __init__(self, study: Study):
        self.study, self.wanted = study, False

    def value(self, experiment, data_set, section, quantity, variant=""):
        self._missing(experiment, data_set)

    def loss(self, experiment, data_set, size, variant=""):
        self._missing(experiment, data_set)

    def curve(self, experiment, data_set, variant=""):
        self._missing(experiment, data_set)

    def final(self, experiment, data_set, variant=""):
        self._missing(experiment, data_set)

    def truth(self, data_set, X):
        raise Missing(data_set)

    def variants(self, experiment, data_set):
        self._missing(experiment, data_set)

    @property
    def replicates(self):
        return [self] * 10  # as many as any claim takes

    def _missing(self, experiment: str, data_set: str) -> NoReturn:
        self.wanted |= any(data_set in run.data_sets for run in self.study.experiments.get(experiment, []))
        raise Missing(_case(experiment, data_set))


def _tables(rows: list[Row]) -> Tables:
    tables: Tables = {}
    for row in rows:
        if row.value is not None and row.fit_seed == 0:
            tables.setdefault((row.experiment, row.dataset, row.variant), {})[row.section, row.name] = row.value
    return tables


def _value(tables, experiment, data_set, section, quantity, variant):
    case = _case(experiment, data_set, variant)
    table = tables.get((experiment, data_set, variant))
    if table is None:
        raise Missing(case)
    if (section, quantity) not in table:
        raise Missing(f"{section} {quantity} of {case}")
    return table[section, quantity]


def _case(experiment, data_set, variant=""):
    return f"{experiment} {variant}".strip() + f" on {data_set}"
