import numpy as np
import pytest

from proset.candidates import bin_counts, check_class_sizes, correct_samples, draw_candidates


@pytest.mark.parametrize(
    ("sizes", "n_candidates", "eta", "expected"),
    [
        ([100, 100], 50, 0.5, [25, 25]),  # equal parts
        ([10, 100], 50, 0.5, [5, 45]),  # the small bin gives half, the large one the rest
        ([10, 20, 1000, 1000], 100, 0.5, [5, 10, 43, 43]),  # 85 / 2 = 42.5, rounded up
        ([10, 10], 1000, 0.5, [5, 5]),  # more wanted than allowed
        ([0, 0, 7, 0], 100, 0.5, [0, 0, 4, 0]),  # 3.5, rounded up
        ([1, 2], 100, 0.5, [1, 1]),
        ([40, 400], 100, 0.25, [10, 90]),
    ],
)
def test_bin_counts_of_hand_solved_cases(sizes, n_candidates, eta, expected):
    assert bin_counts(np.array(sizes), n_candidates, eta).tolist() == expected


def test_a_sample_is_correct_only_if_strictly_ahead():
    q = np.array([[2.0, 1.0, 1.0], [1.0, 1.0, 0.5], [0.1, 0.2, 0.3]])
    assert correct_samples(q, np.array([0, 0, 0])).tolist() == [True, False, False]


def test_draw_is_uniform_inside_bins_sorted_by_class_and_without_repeats(rng):
    y = np.repeat([0, 1, 2], [50, 100, 150])
    q = np.tile([1 / 6, 1 / 3, 1 / 2], (300, 1))
    drawn = draw_candidates(q, y, 90, 0.5, rng)
    assert len(set(drawn.tolist())) == len(drawn)
    assert np.bincount(y[drawn]).tolist() == [25, 33, 33]  # half of the smallest; the other two share the rest
    assert (np.lexsort((drawn, y[drawn])) == np.arange(len(drawn))).all()
    frequency = np.zeros(300)
    for _ in range(400):
        frequency[draw_candidates(q, y, 90, 0.5, rng)] += 1
    for k, proportion in enumerate([0.5, 1 / 3, 33 / 150]):
        expected = 400 * proportion
        assert np.abs(frequency[y == k] - expected).max() < 5 * np.sqrt(expected)


@pytest.mark.parametrize(
    ("count", "eta", "allowed"), [(3, 0.5, True), (2, 0.5, False), (9, 0.9, False), (11, 0.9, True), (9, 0.1, True)]
)
def test_class_sizes(count, eta, allowed):
    if allowed:
        check_class_sizes(np.array([100, count]), eta, np.array(["many", "few"]))
        y = np.repeat([0, 1], [100, count])
        for top in (0, 1):  # with the class correct or not
            q = np.full((len(y), 2), 0.5)
            q[:, top] = 1.0
            drawn = draw_candidates(q, y, 1000, eta, np.random.default_rng(0))
            assert 0 < (y[drawn] == 1).sum() < count
    else:
        with pytest.raises(ValueError, match=rf"class .*few.* has {count} samples; max_fraction={eta} needs at least"):
            check_class_sizes(np.array([100, count]), eta, np.array(["many", "few"]))


@pytest.mark.parametrize(
    ("eta", "enough"),
    [(0.5, 3), (0.001, 999), (0.999, 1001), (1e-8, 10**8 - 1), (1 - 2.0**-20, 2**20 + 1), (1e-300, 2**60)],
)
def test_the_error_says_how_many_samples_are_enough(eta, enough):
    with pytest.raises(ValueError, match=f"needs at least {enough} samples"):
        check_class_sizes(np.array([2]), eta, np.array(["few"]))
