"""Two-sided tangent distance of grey images.

Around an image lies the plane of what small translations, rotation, scaling, the two hyperbolic transformations and a
change of thickness make of it. The distance of two images is the smallest Euclidean distance between points of their
planes. Images are smoothed first, with zeros around them.

The same bits come from every processor and BLAS: smoothed images, divided by a power of two, and the orthonormal
vectors that span their planes are rounded to multiples of 2^-26. Products of two are multiples of 2^-52, sums of these
up to 1 are exact, and so the order of sums does not matter. All else is done entry by entry. Rounding changes a squared
distance by some 1e-8 of what it is without the planes, by up to 1e-6 where two planes are nearly parallel.

P. Y. Simard, Y. A. Le Cun and J. S. Denker, Efficient pattern recognition using a new transformation distance, in
Advances in Neural Information Processing Systems 5 (1993), 50-58.
P. Y. Simard et al., Transformation invariance in pattern recognition: tangent distance and tangent propagation, in
Neural networks: tricks of the trade, Springer (1998), 239-274.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from proset_study.base.ranges import Range

ITEMS = "images"
PARAMETERS: dict[str, Range] = {}
TANGENTS = 7
SMOOTHING = np.array([1, 4, 6, 4, 1]) / 16  # a Gaussian of variance 1 in numbers that are exact
SHARED = 1e-4  # squared sine of the angle below which two planes share a direction
DEPENDENT = 1e-6  # what is left of a vector, relative to its length, if those before it span it
UNIT = 2.0**26
TILE = 96  # images that are prepared at once, and on either side of their products


def distances(items: np.ndarray) -> Callable[[slice, slice], np.ndarray]:
    """Tangent distances of images, shape (N, rows, columns), as a function of two slices of them.

    A disc, the same one half a pixel and three pixels to the right, and a ring:

    >>> y, x = np.mgrid[:16, :16] - 7.5
    >>> discs = [1 / (1 + np.exp(np.hypot(y, x - shift) - 4)) for shift in (0, 0.5, 3)]
    >>> images = np.array([*discs, np.exp(-((np.hypot(y, x) - 4) ** 2))])
    >>> np.linalg.norm(images - images[0], axis=(1, 2)).round(2).tolist()
    [0.0, 0.72, 4.03, 4.96]
    >>> distances(images)(slice(1), slice(None))[0].round(2).tolist()
    [0.0, 0.01, 0.29, 2.27]
    """
    planes = _Planes(items)

    def block(rows: slice, columns: slice) -> np.ndarray:
        left, right = range(len(items))[rows], range(len(items))[columns]
        found = np.empty((len(left), len(right)))
        for i in range(0, len(left), TILE):
            for j in range(0, len(right), TILE):
                found[i : i + TILE, j : j + TILE] = _between(planes, left[i : i + TILE], right[j : j + TILE])
        return found

    return block


def tangent_vectors(images: np.ndarray) -> np.ndarray:
    """Derivatives of smoothed images by the parameters of the transformations, shape (7, rows, columns, n)."""
    rows, columns = images.shape[:2]
    y = (np.arange(rows) - (rows - 1) / 2)[:, None, None]
    x = (np.arange(columns) - (columns - 1) / 2)[:, None]
    framed = np.pad(images, ((1, 1), (1, 1), (0, 0)))
    dy = (framed[2:, 1:-1] - framed[:-2, 1:-1]) / 2
    dx = (framed[1:-1, 2:] - framed[1:-1, :-2]) / 2
    turned, scaled, diagonal, parallel = y * dx - x * dy, x * dx + y * dy, y * dx + x * dy, x * dx - y * dy
    return np.array([dx, dy, turned, scaled, diagonal, parallel, dx * dx + dy * dy])


def smoothed(images: np.ndarray) -> np.ndarray:
    """Images after `SMOOTHING` of columns and rows, shape (rows, columns, n) as they are given."""
    reach = len(SMOOTHING) // 2
    for axis in (0, 1):
        around = [(0, 0)] * images.ndim
        around[axis] = (reach, reach)
        framed, size = np.moveaxis(np.pad(images, around), axis, 0), images.shape[axis]
        images = np.moveaxis(sum(w * framed[k : k + size] for k, w in enumerate(SMOOTHING)), 0, axis)
    return images


class _Planes:
    """Smoothed images and orthonormal vectors of their planes.

    `vectors`, shape (8, N, D), are seven orthonormal ones, zero where the plane has fewer dimensions, then the image
    divided by `scale`; multiples of 1 / `UNIT`. `scale`, shape (N,), has powers of two, at least the norm of the image;
    `own`, shape (8, N), the inner products of the vectors with the image divided by `scale`; exact.
    """

    def __init__(self, items):
        items = np.asarray(items, dtype=np.float64)
        if items.ndim != 3 or not items.size:
            raise ValueError(f"items: shape {items.shape} is not allowed, must be (images, rows, columns)")
        if not np.isfinite(items).all():
            raise ValueError("items: a grey value is not finite")
        n = len(items)
        self.vectors, self.own = np.empty((TANGENTS + 1, n, items[0].size)), np.empty((TANGENTS + 1, n))
        self.scale = np.empty(n)
        for first in range(0, n, TILE):
            part = slice(first, first + TILE)
            images = smoothed(np.moveaxis(items[part], 0, -1))
            vectors = _orthonormal(tangent_vectors(images).reshape(TANGENTS, items[0].size, -1))
            images = images.reshape(items[0].size, -1)
            scale = self.scale[part] = np.ldexp(1.0, np.frexp(np.sqrt(_products(images, images)))[1])
            found = np.rint(np.concatenate([vectors, (images / scale)[None]]) * UNIT) / UNIT
            self.own[:, part] = [_products(vector, found[-1]) for vector in found]
            self.vectors[:, part] = found.transpose(0, 2, 1)


def _orthonormal(vectors):
    """Modified Gram-Schmidt of vectors of shape (7, D, n), over D; what depends on others becomes zero."""
    lengths = [np.sqrt(_products(vector, vector)) for vector in vectors]
    for k, length in enumerate(lengths):
        left = np.sqrt(_products(vectors[k], vectors[k]))
        kept = left > DEPENDENT * length
        vectors[k] = np.where(kept, vectors[k] / np.where(kept, left, 1.0), 0.0)
        for later in vectors[k + 1 :]:
            later -= _products(vectors[k], later) * vectors[k]
    return vectors


def _products(a, b):
    """Inner products over the first axis, (D, n): one addition after the other, however many columns there are."""
    return np.add.accumulate(a * b, axis=0)[-1]


def _between(planes, rows, columns):
    """Distances of a tile.

    With A and B the orthonormal vectors of two images and d their difference, |d + A x - B y|^2 is smallest at
    |d|^2 - |A'd|^2 - w' S^-1 w with C = A'B, S = I - C'C, w = B'd - C'A'd.
    """
    left, right = (planes.vectors[:, s].reshape(-1, planes.vectors.shape[2]) for s in (rows, columns))
    products = (left @ right.T).reshape(TANGENTS + 1, len(rows), TANGENTS + 1, len(columns))  # exact
    products = np.ascontiguousarray(products.transpose(0, 2, 1, 3))
    scale_a, own_a = planes.scale[rows, None], planes.own[:, rows, None]
    scale_b, own_b = planes.scale[columns], planes.own[:, columns]
    square = scale_a**2 * own_a[-1] + scale_b**2 * own_b[-1] - 2 * (scale_a * scale_b * products[-1, -1])
    C, u = products[:-1, :-1], [scale_a * a - scale_b * b for a, b in zip(own_a[:-1], products[:-1, -1], strict=True)]
    w = [scale_a * a - scale_b * b for a, b in zip(products[-1, :-1], own_b[:-1], strict=True)]
    for i in range(TANGENTS):
        square -= u[i] * u[i]
        for j in range(TANGENTS):
            w[j] -= C[i, j] * u[i]
    return np.sqrt(np.maximum(square - _in_plane(C, w), 0.0))


def _in_plane(C, w):
    """w' (I - C'C)^-1 w of each pair, by Cholesky's decomposition without roots; shared directions do not count."""
    found: Any = 0.0
    factors: dict[tuple[int, int], np.ndarray] = {}
    pivots: list[np.ndarray] = []
    for j in range(TANGENTS):
        column = {}
        for i in range(j, TANGENTS):
            entry = 1.0 - C[0, j] * C[0, i] if i == j else -(C[0, j] * C[0, i])
            for k in range(1, TANGENTS):
                entry -= C[k, j] * C[k, i]
            for k in range(j):
                entry -= factors[j, k] * factors[i, k] * pivots[k]
            column[i] = entry
        pivot = column[j]
        inverse = np.where(pivot > SHARED, 1.0 / np.maximum(pivot, SHARED), 0.0)
        pivots.append(pivot)
        for i in range(j + 1, TANGENTS):
            factors[i, j] = column[i] * inverse
            w[i] = w[i] - factors[i, j] * w[j]
        found = found + w[j] * w[j] * inverse
    return found
