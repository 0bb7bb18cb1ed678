"""Why XGBoost scores differ from the published ones: trees as today's library grows them, and as that of 2021 did.

On the published data and test part, with the parameters that the published study selected, five seeds: exact splits
were the default then, histograms are it now; the published text draws features per split, its scripts
(NRuf77/proset) draw them per level (`colsample_bylevel`). Exact splits cannot draw features per split.
"""

from pathlib import Path
from statistics import fmean, stdev

from proset_study.data.sources import make
from proset_study.methods.xgboost import _objective, _probabilities, depth_limit
from proset_study.store.metrics import score_predictions
from proset_study.store.results import read_published

PUBLISHED = Path("data/published/published.csv")
CASES = {
    ("E9", "iris_2f"): {"sklearn": "iris", "features": [0, 1]},
    ("E9", "wine"): {"sklearn": "wine"},
    ("E9", "cancer"): {"sklearn": "breast_cancer"},
    ("E9", "checker"): {"generator": "checker"},
    ("E12", "checker_rot"): {"generator": "checker", "angle": 45.0},
    ("E12", "xor_3f"): {"generator": "xor", "features": 3},
    ("E12", "xor_4f"): {"generator": "xor", "features": 4},
}
TREES = {  # as in the study, then towards the published scripts
    "histograms, features per split": {"tree_method": "hist", "sample": "colsample_bynode"},
    "histograms, features per level": {"tree_method": "hist", "sample": "colsample_bylevel"},
    "exact, features per level": {"tree_method": "exact", "sample": "colsample_bylevel"},
}
SCORES = ("log_loss", "roc_auc", "balanced_accuracy")
COLUMNS = (
    *("experiment", "data_set", "trees"),
    *(f"{score}{part}" for score in SCORES for part in ("_published", "", "_deviation")),
)


def run(data_sets: list[str] | None = None, seeds: range = range(5)) -> list[dict]:
    """Rows with `COLUMNS`: the published score, mean and standard deviation over seeds."""
    rows = []
    for (experiment, data_set), settings in CASES.items():
        if data_sets and data_set not in data_sets:
            continue
        case = ("xgboost", experiment, data_set)
        published = {
            (row.section, row.name): row.value
            for row in read_published(PUBLISHED)
            if (row.method, row.experiment, row.dataset) == case
        }
        data = make({**settings, "published_draw": {"seed": 12345, "test_fraction": 0.3}}, 0, data_set, 0)
        for name, trees in TREES.items():
            scores = [_scores(data, published, trees, seed) for seed in seeds]
            row = {"experiment": experiment, "data_set": data_set, "trees": name}
            for score in SCORES:
                values = [s[score] for s in scores]
                row |= {f"{score}_published": published["final", score], score: fmean(values)}
                row[f"{score}_deviation"] = stdev(values)
            rows.append(row)
    return rows


def _scores(data, published, trees, seed):
    import xgboost

    parameters = {
        **_objective(len(data.class_names)),
        **depth_limit(int(published["stage1", "selected_max_depth"])),
        "learning_rate": 0.01,
        trees["sample"]: published.get(("stage1", "selected_colsample")) or 1.0,
        "subsample": published["stage1", "selected_subsample"],
        "tree_method": trees["tree_method"],
        "nthread": 1,
        "seed": seed,
    }
    matrix = xgboost.DMatrix(data.X[~data.test], label=data.y[~data.test], nthread=1)
    booster = xgboost.train(parameters, matrix, int(published["stage2", "selected_iterations"]))
    margin = booster.inplace_predict(data.X[data.test], predict_type="margin")
    return score_predictions(_probabilities(margin), data.y[data.test])
