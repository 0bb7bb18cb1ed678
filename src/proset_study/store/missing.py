"""Final models that a study lacks, and why: the first step towards each whose output is not there."""

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from proset_study.base.records import fingerprint
from proset_study.study import blocks, layout
from proset_study.study.config.study import Study
from proset_study.study.failures import cause
from proset_study.study.finished import finished_evaluations, is_finished


@dataclass(frozen=True)
class MissingModel:
    """A final model that has not been made."""

    replicate: int
    experiment: str
    variant: str
    run: str
    data_set: str
    reason: str  # the last line of the log of the missing step, if that failed
    log: str  # that log; empty if the step has never been started
    target: str  # the output to ask Snakemake for

    @property
    def place(self) -> tuple[int, str, str]:
        """Replicate, run and data set."""
        return self.replicate, self.run, self.data_set


@cache
def _first_found(study: Study) -> list[MissingModel]:
    """Missing models when they are first asked for: files come and go while Snakemake works."""
    return find_missing_models(study)


def finished_files(study: Study) -> list[str]:
    """The files of all final models that were not missing at first, and of their evaluations as far as these exist."""
    absent = {model.place for model in _first_found(study)}
    finished = dict.fromkeys(
        file
        for place in layout.places(study, study.replicates)
        if (place.replicate, place.run, place.data_set) not in absent
        for _, files in place.steps()
        for file in files
    )
    folders = {Path(file).parent for file in finished}
    evaluations = finished_evaluations(study, study.replicates)
    return [*finished, *(file for file in evaluations if Path(file).parent in folders)]


def missing_fingerprint(study: Study) -> str:
    """Changes with the models that were missing at first, and their reasons."""
    return fingerprint([asdict(model) for model in _first_found(study)])


def find_missing_models(study: Study) -> list[MissingModel]:
    """All missing models of a study in the current folder, in the order of the config."""
    models = []
    for replicate, run, data_set in study.final_models(study.replicates):
        place = layout.Place(study, replicate, data_set, run.name)
        steps = [("all_runs", [place.name(layout.ALL_RUNS)])] if place.is_in_one_job else place.steps()
        for rule, files in steps:
            if missing := _not_made(place, rule, files):
                logs = {file: log_of(study, rule, file) for file in missing}
                started = [file for file in missing if logs[file].exists()]
                failed = [file for file in started if logs[file].stat().st_size]
                target = [*failed, *started, *missing][0]
                why = (cause(logs[target]), str(logs[target])) if started else ("not run", "")
                models.append(MissingModel(replicate, run.experiment, run.variant, run.name, data_set, *why, target))
                break
    return models


def _not_made(place: layout.Place, rule: str, files: list[str]) -> list[str]:
    """The files of a step that are missing; first those of the jobs whose records are put together.

    Where such a job fails, what a former config has put together is still there.
    """
    if rule == "all_runs":
        return [] if is_finished(place) else files
    missing = [file for file in files if not Path(file).exists()]
    if rule not in ("stage1", "stage2"):
        return missing
    run = place.study.runs[place.run]
    searched = place._replace(run=((rule == "stage1" and place.study.stage1_run(run)) or run).name)
    if not missing:
        cut = blocks.blocks_of(place.study, rule, searched.run, place.data_set)
        lost = [file for file in searched.part_files(rule, cut) if not Path(file).exists()]
        return [file for file in lost if _failed_since(place.study, rule, file, files)]
    numbers = blocks.whole(place.study, rule, searched.run, place.data_set)._asdict()
    parts = searched.part_files(rule, searched.parts(rule, numbers))
    return [*(file for file in parts if not Path(file).exists()), *missing]


def _failed_since(study: Study, rule: str, part: str, files: list[str]) -> bool:
    """Whether the job of a part has written to its log after some files were made."""
    log = log_of(study, rule, part)
    if not log.exists() or not log.stat().st_size:
        return False
    return log.stat().st_mtime_ns > max(Path(file).stat().st_mtime_ns for file in files)


def log_of(study: Study, rule: str, file: str) -> Path:
    """The log of the rule that makes a file of the study."""
    results = Path(layout.result(study, ""))
    logs, (replicate, data_set, *below) = results / "logs", Path(file).relative_to(results).with_suffix("").parts
    if rule in ("stage1", "stage2"):
        run, *names = below
        return logs / replicate / data_set / run / f"{'_'.join(names)}.log"
    if rule == "dissimilarities":
        return logs.joinpath(replicate, data_set, f"{below[0]}.log")
    return logs.joinpath(replicate, data_set, *below[:-1], f"{rule}.log")
