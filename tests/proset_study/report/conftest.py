from functools import cache

import pytest
from tests.shared import ROOT, made_once

from proset_study.base.records import write_json
from proset_study.report.analysis.manifest import manifest, rendered
from proset_study.report.catalogue import data_set_figures, overview_figures, write_overview_figures
from proset_study.report.figures.registry import DataSetRuns, planned
from proset_study.report.figures.style import context
from proset_study.report.pages.data_set import write_data_set
from proset_study.report.pages.front_page import write_explore, write_index, write_tables
from proset_study.report.pages.rendering import write_library
from proset_study.report.write import write_page_of, write_report
from proset_study.store.packed import pack
from proset_study.store.results import Row, read_published
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.failures import LOCAL

PUBLISHED = ROOT / "data/published/published.csv"


def published_rows():
    """The published numbers."""
    return read_published(PUBLISHED)


@pytest.fixture(scope="session")
def all_figures(stored):
    """Every figure of the small study."""
    of_data_sets = [figure for data_set in stored.study.data_sets for figure in data_set_figures(stored, data_set)]
    return of_data_sets + overview_figures(stored, PUBLISHED)


@cache
def drawn(stored, data_set, name):
    """One figure of a data set, and the final models that it shows; each is drawn once."""
    (spec,) = [spec for spec in planned(DataSetRuns(stored, data_set)) if spec.name == f"{data_set}_{name}"]
    finals = {final.run.name: final for final in stored.finals(0, data_set)}
    with context():
        return spec.drawn(finals), [finals[run.name] for run in spec.runs]


def write_bare_page(stored, folder, data_set):
    """The page of a data set without its figures, which take seconds."""
    figures = folder / layout.FIGURES.format(data_set=data_set)
    write_json(figures / "figures.json", {"figures": [], "missing": []})
    write_data_set(folder / layout.PAGE.format(data_set=data_set), stored, data_set, figures)


@pytest.fixture
def numbers(tmp_path):
    rows = []
    for experiment, loss in (("E3", 0.1049), ("E8", 0.0951), ("E9", 0.2)):
        names = (0, experiment, "m", "wine", "")
        rows.append(
            [
                Row(*names, "data", "samples", 1178),
                Row(*names, "stage1", "lambda_v", 0.000123, "optimal"),
                Row(*names, "stage1", "threshold", 0.9),
                Row(*names, "cv" if experiment == "E8" else "stage2", "threshold", 0.3),
                Row(*names, "final", "active_features", 4),
                Row(*names, "final", "log_loss", loss),
                Row(*names, "final", "roc_auc", 1.0),
            ]
        )
    published = tmp_path / "published.csv"
    published.write_text(
        "experiment,method,dataset,variant,section,quantity,value,text\n"
        'E3,proset,wine,,data,samples,178,"178"\n'
        "E3,proset,wine,,final,log_loss,0.1,0.10\n"
        "E3,proset,wine,,final,roc_auc,1,1.00\n"
        "E3,proset,wine,,stage1,optimal_lambda_v,6.7e-06,6.7e-6\n",
        encoding="utf-8",
    )
    return rows, read_published(published)


@pytest.fixture(scope="session")
def report(stored, tmp_path_factory):
    """The pages of the small study: a folder with index.html, tables.html, explore.html and data_sets/."""

    def make(folder):
        config = {**stored.study.config, "experiments": {**stored.study.config["experiments"]}}
        config["experiments"]["E99"] = {**config["experiments"]["E8"], "title": "<i>not run</i>"}
        whole = Stored(stored.folder, type(stored.study).of(config))
        write_overview_figures(whole, folder / "figures/overview", PUBLISHED)
        order = stored.study.data_sets
        for data_set in order:
            if data_set == "cross":  # whose page only has to be there
                write_bare_page(stored, folder, data_set)
            else:
                write_page_of(data_set, stored, folder, LOCAL, order)
        write_report(whole, folder, PUBLISHED, ["tables", "numbers", "models"])
        known = manifest(whole) | {
            "not_converged": {"0": ["replicate_0/<a>, trial 3"]},
            "rendered": rendered(LOCAL, ""),
        }
        write_json(folder / "manifest.json", known)
        records = [name for name in layout.record_names(whole.study, "replicate_0") if (stored.folder / name).exists()]
        pack(stored.folder, records, folder / "records/replicate_0.tar.xz")
        write_index(folder, whole, PUBLISHED)
        write_tables(folder / "tables.html", whole, PUBLISHED)
        write_explore(folder / "explore.html", whole)
        write_library(folder / "vega.js")

    return made_once(tmp_path_factory, "pages", make)
