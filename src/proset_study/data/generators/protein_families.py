"""Sequences of amino acids: one family against all others, known by motifs that its members share.

They stand in for data that no package ships: the proteins of J. Bien and R. Tibshirani, Prototype selection for
interpretable classification, Annals of Applied Statistics 5 (2011), section 6.3.
"""

from dataclasses import dataclass

import numpy as np

from proset_study.base.settings import integer, number
from proset_study.data.dataset import DataSet, Size
from proset_study.data.generators.base import Generator

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
# Per cent, as in the proteins of Swiss-Prot, rounded; in the order of the letters.
FREQUENCIES = (8.3, 1.4, 5.5, 6.7, 3.9, 7.1, 2.3, 5.9, 5.8, 9.6, 2.4, 4.1, 4.7, 3.9, 5.5, 6.6, 5.4, 6.9, 1.1, 2.9)
SHORTEST, LONGEST = 100, 400  # letters


@dataclass(frozen=True)
class ProteinFamilies(Generator):
    """Each family has motifs, in an order, which a member has at random places of a random sequence.

    Every letter of a motif is replaced by a random one with the probability `mutation`. Every second of the other
    families is a relative, whose first motif is that of the family in question.
    """

    description = "Protein-like sequences without features; one family, known by its motifs, against all others."
    settings = {  # noqa: RUF012
        "metric": {"description": "By what sequences are compared.", "$ref": "#/$defs/name"},
        "members": integer("Sequences of the family.", 1),
        "others": integer("Sequences of other families.", 1),
        "families": integer("The other families.", 1),
        "motifs": integer("Of each family.", 1, 100),
        "motif_length": integer("Letters of a motif.", 1, 100),
        "mutation": number("Probability that a letter of a motif is replaced.", minimum=0, maximum=1),
    }
    required = ("metric",)
    strings = True

    members: int = 45
    others: int = 1663
    families: int = 40
    motifs: int = 3
    motif_length: int = 12
    mutation: float = 0.25

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

        planted = letters(1 + self.families, motifs, length)
        planted[2::2, 0] = planted[0, 0]
        family = np.concatenate([np.zeros(self.members, dtype=int), rng.integers(1, 1 + self.families, self.others)])
        items = []
        for which, size in zip(family, rng.integers(SHORTEST, LONGEST + 1, len(family)), strict=True):
            sequence = letters(size)
            gaps = np.sort(rng.integers(0, size - motifs * length + 1, motifs))
            is_replaced = rng.random((motifs, length)) < self.mutation
            changed = np.where(is_replaced, letters(motifs, length), planted[which])
            for first, motif in zip(gaps + length * np.arange(motifs), changed, strict=True):
                sequence[first : first + length] = motif
            items.append("".join(AMINO_ACIDS[letter] for letter in sequence))
        return DataSet(
            X=np.empty((len(family), 0)),
            y=(family > 0).astype(int),
            feature_names=np.empty(0, dtype=str),
            class_names=np.array(["member", "other"]),
            items=np.array(items),
        )


GENERATOR = ProteinFamilies
