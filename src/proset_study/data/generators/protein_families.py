"""Sequences of amino acids: one family against all others, with branches, known by motifs that its members share.

They stand in for data that no package ships: the proteins of J. Bien and R. Tibshirani, Prototype selection for
interpretable classification, Annals of Applied Statistics 5 (2011), section 6.3.
"""

from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import integer, number, setting
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
# Per cent, as in the proteins of Swiss-Prot, rounded; in the order of the letters.
FREQUENCIES = (8.3, 1.4, 5.5, 6.7, 3.9, 7.1, 2.3, 5.9, 5.8, 9.6, 2.4, 4.1, 4.7, 3.9, 5.5, 6.6, 5.4, 6.9, 1.1, 2.9)
SHORTEST, LONGEST = 100, 400  # letters


@dataclass(frozen=True)
class ProteinFamilies(Generator):
    """Each family has motifs, in an order, and branches, each of which descends from a random sequence of its own.

    A member is the ancestor of its branch with every letter replaced by a random one with a probability of its own, up
    to `divergence`, and with the motifs at random places; every letter of a motif is replaced with the probability
    `mutation`. Members of a branch are the more alike the less they have changed; branches have little more than the
    motifs in common. Every second of the other families is a relative: its first motif is that of the family in
    question, and its first branch descends from one of that family's.
    """

    description = "Protein-like sequences without features; one family, with branches and motifs, against all others."
    settings = {  # noqa: RUF012
        "metric": {"description": "By what sequences are compared.", "$ref": "#/$defs/name"}
    }
    required = ("metric",)
    strings = True

    members: int = setting(integer("Sequences of the family.", 1), 45)
    others: int = setting(integer("Sequences of other families.", 1), 1663)
    families: int = setting(integer("The other families.", 1), 40)
    branches: int = setting(integer("Of each family.", 1), 9)
    divergence: float = setting(
        number("Largest probability that a letter of an ancestor is replaced.", minimum=0, maximum=1), 0.8
    )
    motifs: int = setting(integer("Of each family.", 1, 100), 3)
    motif_length: int = setting(integer("Letters of a motif.", 1, 100), 12)
    mutation: float = setting(number("Probability that a letter of a motif is replaced.", minimum=0, maximum=1), 0.25)

    @property
    def size(self):
        return Size(self.members + self.others, 0, 2)

    def draw(self, rng):
        motifs, length = self.motifs, self.motif_length
        if motifs * length > SHORTEST:
            raise ValueError(
                f"motif_length: {length} is not allowed, {motifs} motifs have more than {SHORTEST} letters"
            )
        probabilities = np.array(FREQUENCIES) / sum(FREQUENCIES)

        def letters(*shape):
            return rng.choice(len(AMINO_ACIDS), size=shape, p=probabilities)

        def changed(sequence, rate):
            return np.where(rng.random(sequence.shape) < rate, letters(*sequence.shape), sequence)

        planted = letters(1 + self.families, motifs, length)
        planted[2::2, 0] = planted[0, 0]
        sizes = rng.integers(SHORTEST, LONGEST + 1, (1 + self.families, self.branches))
        ancestors = [[letters(size) for size in of_family] for of_family in sizes]
        for relative in range(2, 1 + self.families, 2):
            ancestors[relative][0] = changed(ancestors[0][relative // 2 % self.branches], self.divergence)
        family = np.concatenate([np.zeros(self.members, dtype=int), rng.integers(1, 1 + self.families, self.others)])
        branch = rng.integers(self.branches, size=len(family))
        rates = self.divergence * rng.random(len(family)) ** 2  # most have changed little
        items = []
        for which, part, rate in zip(family, branch, rates, strict=True):
            sequence = changed(ancestors[which][part], rate)
            gaps = np.sort(rng.integers(0, len(sequence) - motifs * length + 1, motifs))
            places = gaps + length * np.arange(motifs)
            for first, motif in zip(places, changed(planted[which], self.mutation), strict=True):
                sequence[first : first + length] = motif
            items.append("".join(AMINO_ACIDS[letter] for letter in sequence))
        return DataSet(
            X=np.empty((len(family), 0)),
            y=(family > 0).astype(int),
            feature_names=np.empty(0, dtype=str),
            class_names=np.array(["member", "other"]),
            items=np.array(items),
        )
