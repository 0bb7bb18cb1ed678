"""Final models of which a report has the records only: they are fitted again where a claim or a page needs them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np

from proset_study.fits.final import FinalModel, fit_final, read_model
from proset_study.fits.search import Case
from proset_study.release.verify.differences import brief, same
from proset_study.release.verify.foreign import Refused
from proset_study.store.stored import Final, Missing, Stored
from proset_study.study import layout
from proset_study.study.config.study import Study
from proset_study.study.fingerprints import arithmetic_of

NOT_COMPARED = ("resources", "fingerprint", "arithmetic")  # what a fit costs differs from time to time


@dataclass(frozen=True)
class Remade(Final):
    """A final model that is fitted again when it is asked for; `Missing` if it could not have the same bits here.

    So are records of searches that the report lacks. Refused if the fit is not the recorded one.
    """

    study: Study

    @cached_property
    def model(self) -> FinalModel:
        """The model; it takes features in the units of the data set."""
        path = layout.file_in(self.folder, layout.MODEL)
        if not path.exists():
            if not is_exact(self):
                raise Missing(f"the model of {self.label} on {self.data_set}, of another arithmetic")
            for difference in fit_again(self.study, self, path, 0.0):
                path.unlink()
                raise Refused(f"replicate_{self.replicate}/{self.data_set}/{self.run.name}, final model {difference}")
        return read_model(path)

    @cached_property
    def trials(self) -> list[dict]:
        """Records of stage 1, one per fold and trial; empty without a stage 1."""
        return super().trials if self._has(self.trial_files) else []

    @cached_property
    def paths(self) -> list[dict]:
        """Records of stage 2, one per fold."""
        return super().paths if self._has(self.path_files) else []

    def _has(self, files):
        if not all(file.exists() for file in files):
            raise Missing(f"the search of {self.label} on {self.data_set}")
        return True


class Recorded(Stored):
    """The records of a study without its models, which are fitted again; see `Remade`."""

    def _final(self, replicate, run, data_set):
        final = super()._final(replicate, run, data_set)
        return Remade(**{field.name: getattr(final, field.name) for field in fields(final)}, study=self.study)


def case_of(study: Study, final: Final) -> Case:
    """What the seeds of a final model are made from."""
    return Case(study.config["seed"], final.replicate, final.data_set, final.run.name, final.run.method)


def is_exact(final: Final) -> bool:
    """Whether a repeated fit must give the same bits as the recorded one."""
    return bool(final.fit["arithmetic"] == arithmetic_of(final.run.method))


def refitted(study: Study, final: Final, path: Path) -> tuple[dict, np.ndarray]:
    """The record and the predictions of the same fit once more, whose model is written to a path."""
    case, complexity = case_of(study, final), final.stage2["complexity"]
    record, _, probabilities = fit_final(final.data, final.folds, final.parameters, complexity, case, path)
    return record, probabilities


def fit_again(study: Study, final: Final, path: Path, tolerance: float) -> Iterator[str]:
    """Fit a final model again and write it; yields what differs from its record and its predictions."""
    again, probabilities = refitted(study, final, path)
    recorded = {key: value for key, value in final.fit.items() if key != "refits"}
    yield from record_differences("", recorded, again, tolerance)
    yield from other_predictions("", probabilities, final.probabilities, tolerance)


def other_predictions(which: str, probabilities: np.ndarray, recorded: np.ndarray, tolerance: float) -> Iterator[str]:
    """How far predictions are from the recorded ones, if they are not the same."""
    if not np.allclose(probabilities, recorded, rtol=tolerance, atol=tolerance):
        yield f"predicts differently{which}, by up to {np.abs(probabilities - recorded).max():.1e}"


def record_differences(which: str, recorded: Mapping, again: Mapping, tolerance: float) -> Iterator[str]:
    """What differs."""
    for key in sorted({*recorded, *again} - set(NOT_COMPARED)):
        absolute = 0.0 if key == "parameters" else tolerance
        if key not in recorded or key not in again or not same(recorded[key], again[key], tolerance, absolute):
            found = f"{key} is {brief(recorded.get(key))}, fitted again {brief(again.get(key))}"
            yield f"{which}: {found}".lstrip(": ")
