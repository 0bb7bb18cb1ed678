"""Why a model predicts what it does: what the prior and every prototype contribute to q of one point."""

from dataclasses import dataclass

import numpy as np

from proset.model import Batch, Model


@dataclass(frozen=True)
class Explanation:
    """Terms of q(x) = prior + sum_j w_j G_j(x); prototypes in falling order of their term, after the K priors.

    Attributes
    ----------
    batch : ndarray of int, shape (K + J,)
        1, 2, ...; 0 for the prior.
    sample : ndarray of int, shape (K + J,)
        Row of the prototype in the training data; -1 for the prior.
    prototype : ndarray of int, shape (K + J,)
        Number of the prototype over all batches, from 0; -1 for the prior.
    label : ndarray of int, shape (K + J,)
        Class index.
    weight, similarity, contribution : ndarrays, shape (K + J,)
        w_j, G_j(x) in [0, 1], and their product; for the prior, its probability, 1, and its probability. Predictions
        are computed in float32: the products of a class are scaled, by about 1e-7, to the sum that the prediction has.
    share : ndarray, shape (K + J,)
        contribution / sum(contribution); those of a class add up to its predicted probability.
    features : ndarray of int, shape (A,)
        Active features.
    feature_similarity : ndarray, shape (K + J, A)
        Factors exp(-e_d / 2) of the similarity, by feature, see `proset.columns`; 1 for the prior.
    familiarity : float
        Sum of the prototypes' contributions; near 0 the prediction is the prior.
    """

    batch: np.ndarray
    sample: np.ndarray
    prototype: np.ndarray
    label: np.ndarray
    weight: np.ndarray
    similarity: np.ndarray
    contribution: np.ndarray
    share: np.ndarray
    features: np.ndarray
    feature_similarity: np.ndarray
    familiarity: float


def explain(model: Model, x: np.ndarray) -> Explanation:
    """Take q(x) of one point apart.

    Parameters
    ----------
    model : Model
    x : ndarray, shape (D,)
        In the units of the model.

    Returns
    -------
    Explanation
    """
    n_classes, features = len(model.class_prior), model.active_features()
    prototypes = model.prototypes
    labels = np.concatenate([np.arange(n_classes), prototypes.labels])
    weights = np.concatenate([model.class_prior, prototypes.weights])
    of_prototypes = np.exp(-0.5 * exponents(model, x[None], features)[:, 0].T)
    factors = np.concatenate([np.ones((n_classes, len(features))), of_prototypes])
    similarity = factors.prod(axis=1)
    contribution = weights * similarity
    *_, q = model.staged_q(x[None])
    exact = np.bincount(labels[n_classes:], contribution[n_classes:], minlength=n_classes)
    scale = np.divide(q[0] - model.class_prior, exact, out=np.zeros(n_classes), where=exact > 0)
    contribution[n_classes:] *= scale[labels[n_classes:]]
    prior, falling = np.arange(n_classes), np.argsort(-contribution[n_classes:], kind="stable")
    order = np.concatenate([prior, n_classes + falling])
    return Explanation(
        batch=np.concatenate([np.zeros(n_classes, dtype=int), prototypes.batch + 1])[order],
        sample=np.concatenate([np.full(n_classes, -1), prototypes.rows])[order],
        prototype=np.concatenate([np.full(n_classes, -1), falling]),
        label=labels[order],
        weight=weights[order],
        similarity=similarity[order],
        contribution=contribution[order],
        share=(contribution / contribution.sum())[order],
        features=features,
        feature_similarity=factors[order],
        familiarity=float(contribution[n_classes:].sum()),
    )


def exponents(model: Model, X: np.ndarray, features: np.ndarray) -> np.ndarray:
    """What some features add to the exponents of all prototypes at points X (N, D), shape (A, N, J)."""
    none = np.empty((len(features), len(X), 0))
    return np.concatenate([none, *(exponents_of(model, X, batch, features) for batch in model.batches)], axis=2)


def exponents_of(model: Model, X: np.ndarray, batch: Batch, features: np.ndarray) -> np.ndarray:
    """What some features add to the exponents of the prototypes of a batch at points X (N, D), shape (A, N, J)."""
    v, x, c = batch.feature_weights[features], X.T[features, :, None], batch.prototypes.T[features]
    if model.columns is None:
        found: np.ndarray = (v[:, None, None] * (x - c[:, None])) ** 2
        return found
    pairs = zip(features, x, c, v, strict=True)
    return np.reshape([model.columns.exponent(*pair) for pair in pairs], (len(features), len(X), len(batch.labels)))
