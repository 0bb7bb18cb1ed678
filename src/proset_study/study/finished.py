"""What one job has made for a data set (see `study.all_runs`) and is right: that files exist says little there.

Snakemake knows one file of such a job. What belongs to a former config or to other code is made again in the next run.
"""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from proset_study.base.records import read_json
from proset_study.study import all_runs, layout
from proset_study.study.config.study import Study
from proset_study.study.layout import Place


def data_files(place: Place) -> list[str]:
    """What is made of a data set before anything is run on it."""
    metrics = place.study.stored_metrics(place.data_set)
    stored = [place.name(layout.DISSIMILARITIES, metric=metric) for metric in metrics]
    return [place.name(layout.DATA), place.name(layout.SPLIT), *stored]


def is_finished(place: Place) -> bool:
    """Whether the final model is there, made for the config and the code of now."""
    made = [*data_files(place), *(file for _, files in place.steps() for file in files)]
    if not all(Path(file).exists() for file in made):
        return False
    data = map(Path, data_files(place))
    wanted = all_runs.stored_run_key(place.study, place.run, place.data_set, data)
    return key_in(place.file(layout.RUN_DONE)) == wanted


def finished_evaluations(study: Study, replicates: Iterable[int | str]) -> list[str]:
    """Records of evaluations that are there; those of one job if they were made for the config and the code of now."""
    found = []
    for kind, place in layout.evaluated(study, replicates, study.config.get("evaluations", {})):
        file = place.file(layout.EVALUATION, kind=kind)
        if file.exists() and (not place.is_in_one_job or _is_evaluated(place, kind)):
            found.append(str(file))
    return found


def _is_evaluated(place, kind):
    key_of_run = key_in(place.file(layout.RUN_DONE))
    if key_of_run is None or not is_finished(place):
        return False
    wanted = all_runs.stored_evaluation_key(place.study, place.run, place.data_set, kind, key_of_run)
    return key_in(place.file(layout.EVALUATION_DONE, kind=kind)) == wanted


def key_in(done: Path) -> str | None:
    """The key of what was finished; None if nothing was, or the file that says so is damaged."""
    with suppress(OSError, ValueError, KeyError):
        return read_json(done)["fingerprint"]
    return None


def refuse_lost(
    study: Study, replicates: Iterable[int], experiment: str | None = None, data_set: str | None = None
) -> None:
    """Raise FileNotFoundError if a final model of such a job is lost, of which Snakemake knows nothing."""
    for place in layout.places(study, replicates, experiment, data_set):
        if not place.file(layout.FIT).exists() and place.is_in_one_job:  # what is one job takes long to find out
            remedy = f"rm {place.name(layout.ALL_RUNS)} and give the command again"
            raise FileNotFoundError(f"{place.name(layout.FIT)} is lost: {remedy}")
