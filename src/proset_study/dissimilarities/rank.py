"""Dissimilarity by rank: how many training samples are as near to a centre as a point is.

Balls of radius e hold then the e - 1 nearest ones or, where several are equally far, fewer.

References
----------
J. Bien and R. Tibshirani, Prototype selection for interpretable classification, Annals of Applied Statistics 5 (2011),
2403-2424, section 4.1.
"""

import numpy as np


def ranks(distances: np.ndarray, to_fit: np.ndarray) -> np.ndarray:
    """The number of training samples k with to_fit[k, j] <= distances[i, j], from any dissimilarity.

    Parameters
    ----------
    distances : ndarray, shape (n, m)
        Of any points (rows) from centres (columns).
    to_fit : ndarray, shape (N, m)
        Of the training samples from the same centres.

    Returns
    -------
    ndarray of float64, shape (n, m)
        From 0, for a point nearer than all training samples, to N.

    Examples
    --------
    Training samples, which are the centres, at 0, 1 and 3, and a point at 2:

    >>> x = np.array([0.0, 1.0, 3.0])
    >>> to_fit = np.abs(x[:, None] - x)
    >>> ranks(to_fit, to_fit).tolist()
    [[1.0, 2.0, 3.0], [2.0, 1.0, 2.0], [3.0, 3.0, 1.0]]
    >>> ranks(np.abs(2.0 - x[None]), to_fit).tolist()
    [[2.0, 2.0, 1.0]]
    """
    found = np.empty(distances.shape)
    for j, (of_points, of_samples) in enumerate(zip(distances.T, to_fit.T, strict=True)):
        found[:, j] = np.searchsorted(np.sort(of_samples), of_points, side="right")
    return found
