"""A study of 14 small data sets from nine sources, tuned and with defaults, computed as the workflow does."""

import numpy as np
import pandas as pd
import yaml
from tests.proset_study.small_study import config_of

DATA_SETS = 14  # of twelve or 13, signed ranks with ties take a minute each
BATTERY = """
seed: 3
trials_per_job: {proset: 50, knn: 1, class_prior: 1, decision_tree: 50}
folds_per_job: {proset: 2, knn: 2, class_prior: 2, decision_tree: 2}
experiments:
  tuned: {method: proset, stage2: {complexity: 1},
          stage1: {trials: 2, complexity: 1,
                   space: {lambda_v: {log_uniform: [1.0e-6, 0.1]}, lambda_w: {log_uniform: [1.0e-9, 1.0e-4]}}}}
  default: {method: proset, stage2: {complexity: 1}, parameters: {lambda_v: 1.0e-3, lambda_w: 1.0e-8}}
  knn: {title: neighbours, method: knn, stage2: {complexity: 5}}
  tree: {method: decision_tree, stage2: {complexity: 3}, parameters: {min_samples_leaf: 3}}
  prior: {method: class_prior, stage2: {complexity: 1}}
comparisons:
  by_default: {title: Defaults, rows: methods, experiments: [default, knn, tree, prior]}
  after_search: {title: Tuned, rows: methods, experiments: [tuned, knn, tree, prior]}
  settings: {title: Settings, experiments: [default, tuned]}
"""


def battery_config(folder):
    """Four methods, the first one proset; two comparisons by methods, and one of settings."""
    files = [{"file": str(folder / f"{i}.csv"), "target": "kind"} for i in range(7)]
    data_sets = {
        **{f"table_{i}": files[i] for i in range(4)},
        **{f"mixed_{i}": {**files[i], "categorical": ["colour"], "impute": "median"} for i in range(4, 7)},
        **{f"noise_{i}": {"generator": "mixed", "label_noise": i / 20, "samples": 60 + i} for i in range(4)},
        **{f"xor_{i}": {"generator": "xor", "features": 2, "samples_per_orthant": 15 + i} for i in range(3)},
    }
    return config_of("battery", data_sets, **yaml.safe_load(BATTERY))


def write_tables(folder):
    """Numbers and a category, which the class follows from but for noise; the last ones have gaps and three classes."""
    for i in range(7):
        rng = np.random.default_rng(i)
        n = 50 + 10 * i
        table = pd.DataFrame(rng.normal(size=(n, 2 + i)), columns=[f"x{j}" for j in range(2 + i)])
        score = table.x0 + 0.3 * i * rng.normal(size=n)
        table["kind"] = pd.cut(score, 3 if i > 3 else 2, labels=False).map(lambda number: f"kind {number}")
        if i > 3:
            table["colour"] = rng.choice(["red", "blue"], n)
            table.iloc[:: 12 - i, 1] = np.nan
        table.to_csv(folder / f"{i}.csv", index=False)
