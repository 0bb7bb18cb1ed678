"""Where everything is: each path below results/ and reports/ is spelt here and nowhere else.

The names in capitals are templates, below results/<study>/ or, from `REPORT_FILES` on, below reports/<study>/. Rules
take them as they are, with wildcards in braces; `result` and `report` fill them in. None of the lists has what a former
config left behind.
"""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from proset_study.data.metrics import stored_metric
from proset_study.data.paths import located
from proset_study.fits.evaluations import KINDS
from proset_study.study.config.study import Run, Study

RESULTS, REPORTS = "results/{study}/", "reports/{study}/"

STUDY = "study/{digest}.json"  # the checked config, for the jobs
REPLICATE = "replicate_{replicate}"
DATA_FOLDER = f"{REPLICATE}/{{data_set}}"
DATA, SPLIT = f"{DATA_FOLDER}/data.npz", f"{DATA_FOLDER}/split.csv"
DISSIMILARITIES = f"{DATA_FOLDER}/dissimilarities_{{metric}}.npy"
FOLDER = f"{DATA_FOLDER}/{{run}}"
TRIALS = f"{FOLDER}/stage1/folds_{{fold}}-{{last_fold}}_trials_{{first}}-{{last}}.jsonl"
TRIAL = f"{FOLDER}/stage1/fold_{{fold}}/trials/{{trial}}.json"
PARAMETERS = f"{FOLDER}/stage1.json"
PATHS = f"{FOLDER}/stage2/folds_{{first}}-{{last}}.jsonl"
PATH = f"{FOLDER}/stage2/folds/{{fold}}.json"
COMPLEXITY = f"{FOLDER}/stage2.json"
MODEL, PREDICTIONS, FIT = f"{FOLDER}/model.npz", f"{FOLDER}/predictions.csv", f"{FOLDER}/fit.json"
EVALUATION = f"{FOLDER}/{{kind}}.json"
SCORES = f"{REPLICATE}/{{experiment}}.csv"

PARTIAL = "reports/{study}-partial"
REPORT_FILES = (
    *("index.html", "tables.html", "explore.html"),
    *("manifest.json", "results.csv.xz", "comparison.csv", "claims.csv", "tables.xlsx"),
)
NUMBERS = "numbers.json"  # what the article says of a report; those written before have none
INDEX, TABLE_PAGE, EXPLORE, MANIFEST, ALL_SCORES, COMPARISON, CLAIMS, WORKBOOK = REPORT_FILES
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
EDGES, COSTS, VARIANCE = (f"{FINDINGS}/{name}.csv" for name in ("edges", "costs", "variance"))
RULES = f"{FINDINGS}/rules.csv.xz"
HEADLINE = f"{FINDINGS}/headline.md"
WHEN_IT_PAYS = f"{FINDINGS}/when_does_it_pay.html"  # a page of some studies only, so that no rule can name it
RECORDS = "records/{archive}.tar.xz"
SEARCHES, FIRST_FITS = "_searches", "_first_fits"  # end names of archives
STORE = "predictions"  # folder
STORE_FILE, STORE_INDEX = f"{STORE}/{{data_set}}.parquet", f"{STORE}/_index.json"  # readers of folders pass over "_"

_FINDINGS = (
    *("methods", "selected_features", "prototypes", "ranks", "pairs", "over_data_sets", "reproduction"),
    *("response_curves", "edges", "costs", "variance"),
    *("table_properties", "dependence", "between_properties", "ratings", "pareto", "tuning"),  # of batteries
)
_MADE = re.compile(r"tables/\w+\.(md|csv|tex)|data_sets/\w+\.(html|csv)|records/replicate_\d+\w*\.tar\.xz")


def result(study: Study, template: str, **names: object) -> str:
    """A path below results/<study>/."""
    return (RESULTS + template).format(study=study.name, **names)


def file_in(folder: Path, template: str) -> Path:
    """The file of a template in a folder that has its names already."""
    return folder / Path(template).name


def report(study: Study, template: str, **names: object) -> str:
    """A path below reports/<study>/."""
    return (REPORTS + template).format(study=study.name, **names)


# --- what one final model is made of ---------------------------------------------------------------------------------


def parameters_file(study: Study, replicate: int | str, data_set: str, run: str) -> list[str]:
    """The selection of stage 1, if there is one."""
    if "stage1" not in study.runs[run].settings:
        return []
    return [result(study, PARAMETERS, replicate=replicate, data_set=data_set, run=run)]


