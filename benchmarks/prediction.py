"""Time of a prediction per row: ours and k nearest neighbours, on the same data, one thread."""

import numpy as np
from benchmarks.cases import all_cases, first_fold, fit
from benchmarks.evaluations import timed

from proset import ProsetClassifier

COLUMNS = ("data_set", "setting", "rows", "prototypes", "us_per_row", "us_one_row", "knn_us_per_row", "times_faster")
K = 10


def run(data_sets: list[str] | None = None, repeats: int = 15) -> list[dict]:
    """Rows with `COLUMNS`; both predict the probabilities of the fold held out, repeated to at least 1,000 rows.

    "us_one_row" is `ProsetClassifier.predict_proba` of a single row.
    """
    from sklearn.neighbors import KNeighborsClassifier

    rows = []
    for case in all_cases(data_sets):
        fold = first_fold(case.data_set)
        Z = np.tile(fold.X_score, (1000 // len(fold.X_score) + 1, 1))
        fitted = fit(fold, case.penalty, 0)
        neighbours = KNeighborsClassifier(K, n_jobs=1).fit(fold.X, fold.y)
        ours = timed(lambda f=fitted, z=Z: list(f.staged_predict_proba(z)), repeats) * 1e6 / len(Z)
        penalties = {"lambda_v": case.penalty.lambda_v, "lambda_w": case.penalty.lambda_w}
        classifier = ProsetClassifier(**penalties, references="split", random_state=0)
        classifier.fit(fold.X, fold.y)
        one = timed(lambda c=classifier, z=Z[:1]: c.predict_proba(z), 20 * repeats) * 1e6
        theirs = timed(lambda f=neighbours, z=Z: f.predict_proba(z), repeats) * 1e6 / len(Z)
        values = (case.data_set, case.setting, len(Z), fitted.n_prototypes(), ours, one, theirs, theirs / ours)
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows
