"""Final models of which a report has the records only: they are fitted again where a claim or a page needs them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from proset_study.fits.final import FinalModel, fit_final, read_model
from proset_study.fits.search import Case
from proset_study.release.verify.differences import brief, same
from proset_study.release.verify.foreign import Refused
from proset_study.store.stored import Final, Missing, Stored
from proset_study.study import layout
from proset_study.study.fingerprints import arithmetic_of

NOT_COMPARED = ("resources", "fingerprint", "arithmetic")  # what a fit costs differs from time to time


@dataclass(frozen=True)
class Remade(Final):
    """A final model that is fitted again when it is asked for; `Missing` if it could not have the same bits here.

    So are records of searches that the report lacks. Refused if the fit is not the recorded one.
    """

    @cached_property
    def model(self) -> FinalModel:
        """The model; it takes features in the units of the data set."""
        path = layout.file_in(self.folder, layout.MODEL)
        if not path.exists():
            if not is_exact(self):
                raise Missing(f"the model of {self.label} on {self.data_set}, of another arithmetic")
            for difference in fit_again(self, path, 0.0):
                path.unlink()
                raise Refused(f"replicate_{self.replicate}/{self.data_set}/{self.run.name}, final model {difference}")
        return read_model(path)

    def _records(self, files):
        try:
            return super()._records(files)
        except FileNotFoundError:
            raise Missing(f"the search of {self.label} on {self.data_set}") from None


class Recorded(Stored):
    """The records of a study without its models, which are fitted again; see `Remade`."""

    kind = Remade


def case_of(final: Final) -> Case:
    """What the seeds of a final model are made from."""
    return Case(final.study.config["seed"], final.replicate, final.data_set, final.run.name, final.run.method)


def is_exact(final: Final) -> bool:
    """Whether a repeated fit must give the same bits as the recorded one."""
    return bool(final.fit["arithmetic"] == arithmetic_of(final.run.method))


def refitted(final: Final, path: Path) -> tuple[dict, np.ndarray]:
    """The record and the predictions of the same fit once more, whose model is written to a path."""
    case, complexity = case_of(final), final.stage2["complexity"]
    record, _, probabilities = fit_final(final.data, final.folds, final.parameters, complexity, case, path)
    return record, probabilities


def fit_again(final: Final, path: Path, tolerance: float) -> Iterator[str]:
    """Fit a final model again and write it; yields what differs from its record and its predictions."""
    again, probabilities = refitted(final, path)
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
