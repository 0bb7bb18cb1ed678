"""A small study with everything in it, computed as the workflow does, and its report."""

import json
import subprocess
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from markupsafe import escape

from proset_study.base.records import read_json, write_text
from proset_study.fits import evaluations
from proset_study.release.predictions import write_store
from proset_study.release.verify.shown import told
from proset_study.report.write import write_report
from proset_study.store.packed import pack
from proset_study.store.scores import write_scores
from proset_study.store.stored import Stored
from proset_study.study import layout
from proset_study.study.config.checks import load
from proset_study.study.steps import evaluate, prepare_data_set, run_case

ODD_NAMES = {"features": ["$x$ <b>_", '_"y"&'], "classes": ["$<b>_", "_$a$"]}
NOT_RUN = ("odd", "E9")


SMALL = """
study: small
seed: 3
replicates: [0]
fit_seeds: 3
folds: 3
test_fraction: 0.3
trials_per_job: {proset: 50, knn: 1, xgboost: 50}
folds_per_job: {proset: 3, knn: 3, xgboost: 3}
data_sets:
  flowers: {sklearn: iris, features: [0, 1]}
  cross: {generator: xor, features: 2, samples_per_orthant: 30, irrelevant: 1}
  odd: {file: ODD, target: class, weight: weight, impute: median}
experiments:
  E3: {method: proset, stage2: {complexity: 2}, data_sets: [flowers, cross, odd], title: search,
       stage1: {trials: 6, complexity: 1,
                space: {lambda_v: {log_uniform: [1.0e-6, 0.1]}, lambda_w: {log_uniform: [1.0e-9, 1.0e-4]}}}}
  E4: {method: proset, stage2: {complexity: 2}, data_sets: [flowers, cross, odd], title: optimum, selection_rule: best,
       stage1: {from: E3}}
  E5: {method: proset, stage2: {complexity: 2, parameters: &fixed {lambda_w: 1.0e-8}}, data_sets: [flowers, cross, odd],
       title: grid,
       stage1: {trials: 3, complexity: 1, parameters: *fixed, space: {lambda_v: {log_grid: [1.0e-6, 0.1, 3]}}}}
  E8: {method: knn, stage2: {complexity: 20}, data_sets: [flowers, cross, odd], title: neighbours}
  E9: {method: xgboost, stage2: {complexity: 20, parameters: {learning_rate: 0.3}}, data_sets: [flowers, cross, odd],
       title: trees, stage1: {trials: 5, complexity: 5, parameters: {learning_rate: 0.3},
       space: {max_depth: {integers: [0, 3]}, subsample: {uniform: [0.5, 0.9]}, colsample: {uniform: [0.5, 0.9]}}}}
comparisons:
  E3_to_E5: {title: proset, experiments: [E3, E4, E5]}
  E3_E8_E9: {title: methods, experiments: [E3, E8, E9]}
evaluations:
  learning_curve: {of: {E3: [cross], E8: [cross], E9: [cross]}, fractions: [0.05, 0.5, 1.0], repeats: 2}
  bootstrap: {of: {E3: [flowers], E8: [flowers, odd], E9: [odd]}, samples: 5}
  bias_variance: {of: {E3: [cross], E8: [cross]}, draws: 3, test_samples: 200}
  complexity_curve: {of: {E8: [cross]}, draws: 2, test_samples: 100, sizes: {E8: [1, 5, 20]}}
  error_estimates: {of: {E8: [cross]}, draws: 10, fitted_samples: 1, test_samples: 10_000, sizes: {knn: 3},
                    bootstrap_samples: 3, leave_one_out: 0}
"""


def small_config(odd_file: Path) -> dict:
    """Three data sets (two features, an irrelevant feature, odd names), both stages of every method, tiny sizes."""
    config = yaml.safe_load(SMALL)
    config["data_sets"]["odd"]["file"] = str(odd_file)
    return config


