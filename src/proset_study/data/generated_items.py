"""Generated samples that are no feature vectors: images of digits and families of protein-like sequences.

They stand in for data that no package ships: the ZIP codes and the proteins of J. Bien and R. Tibshirani, Prototype
selection for interpretable classification, Annals of Applied Statistics 5 (2011), sections 6.2 and 6.3.
"""

import numpy as np

from proset_study.data.dataset import DataSet

SIDE = 16  # pixels of an image
GREY = 255  # the brightest one
_FINE = 4096  # cosines and sines are rounded to such parts, so that images are exact and the same on every machine
AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
# Per cent, as in the proteins of Swiss-Prot, rounded; in the order of the letters.
FREQUENCIES = (8.3, 1.4, 5.5, 6.7, 3.9, 7.1, 2.3, 5.9, 5.8, 9.6, 2.4, 4.1, 4.7, 3.9, 5.5, 6.6, 5.4, 6.9, 1.1, 2.9)


def digits_16(
    rng: np.random.Generator,
    images: int = 1797,
    copies: int = 1,
    angle: float = 15.0,
    shift: float = 1.0,
    thickness: float = 0.5,
    image: list[int] | None = None,
) -> DataSet:
    """The digits of scikit-learn at 16 x 16 pixels, each turned, shifted and made thicker or thinner.

    Parameters
    ----------
    rng : numpy.random.Generator
    images : int in 10..1797
        Of the original ones, drawn at random.
    copies : int >= 1
        Of each, differently distorted; copies of one image are a group, which no split divides.
    angle : float >= 0
        Degrees by which images are turned at most, in either direction.
    shift : float >= 0
        Pixels of the new image by which they are shifted at most, in each direction.
    thickness : float in [0, 1]
        How far a pixel may go at most towards the brightest or the darkest one around it.
    image : list of int, optional
        Not used: it is how figures show a row.

    Returns
    -------
    DataSet
        Grey values 0 to 255, row by row, whole numbers.
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    drawn = np.repeat(np.sort(rng.permutation(len(bunch.target))[:images]), copies)
    turns = np.radians(rng.uniform(-angle, angle, len(drawn)))
    shifts = rng.uniform(-shift, shift, (len(drawn), 2))
    strengths = rng.uniform(-thickness, thickness, len(drawn))
    distorted = _turned(bunch.images[drawn], turns, shifts)
    grey = np.rint(GREY / 16 * _thickened(distorted, np.rint(strengths * _FINE) / _FINE))
    names = [f"pixel_{row}_{column}" for row in range(SIDE) for column in range(SIDE)]
    classes = np.array(bunch.target_names, dtype=str)
    group = drawn if copies > 1 else None
    return DataSet(grey.reshape(len(drawn), -1), bunch.target[drawn].astype(int), np.array(names), classes, group=group)


def _turned(images, turns, shifts):
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
    image, found = np.arange(len(images))[:, None], np.zeros_like(places[0], dtype=float)
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        weight = (fractions[0] if i else 1 - fractions[0]) * (fractions[1] if j else 1 - fractions[1])
        found += weight * framed[image, places[0] + i, places[1] + j]
    return found.reshape(len(images), SIDE, SIDE)


def _thickened(images, strengths):
    """Every pixel a part of the way to the brightest (strength > 0) or darkest one of the nine around it."""
    framed = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    around = [framed[:, i : i + SIDE, j : j + SIDE] for i in range(3) for j in range(3)]
    target = np.where(strengths[:, None, None] > 0, np.maximum.reduce(around), np.minimum.reduce(around))
    return images + np.abs(strengths)[:, None, None] * (target - images)


def protein_families(
    rng: np.random.Generator,
    members: int = 45,
    others: int = 1663,
    families: int = 40,
    motifs: int = 3,
    motif_length: int = 12,
    mutation: float = 0.25,
) -> DataSet:
    """Sequences of amino acids: one family against all others, known by motifs that its members share.

    Each family has motifs, in an order. A member has them at random places of a random sequence of 100 to 400 letters,
    every letter of a motif replaced by a random one with the probability `mutation`. Every second of the other families
    is a relative, whose first motif is that of the family in question.

    Parameters
    ----------
    rng : numpy.random.Generator
    members : int >= 1
        Sequences of the family in question, "member".
    others : int >= 1
        Sequences of the other families, "other".
    families : int >= 1
        The other families, of which each sequence belongs to one at random.
    motifs : int >= 1
    motif_length : int >= 1
        At most 100 letters together.
    mutation : float in [0, 1]

    Returns
    -------
    DataSet
        Without features; the sequences are its `items`.

    Raises
    ------
    ValueError
        If the motifs are longer than the shortest sequence.
    """
    shortest, longest = 100, 400
    if motifs * motif_length > shortest:
        raise ValueError(
            f"motif_length: {motif_length} is not allowed, {motifs} motifs have more than {shortest} letters"
        )
    probabilities = np.array(FREQUENCIES) / sum(FREQUENCIES)

    def letters(*shape):
        return rng.choice(len(AMINO_ACIDS), size=shape, p=probabilities)

    planted = letters(1 + families, motifs, motif_length)
    planted[2::2, 0] = planted[0, 0]
    family = np.concatenate([np.zeros(members, dtype=int), rng.integers(1, 1 + families, others)])
    items = []
    for number, length in zip(family, rng.integers(shortest, longest + 1, len(family)), strict=True):
        sequence = letters(length)
        gaps = np.sort(rng.integers(0, length - motifs * motif_length + 1, motifs))
        changed = np.where(
            rng.random((motifs, motif_length)) < mutation, letters(motifs, motif_length), planted[number]
        )
        for first, motif in zip(gaps + motif_length * np.arange(motifs), changed, strict=True):
            sequence[first : first + motif_length] = motif
        items.append("".join(AMINO_ACIDS[letter] for letter in sequence))
    y = (family > 0).astype(int)
    return DataSet(
        np.empty((len(y), 0)), y, np.empty(0, dtype=str), np.array(["member", "other"]), items=np.array(items)
    )
