"""A project with what the article is built from: the committed records, or made-up ones in place of some reports."""

import json
import shutil
from copy import deepcopy
from dataclasses import replace
from math import sin

import pytest
import yaml
from tests.shared import ROOT

from proset_study.base.records import write_json
from proset_study.report.analysis import response_curves
from proset_study.report.analysis.response_curves import points
from proset_study.report.analysis.verdict import LEAVE_ONE_OUT
from proset_study.report.article.build import PICTURE, TOPICS, numbers_record
from proset_study.report.article.open_track import FORMS, INSTALLED, TRACKED
from proset_study.report.article.study import DRAWS, STUDY
from proset_study.report.article.topics import PUBLISHED, SUBJECT
from proset_study.report.evaluations.error_estimates import COLUMNS, LABELS
from proset_study.report.rows import read_table
from proset_study.store.results import Row, read_rows, write_rows
from proset_study.study import layout


@pytest.fixture(scope="session")
def committed(tmp_path_factory):
    """The sources, and those of the records that are in the repository."""
    project = tmp_path_factory.mktemp("committed")
    shutil.copytree(ROOT / "article", project / "article")
    for name in {PICTURE, *(name for topic in TOPICS.values() for name in topic.records if (ROOT / name).is_file())}:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, project / name)
    return numbered(project)


@pytest.fixture(scope="session")
def whole(committed, tmp_path_factory):
    """The same with records for every topic. Only their form is that of real ones."""
    project = tmp_path_factory.mktemp("whole") / "project"
    shutil.copytree(committed, project)
    (project / DRAWS).mkdir(parents=True, exist_ok=True)
    shutil.copy2(project / STUDY / layout.COMPARISON, project / DRAWS)
    config = json.loads((project / STUDY / layout.MANIFEST).read_text(encoding="utf-8"))["config"]
    _open_track(project / "reports/open_track", project / STUDY, config)
    _response_curves(project / "reports/response_curves", config)
    _error_estimates(project / "reports/error_estimates", config)
    return numbered(project, DRAWS, "reports/open_track", "reports/response_curves", "reports/error_estimates")


def numbered(project, *reports):
    """The project with the numbers.json of some reports, by default all, from the other files."""
    for report in reports or sorted(file.parent for file in project.glob(f"reports/*/{layout.MANIFEST}")):
        write_json(project / report / layout.NUMBERS, numbers_record(project / report, project / PUBLISHED))
    return project


def copied(project, folder, *files):
    """The project with files of its own, which a test may change."""
    copy = folder / "project"
    for name in files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(project / name, copy / name)
    return copy


def _open_track(folder, study, config):
    """Every number of proset once more, 5 % smaller, as those of leave-one-out references, 10 % as installed."""
    experiments = {e: config["experiments"][e] for e in ("E3", "E10")}
    forms = {LEAVE_ONE_OUT: 0.95, INSTALLED: 0.9}
    scores = [row for row in read_rows(study / layout.ALL_SCORES, Row) if row.experiment in experiments]
    others, of_others = {}, []
    for form, factor in forms.items():
        others |= {f"{form}_{e}": {**entry, "method": form} for e, entry in experiments.items()}
        for row in scores:
            value = None if row.value is None else factor * row.value
            of_others.append(replace(row, experiment=f"{form}_{row.experiment}", method=form, value=value))
    write_rows(folder / layout.ALL_SCORES, scores + of_others, Row)
    every = {**experiments, **others}
    comparisons = {name: {"title": "All of them", "experiments": [*every]} for name in (TRACKED, FORMS)}
    made = {**_without_plans(config), "experiments": every, "comparisons": comparisons}
    write_json(folder / layout.MANIFEST, {**_manifest(made), "config": {**made, "subject": INSTALLED}})
    ranks = read_table(study / "findings/ranks.csv", comparison="E14")
    names = {SUBJECT: INSTALLED, "generated": "real"}  # of the study's four real data sets there are no ranks
    of_track = [{key: names.get(value, value) for key, value in {**r, "comparison": TRACKED}.items()} for r in ranks]
    write_rows(folder / "findings/ranks.csv", of_track, list(ranks[0]))


def _response_curves(folder, config):
    """Excess that rises along every curve, of three methods."""
    overlay = yaml.safe_load((ROOT / "workflow/response_curves.yaml").read_text(encoding="utf-8"))
    methods = ("proset", LEAVE_ONE_OUT, "knn")
    on_curves = [d for curve in points(overlay["data_sets"]).values() for d in curve.values()]
    found = []
    for i, data_set in enumerate(dict.fromkeys(on_curves)):
        for replicate in range(3):
            for k, method in enumerate(methods):
                excess = 0.01 + 0.004 * i * (1 + k) + 0.001 * sin(replicate + i + k)
                names = {"replicate": replicate, "dataset": data_set, "experiment": method, "method": method}
                scores = {"bayes_error": 0.1, "excess_error": excess, "bayes_log_loss": 0.2, "excess_log_loss": excess}
                found.append({**names, **scores})
    write_rows(folder / layout.FINDINGS / "response_curves.csv", found, response_curves.COLUMNS)
    experiments = {m: {**config["experiments"]["E8"], "method": m, "data_sets": ["baseline"]} for m in methods}
    made = {**_without_plans(config), "data_sets": overlay["data_sets"], "experiments": experiments}
    write_json(folder / layout.MANIFEST, _manifest(made))


def _error_estimates(folder, config):
    found = []
    for size in (54, 999):
        for i, estimate in enumerate(LABELS):
            names = {"replicate": 0, "experiment": "E8", "method": "knn", "dataset": f"mixture_{size}", "variant": ""}
            numbers = {"n_fit": size, "n_scored": 1000, "draws": 10, "estimate": estimate, "possible": 10, "true": 0.3}
            numbers |= {"true_standard_error": 0.001, "bias": -0.01 * i, "bias_standard_error": 0.01, "deviation": 0.05}
            found.append({**names, **numbers, "rmse": 0.05 + 0.01 * i, "coverage": 0.9, "cpu_s": 1.0 + i})
    write_rows(folder / "evaluation/error_estimates.csv", found, COLUMNS)
    write_json(folder / layout.MANIFEST, _manifest(_without_plans(config)))


def _manifest(config, cost=None):
    config = {**config, "subject": "proset"}  # the file is sorted, so that it is not the first method any more
    return {"config": config, "cost": cost or {}, "commit": "0123456789ab", "machine": {"processor": "any"}}


def _without_plans(config):
    return {key: deepcopy(value) for key, value in config.items() if key not in ("comparisons", "evaluations")}
