"""The records of a report: unpacked, and held against the config and the manifest."""

from collections.abc import Iterator
from pathlib import Path

from proset_study import methods
from proset_study.fits.selection import select_complexity, select_parameters
from proset_study.release.verify.differences import brief
from proset_study.release.verify.foreign import ForeignReport
from proset_study.report.analysis.manifest import fits_and_cost
from proset_study.store.packed import records_sha256, unpack
from proset_study.store.stored import Final, Stored
from proset_study.study import layout
from proset_study.study.config.study import Study


class Unpacked(Stored):
    """The records that are in a report, unpacked below a folder; a ValueError if an archive is damaged or lacks some.

    `recorded`, `refitted` and `searched` are the replicates with records of final models, those of them with all fit
    seeds, and those with records of the searches. `digests` has the SHA-256 of the records by archive, `others` what is
    in the archives and no record. `contradictory` says whether the first fits have an archive of their own with other
    records than that of all fits.
    """

    def __init__(self, foreign: ForeignReport, study: Study, folder: Path):
        there = [archive for archive in layout.record_archives(study) if _archive(archive) in foreign.files]
        first, committed = study.replicates[0], layout.committed_records(study)
        self.refitted = [replicate for replicate in study.replicates if layout.all_fits(replicate) in there]
        self.recorded = [first, *(replicate for replicate in self.refitted if replicate != first)]
        super().__init__(folder, study, [r for r in self.recorded if layout.searches(r) in there])
        archives = [*map(layout.all_fits, self.refitted), *map(layout.searches, self.searched)]
        if committed in there or first not in self.refitted:
            archives = list(dict.fromkeys([committed, *archives]))  # records of all fits take the place of its records
        self.others, self.digests = [], {}
        for archive in archives:
            names = layout.record_names(study, archive)
            self.others += unpack(foreign.path(_archive(archive)), names, folder)
            self.digests[archive] = records_sha256(folder, names)
        names = layout.record_names(study, committed)
        both = committed in archives and first in self.refitted
        self.contradictory = both and records_sha256(folder, names, first_fits=True) != self.digests[committed]

    @property
    def costed(self) -> list[int]:
        """Replicates with the records of all their fits, of searches and of all fit seeds."""
        return [replicate for replicate in self.searched if replicate in self.refitted]


def _archive(name):
    return layout.RECORDS.format(archive=name)


def searched_finals(stored: Unpacked) -> list[Final]:
    """Final models whose searches are there."""
    return [final for replicate in stored.searched for final in stored.finals(replicate)]


def name_of(stored: Stored, final: Final) -> str:
    """Where the records of a final model are."""
    return str(final.folder.relative_to(stored.folder))


def checksums(stored: Unpacked, manifest: dict) -> Iterator[str]:
    """Whether the records are those that the manifest was made with."""
    for archive, digest in stored.digests.items():
        if manifest["records_sha256"].get(archive) != digest:
            yield f"{_archive(archive)}: manifest.json has the checksum of other records"
    if stored.contradictory:
        archive = layout.committed_records(stored.study)
        yield f"{_archive(archive)}: its records are not those of the same fits in the archive of all"


def completeness(stored: Unpacked) -> Iterator[str]:
    """Whether the records are those of the fits that the config asks for."""
    config = stored.study.config
    folds = list(range(config["folds"]))
    for final in searched_finals(stored):
        name, stage2 = name_of(stored, final), final.settings("stage2")
        sizes = stage2["complexity"] - methods.get(final.run.method).min_complexity + 1
        if final.stage1:
            trials = range(stored.study.n_trials(final.run.name, final.data_set))
            if sorted((r["fold"], r["trial"]) for r in final.trials) != [(f, t) for f in folds for t in trials]:
                yield f"{name}: stage 1 has other records than a trial of the config for each fold"
        if sorted(r["fold"] for r in final.paths) != folds or any(len(r["log_loss"]) != sizes for r in final.paths):
            yield f"{name}: stage 2 has other records than {sizes} sizes for each fold"
    for final in stored.all_finals():
        found = [final.fit[key] for key in ("replicate", "data_set", "run", "method", "complexity")]
        if found != [final.replicate, final.data_set, final.run.name, final.run.method, final.stage2["complexity"]]:
            yield f"{name_of(stored, final)}/fit.json: it is the record of another model"
        seeds = [0, *(refit["fit_seed"] for refit in final.fit.get("refits", []))]
        wanted = stored.study.final_fits(final.run.name) if final.replicate in stored.refitted else 1
        if seeds != list(range(wanted)):
            yield f"{name_of(stored, final)}/fit.json: it has fit seeds {seeds}, must have {wanted}"


def costs(stored: Unpacked, manifest: dict) -> Iterator[str]:
    """Whether numbers and seconds of fits are those of the records."""
    for key in ("cost", "not_converged"):
        if set(manifest[key]) != set(map(str, stored.replicates)):
            yield f"manifest.json: {key} has other replicates than the config"
    for replicate in stored.costed:
        for key, computed in zip(("cost", "not_converged"), fits_and_cost(stored, replicate), strict=True):
            if computed != (claimed := manifest[key].get(str(replicate))):
                found = f"is {brief(claimed)}, computed again {brief(computed)}"
                yield f"manifest.json: {key} of replicate {replicate} {found}"


def selections(stored: Unpacked) -> Iterator[str]:
    """Whether the selections follow from the searches."""
    for final in searched_finals(stored):
        name, fixed = name_of(stored, final), final.run.settings.get("parameters", {})
        if (
            final.stage1
            and select_parameters(final.trials, fixed, final.run.selection_rule, final.run.criterion) != final.stage1
        ):
            yield f"{name}/stage1.json: the selection does not follow from the records"
        if select_complexity(final.paths, final.run.size_rule, final.run.criterion) != final.stage2:
            yield f"{name}/stage2.json: the selection does not follow from the records"