def config_of(study: str, data_sets: dict, experiments: dict, **settings) -> dict:
    """A study of one replicate, two folds, and experiments on all data sets whose titles are their names."""
    titled = {name: {"title": name, "data_sets": list(data_sets), **entry} for name, entry in experiments.items()}
    sizes = {"seed": 1, "replicates": [0], "folds": 2, "test_fraction": 0.3}
    return {"study": study, **sizes, "data_sets": data_sets, "experiments": titled, **settings}


def compute(config: dict, folder: Path) -> Stored:
    """Compute all of a small study but `NOT_RUN`, in `folder`, as the workflow does."""
    study = load(config)
    with chdir(folder):
        for replicate in study.replicates:
            for data_set in study.data_sets:
                prepare_data_set(study, replicate, data_set)
            for _, run, data_set in study.final_models([replicate]):
                if (data_set, run.name) != NOT_RUN:
                    run_case(study, replicate, data_set, run.name)
            for kind in evaluations.KINDS:
                for _, run, data_set in study.evaluated(kind, [replicate]):
                    if (data_set, run.name) != NOT_RUN:
                        evaluate(study, replicate, data_set, run.name, kind)
            for experiment in study.experiments:
                cases = [c for c in study.cases([replicate], experiment) if (c["dataset"], c["run"]) != NOT_RUN]
                output = layout.result(study, layout.SCORES, replicate=replicate, experiment=experiment)
                write_scores(study, cases, output)
    return Stored(folder / layout.result(study, ""), study)


class WithLosses(Stored):
    """The small study with other test log-losses, by row and replicate."""

    def __init__(self, stored, loss, replicates=(0,)):
        super().__init__(stored.folder, stored.study)
        self._loss, self._numbers = loss, list(replicates)

    @property
    def replicates(self):
        return self._numbers

    def _read_rows(self, experiment):
        return [
            replace(row, replicate=replicate, value=self._loss(row, replicate) if is_test_loss(row) else row.value)
            for replicate in self.replicates
            for row in Stored(self.folder, self.study).rows_of([experiment])
        ]


def is_test_loss(row):
    return (row.section, row.quantity) == ("final", "log_loss")


def write_odd(path):
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(80, 2)), columns=ODD_NAMES["features"])
    table["class"] = np.where(table.sum(axis=1) > 0, *ODD_NAMES["classes"])
    table.iloc[::9, 0] = np.nan  # to be imputed
    table["weight"] = np.where(np.arange(80) % 7, 1.0, 0.0)
    table.to_csv(path, index=False)


def write_all(stored, folder, published, checkout):
    """A report with stand-ins for pages, which other code has rendered, as if the checkout had been run."""
    write_report(stored, folder, published, ["tables", "numbers", "manifest", "models", "article"])
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=checkout, capture_output=True, text=True, check=True)
    known = read_json(folder / layout.MANIFEST) | {"commit": head.stdout.strip()}
    known["rendered"]["page"] = "0" * 16
    write_manifest(folder, known)
    write_store(folder / layout.STORE, stored, head.stdout.strip())
    write_text(folder / layout.INDEX, "".join(f"<dd>{escape(text)}</dd>\n" for text in told(known).values()))
    for name in layout.released(stored.study):
        if not (folder / name).exists() and name.endswith((".html", ".js")):
            write_text(folder / name, f"in place of {name}\n")
    for archive in layout.record_archives(stored.study):
        pack_archive(stored.folder, stored.study, archive, folder / layout.RECORDS.format(archive=archive))


def pack_archive(folder, study, archive, output):
    """As the command does."""
    pack(folder, layout.record_names(study, archive), output, archive.endswith(layout.FIRST_FITS))


def write_manifest(folder, known):
    """As the workflow does: the config keeps its order."""
    write_text(folder / "manifest.json", json.dumps(known, indent=1) + "\n")


def check_findings(figures):
    """Each says what is to be seen in one sentence of at most 25 words."""
    assert figures
    for drawn in figures:
        assert 5 < len(drawn.finding.split()) <= 25, (drawn.name, drawn.finding)
        assert drawn.finding.endswith("."), drawn.name
        assert ". " not in drawn.finding, drawn.name
        assert "nan" not in drawn.finding.split(), drawn.name