def matrix_files(study: Study, replicate: int | str, data_set: str, run: str) -> list[str]:
    """The dissimilarities that a run reads, if they are stored."""
    if (metric := stored_metric(study.metric(run, data_set))) is None:
        return []
    return [result(study, DISSIMILARITIES, replicate=replicate, data_set=data_set, metric=metric)]


def stage1_files(study: Study, replicate: int | str, data_set: str, run: str) -> list[str]:
    """All records of stage 1."""
    source = study.stage1_run(study.runs[run])
    if source is None:
        return []
    names = {"replicate": replicate, "data_set": data_set, "run": source.name}
    return [
        result(study, TRIALS, **names, fold=fold, last_fold=last_fold, first=first, last=last)
        for first, last in study.trial_chunks(source, data_set)
        for fold, last_fold in study.fold_chunks(source)
    ]


def stage2_files(study: Study, replicate: int | str, data_set: str, run: str) -> list[str]:
    """All records of stage 2."""
    names = {"replicate": replicate, "data_set": data_set, "run": run}
    return [result(study, PATHS, **names, first=first, last=last) for first, last in study.fold_chunks(study.runs[run])]


def steps_to(study: Study, replicate: int | str, data_set: str, run: str) -> list[tuple[str, list[str]]]:
    """Rule and output files of each step to a final model, in order."""
    names = {"replicate": replicate, "data_set": data_set, "run": run}
    place = (study, replicate, data_set, run)
    steps = [("data", [result(study, DATA, **names)]), ("split", [result(study, SPLIT, **names)])]
    if matrix := matrix_files(study, replicate, data_set, run):
        steps.append(("dissimilarities", matrix))
    if study.stage1_run(study.runs[run]):
        steps += [("stage1", stage1_files(*place)), ("select_parameters", parameters_file(*place))]
    return [
        *steps,
        ("stage2", stage2_files(*place)),
        ("select_complexity", [result(study, COMPLEXITY, **names)]),
        ("fit", [result(study, template, **names) for template in (MODEL, PREDICTIONS, FIT)]),
    ]


# --- custom data -----------------------------------------------------------------------------------------------------


def custom_files(study: Study, data_set: str) -> list[str]:
    """The table of a data set that is one, if its path has no braces, which Snakemake takes for wildcards."""
    file = study.data_settings(data_set).get("file", "{}")
    return [] if set(file) & {"{", "}"} else [str(located(file))]


def custom_version(study: Study, data_set: str) -> list[int]:
    """Size and time of that table if Snakemake cannot look at it, see `custom_files`."""
    file = study.data_settings(data_set).get("file")
    if file is None or custom_files(study, data_set) or not Path(file).exists():
        return []
    return [Path(file).stat().st_size, Path(file).stat().st_mtime_ns]


def downloads(study: Study) -> list[str]:
    """The tables of all data sets of OpenML."""
    return [
        file for d in study.data_sets if "openml" in study.config["data_sets"][d] for file in custom_files(study, d)
    ]


# --- what jobs over several models read ------------------------------------------------------------------------------


def data_files(study: Study) -> list[str]:
    """The data sets of all replicates."""
    return _of_models(study, study.final_models(study.replicates), [DATA])


def evaluation_files(study: Study, replicates: Iterable[int | str], data_set: str | None = None) -> list[str]:
    """Records of all evaluations that the config asks for, optionally of one data set."""
    return [
        result(study, EVALUATION, replicate=replicate, data_set=d, run=run.name, kind=kind)
        for kind in KINDS
        for replicate, run, d in study.evaluated(kind, replicates, data_set)
    ]


def evaluations_of(study: Study, table: str) -> list[str]:
    """The front page, which shows all evaluations, if a comparison asks for some; the records of those come first."""
    kinds = study.config.get("comparisons", {}).get(table, {}).get("evaluations", [])
    records = [f for f in evaluation_files(study, study.replicates) if Path(f).stem in kinds]
    return [*records, report(study, INDEX)] if kinds else []


def score_files(study: Study, experiments: Iterable[str], replicates: Iterable[int] | None = None) -> list[str]:
    """Numbers of some experiments, by default for all replicates."""
    return [
        result(study, SCORES, replicate=replicate, experiment=experiment)
        for experiment in experiments
        for replicate in replicates or study.replicates
        if any(study.data_sets_of(run, replicate) for run in study.experiments[experiment])
    ]


def scored_files(
    study: Study, replicates: Iterable[int | str], experiment: str | None = None, data_set: str | None = None
) -> list[str]:
    """Everything that the numbers of an experiment or a data set are made of."""
    models = list(study.final_models(replicates, experiment, data_set))
    selections = [file for replicate, run, d in models for file in parameters_file(study, replicate, d, run.name)]
    return [*_of_models(study, models, (DATA, COMPLEXITY, FIT, PREDICTIONS)), *selections]


