"""Explanations of single test points by the prototypes that made their predictions."""

import numpy as np

from proset_study.data.splits import TEST
from proset_study.fits.resampling import training_rows
from proset_study.methods import makes
from proset_study.methods.weighted import WeightedPrototypeModel, explain_point, weighted
from proset_study.report.analysis.runs import compared_runs
from proset_study.store.stored import Final, Stored

N_TERMS = 6  # terms shown per point
N_FEATURES = 8  # feature-wise similarities shown per point


def explained_points(stored: Stored, data_set: str) -> list[dict]:
    """Three test points of a data set, explained by a model with weighted prototypes; empty if there is none with some.

    It is the subject's that is compared with other methods, or another one that is, if there is such a comparison.

    They are the point predicted best, the one predicted worst (largest log-loss), and the least familiar one.
    """
    compared = [run.name for run in compared_runs(stored.study, data_set)]
    finals = [f for f in stored.finals(data_set=data_set) if makes(f.run.method, WeightedPrototypeModel)]
    finals = [f for f in finals if len(weighted(f.model.fitted).prototypes().labels)]
    if not finals:
        return []
    subject = stored.study.subject
    final = min(finals, key=lambda f: (f.run.name not in compared, f.run.method != subject))
    rows = np.flatnonzero(final.folds == TEST)
    own = final.true_class_probability
    best, worst, least = int(own.argmax()), int(own.argmin()), int(final.familiarity.argmin())
    chosen = {"Predicted best": best, "Predicted worst": worst, "Least familiar": least}
    return [_point(final, title, i, int(rows[i])) for title, i in chosen.items()]


def _point(final: Final, title, i, row):
    data, p = final.data, final.probabilities[i]
    found = explain_point(weighted(final.model.fitted), final.model.scaled(data.X[[row]])[0])
    train = training_rows(data, final.folds)
    shown = np.argsort(-found.share, kind="stable")[:N_TERMS]
    by_distance = np.argsort(found.feature_similarity[shown].min(axis=0), kind="stable")[:N_FEATURES]
    columns = np.sort(by_distance)
    model, X = final.model, data.X[[row]]  # a model that takes tables as they are explains objects
    position = (model.in_units(model.scaled(X)) if model.is_mixed else model.encoded(X))[0]
    terms = [
        {
            "name": "prior" if found.batch[t] == 0 else f"row {train[found.sample[t]]}, batch {found.batch[t]}",
            "class": data.class_names[found.label[t]],
            "weight": found.weight[t],
            "similarity": found.similarity[t],
            "share": found.share[t],
            "by_feature": found.feature_similarity[t, columns],
        }
        for t in shown
    ]
    return {
        "title": title,
        "model": final.label,
        "row": row,
        "true": data.class_names[final.y[i]],
        "predicted": data.class_names[p.argmax()],
        "probability": p.max(),
        "own": p[final.y[i]],
        "familiarity": found.familiarity,
        "features": final.feature_names[found.features[columns]].tolist(),
        "position": [_shown(value) for value in position[found.features[columns]]],
        "filled_in": _filled_in(final, row)[found.features[columns]],
        "n_features": len(found.features),
        "terms": terms,
    }


def _shown(value):
    if isinstance(value, str):
        return value
    return "(missing)" if np.isnan(value) else f"{value:.3g}"


def _filled_in(final, row):
    """Which features of a row have a value because one was missing."""
    data, encoder = final.data, final.model.encoder
    missing = np.isnan(data.X[row])
    if final.model.is_mixed:
        return np.zeros_like(missing)
    if encoder is None:
        return missing
    return missing[encoder.column] & (encoder.is_number | (data.impute == "most_frequent"))
