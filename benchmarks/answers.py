"""What the answers of a model cost and how right they are, beside the packages that people use for them.

- Attributions: time a sample, against shap's KernelExplainer with its default number of evaluations.
- Counterfactuals: how many are valid and proved on test samples of the study's data sets, and their time.
- Influential rows: processor time of all refits.
- Label errors: average precision of planted flips, against cleanlab's scores with three classifiers. What is ranked by
  was chosen on the generated families of `missing_distances`; these tables are others.
"""

import time
from collections.abc import Iterator
from statistics import median

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from statsmodels.datasets import anes96

from proset import ProsetClassifier
from proset_study.data.sources import make

STUDY = {
    "iris_2f": {"sklearn": "iris", "features": [0, 1]},
    "wine": {"sklearn": "wine"},
    "cancer": {"sklearn": "breast_cancer"},
    "digits": {"sklearn": "digits"},
    "checker": {"generator": "checker"},
    "checker_rot": {"generator": "checker", "angle": 45},
    **{f"xor_{n}f": {"generator": "xor", "features": n} for n in (3, 4, 5, 6)},
    "xor_6_6f": {"generator": "xor", "features": 6, "irrelevant": 6},
}
ATTRIBUTIONS = ("data_set", "features", "active", "prototypes", "ms", "kernel_ms", "times", "largest_difference")
COUNTERFACTUALS = ("data_set", "active", "prototypes", "samples", "valid", "proved", "changed", "median_ms", "most_ms")
ROWS = ("data_set", "settings", "rows", "prototypes", "fit_seconds", "influence_seconds")
LABELS = ("data_set", "replicate", "ranking", "average_precision")
SMALL = ("iris_2f", "wine", "cancer")  # where all rows are left out
N_BACKGROUND, FLIPPED = 100, 0.1


def _row(columns: tuple[str, ...], values: tuple) -> dict:
    """With numbers to four digits."""
    rounded = [float(f"{value:.4g}") if isinstance(value, float) else value for value in values]
    return dict(zip(columns, rounded, strict=True))


def halves(name: str) -> list[np.ndarray]:
    """Training and test part of one of the study's data sets."""
    data = make(STUDY[name], 0, name, 0)
    X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
    return train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)


def attributions(names: list[str], samples: int = 1000, of_kernel: int = 3) -> Iterator[dict]:
    """Rows with `ATTRIBUTIONS`: medians of five rounds of all samples, and of single ones of the other."""
    import shap

    for name in names:
        X, X_test, y, _ = halves(name)
        model = ProsetClassifier().fit(X, y)
        background = X[:N_BACKGROUND]
        times = []
        for _ in range(5):
            start = time.perf_counter()
            found = model.attributions(X_test[:samples], background=background)
            times.append(1000 * (time.perf_counter() - start) / len(found.values))
        other, theirs, kernel = shap.KernelExplainer(model.predict_proba, background), [], []
        for x in X_test[:of_kernel]:
            start = time.perf_counter()
            theirs.append(other.shap_values(x[None], silent=True)[0])
            kernel.append(1000 * (time.perf_counter() - start))
        values = (name, X.shape[1], len(model.active_features_), model.n_prototypes_, median(times), median(kernel))
        difference = np.abs(np.array(theirs) - found.values[:of_kernel]).max()
        yield _row(ATTRIBUTIONS, (*values, median(kernel) / median(times), difference))


def counterfactuals(names: list[str], samples: int = 100) -> Iterator[dict]:
    """Rows with `COUNTERFACTUALS`."""
    for name in names:
        X, X_test, y, _ = halves(name)
        model = ProsetClassifier().fit(X, y)
        X_test, times, changed, valid, proved = X_test[:samples], [], [], 0, 0
        for x in X_test:
            start = time.perf_counter()
            (found,) = model.counterfactuals(x[None]).to_dict("records")
            times.append(1000 * (time.perf_counter() - start))
            new = x.copy()
            for d in model.active_features_:
                new[d] = found[f"new value of x{d}"]
            turned = model.predict(new[None])[0] != model.predict(x[None])[0]
            valid += bool(found["found"] and turned)
            proved += found["proved"]
            changed.append(found["n_changed"])
        n = len(X_test)
        values = (name, len(model.active_features_), model.n_prototypes_, n, valid / n, proved / n)
        values += (np.mean(changed), median(times), max(times))
        yield _row(COUNTERFACTUALS, values)


def rows_on_trial(names: list[str]) -> Iterator[dict]:
    """Rows with `ROWS`, medians of three: seconds of the processor."""
    for name in names:
        X, X_test, y, y_test = halves(name)
        for settings in ({}, {"max_prototypes": None}):
            fits, refits = [], []
            for _ in range(3):
                start = time.process_time()
                model = ProsetClassifier(**settings).fit(X, y)
                fits.append(time.process_time() - start)
                start = time.process_time()
                model.influence(X_test, y_test)
                refits.append(time.process_time() - start)
            values = (name, str(settings), len(X), model.n_prototypes_, median(fits), median(refits))
            yield _row(ROWS, values)


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Five to plant errors in, digits with 500 rows."""
    digits, election = load_digits(return_X_y=True), anes96.load_pandas().data
    found = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
    found["cancer"] = load_breast_cancer(return_X_y=True)
    found["digits"] = digits[0][:500], digits[1][:500]
    found["election"] = election.drop(columns="vote").to_numpy(float), election["vote"].to_numpy(int)
    return found


def label_errors(replicates: range) -> Iterator[dict]:
    """Rows with `LABELS`."""
    from cleanlab.rank import get_label_quality_scores

    rivals = {
        "cleanlab, logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "cleanlab, random forest": RandomForestClassifier(random_state=0),
        "cleanlab, proset": ProsetClassifier(),
    }
    for name, (X, y) in tables().items():
        for replicate in replicates:
            rng = np.random.default_rng(np.random.SeedSequence(36, spawn_key=(replicate,)))
            flipped = rng.permutation(len(y)) < FLIPPED * len(y)
            given = np.where(flipped, (y + rng.integers(1, y.max() + 1, len(y))) % (y.max() + 1), y)
            found = ProsetClassifier().fit(X, given).suspicious_labels().sort_values("row")
            scores = {"suspicious_labels": -found["probability"].to_numpy()}
            for rival, classifier in rivals.items():
                p = cross_val_predict(classifier, X, given, cv=5, method="predict_proba")
                for score in ("self_confidence", "normalized_margin"):
                    scores[f"{rival}, {score}"] = -get_label_quality_scores(given, p, method=score)
            for ranking, values in scores.items():
                precision = average_precision_score(flipped, values)
                yield _row(LABELS, (name, replicate, ranking, precision))
