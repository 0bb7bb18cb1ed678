"""What a study has stored, as the report asks for it: by replicate, experiment, data set and variant."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from proset_study import methods
from proset_study.base.records import read_json, read_json_lines
from proset_study.data.dataset import DataSet
from proset_study.data.metrics import EUCLIDEAN
from proset_study.data.splits import TEST, FoldData, read_split, select_fold
from proset_study.fits.final import FinalModel, read_model, read_predictions
from proset_study.methods.weighted import weighted
from proset_study.store.metrics import score_predictions
from proset_study.store.missing import MissingModel, find_missing_models
from proset_study.store.parquet import read_scores
from proset_study.store.results import Row, case_rows
from proset_study.study import layout
from proset_study.study.config.runs import Run
from proset_study.study.config.study import Study


class Missing(LookupError):
    """Something the study has not computed; the message says what."""


@dataclass(frozen=True)
class Final:
    """One final model, the searches that led to it, and its data."""

    root: Path  # results/<study>
    study: Study
    replicate: int
    run: Run
    data_set: str

    @property
    def folder(self) -> Path:
        """The folder of its records, results/<study>/replicate_<replicate>/<data set>/<run>."""
        return self.root / f"replicate_{self.replicate}" / self.data_set / self.run.name

    @property
    def stage1_folder(self) -> Path | None:
        """Where the records of its stage 1 are, if there is one; E4's are in E3."""
        source = self.study.stage1_run(self.run)
        return self.folder.with_name(source.name) if source else None

    @property
    def label(self) -> str:
        """Experiment and variant."""
        return f"{self.run.experiment} {self.run.variant}".strip()

    @property
    def place(self) -> tuple[int, str, str]:
        """Replicate, run and data set."""
        return self.replicate, self.run.name, self.data_set

    def forget(self) -> None:
        """Release what has been read of it."""
        for name in self.__dict__.keys() - {field.name for field in fields(self)}:
            del self.__dict__[name]

    @cached_property
    def fit(self) -> dict:
        """Record of the final fit: parameters, complexity, summary, resources."""
        return read_json(layout.file_in(self.folder, layout.FIT))

    @property
    def fits(self) -> list[dict]:
        """Records of the final fit and of its refits with other seeds."""
        return [self.fit, *({**self.fit, **refit} for refit in self.fit["refits"])]

    @cached_property
    def stage1(self) -> dict | None:
        """Selection of the parameters; see `fits.selection.select_parameters`."""
        return read_json(layout.file_in(self.folder, layout.PARAMETERS)) if "stage1" in self.run.settings else None

    @property
    def selected_parameters(self) -> dict:
        """What stage 1 selected; empty without it."""
        return self.stage1["parameters"] if self.stage1 else {}

    @property
    def parameters(self) -> dict:
        """Parameters of its fit: of the config, and what stage 1 selected."""
        return {**self.settings("stage2")["parameters"], **self.selected_parameters}

    def settings(self, stage: str) -> dict:
        """Settings of "stage1" or "stage2", which the run has."""
        return self.run.stage(stage, self.data_set)

    @cached_property
    def stage2(self) -> dict:
        """Choice of the size; keys as in `stage1`, settings are whole numbers."""
        return read_json(layout.file_in(self.folder, layout.COMPLEXITY))

    @cached_property
    def trials(self) -> list[dict]:
        """Records of stage 1, one per fold and trial; empty without a stage 1."""
        return self._records(layout.Place.trial_files)

    @cached_property
    def paths(self) -> list[dict]:
        """Records of stage 2, one per fold."""
        return self._records(layout.Place.path_files)

    def _records(self, files: Callable[[layout.Place], list[str]]) -> list[dict]:
        """The records of a search, in the `files` of a place."""
        place = layout.Place(self.study, self.replicate, self.data_set, self.run.name)
        names = [file.removeprefix(layout.result(self.study, "")) for file in files(place)]
        return [record for name in names for record in read_json_lines(self.root / name)]

    @cached_property
    def _predictions(self):
        return read_predictions(layout.file_in(self.folder, layout.PREDICTIONS), self.fit)

    @property
    def y(self) -> np.ndarray:
        """Class indices of the test part, shape (m,)."""
        return self._predictions[0]

    @property
    def weight(self) -> np.ndarray:
        """Sample weights of the test part, shape (m,)."""
        return self._predictions[1]

    @property
    def probabilities(self) -> np.ndarray:
        """Predicted class probabilities of the test part, shape (m, K)."""
        return self.probabilities_of_fits[0]

    @property
    def probabilities_of_fits(self) -> np.ndarray:
        """The same of all fit seeds, shape (fits, m, K); the first is that of the model which is kept."""
        return self._predictions[2]

    @property
    def true_class_probability(self) -> np.ndarray:
        """Predicted probability of the class that each test sample has, shape (m,)."""
        return self.probabilities[np.arange(len(self.y)), self.y]

    @property
    def familiarity(self) -> np.ndarray:
        """Prototype weight near each test sample, shape (m,); of models with weighted prototypes."""
        return weighted(self.model.fitted).familiarity(self.model.scaled(self.X_test))

    @cached_property
    def scores(self) -> dict[str, float]:
        """The scores of the test part, by the quantities of `metrics.SCORES`."""
        return score_predictions(self.probabilities, self.y, self.weight, methods.get(self.run.method).quantities)

    @cached_property
    def model(self) -> FinalModel:
        """The model; it takes features in the units of the data set."""
        return read_model(layout.file_in(self.folder, layout.MODEL))

    def evaluation(self, kind: str) -> dict | None:
        """Record of one kind of evaluation, if there is one; one of `evaluations.KINDS`."""
        path = self.folder / f"{kind}.json"
        return read_json(path) if path.exists() else None

    @property
    def feature_names(self) -> np.ndarray:
        """Names of the features of the model, shape (E,); of categories "column=category", or "column" as a whole."""
        encoder = self.model.encoder
        return self.data.feature_names if encoder is None else encoder.feature_names

    @cached_property
    def data(self) -> DataSet:
        """The whole data set, with the metric of the run."""
        return DataSet.load(layout.file_in(self.folder.parent, layout.DATA), self.metric)

    @cached_property
    def folds(self) -> np.ndarray:
        """Fold of each row, `TEST` for the test part, shape (N,)."""
        return read_split(layout.file_in(self.folder.parent, layout.SPLIT), len(self.data.y))

    @cached_property
    def part(self) -> FoldData:
        """What the model was fitted to and scored on, as it was."""
        method = methods.get(self.run.method)
        return select_fold(self.data, self.folds, TEST, method.scaled, method.takes_mixed)

    @property
    def metric(self) -> str:
        """Metric by which samples were compared; "euclidean" where there is nothing else."""
        return str(self.fit.get("metric", EUCLIDEAN))

    @property
    def X_test(self) -> np.ndarray:
        """Features of the test part in the units of the data set, shape (m, D)."""
        return self.data.X[self.folds == TEST]

    @property
    def X_train(self) -> np.ndarray:
        """Features of the training part in the units of the data set."""
        return self.data.X[self.folds != TEST]


