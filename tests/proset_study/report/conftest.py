from pathlib import Path

import pytest

from proset_study.base.records import write_json
from proset_study.report.analysis.manifest import manifest
from proset_study.report.catalogue import write_figures
from proset_study.report.pages.front_page import write_index
from proset_study.report.pages.pages import write_data_set
from proset_study.report.pages.study_pages import write_explore, write_tables
from proset_study.report.write import neighbours, write_report
from proset_study.store.packed import pack
from proset_study.store.results import Row, read_published
from proset_study.store.stored import Stored
from proset_study.study import layout

PUBLISHED = Path(__file__).parents[3] / "data/published/published.csv"


def check_findings(figures):
    """Each says what is to be seen in one sentence of at most 25 words."""
    assert figures
    for drawn in figures:
        assert 5 < len(drawn.finding.split()) <= 25, (drawn.name, drawn.finding)
        assert drawn.finding.endswith("."), drawn.name
        assert ". " not in drawn.finding, drawn.name
        assert "nan" not in drawn.finding.split(), drawn.name


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
    folder = tmp_path_factory.mktemp("report")
    config = {**stored.study.config, "experiments": {**stored.study.config["experiments"]}}
    config["experiments"]["E99"] = {**config["experiments"]["E8"], "title": "<i>not run</i>"}
    whole = Stored(stored.folder, type(stored.study).of(config))
    write_figures(whole, folder / "figures/overview", PUBLISHED)
    order = stored.study.data_sets
    for data_set in order:
        figures = folder / "figures" / data_set
        write_figures(stored, figures, data_set)
        page = folder / f"data_sets/{data_set}.html"
        write_data_set(page, stored, data_set, figures, neighbours=neighbours(order, data_set))
    write_report(whole, folder, PUBLISHED, ["tables", "numbers", "models"])
    write_json(folder / "manifest.json", manifest(whole) | {"not_converged": {"0": ["replicate_0/<a>, trial 3"]}})
    records = [name for name in layout.record_names(whole.study, "replicate_0") if (stored.folder / name).exists()]
    pack(stored.folder, records, folder / "records/replicate_0.tar.xz")
    write_index(folder, whole, PUBLISHED)
    write_tables(folder / "tables.html", whole, PUBLISHED)
    write_explore(folder / "explore.html", whole)
    return folder
