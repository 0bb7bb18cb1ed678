"""The records of a report: unpacked, and held against the config, its seeds and the manifest."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from proset_study import methods
from proset_study.base.records import content_hash
from proset_study.data.matrix import write_matrix
from proset_study.data.metrics import matrix_file
from proset_study.data.sources import make
from proset_study.data.splits import read_split
from proset_study.fits.selection import select_complexity, select_parameters
from proset_study.release.verify.differences import brief
from proset_study.release.verify.foreign import ForeignReport
from proset_study.release.verify.models import Recorded, is_exact
from proset_study.report.analysis.manifest import fits_and_cost
from proset_study.store.packed import records_sha256, unpack
from proset_study.store.results import text_of
from proset_study.store.stored import Final
from proset_study.study import layout
from proset_study.study.config.study import Study
from proset_study.study.steps import split_of


class Unpacked(Recorded):
    """The records that are in a report, unpacked below a folder; a ValueError if an archive is damaged or lacks some.

    `recorded`, `refitted` and `searched` are the replicates with records of final models, of all their fit seeds, of
    searches. `digests` has the SHA-256 by archive, `others` what is no record. `contradictory` says whether the first
    fits have an archive of their own with other records than that of all fits.
    """

    def __init__(self, foreign: ForeignReport, study: Study, folder: Path):
        there = [archive for archive in layout.record_archives(study) if _archive(archive) in foreign.files]
        first, committed = study.replicates[0], layout.committed_records(study)
        self.refitted = [replicate for replicate in study.replicates if layout.all_fits(replicate) in there]
        self.recorded = [first, *(replicate for replicate in self.refitted if replicate != first)]
        super().__init__(folder, study, [r for r in self.recorded if layout.searches(r) in there])
        self.foreign = foreign
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

    @property
    def made(self) -> Path:
        """Where the files of the report are written again."""
        return self.folder / "made"

    def text(self, name: str) -> str:
        """What is in a file that was written again, which may be compressed."""
        return text_of(name, (self.made / name).read_bytes())

    @property
    def is_whole(self) -> bool:
        """Whether all records of fits are here, and each model can be fitted again to the last bit."""
        has_all = self.refitted == self.searched == self.study.replicates  # additional ones come without searches
        return has_all and all(map(is_exact, self.all_finals()))

    def searched_finals(self) -> list[Final]:
        return [final for replicate in self.searched for final in self.finals(replicate)]

    def name_of(self, final: Final) -> str:
        """Where the records of a final model are."""
        return str(final.folder.relative_to(self.folder))


def _archive(name):
    return layout.RECORDS.format(archive=name)


def checksums(stored: Unpacked) -> Iterator[str]:
    """Whether the records are those that the manifest was made with."""
    for archive, digest in stored.digests.items():
        if stored.foreign.manifest["records_sha256"].get(archive) != digest:
            yield f"{_archive(archive)}: manifest.json has the checksum of other records"
    if stored.contradictory:
        archive = layout.committed_records(stored.study)
        yield f"{_archive(archive)}: its records are not those of the same fits in the archive of all"


def completeness(stored: Unpacked) -> Iterator[str]:
    """Whether the records are those of the fits that the config asks for."""
    config = stored.study.config
    folds = list(range(config["folds"]))
    for final in stored.searched_finals():
        name, stage2 = stored.name_of(final), final.settings("stage2")
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
            yield f"{stored.name_of(final)}/fit.json: it is the record of another model"
        seeds = [0, *(refit["fit_seed"] for refit in final.fit.get("refits", []))]
        wanted = stored.study.final_fits(final.run.name) if final.replicate in stored.refitted else 1
        if seeds != list(range(wanted)):
            yield f"{stored.name_of(final)}/fit.json: it has fit seeds {seeds}, must have {wanted}"


def costs(stored: Unpacked) -> Iterator[str]:
    """Whether numbers and seconds of fits are those of the records."""
    manifest = stored.foreign.manifest
    for key in ("cost", "not_converged"):
        if set(manifest[key]) != set(map(str, stored.replicates)):
            yield f"manifest.json: {key} has other replicates than the config"
    for replicate in stored.costed:
        for key, computed in zip(("cost", "not_converged"), fits_and_cost(stored, replicate), strict=True):
            claimed = manifest[key].get(str(replicate))
            if claimed != computed:
                found = f"is {brief(claimed)}, computed again {brief(computed)}"
                yield f"manifest.json: {key} of replicate {replicate} {found}"


def selections(stored: Unpacked) -> Iterator[str]:
    """Whether the selections follow from the searches."""
    for final in stored.searched_finals():
        name, fixed = stored.name_of(final), stored.study.fixed_parameters(final.run.name, final.data_set)
        how = final.run.selection_rule, final.run.criterion
        if final.stage1 and select_parameters(final.trials, fixed, *how) != final.stage1:
            yield f"{name}/stage1.json: the selection does not follow from the records"
        if select_complexity(final.paths, final.run.size_rule, final.run.criterion) != final.stage2:
            yield f"{name}/stage2.json: the selection does not follow from the records"


def data_and_splits(stored: Unpacked) -> Iterator[str]:
    """Make the data sets and splits again; the records have no data sets."""
    study, config = stored.study, stored.study.config
    digests = dict(stored.foreign.manifest["data_sha256"])
    for file in layout.data_files(study):
        path = stored.folder / (name := str(Path(file).relative_to(f"results/{study.name}")))
        replicate, data_set = int(path.parts[-3].removeprefix("replicate_")), path.parts[-2]
        data = make(study.data_settings(data_set), config["seed"], data_set, replicate)
        path.parent.mkdir(parents=True, exist_ok=True)
        data.save(path)
        if content_hash(path) != digests.pop(name, None):
            yield f"{name}: the data made again from the seed differ"
        if replicate not in stored.recorded:
            continue
        for metric in study.stored_metrics(data_set):  # for the refits
            settings = study.metric_settings(metric, data_set)
            write_matrix(matrix_file(path, metric), data, settings, study.data_settings(data_set))
        folds = split_of(study, replicate, data_set, data)
        if not np.array_equal(folds, read_split(path.with_name("split.csv"), len(data.y))):
            yield f"{path.with_name('split.csv').relative_to(stored.folder)}: the split made again differs"
    if digests:
        yield f"manifest.json: data_sha256 has {len(digests)} file(s) that the config does not make, {min(digests)!r}"
