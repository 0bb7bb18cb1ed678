"""The digits of scikit-learn at 16 x 16 pixels, each turned, shifted and made thicker or thinner.

They stand in for data that no package ships: the ZIP codes of J. Bien and R. Tibshirani, Prototype selection for
interpretable classification, Annals of Applied Statistics 5 (2011), section 6.2.
"""

from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import integer, number, setting
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator

SIDE = 16  # pixels of an image
GREY = 255  # the brightest one
_FINE = 4096  # cosines and sines are rounded to such parts, so that images are exact and the same on every machine


@dataclass(frozen=True)
class Digits16(Generator):
    """Grey values 0 to 255, row by row, whole numbers; copies of one image are a group, which no split divides."""

    description = "The digits of scikit-learn at 16 x 16 pixels, each turned, shifted and made thicker or thinner."
    settings = {  # noqa: RUF012
        "image": {"description": "Rows and columns; for the figures.", "$ref": "#/$defs/image"}
    }

    images: int = setting(integer("How many of those of scikit-learn are drawn.", 100, 1797), 1797)
    copies: int = setting(integer("Of each, in one group.", 1, 100), 1)
    angle: float = setting(
        number("Degrees that they are turned by at most, in either direction.", minimum=0, maximum=180), 15.0
    )
    shift: float = setting(
        number("New pixels that they are shifted by at most, in each direction.", minimum=0, maximum=8), 1.0
    )
    thickness: float = setting(
        number("How far pixels go at most towards the brightest or darkest one around.", minimum=0, maximum=1), 0.5
    )

    @property
    def size(self):
        return Size(self.images * self.copies, SIDE**2, 10)

    def draw(self, rng):
        from sklearn.datasets import load_digits

        bunch = load_digits()
        drawn = np.repeat(np.sort(rng.permutation(len(bunch.target))[: self.images]), self.copies)
        turns = np.radians(rng.uniform(-self.angle, self.angle, len(drawn)))
        shifts = rng.uniform(-self.shift, self.shift, (len(drawn), 2))
        strengths = rng.uniform(-self.thickness, self.thickness, len(drawn))
        distorted = moved(bunch.images[drawn], turns, shifts)
        grey = np.rint(GREY / 16 * thickened(distorted, np.rint(strengths * _FINE) / _FINE))
        return DataSet(
            X=grey.reshape(len(drawn), -1),
            y=bunch.target[drawn].astype(int),
            feature_names=np.array([f"pixel_{row}_{column}" for row in range(SIDE) for column in range(SIDE)]),
            class_names=np.array(bunch.target_names, dtype=str),
            group=drawn if self.copies > 1 else None,
        )


def moved(images: np.ndarray, turns: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """Images of 8 x 8 pixels, turned, moved and read at 16 x 16 places between them, bilinearly, with zeros around."""
    centre = (SIDE - 1) / 2
    y, x = (np.mgrid[:SIDE, :SIDE] - centre).reshape(2, 1, -1) / 2
    cosine, sine = (np.rint(_FINE * f(turns))[:, None] / _FINE for f in (np.cos, np.sin))
    down, right = (np.rint(_FINE * s)[:, None] / (2 * _FINE) for s in shifts.T)
    side, around = images.shape[1], 2
    framed = np.pad(images, ((0, 0), (around, around), (around, around)))
    places, fractions = [], []
    for place in (cosine * y - sine * x - down, sine * y + cosine * x - right):
        place = np.clip(place + (side - 1) / 2 + around, 0, side + 2 * around - 1.5)
        places.append(np.floor(place).astype(int))
        fractions.append(place - places[-1])
    image, read = np.arange(len(images))[:, None], np.zeros_like(places[0], dtype=float)
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        weight = (fractions[0] if i else 1 - fractions[0]) * (fractions[1] if j else 1 - fractions[1])
        read += weight * framed[image, places[0] + i, places[1] + j]
    return read.reshape(len(images), SIDE, SIDE)


def thickened(images: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Every pixel a part of the way to the brightest (strength > 0) or darkest one of the nine around it."""
    framed = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    around = [framed[:, i : i + SIDE, j : j + SIDE] for i in range(3) for j in range(3)]
    target = np.where(strengths[:, None, None] > 0, np.maximum.reduce(around), np.minimum.reduce(around))
    return images + np.abs(strengths)[:, None, None] * (target - images)
