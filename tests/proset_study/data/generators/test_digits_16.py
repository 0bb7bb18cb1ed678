from collections import Counter

import numpy as np
from scipy.ndimage import affine_transform, grey_dilation, grey_erosion
from sklearn.datasets import load_digits

from proset_study.data.generators.digits_16 import moved, thickened
from proset_study.data.sources import make

DIGITS = {"generator": "digits_16", "image": [16, 16]}


def test_without_distortion_digits_are_those_of_scikit_learn_read_between_pixels():
    data = make({**DIGITS, "angle": 0, "shift": 0, "thickness": 0}, 0, "d", 0)
    places = (np.arange(16) - 7.5) / 2 + 3.5
    expected = [
        affine_transform(image, [0.5, 0.5], places[[0, 0]], output_shape=(16, 16), order=1, mode="grid-constant")
        for image in load_digits().images[:20]
    ]
    np.testing.assert_array_equal(data.X[:20].reshape(20, 16, 16), np.rint(255 / 16 * np.array(expected)))


def test_turned_and_shifted_digits_are_scipys():
    image, turn, (down, right) = load_digits().images[5], np.radians(11.0), (0.75, -1.25)
    (found,) = moved(image[None], np.array([turn]), np.array([[down, right]]))
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) / 2
    offset = 3.5 - rotation @ [7.5, 7.5] - np.array([down, right]) / 2
    expected = affine_transform(image, rotation, offset, output_shape=(16, 16), order=1, mode="grid-constant")
    np.testing.assert_allclose(found, expected, atol=0.05)  # the cosine is rounded to four digits


def test_thick_and_thin_are_dilation_and_erosion(rng):
    images = rng.integers(0, 17, (3, 16, 16)).astype(float)
    thick, thin, half = thickened(images, np.array([1.0, -1.0, 0.5]))
    np.testing.assert_array_equal(thick, grey_dilation(images[0], (3, 3), mode="constant"))
    np.testing.assert_array_equal(thin, grey_erosion(images[1], (3, 3), mode="constant"))
    np.testing.assert_array_equal(half, (images[2] + grey_dilation(images[2], (3, 3), mode="constant")) / 2)


def test_copies_of_an_image_are_a_group():
    data = make({**DIGITS, "images": 200, "copies": 3}, 0, "d", 0)
    assert data.X.shape == (600, 256)
    assert set(Counter(data.group.tolist()).values()) == {3}
    assert all(len(set(data.y[data.group == g])) == 1 for g in set(data.group))
    assert (data.X[data.group == data.group[0]][0] != data.X[data.group == data.group[0]][1]).any()


def test_digits_are_grey_images_of_all_classes():
    data = make(DIGITS, 0, "d", 0)
    assert (np.rint(data.X) == data.X).all()
    assert (data.X.min(), data.X.max()) == (0, 255)
    assert np.bincount(data.y).tolist() == np.bincount(load_digits().target).tolist()
    assert data.group is None
    other = make(DIGITS, 0, "d", 1)
    assert (other.X != data.X).any(axis=1).mean() > 0.99
