"""Where everything is: most paths below results/ and reports/ that more than one module needs.

Names in capitals are templates, below results/<study>/ or, from `REPORT_FILES` on, below reports/<study>/.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from proset_study.base.records import file_digest
from proset_study.data.metrics import stored_metric
from proset_study.data.table_file import located
from proset_study.fits.evaluations import KINDS
from proset_study.study import all_runs, blocks
from proset_study.study.config.study import Study

RESULTS, REPORTS = "results/{study}/", "reports/{study}/"

STUDY = "study/{digest}.json"  # the checked config, for the jobs
REPLICATE = "replicate_{replicate}"
DATA_FOLDER = f"{REPLICATE}/{{data_set}}"
DATA, SPLIT = f"{DATA_FOLDER}/data.npz", f"{DATA_FOLDER}/split.csv"
DISSIMILARITIES = f"{DATA_FOLDER}/dissimilarities_{{metric}}.npy"
FOLDER = f"{DATA_FOLDER}/{{run}}"
TRIALS = f"{FOLDER}/stage1/folds_{{first_fold}}-{{last_fold}}_trials_{{first_trial}}-{{last_trial}}.jsonl"
TRIAL = f"{FOLDER}/stage1/fold_{{fold}}/trials/{{trial}}.json"
PARAMETERS = f"{FOLDER}/stage1.json"
PATHS = f"{FOLDER}/stage2/folds_{{first_fold}}-{{last_fold}}.jsonl"
PATH = f"{FOLDER}/stage2/folds/{{fold}}.json"
COMPLEXITY = f"{FOLDER}/stage2.json"
_BLOCKS = {"stage1": TRIALS, "stage2": PATHS}
_FIRST_BLOCK = re.compile(r"folds_0-(\d+)(?:_trials_0-(\d+))?\.jsonl")
MODEL, PREDICTIONS, FIT = f"{FOLDER}/model.npz", f"{FOLDER}/predictions.csv", f"{FOLDER}/fit.json"
EVALUATION = f"{FOLDER}/{{kind}}.json"
SCORES = f"{REPLICATE}/{{experiment}}.csv"
PARTITIONS = "scores"  # folder of the Parquet data set that a large study has instead
PARTITION = f"{PARTITIONS}/replicate={{replicate}}/experiment={{experiment}}/scores.parquet"
# Of a data set that is one job, see `all_runs`, and of all of a replicate that are; what is done of one:
ALL_RUNS, ALL_DATA_SETS = f"{DATA_FOLDER}/all_runs.json", f"{REPLICATE}/all_data_sets.done"
DATA_DONE, RUN_DONE, EVALUATION_DONE = f"{DATA_FOLDER}/done.json", f"{FOLDER}/done.json", f"{FOLDER}/{{kind}}_done.json"

PARTIAL = "reports/{study}-partial"
REPORT_FILES = (
    *("index.html", "tables.html", "explore.html"),
    *("manifest.json", "results.csv.xz", "comparison.csv", "claims.csv", "tables.xlsx"),
    "numbers.json",  # what the article says of the report
    "vega.js",  # which the pages with charts share
)
INDEX, TABLE_PAGE, EXPLORE, MANIFEST, ALL_SCORES, COMPARISON, CLAIMS, WORKBOOK, NUMBERS, VEGA = REPORT_FILES
CITATION, LICENSE, ENVIRONMENT = "CITATION.cff", "LICENSE", "environment"
SURROUNDINGS = {  # what an archive of a release has from the checkout
    **{name: name for name in (CITATION, LICENSE)},
    **{f"{ENVIRONMENT}/{name}": name for name in ("environment.yml", "pyproject.toml", "requirements.txt")},
}
CRATE, CHECKSUMS = "ro-crate-metadata.json", "SHA256SUMS"  # of all files in the archive
OF_RELEASES = (*SURROUNDINGS, CRATE, CHECKSUMS)
TABLES = "tables"
TABLE = f"{TABLES}/{{table}}.{{suffix}}"
PAGE, DATA_SET_SCORES = "data_sets/{data_set}.html", "data_sets/{data_set}.csv"
FIGURES = "figures/{data_set}"  # "overview" for those of the whole study
FINDINGS, EVALUATIONS = "findings", "evaluation"  # folders
OF_CLASSES = ("class_scores", "confusion")  # tables of evaluations with rows for each class of every model
EDGES, COSTS = f"{FINDINGS}/edges.csv", f"{FINDINGS}/costs.csv"
RULES, METHODS, VARIANCE = (f"{FINDINGS}/{name}.csv.xz" for name in ("rules", "methods", "variance"))
FEATURES, PROTOTYPES = (f"{FINDINGS}/{name}.csv" for name in ("selected_features", "prototypes"))
AGAINST = f"{FINDINGS}/against.csv"  # of studies that compare pairs of experiments
HEADLINE = f"{FINDINGS}/headline.md"
WHEN_IT_PAYS = f"{FINDINGS}/when_does_it_pay.html"  # a page of some studies only, so that no rule can name it
RECORDS = "records/{archive}.tar.xz"
SEARCHES, FIRST_FITS = "_searches", "_first_fits"  # end names of archives
STORE = "predictions"  # folder
STORE_FILE, STORE_INDEX = f"{STORE}/{{data_set}}.parquet", f"{STORE}/_index.json"  # readers of folders pass over "_"

_FINDINGS = (
    *("selected_features", "prototypes", "ranks", "pairs", "over_data_sets", "reproduction"),
    *("response_curves", "edges", "costs", "against"),
    *("table_properties", "dependence", "between_properties", "ratings", "pareto", "tuning"),  # of batteries
)


def result(study: Study, template: str, **names: object) -> str:
    """A path below results/<study>/."""
    return (RESULTS + template).format(study=study.name, **names)


def file_in(folder: Path, template: str) -> Path:
    """The file of a template in a folder that has its names already."""
    return folder / template.rpartition("/")[2]


def report(study: Study, template: str, **names: object) -> str:
    """A path below reports/<study>/."""
    return (REPORTS + template).format(study=study.name, **names)


class Place(NamedTuple):
    """What names a final model, or without a run its data, and the files it is made of."""

    study: Study
    replicate: int  # as text in rules
    data_set: str
    run: str = ""

    def name(self, template: str, **names: object) -> str:
        """A file of the model or of its data."""
        own = {"replicate": self.replicate, "data_set": self.data_set, "run": self.run}
        return result(self.study, template, **(own | names))

    def file(self, template: str, **names: object) -> Path:
        """The same as a path."""
        return Path(self.name(template, **names))

    @property
    def is_in_one_job(self) -> bool:
        """Whether one job makes everything of the data set."""
        return (int(self.replicate), self.data_set) in in_one_job(self.study)

    def evaluation_target(self, kind: str) -> str:
        """The file to ask Snakemake for of an evaluation: its record, or that of the job that makes everything."""
        return self.name(ALL_RUNS if self.is_in_one_job else EVALUATION, kind=kind)

    def parameter_files(self) -> list[str]:
        """The selection of stage 1, if there is one."""
        return [self.name(PARAMETERS)] if "stage1" in self.study.runs[self.run].settings else []

    def matrix_files(self) -> list[str]:
        """The dissimilarities that a run reads, if they are stored."""
        metric = stored_metric(self.study.metric(self.run, self.data_set))
        return [] if metric is None else [self.name(DISSIMILARITIES, metric=metric)]

    def trial_files(self) -> list[str]:
        """All records of stage 1: one file."""
        if (source := self.study.stage1_run(self.study.runs[self.run])) is None:
            return []
        numbers = blocks.whole(self.study, "stage1", source.name, self.data_set)
        return [self.name(TRIALS, run=source.name, **numbers._asdict())]

    def path_files(self) -> list[str]:
        """All records of stage 2: one file."""
        return [self.name(PATHS, **blocks.whole(self.study, "stage2", self.run, self.data_set)._asdict())]

    def parts(self, stage: str, numbers: Mapping[str, int]) -> tuple[blocks.Block | blocks.Folds, ...]:
        """The blocks whose records a job of stage 1 or 2 puts together; none if it fits something itself.

        Stored records keep the cut they were made with, even if the estimated cost of a fit has changed since.
        """
        fits = blocks.whole(self.study, stage, self.run, self.data_set)
        if self.is_in_one_job or dict(numbers) != fits._asdict():
            return ()
        cuts = [blocks.blocks_of(self.study, stage, self.run, self.data_set)]
        file = self.file(_BLOCKS[stage], **numbers)
        if file.exists():
            there = {path.name for path in file.parent.glob("*.jsonl")}
            matches = filter(None, map(_FIRST_BLOCK.fullmatch, there))
            firsts = sorted([int(n) + 1 for n in match.groups() if n] for match in matches)
            cuts += [blocks.cut(fits, *first) for first in firsts]
            cuts = [c for c in cuts if {Path(f).name for f in self.part_files(stage, c)} <= there]
        return next((c for c in cuts if len(c) > 1), ())

    def part_files(self, stage: str, parts: Iterable[blocks.Block | blocks.Folds]) -> list[str]:
        """The files of `parts`."""
        return [self.name(_BLOCKS[stage], **part._asdict()) for part in parts]

    def steps(self) -> list[tuple[str, list[str]]]:
        """Rule and output files of each step to the model, in order."""
        steps = [("data", [self.name(DATA)]), ("split", [self.name(SPLIT)])]
        if matrix := self.matrix_files():
            steps.append(("dissimilarities", matrix))
        if trials := self.trial_files():
            steps += [("stage1", trials), ("select_parameters", self.parameter_files())]
        steps += [("stage2", self.path_files()), ("select_complexity", [self.name(COMPLEXITY)])]
        return [*steps, ("fit", [self.name(template) for template in (MODEL, PREDICTIONS, FIT)])]

    def origin(self, code: str) -> list[object]:
        """What every record of a search depends on, besides its own settings; `code` is the key of the search."""
        names = (self.study.config["seed"], int(self.replicate), self.data_set, self.run)
        return [self.file(DATA), self.file(SPLIT), code, *names, *map(Path, self.matrix_files())]


def in_one_job(study: Study) -> frozenset[tuple[int, str]]:
    """Replicate and data set of each whose files one job makes."""
    return all_runs.in_one_job(study, RESULTS + DATA, RESULTS + DATA_DONE)


def places(
    study: Study, replicates: Iterable[int | str], experiment: str | None = None, data_set: str | None = None
) -> Iterator[Place]:
    """Places of all final models, optionally of one experiment or data set."""
    for replicate, run, d in study.final_models(replicates, experiment, data_set):
        yield Place(study, replicate, d, run.name)


def custom_files(study: Study, data_set: str) -> list[str]:
    """The table of a data set that is one, if its path has no braces, which Snakemake takes for wildcards."""
    file = study.data_settings(data_set).get("file", "{}")
    return [] if set(file) & {"{", "}"} else [str(located(file))]


def custom_version(study: Study, data_set: str) -> str:
    """Digest of the table of a user, since a copy may be older than the results; empty if there is none."""
    file = study.config["data_sets"][data_set].get("file")
    return file_digest(path).hex() if file is not None and (path := Path(located(file))).is_file() else ""


def downloads(study: Study) -> list[str]:
    """The tables of all data sets of OpenML."""
    from_openml = (d for d in study.data_sets if "openml" in study.config["data_sets"][d])
    return [file for d in from_openml for file in custom_files(study, d)]


def data_files(study: Study) -> list[str]:
    """The data sets of all replicates."""
    return list(dict.fromkeys(place.name(DATA) for place in places(study, study.replicates)))


def evaluated(
    study: Study, replicates: Iterable[int | str], kinds: Iterable[str] = KINDS, data_set: str | None = None
) -> Iterator[tuple[str, Place]]:
    """Kind and place of all evaluations that the config asks for, optionally of one data set."""
    for kind in kinds:
        for replicate, run, d in study.evaluated(kind, replicates, data_set):
            yield kind, Place(study, replicate, d, run.name)


def scores(study: Study) -> str:
    """The template of the files with all numbers."""
    return PARTITION if study.is_large else SCORES


def score_files(study: Study, experiments: Iterable[str], replicates: Iterable[int] | None = None) -> list[str]:
    """Numbers of some experiments, by default for all replicates."""
    return [
        result(study, scores(study), replicate=replicate, experiment=experiment)
        for experiment in experiments
        for replicate in replicates or study.replicates
        if any(study.data_sets_of(run, replicate) for run in study.experiments[experiment])
    ]


def record_archives(study: Study) -> list[str]:
    """Names of the archives with what a second person needs to check a study; see `record_names`."""
    searched = map(searches, study.config["replicates"])
    return list(dict.fromkeys([*map(all_fits, study.replicates), committed_records(study), *searched]))


def all_fits(replicate: int) -> str:
    """Name of the archive with all final models of a replicate and their refits with other seeds."""
    return REPLICATE.format(replicate=replicate)


def searches(replicate: int) -> str:
    """Name of the archive with the searches of a replicate."""
    return all_fits(replicate) + SEARCHES


def committed_records(study: Study) -> str:
    """Name of the archive that is committed: the first replicate, without refits with other seeds."""
    first = all_fits(study.replicates[0])
    return first + FIRST_FITS if any(study.final_fits(run) > 1 for run in study.runs) else first


def record_names(study: Study, archive: str) -> list[str]:
    """Names below results/<study> of what is in one of `record_archives`; no data or model, which can be made again.

    replicate_<number> has splits, selections, predictions, records of final models and of evaluations, _first_fits only
    the first fit of each model; _searches has the single fits of the searches (none of additional replicates).
    """
    of_fit, replicate = (COMPLEXITY, PREDICTIONS, FIT), int(archive.split("_")[1])
    models = places(study, [replicate])
    if archive.endswith(SEARCHES):
        files = [file for place in models for file in (*place.trial_files(), *place.path_files())]
    else:
        files = [f for p in models for f in (p.name(SPLIT), *p.parameter_files(), *map(p.name, of_fit))]
        files += [place.name(EVALUATION, kind=kind) for kind, place in evaluated(study, [replicate])]
    return [file.removeprefix(result(study, "")) for file in dict.fromkeys(files)]


def report_files(study: Study) -> list[str]:
    """Files of the report that every study has; the numbers of a large one are in `PARTITIONS` only."""
    return [file for file in REPORT_FILES if not (study.is_large and file == ALL_SCORES)]


def table_files(study: Study, table: str) -> list[str]:
    """The files of a table."""
    return [report(study, TABLE, table=table, suffix=suffix) for suffix in ("md", "csv", "tex")]


def whole_report(study: Study) -> list[str]:
    """Files and folders of the report that all of it needs, besides tables, records and predictions."""
    figures = [FIGURES.format(data_set=name) for name in ("overview", *(Path(page).stem for page in pages(study)))]
    return [report(study, name) for name in (*report_files(study), FINDINGS, EVALUATIONS, *pages(study), *figures)]


def pages(study: Study) -> list[str]:
    """The pages of data sets that are made without being asked for: those of all, or of a large study none."""
    return [] if study.is_large else [PAGE.format(data_set=data_set) for data_set in study.data_sets]


def asked_for_before(study: Study) -> list[str]:
    """Files of the report that are made only where a data set was asked for by its name: they stay up to date."""
    files = [report(study, DATA_SET_SCORES, data_set=data_set) for data_set in study.data_sets]
    return [file for file in files if Path(file).exists()]


def belongs(study: Study, name: str) -> bool:
    """Whether a file of reports/<study> belongs to the report of the study as the config describes it."""
    if name in OF_RELEASES:
        return True
    folder, _, rest = name.rpartition("/")
    stem, _, suffix = rest.rpartition(".")
    if folder.startswith("figures/"):
        return folder[8:] in (*study.data_sets, "overview") and (suffix == "svg" or rest == "figures.json")
    allowed = {
        "": rest in REPORT_FILES,
        "tables": stem in study.tables and suffix in ("md", "csv", "tex"),
        "data_sets": stem in study.data_sets and suffix in ("html", "csv"),
        STORE: name == STORE_INDEX or (stem in study.data_sets and suffix == "parquet"),
        "records": name in [RECORDS.format(archive=archive) for archive in record_archives(study)],
        FINDINGS: name in (HEADLINE, RULES, METHODS, VARIANCE, WHEN_IT_PAYS) or (suffix == "csv" and stem in _FINDINGS),
        EVALUATIONS: name in map(evaluation_file, (*OF_CLASSES, *KINDS)),
    }
    return allowed.get(folder, False)


def evaluation_file(table: str) -> str:
    """The table of a kind of evaluation, or one `OF_CLASSES`, which are large and compressed.

    >>> evaluation_file("bootstrap"), evaluation_file("confusion")
    ('evaluation/bootstrap.csv', 'evaluation/confusion.csv.xz')
    """
    return f"{EVALUATIONS}/{table}.csv" + (".xz" if table in OF_CLASSES else "")


def released(study: Study) -> list[str]:
    """Files of reports/<study> without which there is no release: all records, predictions, pages and numbers."""
    return [
        *report_files(study),
        *(HEADLINE, STORE_INDEX),
        *(RECORDS.format(archive=archive) for archive in record_archives(study)),
        *pages(study),
    ]


def archived(study: Study, name: str) -> bool:
    """Whether a file of reports/<study> is in the archive of a release only: large, or committed once for all."""
    if name.startswith("figures/overview/"):
        return False
    committed = RECORDS.format(archive=committed_records(study))
    return name == VEGA or (name.startswith(("data_sets/", "figures/", f"{STORE}/", "records/")) and name != committed)
