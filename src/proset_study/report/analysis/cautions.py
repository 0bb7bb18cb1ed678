"""Final models and data sets to be careful with."""

import numpy as np

from proset.losses import SMALLEST
from proset_study import methods
from proset_study.data.splits import TEST, read_split
from proset_study.report.analysis.losses import generated
from proset_study.store.stored import Final, Stored
from proset_study.study import layout

CONSTANT = 1e-6  # largest spread of a predicted probability over the test points of a constant model


def constant_models(stored: Stored) -> list[Final]:
    """Final models that predict the same for every test point, other than the class prior."""
    finals = [f for f in stored.finals() if not methods.get(f.run.method).is_baseline]
    return [f for f in finals if np.ptp(f.probabilities, axis=0).max() < CONSTANT]


def zero_probability_samples(stored: Stored) -> list[tuple[Final, int, float]]:
    """Final models that gave some test samples' class probability 0, how many, and the log-loss of all others.

    Methods that predict no probabilities are left out.
    """
    found = []
    for final in (f for f in stored.finals() if methods.get(f.run.method).probabilistic):
        own = final.true_class_probability
        zero = own <= SMALLEST
        if zero.any() and not zero.all():
            others = np.average(-np.log(own[~zero]), weights=final.weight[~zero])
            found.append((final, int(zero.sum()), float(others)))
    return found


def repeated_rows(stored: Stored) -> dict[str, tuple[float, float, int, int]]:
    """Data sets with test samples that equal a training sample in all features.

    The smallest and the largest proportion of such test samples in a replicate; of the first replicate the number of
    distinct rows, and of all.
    """
    proportions: dict[str, list[float]] = {}
    rows: dict[str, np.ndarray] = {}  # numbers of the distinct ones; real data are the same in every replicate
    sizes: dict[str, tuple[int, int]] = {}
    seen: set[tuple[str, int]] = set()
    for final in stored.one_by_one():
        data_set = final.data_set
        if (place := (data_set, final.replicate)) in seen:
            continue
        seen.add(place)
        if data_set not in rows or generated(stored, data_set):
            X = final.data.X
            known = np.where(np.isnan(X), np.inf, X)  # NaN is unequal to itself: no rows with gaps would match
            rows[data_set] = np.unique(known, axis=0, return_inverse=True)[1].ravel() if X.shape[1] else np.array([])
        if len(row := rows[data_set]):
            is_test = read_split(layout.file_in(final.folder.parent, layout.SPLIT), len(row)) == TEST
            proportions.setdefault(data_set, []).append(float(np.isin(row[is_test], row[~is_test]).mean()))
            sizes.setdefault(data_set, (int(row.max()) + 1, len(row)))
    return {d: (min(found), max(found), *sizes[d]) for d, found in proportions.items() if any(found)}
