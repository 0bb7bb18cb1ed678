"""How long the report of very many data sets takes, and its peak of memory, by what the workflow runs for it.

Records are made up: every method fits one small table, and its records are copied to all data sets and replicates with
other numbers. Models are copied only of the subject and on the last data set, since nothing else reads others.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from benchmarks import memory

from proset.archive import read_archive, write_archive
from proset_study.base.records import (
    place,
    read_json,
    read_json_lines,
    read_table,
    write_json,
    write_json_lines,
    write_text,
)
from proset_study.data.dataset import DataSet
from proset_study.data.splits import TEST, read_split, write_split
from proset_study.fits.final import rounded
from proset_study.store.missing import find_missing_models
from proset_study.study import layout
from proset_study.study.config.checks import load
from proset_study.study.config.study import Study
from proset_study.study.failures import LOCAL
from proset_study.study.steps import run_all

ROOT = Path(__file__).parents[1]
SIZES = ((100, 2), (100, 10), (300, 10), (1000, 10))  # data sets and replicates
COLUMNS = ("data_sets", "methods", "replicates", "models", "step", "wall_s", "cpu_s", "peak_mib", "written_mib")
ROWS, FEATURES = 100, 6
METHODS: dict[str, dict[str, Any]] = {
    "proset": {
        "stage1": {"trials": 3, "complexity": 1, "space": {"lambda_v": {"log_uniform": [1e-6, 1e-1]}}},
        "parameters": {"lambda_w": 1e-8},
        "stage2": {"complexity": 3},
    },
    "knn": {"stage2": {"complexity": 10}},
    "xgboost": {
        "stage1": {"trials": 3, "complexity": 5, "space": {"max_depth": {"integers": [0, 9]}}},
        "parameters": {"learning_rate": 0.3, "colsample": 0.5, "subsample": 0.8},
        "stage2": {"complexity": 10},
    },
    "class_prior": {"stage2": {"complexity": 1}},
    "logistic_regression": {"parameters": {"l1_ratio": 0.5}, "stage2": {"complexity": 6}},
    "decision_tree": {"parameters": {"min_samples_leaf": 5}, "stage2": {"complexity": 10}},
    "bagging": {"parameters": {"min_samples_leaf": 1}, "stage2": {"complexity": 10}},
    "random_forest": {
        "stage1": {"trials": 3, "complexity": 5, "space": {"max_features": {"uniform": [0.1, 0.9]}}},
        "parameters": {"min_samples_leaf": 1},
        "stage2": {"complexity": 10},
    },
    "adaboost": {"parameters": {"learning_rate": 0.5, "max_depth": 2}, "stage2": {"complexity": 10}},
    "svm": {
        "stage1": {"trials": 3, "complexity": 1, "space": {"gamma": {"log_grid": [0.01, 1.0, 3]}}},
        "parameters": {"C": 10.0},
        "stage2": {"complexity": 1},
    },
    "hist_gradient_boosting": {"parameters": {"learning_rate": 0.5, "max_leaf_nodes": 8}, "stage2": {"complexity": 10}},
    "nearest_neighbour": {"stage2": {"complexity": 1}},
    "k_means": {"stage2": {"complexity": 4}},
    "k_medoids": {"stage2": {"complexity": 4}},
    "condensed_nn": {"stage2": {"complexity": 1}},
}


def run(sizes: tuple[tuple[int, int], ...], folder: Path) -> Iterator[dict]:
    """A row of `COLUMNS` for each step of each report."""
    for data_sets, replicates in sizes:
        own = folder / f"{data_sets}_{replicates}"
        study = make_up(own, data_sets, replicates)
        names = {"data_sets": data_sets, "methods": len(METHODS), "replicates": replicates}
        names["models"] = data_sets * replicates * len(METHODS)
        for row in measure(own, study):
            yield {**names, **row}
        shutil.rmtree(own)


def make_up(folder: Path, data_sets: int, replicates: int) -> Study:
    """A study with all of its records, below `folder`; to make those of 150,000 models takes ten minutes."""
    (folder / "tables").mkdir(parents=True)
    (folder / "data").symlink_to(ROOT / "data")
    before = Path.cwd()
    os.chdir(folder)
    try:
        with patch("os.fsync"):  # nobody misses these records after a loss of power
            study = _study(data_sets, replicates)
            run_all(study, 0, study.data_sets[0])
            _copy(study)
            assert not find_missing_models(study)
    finally:
        os.chdir(before)
    return study


def measure(folder: Path, study: Study) -> Iterator[dict]:
    """Seconds of the clock and of the processor, peak of memory and size of the output of each step, one by one."""
    file, published = f"results/{study.name}/study.json", "data/published/published.csv"
    write_json(folder / file, study.config)
    options = ["--published", published, "--options", json.dumps(LOCAL)]
    experiments = product(study.experiments, study.replicates)
    steps: dict[str, list[list[str]]] = {
        "scores": [["score", "--replicate", str(r), "--experiment", e] for e, r in experiments],
        "tables": [["table", "--name", name, "--published", published] for name in study.tables],
        "report": [["report", *options]],
        "a page of a data set": [["data-set-page", "--data-set", study.data_sets[-1], *options[2:]]],
    }
    for step, commands in steps.items():
        start, cpu, peak, size = time.perf_counter(), 0.0, 0.0, _size(folder)
        for command in commands:
            seconds, memory_mib = _run(folder, [*command, "--study", file])
            cpu, peak = cpu + seconds, max(peak, memory_mib)
        numbers = {"wall_s": f"{time.perf_counter() - start:.1f}", "cpu_s": f"{cpu:.1f}", "peak_mib": f"{peak:.0f}"}
        yield {"step": step, **numbers, "written_mib": f"{(_size(folder) - size) / 2**20:.1f}"}


def _run(folder, words):
    command = [sys.executable, "-m", "proset_study", *words]
    return memory.run(command, folder, {**os.environ, "PYTHONPATH": str(ROOT / "src")})


def _size(folder):
    """Bytes of what is made from records."""
    made = [
        *folder.glob("reports/**/*"),
        *folder.glob("results/*/replicate_*/*.csv"),
        *folder.glob("results/*/scores/**/*"),
    ]
    return sum(path.stat().st_size for path in made if path.is_file())


def _study(data_sets, replicates):
    rng = np.random.default_rng(1)
    names = [f"table_{i:04}" for i in range(data_sets)]
    for name in names:
        X = rng.normal(size=(ROWS, FEATURES))
        y = (X[:, 0] + rng.normal(size=ROWS) > 0).astype(int)
        header = ",".join([*(f"x{i}" for i in range(FEATURES)), "y"])
        np.savetxt(f"tables/{name}.csv", np.c_[X, y], "%.4g", ",", header=header, comments="")
    experiments = {
        f"M{i:02}": {"title": f"Method {i}", "method": method, "data_sets": names, **METHODS[method]}
        for i, method in enumerate(METHODS)
    }
    config = {
        "study": "many",
        "seed": 1,
        "replicates": list(range(replicates)),
        "folds": 3,
        "test_fraction": 0.3,
        "jobs": "data_sets",
        "data_sets": {name: {"file": f"tables/{name}.csv", "target": "y"} for name in names},
        "experiments": experiments,
        "comparisons": {"every_method": {"title": "All methods", "rows": "methods", "experiments": list(experiments)}},
    }
    return load(config)


def _copy(study):
    """The records of the first data set and replicate, to all others with other numbers."""
    rng = np.random.default_rng(2)
    first = layout.Place(study, 0, study.data_sets[0])
    data, folds = DataSet.load(first.file(layout.DATA)), read_split(first.file(layout.SPLIT), ROWS)
    records = {run: _records(first._replace(run=run)) for run in study.runs}
    difficulty = rng.gamma(2.0, 0.5, len(study.data_sets))  # of data sets
    skill = rng.normal(0.0, 0.2, (len(study.data_sets), len(study.runs)))  # of methods
    for replicate, (i, name) in product(study.replicates, enumerate(study.data_sets)):
        target = layout.Place(study, replicate, name)
        if target == first:
            continue
        target.file(layout.DATA).parent.mkdir(parents=True, exist_ok=True)
        shuffled = rng.permutation(ROWS)
        replace(data, X=rng.normal(size=data.X.shape), y=data.y[shuffled]).save(target.file(layout.DATA))
        write_split(target.file(layout.SPLIT), folds[shuffled])
        rows = np.flatnonzero(folds[shuffled] == TEST)
        for j, (run, record) in enumerate(records.items()):
            ease = np.exp(skill[i, j]) / difficulty[i]
            _write(target._replace(run=run), record, rows, data.y[shuffled][rows], ease, rng)
        write_json(target.file(layout.DATA_DONE), {"fingerprint": ""})
        write_json(target.file(layout.ALL_RUNS), {"fingerprint": ""})


def _records(source):
    fit = read_json(source.file(layout.FIT))
    own = source.study.stage1_run(source.study.runs[source.run]) is not None
    return {
        "fit": fit,
        "n": len(read_table(source.file(layout.PREDICTIONS), fit["n_scored"])),
        "complexity": read_json(source.file(layout.COMPLEXITY)),
        "paths": read_json_lines(Path(source.path_files()[0])),
        "parameters": read_json(source.file(layout.PARAMETERS)) if own else None,
        "trials": read_json_lines(Path(source.trial_files()[0])) if own else None,
        "model": read_archive(source.file(layout.MODEL)),
    }


def _write(target, record, rows, y, ease, rng):
    names = {"replicate": target.replicate, "data_set": target.data_set}
    target.file(layout.FIT).parent.mkdir(parents=True, exist_ok=True)
    write_json_lines(target.path_files()[0], [_varied({**path, **names}, rng) for path in record["paths"]])
    write_json(target.file(layout.COMPLEXITY), _shifted(record["complexity"], rng))
    if record["parameters"] is not None:
        write_json_lines(target.trial_files()[0], [_varied({**trial, **names}, rng) for trial in record["trials"]])
        write_json(target.file(layout.PARAMETERS), _shifted(record["parameters"], rng))
    write_json(target.file(layout.FIT), _varied({**record["fit"], **names}, rng))
    score = rng.normal((2 * y - 1) * ease, 1.0)
    p = rounded(np.c_[1 / (1 + np.exp(score)), 1 / (1 + np.exp(-score))])
    lines = [f"{row},{k},1.0,{p0},{p1}" for row, k, (p0, p1) in zip(rows, y.tolist(), p.tolist(), strict=True)]
    write_text(target.file(layout.PREDICTIONS), "\n".join(["row,y,weight,p0,p1", *lines]) + "\n")
    model = target.file(layout.MODEL)
    if target.run == next(iter(target.study.runs)) or target.data_set == target.study.data_sets[-1]:
        header, arrays = record["model"]
        write_archive(model, {**header, "place": place(model)}, arrays)
    else:
        model.touch()


def _varied(record, rng):
    """A record of a fit with other seconds."""
    factor = float(rng.lognormal(0.0, 0.3))
    seconds = {
        key: round(value * factor, 6) if key.endswith("_s") else value for key, value in record["resources"].items()
    }
    return {**record, "resources": seconds}


def _shifted(selection, rng):
    """A selection from other losses."""
    shift = float(rng.normal(0.0, 0.02))
    return {
        **selection,
        "mean": [value + shift for value in selection["mean"]],
        "threshold": selection["threshold"] + shift,
    }
