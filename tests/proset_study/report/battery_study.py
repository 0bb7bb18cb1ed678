"""A study of 14 small data sets from nine sources, tuned and with defaults, computed as the workflow does."""

import numpy as np
import pandas as pd

DATA_SETS = 14  # of twelve or 13, signed ranks with ties take a minute each


def battery_config(folder):
    """Four methods, the first one proset; two comparisons by methods, and one of settings."""
    data_sets = {
        **{f"table_{i}": {"file": str(folder / f"{i}.csv"), "target": "kind"} for i in range(4)},
        **{
            f"mixed_{i}": {
                **{"file": str(folder / f"{i}.csv"), "target": "kind"},
                **{"categorical": ["colour"], "impute": "median"},
            }
            for i in range(4, 7)
        },
        **{f"noise_{i}": {"generator": "mixed", "label_noise": i / 20, "samples": 60 + i} for i in range(4)},
        **{f"xor_{i}": {"generator": "xor", "features": 2, "samples_per_orthant": 15 + i} for i in range(3)},
    }
    every = list(data_sets)
    proset = {"method": "proset", "stage2": {"complexity": 1}, "data_sets": every}
    space = {"lambda_v": {"log_uniform": [1e-6, 1e-1]}, "lambda_w": {"log_uniform": [1e-9, 1e-4]}}
    return {
        "study": "battery",
        "seed": 3,
        "replicates": [0],
        "folds": 2,
        "test_fraction": 0.3,
        "trials_per_job": {"proset": 50, "knn": 1, "class_prior": 1, "decision_tree": 50},
        "folds_per_job": {"proset": 2, "knn": 2, "class_prior": 2, "decision_tree": 2},
        "data_sets": data_sets,
        "experiments": {
            "tuned": {**proset, "title": "tuned", "stage1": {"trials": 2, "complexity": 1, "space": space}},
            "default": {**proset, "title": "default", "parameters": {"lambda_v": 1e-3, "lambda_w": 1e-8}},
            "knn": {**proset, "title": "neighbours", "method": "knn", "stage2": {"complexity": 5}},
            "tree": {
                **{**proset, "title": "tree", "method": "decision_tree", "stage2": {"complexity": 3}},
                "parameters": {"min_samples_leaf": 3},
            },
            "prior": {**proset, "title": "prior", "method": "class_prior", "stage2": {"complexity": 1}},
        },
        "comparisons": {
            "by_default": {"title": "Defaults", "rows": "methods", "experiments": ["default", "knn", "tree", "prior"]},
            "after_search": {"title": "Tuned", "rows": "methods", "experiments": ["tuned", "knn", "tree", "prior"]},
            "settings": {"title": "Settings", "experiments": ["default", "tuned"]},
        },
    }


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
