"""What a claim is decided from: the records of one replicate, or the published tables."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from proset_study.report.analysis.losses import generated
from proset_study.report.analysis.response_curves import true_probabilities
from proset_study.store.results import Row
from proset_study.store.stored import Final, Missing, Stored
from proset_study.study.config.study import Study

KNN = ("E8", "E11")  # its experiments have one stage only
Tables = dict[tuple[str, str, str], dict[tuple[str, str], float]]  # case to (section, quantity) to value


class Evidence:
    """Numbers, searches and final models; everything raises `Missing` where there is nothing, which is so here."""

    def value(self, experiment: str, data_set: str, section: str, quantity: str, variant: str = "") -> float:
        """One number of the tables."""
        raise self._missing(experiment, data_set)

    def loss(self, experiment: str, data_set: str, size: int, variant: str = "") -> float:
        """Mean log-loss of stage 2 (KNN: of its cross-validation) at one size: batches, k, rounds."""
        curve = self.curve(experiment, data_set, variant)
        if size not in curve:
            raise Missing(f"size {size} of {_case(experiment, data_set, variant)}")
        return curve[size]

    def curve(self, experiment: str, data_set: str, variant: str = "") -> dict[int, float]:
        """`loss` at every size."""
        raise self._missing(experiment, data_set)

    def final(self, experiment: str, data_set: str, variant: str = "") -> Final:
        """The final model, its predictions and its data."""
        raise self._missing(experiment, data_set)

    def truth(self, data_set: str, X: np.ndarray) -> np.ndarray:
        """True class probabilities at points of generated data of a response curve, shape (N, K)."""
        raise self._missing("truth", data_set)

    def is_generated(self, data_set: str) -> bool:
        """Whether each replicate draws a data set anew."""
        raise self._missing("data", data_set)

    def variants(self, experiment: str, data_set: str) -> list[str]:
        """Names of the variants of an experiment."""
        raise self._missing(experiment, data_set)

    @property
    def replicates(self) -> "list[Evidence]":
        """The same for every replicate of the study."""
        raise self._missing("replicates", "")

    def _missing(self, experiment: str, data_set: str) -> Missing:
        return Missing(_case(experiment, data_set))


class StoredEvidence(Evidence):
    """The records of one replicate."""

    def __init__(self, stored: Stored, replicate: int):
        self.stored, self.replicate = stored, replicate

    @cached_property
    def _tables(self) -> Tables:
        return _tables([row for row in self.stored.rows if row.replicate == self.replicate])

    def value(self, experiment, data_set, section, quantity, variant=""):
        return _value(self._tables, experiment, data_set, section, quantity, variant)

    def curve(self, experiment, data_set, variant=""):
        stage2 = self.final(experiment, data_set, variant).stage2
        return dict(zip(stage2["settings"], stage2["mean"], strict=True))

    def final(self, experiment, data_set, variant=""):
        return self.stored.final(experiment, data_set, variant, self.replicate)

    def truth(self, data_set, X):
        return true_probabilities(self.stored.study.config, data_set, self.replicate, X)

    def is_generated(self, data_set):
        return generated(self.stored, data_set)

    def variants(self, experiment, data_set):
        runs = self.stored.study.experiments.get(experiment, [])
        if variants := [run.variant for run in runs if data_set in run.data_sets]:
            return variants
        raise self._missing(experiment, data_set)

    @cached_property
    def replicates(self):
        return [StoredEvidence(self.stored, replicate) for replicate in self.stored.replicates]


class PublishedEvidence(Evidence):
    """The published tables, rounded as they are printed: rows of published.csv, from `results.read_published`."""

    def __init__(self, rows: Iterable[Row]):
        self._tables = _tables(rows)

    def value(self, experiment, data_set, section, quantity, variant=""):
        return _value(self._tables, experiment, data_set, section, quantity, variant)

    def loss(self, experiment, data_set, size, variant=""):
        table = self._tables.get((experiment, data_set, variant), {})
        for (section, quantity), value in table.items():
            role, _, step = quantity.partition("_")
            if section != "stage1" and step in ("batches", "k", "iterations") and value == size:
                return table[section, f"{role}_log_loss"]
        raise self._missing(experiment, data_set)

    def _missing(self, experiment, data_set):
        return Missing("the published tables do not say")


class Planned(Evidence):
    """A study that has computed nothing; `wanted` says whether it has any of the experiments it was asked for."""

    def __init__(self, study: Study):
        self.study, self.wanted = study, False

    @property
    def replicates(self):
        return [self] * 10  # as many as any claim takes

    def _missing(self, experiment, data_set):
        self.wanted |= any(data_set in run.data_sets for run in self.study.experiments.get(experiment, []))
        return super()._missing(experiment, data_set)


def _tables(rows: Iterable[Row]) -> Tables:
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
