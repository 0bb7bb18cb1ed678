"""Learning curve: test scores of the chosen model, refitted on growing parts of the training part."""

import numpy as np

from proset_study.data.dataset import DataSet
from proset_study.data.splits import TEST
from proset_study.fits.refit import refit, weights_of
from proset_study.fits.resampling import nested_order, training_rows
from proset_study.fits.search import Case
from proset_study.records import Resources
from proset_study.scores import error_rate, log_loss
from proset_study.seeds import generator


def learning_curve(data: DataSet, folds: np.ndarray, final: dict, settings: dict, case: Case) -> dict:
    """Refit on nested, stratified parts of the training part, score on the test part.

    The test part had no say in the selection of the parameters, the held-out folds had. The parameters stay those that
    were chosen for the whole training part.

    Parameters
    ----------
    data : DataSet
    folds : ndarray of int, shape (N,)
    final : dict
        Record of the final model, with "parameters" and "complexity".
    settings : dict
        "fractions" of the training part, in (0, 1], and "repeats": draws of every fraction below 1. The whole training
        part gives the final model itself, once.
    case : Case

    Returns
    -------
    dict
        "points", a list with "fraction", "repeat", "n_fit", "log_loss" and "error" of each fit; one that is not
        possible with so few samples has "not_fitted", the reason, in place of the scores.
    """
    train, test = training_rows(data, folds), np.flatnonzero(folds == TEST)
    group = None if data.group is None else data.group[train]
    points, resources = [], Resources()
    with resources.measure("evaluation"):
        for repeat in range(settings["repeats"]):
            rng = generator(case.seed, "learning_curve", case.data_set, case.replicate, repeat)
            order = train[nested_order(data.y[train], rng, group)]
            for fraction in sorted(settings["fractions"]):
                n = round(fraction * len(train))
                if n == len(train) and repeat:
                    continue
                seed = case.fit_seed("final") if n == len(train) else case.fit_seed("learning_curve", repeat, n)
                point = {"fraction": fraction, "repeat": repeat, "n_fit": n}
                points.append({**point, **_scores(data, np.sort(order[:n]), test, final, case, seed)})
    return {
        **case.names(),
        "parameters": final["parameters"],
        "complexity": final["complexity"],
        "n_scored": len(test),
        "points": points,
        "resources": resources.record(),
    }


def _scores(data, rows, test, final, case, seed):
    try:
        probabilities = refit(data, rows, test, final, case, seed)
    except ValueError as error:  # too few samples of a class, fewer samples than neighbours
        return {"not_fitted": str(error)}
    y, weight = data.y[test], weights_of(data, test)
    return {"log_loss": log_loss(probabilities, y, weight), "error": error_rate(probabilities, y, weight)}
