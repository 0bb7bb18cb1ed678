"""Learning curve: test scores of the chosen model, refitted on growing samples of the training part."""

import numpy as np

from proset.losses import error_rate, log_loss
from proset_study.base.seeds import generator
from proset_study.base.settings import integer
from proset_study.data.splits import TEST
from proset_study.fits.evaluations.base import Evaluation
from proset_study.fits.evaluations.refit import refit, weights_of
from proset_study.fits.resampling import nested_order, training_rows


class LearningCurve(Evaluation):
    """Refits on nested, stratified samples of the training part, scored on the test part.

    The parameters stay those that were chosen for the whole training part. The record has "points", a list with
    "fraction", "repeat", "n_fit", "log_loss" and "error" of each fit, or "not_fitted", the reason, in place of the
    scores.
    """

    description = "Test scores of refits on growing samples of the training part."
    settings = {  # noqa: RUF012
        "fractions": {
            "description": "Proportions of the training part; 1 is the final model itself.",
            "type": "array",
            "minItems": 2,
            "uniqueItems": True,
            "items": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        },
        "repeats": integer("Draws of each fraction.", 2, 1000),
    }

    @staticmethod
    def n_fits(settings):
        return len(settings["fractions"]) * settings["repeats"]

    @staticmethod
    def compute(data, folds, final, settings, case, source):
        """The whole training part gives the final model itself, once."""
        train, test = training_rows(data, folds), np.flatnonzero(folds == TEST)
        group, points = None if data.group is None else data.group[train], []
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
        return {"n_scored": len(test), "points": points}


def _scores(data, rows, test, final, case, seed):
    try:
        probabilities = refit(data, rows, test, final, case, seed)
    except ValueError as error:  # too few samples of a class, fewer samples than neighbours
        return {"not_fitted": str(error)}
    y, weight = data.y[test], weights_of(data, test)
    return {"log_loss": log_loss(probabilities, y, weight), "error": error_rate(probabilities, y, weight)}
