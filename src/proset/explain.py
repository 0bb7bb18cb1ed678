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
    batch, sample = [np.zeros(n_classes, dtype=int)], [np.full(n_classes, -1)]
    label, weight = [np.arange(n_classes)], [model.class_prior]
    by_feature = [np.ones((n_classes, len(features)))]
    for b, fitted in enumerate(model.batches, start=1):
        batch.append(np.full(len(fitted.labels), b))
        sample.append(fitted.sample_index)
        label.append(fitted.labels)
        weight.append(fitted.prototype_weights)
        by_feature.append(np.exp(-0.5 * exponents_of(model, x[None], fitted, features)[:, 0].T))
    weights, factors = np.concatenate(weight), np.concatenate(by_feature)
    similarity = factors.prod(axis=1)
    contribution, labels = weights * similarity, np.concatenate(label)
    *_, q = model.staged_q(x[None])
    exact = np.bincount(labels[n_classes:], contribution[n_classes:], minlength=n_classes)
    scale = np.divide(q[0] - model.class_prior, exact, out=np.zeros(n_classes), where=exact > 0)
    contribution[n_classes:] *= scale[labels[n_classes:]]
    prior, falling = np.arange(n_classes), np.argsort(-contribution[n_classes:], kind="stable")
    order = np.concatenate([prior, n_classes + falling])
    return Explanation(
        batch=np.concatenate(batch)[order],
        sample=np.concatenate(sample)[order],
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


def exponents_of(model: Model, X: np.ndarray, batch: Batch, features: np.ndarray) -> np.ndarray:
    """What some features add to the exponents of the prototypes of a batch at points X (N, D), shape (A, N, J)."""
    v, x, c = batch.feature_weights[features], X.T[features, :, None], batch.prototypes.T[features]
    if model.columns is None:
        found: np.ndarray = (v[:, None, None] * (x - c[:, None])) ** 2
        return found
    pairs = zip(features, x, c, v, strict=True)
    return np.reshape([model.columns.exponent(*pair) for pair in pairs], (len(features), len(X), len(batch.labels)))