class Stored:
    """The records of one study in results/<study>; of all replicates, or of `searched`, also those of the searches."""

    findings: Path | None = None  # the folder of a finished report from which tests over data sets are read, if any
    kind: type[Final] = Final

    def __init__(self, folder: Path, study: Study, searched: Collection[int] | None = None):
        self.folder, self.study = folder, study
        self.searched = study.replicates if searched is None else searched
        self.missing_models: list[MissingModel] = []  # of a partial report
        self._rows: dict[str, tuple[list[Row], dict[tuple[str, str], list[Row]]]] = {}

    @classmethod
    def of(cls, study: Study) -> Self:
        """The records where the workflow of a study leaves them, below the current folder."""
        return cls(Path(layout.result(study, "")), study)

    @property
    def replicates(self) -> list[int]:
        """Their numbers; figures show the first one."""
        return self.study.replicates

    @cached_property
    def _finals(self) -> dict[tuple[int, str | None], list[Final]]:
        """Final models that have been computed, by replicate, and by replicate and data set.

        They are looked for once: of very many, files are asked for again and again else.
        """
        finals: dict[tuple[int, str | None], list[Final]] = {}
        for names in self.study.final_models(self.replicates):
            final = self.kind(self.folder, self.study, *names)
            if layout.file_in(final.folder, layout.FIT).exists():
                for data_set in (None, final.data_set):
                    finals.setdefault((final.replicate, data_set), []).append(final)
        return finals

    def finals(self, replicate: int | None = None, data_set: str | None = None) -> list[Final]:
        """Final models that have been computed, in the order of the config; of the first replicate by default."""
        replicate = self.replicates[0] if replicate is None else replicate
        return list(self._finals.get((replicate, data_set), []))

    def all_finals(self) -> list[Final]:
        """`finals` of every replicate."""
        return [final for replicate in self.replicates for final in self.finals(replicate)]

    def one_by_one(self, replicates: Iterable[int] | None = None) -> Iterator[Final]:
        """`finals` of some replicates, by default all; in a large study what is read of one is forgotten after it."""
        for replicate in self.replicates if replicates is None else replicates:
            for final in self.finals(replicate):
                yield final
                if self.study.is_large:
                    final.forget()

    def final(self, experiment: str, data_set: str, variant: str = "", replicate: int | None = None) -> Final:
        """One of `finals`; `Missing` if it has not been computed."""
        for final in self.finals(replicate, data_set):
            if (final.run.experiment, final.run.variant) == (experiment, variant):
                return final
        raise Missing(f"{experiment} {variant}".strip() + f" on {data_set}")

    def evaluated(self, kind: str) -> list[Final]:
        """Final models that the config wants evaluated and that have been, by replicate and data set."""
        wanted = {(replicate, run.name, d) for replicate, run, d in self.study.evaluated(kind, self.replicates)}
        finals = [f for f in self.all_finals() if f.place in wanted and f.evaluation(kind)] if wanted else []
        order = self.study.data_sets
        return sorted(finals, key=lambda final: (final.replicate, order.index(final.data_set)))

    def missing_evaluations(self) -> list[tuple[str, str, str]]:
        """What the config wants evaluated and has not been: kind, final model, and the target that makes it."""
        return [
            (kind, f"{place.run} on {place.data_set}", place.evaluation_target(kind))
            for kind, place in layout.evaluated(self.study, self.replicates)
            if not (self.folder / f"replicate_{place.replicate}/{place.data_set}/{place.run}/{kind}.json").exists()
        ]

    @property
    def rows(self) -> list[Row]:
        """All numbers that are there for all replicates: scored experiments only."""
        return self.rows_of(self.study.experiments)

    def rows_of(self, experiments: Collection[str], section: str = "", quantity: str = "") -> list[Row]:
        """The `rows` of some experiments, of all their numbers or of one; nothing else is read."""
        for experiment in experiments:
            if experiment not in self._rows:
                rows, by_number = self._read_rows(experiment), dict[tuple[str, str], list[Row]]()
                for row in rows:
                    by_number.setdefault((row.section, row.quantity), []).append(row)
                self._rows[experiment] = rows, by_number
        if not section:
            return [row for experiment in experiments for row in self._rows[experiment][0]]
        return [row for experiment in experiments for row in self._rows[experiment][1].get((section, quantity), [])]

    def _read_rows(self, experiment):
        template = layout.scores(self.study)
        files = [self.folder / template.format(replicate=r, experiment=experiment) for r in self.replicates]
        return [row for file in files if file.exists() for row in read_scores(file)]


class Finished(Stored):
    """The finished part of a study that lacks something; numbers are made from records: no experiment need be whole."""

    def __init__(self, folder: Path, study: Study):
        super().__init__(folder, study)
        self.missing_models = find_missing_models(study)
        self._absent = {model.place for model in self.missing_models}
        if not self.missing_models and not self.missing_evaluations():
            raise ValueError(f"study {study.name}: nothing is missing, make the whole report instead")
        if not self.all_finals():
            raise ValueError(f"study {study.name}: no final model is finished, there is nothing to report")

    def finals(self, replicate: int | None = None, data_set: str | None = None) -> list[Final]:
        """Final models as in `Stored`, without one left over from a run before the one that failed."""
        return [f for f in super().finals(replicate, data_set) if f.place not in self._absent]

    def _read_rows(self, experiment):
        cases = self.study.cases(self.replicates, experiment)
        finished = [c for c in cases if (c["replicate"], c["run"], c["dataset"]) not in self._absent]
        return [row for case in finished for row in case_rows(self.folder, case)]
