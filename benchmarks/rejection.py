"""Whether a rejection rate is kept: proportion of test samples below a quantile, averaged over replicates.

A replicate is a data set drawn anew, if it is generated, and a stratified split with 30 % test samples. One split of
iris has 45 of them, whose proportion has a standard deviation of 3 points at a rate of 5 %; so there are as many
replicates as give 6,000 test samples in all, between 6 and 200.
"""

import warnings
from itertools import product
from pathlib import Path

import numpy as np
import yaml
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset import ProsetClassifier, RejectOptionClassifier
from proset_study.data.sources import make

COLUMNS = ("data_set", "construction", "rate", "replicates", "rejected", "standard_error")
CONSTRUCTIONS = ("training samples", "cross-validation", "calibration", "confidence")
RATES = (0.01, 0.05, 0.1, 0.2, 0.5)
SEED = 1


def run(data_sets: list[str] | None = None, n_tests: int = 6_000) -> list[dict]:
    """Rows with `COLUMNS`."""
    known = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))["data_sets"]
    return [row for name in data_sets or known for row in _data_set(name, known[name], n_tests)]


def _data_set(name, settings, n_tests):
    found = {key: [] for key in product(CONSTRUCTIONS, RATES)}
    test_size = 0.3 * len(make(settings, SEED, name, 0).y)
    replicates = int(np.clip(n_tests / test_size, 6, 200))
    for r in range(replicates):
        data = make(settings, SEED, name, r)
        train, test, y, _ = train_test_split(data.X, data.y, test_size=0.3, stratify=data.y, random_state=r)
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            quantiles = _quantiles(train, y, test, r)
        for construction, rate in found:
            found[construction, rate].append((quantiles[construction] < rate).mean())
    for (construction, rate), rejected in found.items():
        error = np.std(rejected, ddof=1) / np.sqrt(replicates)
        values = (name, construction, rate, replicates, round(np.mean(rejected), 5), round(error, 5))
        yield dict(zip(COLUMNS, values, strict=True))


def _quantiles(train, y, test, seed):
    model = make_pipeline(StandardScaler(), ProsetClassifier(random_state=seed))
    by_cross_validation = RejectOptionClassifier(model).fit(train, y)
    fitted = by_cross_validation.estimator_
    part, kept, y_part, y_kept = train_test_split(train, y, test_size=0.25, stratify=y, random_state=seed)
    return {
        "training samples": fitted[-1].familiarity_quantile(fitted[:-1].transform(test)),
        "cross-validation": by_cross_validation.score_quantile(test),
        "calibration": RejectOptionClassifier(FrozenEstimator(model.fit(part, y_part)))
        .fit(kept, y_kept)
        .score_quantile(test),
        "confidence": RejectOptionClassifier(model, criterion="confidence").fit(train, y).score_quantile(test),
    }