def prediction_files(study: Study) -> list[str]:
    """Everything that the store of predictions is made of."""
    return _of_models(study, study.final_models(study.replicates), (DATA, SPLIT, FIT, PREDICTIONS))


def _of_models(study: Study, models: Iterable[tuple[int, Run, str]], templates: Iterable[str]) -> list[str]:
    files = (
        result(study, template, replicate=replicate, data_set=d, run=run.name)
        for replicate, run, d in models
        for template in templates
    )
    return list(dict.fromkeys(files))


def result_files(study: Study, replicates: Iterable[int | str], data_set: str | None = None) -> list[str]:
    """Everything there is of some final models: data, split, searches, selections, models, predictions, evaluations."""
    made = [
        file
        for replicate, run, d in study.final_models(replicates, data_set=data_set)
        for _, files in steps_to(study, replicate, d, run.name)
        for file in files
    ]
    return list(dict.fromkeys([*made, *evaluation_files(study, replicates, data_set)]))


def record_archives(study: Study) -> list[str]:
    """Names of the archives with what a second person needs to check a study; see `record_files`."""
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


def record_files(study: Study, archive: str) -> list[str]:
    """What is in one of `record_archives`.

    replicate_<number> has splits, selections, predictions, records of final models and of evaluations;
    replicate_<number>_first_fits has the first fit of each model only; replicate_<number>_searches has the single fits
    of the searches (none of additional replicates). Data sets and models are left out: they can be made again.
    """
    replicate, searched = int(archive.split("_")[1]), archive.endswith(SEARCHES)
    wanted = ("stage1", "stage2") if searched else ("split", "select_parameters", "select_complexity", "fit")
    made = [
        file
        for _, run, d in study.final_models([replicate])
        for rule, files in steps_to(study, replicate, d, run.name)
        if rule in wanted
        for file in files
        if Path(file).name != Path(MODEL).name
    ]
    return list(dict.fromkeys([*made, *([] if searched else evaluation_files(study, [replicate]))]))


def record_names(study: Study, archive: str) -> list[str]:
    """The same as names below results/<study>."""
    return [str(Path(file).relative_to(result(study, ""))) for file in record_files(study, archive)]


# --- the report ------------------------------------------------------------------------------------------------------


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
        return folder[8:] in (*study.data_sets, "overview") and (suffix in ("png", "svg") or rest == "figures.json")
    allowed = {
        "": rest in (*REPORT_FILES, NUMBERS),
        "tables": stem in study.tables and suffix in ("md", "csv", "tex"),
        "data_sets": stem in study.data_sets and suffix in ("html", "csv"),
        STORE: name == STORE_INDEX or (stem in study.data_sets and suffix == "parquet"),
        "records": name in [RECORDS.format(archive=archive) for archive in record_archives(study)],
        FINDINGS: name in (HEADLINE, RULES, WHEN_IT_PAYS) or (suffix == "csv" and stem in _FINDINGS),
        EVALUATIONS: suffix == "csv" and stem in ("class_scores", "confusion", *KINDS),
    }
    return allowed.get(folder, False)


def released(study: Study) -> list[str]:
    """Files of reports/<study> without which there is no release: all records, predictions, pages and numbers."""
    return [
        *(*REPORT_FILES, HEADLINE, STORE_INDEX),
        *(RECORDS.format(archive=archive) for archive in record_archives(study)),
        *(PAGE.format(data_set=data_set) for data_set in study.data_sets),
    ]


def archived(study: Study, name: str) -> bool:
    """Whether a file of reports/<study> is too large to commit, so that it is in the archive of a release only.

    That is so of all pages but the first one, figures of single data sets, vector graphics, predictions, and all
    records but the `committed_records`.
    """
    if name.startswith("figures/overview/"):
        return name.endswith(".svg")
    committed = RECORDS.format(archive=committed_records(study))
    large = name.startswith(("data_sets/", "figures/", f"{STORE}/", "records/")) and name != committed
    return large or name in (TABLE_PAGE, EXPLORE)


def remove_leftovers(study: Study) -> None:
    """Remove what a former config had from the report: tables, pages, figures and archives; other files stay."""
    folder = Path(report(study, ""))
    for path in folder.glob("*/*"):
        name = str(path.relative_to(folder))
        if path.is_dir() and path.parent.name == "figures" and path.name not in (*study.data_sets, "overview"):
            shutil.rmtree(path)
        elif _MADE.fullmatch(name) and not belongs(study, name):
            path.unlink()
