"""Is it the same classifier? Our test scores beside the published ones, without the luck of splits and searches.

Final models of proset on the published data and test part, with the penalties, batches and candidates that the
published study selected; only the candidates are drawn, over five seeds. Penalties are printed with two digits.
"""

from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import yaml
from benchmarks.against_published import published_implementation

from proset import model
from proset.objective import Penalty
from proset.solver import MAX_ITER, TOL
from proset_study.base.seeds import seed_sequence
from proset_study.data.sources import make
from proset_study.data.splits import TEST, select_fold
from proset_study.report.analysis.published import allowed_range, could_be_another, within
from proset_study.store.metrics import score_predictions
from proset_study.store.results import read_published

PUBLISHED = Path("data/published/published.csv")
OVERLAY = Path("workflow/published_draws.yaml")
EXPERIMENTS = ("E1", "E2", "E3", "E4", "E5", "E6", "E7", "E10")
DRAW = {"published_draw": {"seed": 12345, "test_fraction": 0.3}}
SCORES = ("log_loss", "roc_auc", "balanced_accuracy")
COLUMNS = (
    *("experiment", "data_set", "variant", "score", "published", "mean", "deviation"),
    *("allowed_low", "allowed_high", "within", "in_interval"),
)
E1_COLUMNS = ("implementation", "seed", *SCORES, "features", "prototypes")


def e1_on_cancer(python: str, seeds: range = range(20)) -> list[dict]:
    """Rows with `E1_COLUMNS`: fits by both implementations of the one published model that no draw of ours is near."""
    data = make({"sklearn": "breast_cancer", **DRAW}, 0, "cancer", 0)
    fold = _training_and_test(data)
    rows = []
    for seed in seeds:
        penalty = Penalty(lambda_v=0.029, lambda_w=7.1e-5, alpha_v=0.05, alpha_w=0.05)
        fitted = _fit(fold, penalty, 1, 1000, 0.5, seed_sequence(seed, "E1 on cancer"))
        *_, p = fitted.staged_predict_proba(fold.X_score)
        ours = {"features": len(fitted.active_features()), "prototypes": fitted.n_prototypes()}
        settings = {"lambda_v": 0.029, "lambda_w": 7.1e-5, "alpha_v": 0.95, "alpha_w": 0.95, "random_state": seed}
        theirs, q = published_implementation(fold, settings, python)
        for implementation, counts, probabilities in (("ours", ours, p), ("proset 0.6.1", theirs, q)):
            scores = score_predictions(probabilities, fold.y_score)
            row = {"implementation": implementation, "seed": seed, **scores, **counts}
            rows.append({column: row[column] for column in E1_COLUMNS})
    return rows


def run(data_sets: list[str] | None = None, seeds: range = range(5)) -> list[dict]:
    """Rows with `COLUMNS`.

    "within" says whether the mean over seeds is within the study's tolerance, "in_interval" whether the published score
    is in the 95 % prediction interval of the seeds.
    """
    settings = {
        name: {**base, **yaml.safe_load(OVERLAY.read_text("utf-8"))["data_sets"].get(name, {})}
        for name, base in _config()["data_sets"].items()
    }
    known = {row.key: row.value for row in read_published(PUBLISHED)}
    rows = []
    for case in dict.fromkeys(key[:4] for key in known):
        experiment, _, data_set, variant = case
        wanted = experiment in EXPERIMENTS and "published_draw" in settings[data_set]
        if not wanted or (data_sets and data_set not in data_sets):
            continue
        data = make(settings[data_set], 0, data_set, 0)
        fold = _training_and_test(data)
        found = [_scores(fold, known, case, seed) for seed in seeds]
        for score in SCORES:
            key = (*case, "final", "", score)
            values = [scores[score] for scores in found]
            allowed, mean = allowed_range(key, known[key], known), fmean(values)
            verdicts = within(mean, allowed), could_be_another(known[key], values)
            row = (experiment, data_set, variant, score, known[key], mean, stdev(values), *allowed, *verdicts)
            rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows


def _scores(fold, known, case, seed):
    """The parameters of a published case: what it selected, or what its experiment fixes."""
    experiment, variant = case[0], case[3]
    fixed = _config()["experiments"][experiment].get("parameters", {})
    role = "optimal" if experiment == "E4" else "selected"
    penalties = {name: known.get((*case, "stage1", role, name), fixed.get(name)) for name in ("lambda_v", "lambda_w")}
    fitted = _fit(
        fold,
        Penalty(**penalties, alpha_v=fixed["alpha_v"], alpha_w=fixed["alpha_w"]),
        int(known[*case, "stage2", role, "batches"]),
        int(variant.removeprefix("candidates=") or fixed["n_candidates"]),
        fixed["max_fraction"],
        seed_sequence(seed, "same parameters", *case),
    )
    *_, probabilities = fitted.staged_predict_proba(fold.X_score)
    return score_predictions(probabilities, fold.y_score)


def _training_and_test(data):
    return select_fold(data, np.where(data.test, TEST, 0), TEST, scaled=True)


def _fit(fold, penalty, n_batches, n_candidates, max_fraction, seed):
    return model.fit(
        fold.X,
        fold.y,
        fold.n_classes,
        n_batches=n_batches,
        n_candidates=n_candidates,
        max_fraction=max_fraction,
        penalty=penalty,
        max_iter=MAX_ITER,
        tol=TOL,
        seed=seed,
    )


def _config():
    return yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
