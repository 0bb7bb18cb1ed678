"""Time of a prediction per row: ours and k nearest neighbours, on the same data, one thread."""

import numpy as np
from benchmarks.cases import all_cases, first_fold, fit
from benchmarks.evaluations import timed

COLUMNS = ("data_set", "setting", "rows", "prototypes", "us_per_row", "knn_us_per_row", "times_faster")
K = 10


def run(data_sets: list[str] | None = None, repeats: int = 15) -> list[dict]:
    """Rows with `COLUMNS`; both predict the probabilities of the fold left out, repeated to at least 1,000 rows."""
    from sklearn.neighbors import KNeighborsClassifier

    rows = []
    for case in all_cases(data_sets):
        bound = first_fold(case.data_set)
        Z = np.tile(bound.X_score, (1000 // len(bound.X_score) + 1, 1))
        fitted = fit(bound, case.penalty, 0)
        neighbours = KNeighborsClassifier(K, n_jobs=1).fit(bound.X, bound.y)
        ours = timed(lambda f=fitted, z=Z: list(f.staged_predict_proba(z)), repeats) * 1e6 / len(Z)
        theirs = timed(lambda f=neighbours, z=Z: f.predict_proba(z), repeats) * 1e6 / len(Z)
        values = (case.data_set, case.setting, len(Z), fitted.n_prototypes(), ours, theirs, theirs / ours)
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows
