import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from proset_study.base.records import read_json, read_json_lines, write_json, write_json_lines, write_text
from proset_study.base.seeds import integer_seed
from proset_study.data.dataset import DataSet
from proset_study.data.matrix import write_matrix
from proset_study.data.metrics import matrix_file
from proset_study.data.sources import make
from proset_study.data.splits import write_split
from proset_study.data.splitting import split
from proset_study.fits import evaluations
from proset_study.fits.final import fit_final, refit_final, write_predictions
from proset_study.fits.search import Case, run_paths, run_trials
from proset_study.fits.selection import select_complexity, select_parameters
from proset_study.release.predictions import write_store
from proset_study.report.write import write_report
from proset_study.store.packed import pack
from proset_study.store.results import Row, case_rows, write_rows
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config.checks import load
from proset_study.study.fingerprints import arithmetic_of

ROOT = Path(__file__).parents[2]
ODD_NAMES = {"features": ["$x$ <b>_", '_"y"&'], "classes": ["$<b>_", "_$a$"]}
NOT_RUN = ("odd", "E9")


def small_config(odd_file: Path) -> dict:
    """Three data sets (two features, an irrelevant feature, odd names), both stages of every method, tiny sizes."""
    proset = {"method": "proset", "stage2": {"complexity": 2}, "data_sets": ["flowers", "cross", "odd"]}
    space = {"lambda_v": {"log_uniform": [1e-6, 1e-1]}, "lambda_w": {"log_uniform": [1e-9, 1e-4]}}
    depth = {
        "max_depth": {"integers": [0, 3]},
        "subsample": {"uniform": [0.5, 0.9]},
        "colsample": {"uniform": [0.5, 0.9]},
    }
    return {
        "study": "small",
        "seed": 3,
        "replicates": [0],
        "fit_seeds": 3,
        "folds": 3,
        "test_fraction": 0.3,
        "trials_per_job": {"proset": 50, "knn": 1, "xgboost": 50},
        "folds_per_job": {"proset": 3, "knn": 3, "xgboost": 3},
        "data_sets": {
            "flowers": {"sklearn": "iris", "features": [0, 1]},
            "cross": {"generator": "xor", "features": 2, "samples_per_orthant": 30, "irrelevant": 1},
            "odd": {"file": str(odd_file), "target": "class", "weight": "weight", "impute": "median"},
        },
        "experiments": {
            "E3": {**proset, "title": "search", "stage1": {"trials": 6, "complexity": 1, "space": space}},
            "E4": {**proset, "title": "optimum", "selection_rule": "best", "stage1": {"from": "E3"}},
            "E5": {
                **proset,
                "title": "grid",
                "parameters": {"lambda_w": 1e-8},
                "stage1": {"trials": 3, "complexity": 1, "space": {"lambda_v": {"log_grid": [1e-6, 1e-1, 3]}}},
            },
            "E8": {**proset, "title": "neighbours", "method": "knn", "stage2": {"complexity": 20}},
            "E9": {
                **proset,
                "title": "trees",
                "method": "xgboost",
                "stage1": {"trials": 5, "complexity": 5, "parameters": {"learning_rate": 0.3}, "space": depth},
                "stage2": {"complexity": 20, "parameters": {"learning_rate": 0.3}},
            },
        },
        "comparisons": {
            "E3_to_E5": {"title": "proset", "experiments": ["E3", "E4", "E5"]},
            "E3_E8_E9": {"title": "methods", "experiments": ["E3", "E8", "E9"]},
        },
        "evaluations": {
            "learning_curve": {
                "of": {"E3": ["cross"], "E8": ["cross"], "E9": ["cross"]},
                "fractions": [0.05, 0.5, 1.0],
                "repeats": 2,
            },
            "bootstrap": {"of": {"E3": ["flowers"], "E8": ["flowers", "odd"], "E9": ["odd"]}, "samples": 5},
            "bias_variance": {"of": {"E3": ["cross"], "E8": ["cross"]}, "draws": 3, "test_samples": 200},
            "complexity_curve": {
                "of": {"E8": ["cross"]},
                "draws": 2,
                "test_samples": 100,
                "sizes": {"E8": [1, 5, 20]},
            },
            "error_estimates": {
                "of": {"E8": ["cross"]},
                "draws": 10,
                "fitted_samples": 1,
                "test_samples": 10_000,
                "sizes": {"knn": 3},
                "bootstrap_samples": 3,
                "leave_one_out": 0,
            },
        },
    }


@pytest.fixture(scope="session")
def stored(tmp_path_factory) -> Stored:
    """A small study with everything computed but `NOT_RUN`; it must not be changed."""
    folder = tmp_path_factory.mktemp("study")
    odd_file = folder / "odd.csv"
    _write_odd(odd_file)
    return compute(small_config(odd_file), folder)


def compute(config: dict, folder: Path) -> Stored:
    """Compute all of a small study but `NOT_RUN`, below `folder`."""
    study = load(config)
    for replicate in study.replicates:
        for data_set in study.data_sets:
            _compute(study, folder / study.name, replicate, data_set)
        for experiment in study.experiments:
            cases = [c for c in study.cases([replicate], experiment) if (c["dataset"], c["run"]) != NOT_RUN]
            rows = [row for case in cases for row in case_rows(folder / study.name, case)]
            write_rows(folder / f"{study.name}/replicate_{replicate}/{experiment}.csv", rows, Row)
    return Stored(folder / study.name, study)


def _write_odd(path):
    import pandas as pd

    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(80, 2)), columns=ODD_NAMES["features"])
    table["class"] = np.where(table.sum(axis=1) > 0, *ODD_NAMES["classes"])
    table.iloc[::9, 0] = np.nan  # to be imputed
    table["weight"] = np.where(np.arange(80) % 7, 1.0, 0.0)
    table.to_csv(path, index=False)


def _compute(study, results, replicate, data_set):
    settings, folder = study.config, results / f"replicate_{replicate}" / data_set
    source = study.data_settings(data_set)
    data = make(source, settings["seed"], data_set, replicate)
    folder.mkdir(parents=True)
    data.save(folder / "data.npz")
    for metric in study.stored_metrics(data_set):
        write_matrix(matrix_file(folder / "data.npz", metric), data, study.metric_settings(metric, data_set), source)
    folds = split(
        data.y,
        settings["folds"],
        settings["test_fraction"],
        integer_seed(settings["seed"], "split", data_set, replicate),
        data.test,
    )
    write_split(folder / "split.csv", folds)
    for run in study.runs.values():
        if data_set in run.data_sets and (data_set, run.name) != NOT_RUN:
            names = (data_set, run.name, run.method, arithmetic_of(run.method))
            data = DataSet.load(folder / "data.npz", study.metric(run.name, data_set))
            _run(study, run, data, folds, Case(settings["seed"], replicate, *names), folder)


def _run(study, run, data, folds, case, data_folder):
    folder, source, chosen = data_folder / run.name, study.stage1_run(run), {}
    if source is run:
        stage1 = run.stage("stage1", case.data_set)
        (file,) = layout.stage1_files(study, case.replicate, case.data_set, run.name)
        records = []
        for fold in range(folds.max() + 1):
            records += run_trials(
                data, folds, fold, range(stage1["trials"]), stage1, case, folder / "kept" / str(fold), []
            )
        write_json_lines(folder / "stage1" / Path(file).name, records)
    if source is not None:
        files = (data_folder / source.name).glob("stage1/*.jsonl")
        records = [record for file in sorted(files) for record in read_json_lines(file)]
        selection = select_parameters(records, run.settings.get("parameters", {}), run.selection_rule, run.criterion)
        write_json(folder / "stage1.json", selection)
        chosen = selection["parameters"]
    stage2 = run.stage("stage2", case.data_set)
    records = run_paths(data, folds, range(folds.max() + 1), stage2, chosen, case, folder / "kept", [])
    for file in layout.stage2_files(study, case.replicate, case.data_set, run.name):
        first, last = map(int, Path(file).stem.removeprefix("folds_").split("-"))
        write_json_lines(folder / "stage2" / Path(file).name, records[first : last + 1])
    selection = select_complexity(records, run.size_rule, run.criterion)
    write_json(folder / "stage2.json", selection)
    parameters = {**stage2["parameters"], **chosen}
    record, rows, probabilities = fit_final(
        data, folds, parameters, selection["complexity"], case, folder / "model.npz"
    )
    record["refits"], others = refit_final(data, folds, record, case, range(1, study.final_fits(run.name)))
    weight = None if data.sample_weight is None else data.sample_weight[rows]
    write_predictions(folder / "predictions.csv", rows, data.y[rows], [probabilities, *others], weight)
    write_json(folder / "fit.json", record)
    for kind in evaluations.KINDS:
        if (0, run, case.data_set) in study.evaluated(kind, [0]):
            source = study.config["data_sets"][case.data_set]
            made = evaluations.get(kind).evaluate(data, folds, record, study.evaluation_settings(kind), case, source)
            write_json(folder / f"{kind}.json", made)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    path = tmp_path_factory.mktemp("published") / "published.csv"
    path.write_text(
        "experiment,method,dataset,variant,section,quantity,value,text\nE3,proset,flowers,,final,log_loss,0.5,0.50\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture(scope="module")
def whole(stored):
    """The part of the small study that has been run."""
    config = json.loads(json.dumps(stored.study.config))
    config["only"] = {name: list(entry["data_sets"]) for name, entry in config["experiments"].items()}
    config["only"]["E9"].remove("odd")
    config["evaluations"]["bootstrap"]["of"].pop("E9")
    return Stored(stored.folder, type(stored.study).of(config))


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """A repository with one commit, of what a release takes from it."""
    folder = tmp_path_factory.mktemp("checkout")
    for file in layout.SURROUNDINGS.values():
        shutil.copy(ROOT / file, folder)
    git = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=all"]):
        subprocess.run([*git, *command], check=True)
    return folder


@pytest.fixture(scope="module")
def report(whole, published, checkout, tmp_path_factory):
    """What the workflow leaves of the small study, without pages and claims."""
    folder = tmp_path_factory.mktemp("report")
    write_all(whole, folder, published, checkout)
    return folder


def write_all(stored, folder, published, checkout):
    """A report with stand-ins for pages and claims, as if the checkout had been run."""
    write_report(stored, folder, published, ["tables", "numbers", "manifest"])
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=checkout, capture_output=True, text=True, check=True)
    write_manifest(folder, read_json(folder / layout.MANIFEST) | {"commit": head.stdout.strip()})
    write_store(folder / layout.STORE, stored, head.stdout.strip())
    for name in layout.released(stored.study):
        if not (folder / name).exists() and name.endswith((".html", layout.CLAIMS)):
            write_text(folder / name, f"in place of {name}\n")
    for archive in layout.record_archives(stored.study):
        pack_archive(stored.folder, stored.study, archive, folder / layout.RECORDS.format(archive=archive))


def pack_archive(folder, study, archive, output):
    """As the command does."""
    pack(folder, layout.record_names(study, archive), output, archive.endswith(layout.FIRST_FITS))


def write_manifest(folder, known):
    """As the workflow does: the config keeps its order."""
    write_text(folder / "manifest.json", json.dumps(known, indent=1) + "\n")
