"""Leave-one-out bootstrap and .632+ estimates of the error of the chosen model, from the training part alone.

B. Efron and R. Tibshirani, Improvements on cross-validation: the .632+ bootstrap method, Journal of the American
Statistical Association 92 (1997). Here samples are drawn class by class, as the folds are.
"""

import math

import numpy as np

from proset import arithmetic
from proset.losses import mean
from proset_study.base.seeds import generator
from proset_study.base.settings import integer
from proset_study.fits.evaluations.base import Evaluation
from proset_study.fits.evaluations.refit import refit, weights_of
from proset_study.fits.resampling import bootstrap_sample, training_rows

LOSSES = ("log_loss", "error")


class Bootstrap(Evaluation):
    """Refits on bootstrap samples of the training part, scored on what they leave out.

    The record has "log_loss" and "error", each with what `estimates` gives, and "never_left_out": samples that are in
    every draw.
    """

    description = "Leave-one-out bootstrap and .632+ estimates, as alternatives to cross-validation."
    settings = {  # noqa: RUF012
        "samples": integer("Bootstrap samples.", 2, 10000)
    }

    @staticmethod
    def n_fits(settings):
        return settings["samples"] + 1

    @staticmethod
    def compute(data, folds, final, settings, case, source):
        train = training_rows(data, folds)
        y, weight = data.y[train], weights_of(data, train)
        group = None if data.group is None else data.group[train]
        held_out = np.zeros((settings["samples"], len(train)), dtype=bool)
        losses = {name: np.zeros(held_out.shape) for name in LOSSES}
        fitted = class_losses(refit(data, train, train, final, case, case.fit_seed("final")))
        for b in range(settings["samples"]):
            rows = bootstrap_sample(y, generator(case.seed, "bootstrap", case.data_set, case.replicate, b), group)
            out = np.setdiff1d(np.arange(len(train)), rows)
            held_out[b, out] = True
            losses_of = class_losses(refit(data, train[rows], train[out], final, case, case.fit_seed("bootstrap", b)))
            for name in LOSSES:
                losses[name][b, out] = losses_of[name][np.arange(len(out)), y[out]]
        return {
            "samples": settings["samples"],
            "n_fit": len(train),
            "never_left_out": int(np.count_nonzero(~held_out.any(axis=0))),
            **{name: estimates(losses[name], held_out, fitted[name], y, weight, group) for name in LOSSES},
        }


def class_losses(probabilities: np.ndarray) -> dict[str, np.ndarray]:
    """Losses of every sample if its class were k, shape (N, K): log-loss as in `proset.losses`, and 0 or 1."""
    if not np.isfinite(probabilities).all():
        raise FloatingPointError("a refitted model predicts probabilities that are not finite")
    p = np.clip(probabilities.astype(np.float64), 1e-15, 1.0 - 1e-15)
    wrong = np.arange(p.shape[1]) != probabilities.argmax(axis=1)[:, None]
    return {"log_loss": -arithmetic.log(p), "error": wrong.astype(np.float64)}


def estimates(
    losses: np.ndarray,
    held_out: np.ndarray,
    fitted: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    group: np.ndarray | None = None,
) -> dict[str, float | None]:
    """Bootstrap estimates of the expected loss; ValueError if no sample is left out by any draw.

    `losses`, shape (B, N), has the loss of sample i under the model of draw b; it is used where `held_out`, of the same
    shape, says that the draw leaves it out. `fitted`, shape (N, K), has that of every sample under the model fitted to
    all of them, if its class were k. Weights are positive; samples of the same `group` are related.

    "leave_one_out" is the mean over the samples of their mean loss over the draws that leave them out; "standard_error"
    that of this mean, from its spread over the samples (or groups): draws share samples, which it does not see.
    "no_information" is the expected loss if classes did not depend on features. "632" and "632_plus" are between
    "training", the loss of the model on what it was fitted to, and "leave_one_out".
    """
    times = held_out.sum(axis=0)
    known = times > 0
    if not known.any():
        raise ValueError(f"bootstrap.samples: {len(losses)} draws leave out no sample, there must be more of them")
    by_sample = np.where(held_out, losses, 0.0).sum(axis=0)[known] / times[known]
    proportion = weight[known] / weight[known].sum()
    outside = math.fsum(proportion * by_sample)
    _, unit = np.unique(np.arange(len(y))[known] if group is None else group[known], return_inverse=True)
    deviations = np.bincount(unit, weights=proportion * (by_sample - outside))
    n = len(deviations)
    training = mean(fitted[np.arange(len(y)), y], weight)
    prior = np.bincount(y, weights=weight, minlength=fitted.shape[1]) / weight.sum()
    no_information = math.fsum(p * mean(column, weight) for p, column in zip(prior, fitted.T, strict=True))
    capped = min(outside, no_information)
    overfitting = (capped - training) / (no_information - training) if training < capped else 0.0
    outside_weight = 0.632 / (1 - 0.368 * overfitting)
    return {
        "training": training,
        "leave_one_out": outside,
        "standard_error": float(np.sqrt(n / (n - 1) * (deviations**2).sum())) if n > 1 else None,
        "no_information": no_information,
        "632": 0.368 * training + 0.632 * outside,
        "632_plus": (1 - outside_weight) * training + outside_weight * capped,
    }
