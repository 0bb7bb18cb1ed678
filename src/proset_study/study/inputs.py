"""What the rules of scores and reports read: files of final models, or those of the jobs that make all of them."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from proset_study.base.records import fingerprint, write_json
from proset_study.data import generators
from proset_study.data.cards import own_card
from proset_study.data.sources import source_of
from proset_study.fits.evaluations import KINDS
from proset_study.study import layout
from proset_study.study.config.study import Study
from proset_study.study.fingerprints import key
from proset_study.study.layout import Place, places


def scored_files(
    study: Study, replicates: Iterable[int | str], experiment: str | None = None, data_set: str | None = None
) -> list[str]:
    """Everything that the numbers of an experiment or a data set are made of."""
    templates = (layout.DATA, layout.COMPLEXITY, layout.FIT, layout.PREDICTIONS)
    models = places(study, replicates, experiment, data_set)
    return _asked_for(study, models, lambda place: [*map(place.name, templates), *place.parameter_files()])


def prediction_files(study: Study) -> list[str]:
    """Everything that the store of predictions is made of."""
    templates = (layout.DATA, layout.SPLIT, layout.FIT, layout.PREDICTIONS)
    return _asked_for(study, places(study, study.replicates), lambda place: list(map(place.name, templates)))


def result_files(study: Study, replicates: Iterable[int | str], data_set: str | None = None) -> list[str]:
    """Everything there is of some final models: data, split, searches, selections, models, predictions, evaluations."""
    replicates = list(replicates)
    models = places(study, replicates, data_set=data_set)
    made = _asked_for(study, models, lambda place: [file for _, files in place.steps() for file in files])
    return list(dict.fromkeys([*made, *_evaluations(study, KINDS, replicates, data_set)]))


def known_of(study: Study, data_sets: Iterable[str]) -> dict[str, list]:
    """What pages show of tables and generated data sets that is in no result, which may stay the same: see `cards`."""
    found: dict[str, list] = {}
    for name in data_sets:
        settings = study.config["data_sets"][name]
        if (generated := generators.of(settings)) is not None:  # pages ask it for the Bayes error and more
            found[name] = [generated.description, key("data", source=source_of(settings))]
        elif "file" in settings:
            found[name] = [own_card(settings["file"]), layout.custom_version(study, name)]
    return found


def evaluations_of(study: Study, table: str) -> list[str]:
    """The front page, which shows all evaluations, if a comparison asks for some; the records of those come first."""
    kinds = study.config.get("comparisons", {}).get(table, {}).get("evaluations", [])
    return [*_evaluations(study, kinds, study.replicates), layout.report(study, layout.INDEX)] if kinds else []


def record_files(study: Study, archive: str) -> list[str]:
    """What an archive is packed from, see `layout.record_names`."""
    replicate = int(archive.split("_")[1])
    jobs = jobs_of_data_sets(study, replicate)
    others = any(not place.is_in_one_job for place in places(study, [replicate]))
    files = [layout.result(study, name) for name in layout.record_names(study, archive)] if others else []
    if jobs:
        folders, depth = {str(Path(job).parent) for job in jobs}, len(Path(jobs[0]).parent.parts)
        files = [file for file in files if "/".join(file.split("/")[:depth]) not in folders]
    return _gathered(study, dict.fromkeys([*files, *jobs]))


@cache
def jobs_of_data_sets(study: Study, replicate: int) -> list[str]:
    """Files of the jobs of a replicate that make everything of a data set."""
    return sorted(Place(study, r, d).name(layout.ALL_RUNS) for r, d in layout.in_one_job(study) if r == replicate)


def gather(study: Study, replicate: int) -> None:
    """Write what changes with the results of all jobs of a replicate that make everything of a data set."""
    results = fingerprint(*map(Path, jobs_of_data_sets(study, replicate)))
    write_json(Path(layout.result(study, layout.ALL_DATA_SETS, replicate=replicate)), {"results": results})


def _evaluations(study, kinds, replicates, data_set=None):
    """Records of the evaluations of some kinds that the config asks for."""
    wanted = layout.evaluated(study, replicates, kinds, data_set)
    return list(dict.fromkeys(place.evaluation_target(kind) for kind, place in wanted))


def _asked_for(study, models: Iterable[Place], files: Callable[[Place], Iterable[str]]) -> list[str]:
    """Some files of each model, or what stands for them where one job makes everything of a data set."""
    asked_for: dict[str, None] = {}
    for place in models:
        asked_for |= dict.fromkeys([place.name(layout.ALL_RUNS)] if place.is_in_one_job else files(place))
    return _gathered(study, asked_for)


def _gathered(study, files: dict[str, None]) -> list[str]:
    """The same files; in a large study one stands for all data sets of a replicate.

    Snakemake looks up each input of each job: a thousand of each of many scores take longer than all else it plans.
    """
    for replicate in study.replicates if study.is_large else []:
        jobs = jobs_of_data_sets(study, replicate)
        if jobs and files.keys() >= set(jobs):
            for job in jobs:
                del files[job]
            files[layout.result(study, layout.ALL_DATA_SETS, replicate=replicate)] = None
    return list(files)
