from collections import Counter

import numpy as np

from proset_study.data.generators.protein_families import AMINO_ACIDS, FREQUENCIES
from proset_study.data.sources import make

PROTEINS = {"generator": "protein_families"}


def test_proteins_are_as_many_and_as_long_as_asked_for():
    data = make(PROTEINS, 0, "p", 0)
    assert data.X.shape == (1708, 0)
    assert np.bincount(data.y).tolist() == [45, 1663]
    assert data.class_names.tolist() == ["member", "other"]
    lengths = [len(item) for item in data.items]
    assert 100 <= min(lengths) < 110
    assert 390 < max(lengths) <= 400


def test_letters_are_as_frequent_as_in_proteins():
    data = make({**PROTEINS, "motifs": 1, "motif_length": 1}, 0, "p", 0)
    letters = Counter("".join(data.items))
    assert set(letters) == set(AMINO_ACIDS)
    shares = [letters[a] / letters.total() for a in AMINO_ACIDS]
    np.testing.assert_allclose(shares, np.array(FREQUENCIES) / sum(FREQUENCIES), atol=0.003)


def test_members_and_nobody_else_share_all_motifs():
    """Without mutations: words of 12 letters that all members have are the motifs; others have the first one alone."""
    data = make({**PROTEINS, "members": 20, "others": 200, "families": 4, "mutation": 0}, 0, "p", 0)
    words = [{item[i : i + 12] for i in range(len(item) - 11)} for item in data.items]
    motifs = set.intersection(*words[:20])
    assert len(motifs) == 3
    shared = [len(motifs & found) for found in words[20:]]
    assert set(shared) == {0, 1}
    assert 0.35 < np.mean(shared) < 0.65


def test_branches_descend_from_ancestors_and_a_relative_from_one_of_the_family():
    """Without motifs to speak of: members of one branch are as long and agree where neither has changed."""
    settings = {"members": 60, "others": 60, "families": 2, "branches": 2, "motifs": 1, "motif_length": 1}
    data = make({**PROTEINS, **settings, "divergence": 0.3}, 0, "p", 0)

    def agreement(one, other):
        return np.mean([a == b for a, b in zip(one, other, strict=True)])

    lengths = np.array([len(item) for item in data.items])
    assert len(set(lengths[:60])) == 2
    branch = [item for item in data.items[:60] if len(item) == lengths[0]]
    alike = [agreement(one, other) for i, one in enumerate(branch) for other in branch[:i]]
    assert 0.7**2 - 0.1 < min(alike) < 0.75
    assert 0.7 < np.mean(alike) < 0.95
    assert max(alike) > 0.95
    related = [item for item in data.items[60:] if len(item) in set(lengths[:60])]
    assert 5 < len(related) < 30  # a branch of one of the two other families
    ancestor = next(item for item in data.items[:60] if len(item) == len(related[0]))
    assert 0.4 < agreement(ancestor, related[0]) < 0.9
