import numpy as np
import pytest
from sklearn.datasets import load_digits

from proset_study.data.dissimilarities.tangent import TANGENTS, TILE, distances, smoothed, tangent_vectors

Y, X = np.mgrid[:16, :16] - 7.5


@pytest.fixture(scope="module")
def digits():
    return load_digits().images[:TILE]


def bump(centre_y=0.0, centre_x=0.0, height=2.0, width=3.0):
    return 200 * np.exp(-(((Y - centre_y) / height) ** 2 + ((X - centre_x) / width) ** 2))


def slow(a, b):
    """From the definition: the nearest points of two planes, by least squares in 14 variables."""
    planes = []
    for image in (a, b):
        point = smoothed(image[..., None])
        vectors = tangent_vectors(point).reshape(TANGENTS, -1).T
        planes.append((point.ravel(), vectors / np.linalg.norm(vectors, axis=0)))
    (p, A), (q, B) = planes
    moves = np.linalg.lstsq(np.hstack([A, -B]), q - p, rcond=None)[0]
    return np.linalg.norm(p - q + np.hstack([A, -B]) @ moves)


def test_it_is_the_distance_of_two_planes(digits):
    found = distances(digits[:12])(slice(12), slice(12))
    expected = [[slow(a, b) for b in digits[:12]] for a in digits[:12]]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-9)


def test_smoothing_and_derivatives_are_those_of_convolutions(rng):
    """By the definition of a convolution, with zeros around the image."""
    image, taps = rng.random((5, 6)), {-2: 1 / 16, -1: 4 / 16, 0: 6 / 16, 1: 4 / 16, 2: 1 / 16}

    def at(i, j, of):
        return of[i, j] if 0 <= i < 5 and 0 <= j < 6 else 0.0

    places = [(i, j) for i in range(5) for j in range(6)]
    expected = [
        sum(u * v * at(i + k, j + n, image) for k, u in taps.items() for n, v in taps.items()) for i, j in places
    ]
    found = smoothed(image[..., None])[..., 0]
    np.testing.assert_allclose(found.ravel(), expected)
    dx, dy = (
        np.array([(at(i + a, j + b, found) - at(i - a, j - b, found)) / 2 for i, j in places])
        for a, b in ((0, 1), (1, 0))
    )
    y, x = np.array(places).T - np.array([[2.0], [2.5]])
    by_hand = [dx, dy, y * dx - x * dy, x * dx + y * dy, y * dx + x * dy, x * dx - y * dy, dx**2 + dy**2]
    np.testing.assert_allclose(tangent_vectors(found[..., None]).reshape(TANGENTS, -1), by_hand)


@pytest.mark.parametrize(
    "moved",
    [
        bump(centre_x=0.3),
        bump(centre_y=-0.3),
        bump(height=2.06, width=3.09),  # scaled
        bump(height=2.06, width=2.91),  # made longer one way, shorter the other
        200 * np.exp(-(((Y + 0.03 * X) / 2) ** 2 + ((X + 0.03 * Y) / 3) ** 2)),
        200 * np.exp(-(((Y + 0.03 * X) / 2) ** 2 + ((X - 0.03 * Y) / 3) ** 2)),
    ],
    ids=["right", "up", "scaled", "parallel", "diagonal", "turned"],
)
def test_what_the_transformations_make_of_an_image_is_near_to_it(moved):
    """By a fifth of the Euclidean distance at most; another shape is not."""
    other = 200 * np.exp(-((np.hypot(Y, X) - 4) ** 2))
    to_moved, to_other = distances(np.array([bump(), moved, other]))(slice(1), slice(1, 3))[0]
    assert to_moved < 0.2 * np.linalg.norm(smoothed(np.stack([bump() - moved], axis=-1)))
    assert to_other > 20 * to_moved


def test_symmetry_zero_diagonal_and_never_above_the_euclidean_distance(digits):
    found = distances(digits)(slice(None), slice(None))
    np.testing.assert_allclose(found, found.T, rtol=1e-9, atol=1e-9)
    assert (found.diagonal() == 0).all()
    flat = smoothed(digits.transpose(1, 2, 0)).reshape(-1, len(digits)).T
    assert (found <= np.linalg.norm(flat[:, None] - flat, axis=2) * (1 + 1e-7)).all()


def test_a_distance_does_not_depend_on_what_is_computed_with_it(digits):
    together, alone = distances(digits)(slice(None), slice(None)), distances(digits[[3, 40]])(slice(1), slice(1, 2))
    assert alone[0, 0] == together[3, 40]
    block = distances(digits)(slice(5, 50, 7), slice(90, 95))
    assert block.tobytes() == together[5:50:7, 90:95].tobytes()
    scaled = distances(1024 * digits)(slice(None), slice(None))  # all vectors but the thickness keep their direction
    np.testing.assert_allclose(scaled, 1024 * together, rtol=1e-6, atol=1e-3)


def test_images_without_contrast_have_no_plane():
    """Zero, and one that only its edge tells from zero: the distance is a number."""
    items = np.array([np.zeros((6, 6)), np.zeros((6, 6)), np.full((6, 6), 3.0)])
    found = distances(items)(slice(None), slice(None))
    assert np.isfinite(found).all()
    assert found[0].tolist()[:2] == [0.0, 0.0]
    assert found[0, 2] > 0


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (np.ones((3, 64)), r"items: shape \(3, 64\) is not allowed, must be \(images, rows, columns\)"),
        (np.full((2, 4, 4), np.nan), "items: a grey value is not finite"),
    ],
)
def test_other_items_are_refused(items, message):
    with pytest.raises(ValueError, match=message):
        distances(items)
