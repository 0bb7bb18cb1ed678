"""Files that the jobs of the report read, and those of the report: as the config names them, not what is in a folder.

What a former config left behind is therefore in no number, and a file that is lost is made again before it is read.
"""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from proset_study.config.study import Study
from proset_study.fits import KINDS

CHECKSUMS = "SHA256SUMS"  # of the files in the archive of a report, and of its manifest
REPORT_FILES = (
    *("index.html", "manifest.json", "results.csv", "comparison.csv", "claims.csv", "tables.xlsx"),
    CHECKSUMS,
)
FINDINGS = ("rules", "methods", "selected_features", "prototypes", "ranks", "pairs", "over_data_sets")


def result_files(study: Study, replicates: Iterable[int], data_set: str | None = None) -> list[str]:
    """Everything there is of some final models: data, split, searches, selections, models, predictions, evaluations."""
    made = [
        file
        for replicate, run, d in study.final_models(replicates, data_set=data_set)
        for _, files in study.steps_to(replicate, d, run.name)
        for file in files
    ]
    return list(dict.fromkeys([*made, *study.evaluation_files(replicates, data_set)]))


def record_archives(study: Study) -> list[str]:
    """Names of the archives with what a second person needs to check a study; see `record_files`."""
    searched = [f"replicate_{replicate}_searches" for replicate in study.config["replicates"]]
    return [*(f"replicate_{replicate}" for replicate in study.replicates), *searched]


def record_files(study: Study, archive: str) -> list[str]:
    """What is in one of `record_archives`.

    replicate_<number> has splits, selections, predictions, records of final models and of evaluations;
    replicate_<number>_searches the single fits of the searches, which are not kept of additional replicates. Data sets
    and models are left out: the first can be made again from the seed, the second are refitted.
    """
    replicate, _, searches = archive.removeprefix("replicate_").partition("_")
    wanted = ("stage1", "stage2") if searches else ("split", "select_parameters", "select_complexity", "fit")
    made = [
        file
        for _, run, d in study.final_models([int(replicate)])
        for rule, files in study.steps_to(int(replicate), d, run.name)
        if rule in wanted
        for file in files
        if not file.endswith("/model.npz")
    ]
    return list(dict.fromkeys([*made, *([] if searches else study.evaluation_files([int(replicate)]))]))


def record_names(study: Study, archive: str) -> list[str]:
    """The same as names below results/<study>."""
    return [file.removeprefix(f"results/{study.name}/") for file in record_files(study, archive)]


def scored_files(study: Study, replicates: Iterable[int], experiment: str | None = None, data_set: str | None = None):
    """Everything that the numbers of an experiment or a data set are made of."""
    models = study.final_models(replicates, experiment, data_set)
    data = dict.fromkeys(f"results/{study.name}/replicate_{replicate}/{d}/data.npz" for replicate, _, d in models)
    return [*data, *study.scored_files(replicates, experiment, data_set)]


def asked_for_before(study: Study) -> list[str]:
    """Files of the report that are made only where a data set was asked for by its name: they stay up to date."""
    files = [f"reports/{study.name}/data_sets/{data_set}.csv" for data_set in study.data_sets]
    return [file for file in files if Path(file).exists()]


def belongs(study: Study, name: str) -> bool:
    """Whether a file of reports/<study> belongs to the report of the study as the config describes it."""
    folder, _, rest = name.rpartition("/")
    stem, _, suffix = rest.rpartition(".")
    if folder.startswith("figures/"):
        return folder[8:] in (*study.data_sets, "overview") and (suffix in ("png", "svg") or rest == "figures.json")
    allowed = {
        "": rest in REPORT_FILES,
        "tables": stem in study.tables and suffix in ("md", "csv", "tex"),
        "data_sets": stem in study.data_sets and suffix in ("html", "csv"),
        "records": rest in [f"{archive}.tar.xz" for archive in record_archives(study)],
        "findings": suffix == "csv" and stem in FINDINGS,
        "evaluation": suffix == "csv" and stem in ("class_scores", "confusion", *KINDS),
    }
    return allowed.get(folder, False)


def archived(study: Study, name: str) -> bool:
    """Whether a file of reports/<study> is too large to commit: `report.release` puts it into the archive.

    These are the pages and figures of single data sets, vector graphics, the searches, and all records but those of the
    first replicate.
    """
    if name.startswith("figures/overview/"):
        return name.endswith(".svg")
    committed = f"records/replicate_{study.replicates[0]}.tar.xz"
    return name.startswith(("data_sets/", "figures/", "records/")) and name != committed


def remove_leftovers(study: Study, report: Path) -> None:
    """Remove tables, pages, figures and archives of what a former config had from the report; other files stay."""
    for path in report.glob("*/*"):
        name = str(path.relative_to(report))
        if path.is_dir() and path.parent.name == "figures" and path.name not in (*study.data_sets, "overview"):
            shutil.rmtree(path)
        elif _MADE.fullmatch(name) and not belongs(study, name):
            path.unlink()


_MADE = re.compile(r"tables/\w+\.(md|csv|tex)|data_sets/\w+\.(html|csv)|records/replicate_\d+(_searches)?\.tar\.xz")
