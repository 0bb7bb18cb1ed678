import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from tests.reference import set_cover as reference

from proset import cover
from proset.cover import ball_bits, euclidean_ball_bits, greedy, path_radii, rank_radii
from proset.cover_lp import best_rounding, relax, round_relaxed


def bits_of(inside):
    return ball_bits(lambda rows: np.where(inside[rows], 0.0, 1.0), *inside.shape, [0.5])[0]


def chosen(found):
    return {k: found.index[found.labels == k].tolist() for k in set(found.labels.tolist())}


@pytest.fixture(params=range(20))
def problem(request):
    """Balls, classes, weights and cost of a tiny problem, some on a grid (ties), weighted, with other candidates."""
    number = request.param
    rng = np.random.default_rng(number)
    n, n_classes = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    X = rng.integers(0, 4, (n, 2)).astype(float) if number % 2 else rng.normal(size=(n, 2))
    Z = X if number % 5 else rng.normal(size=(9, 2))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n)])[:n]
    weight = rng.uniform(0.1, 2.0, n) if number % 3 == 0 else np.ones(n)
    return cdist(X, Z) < rng.uniform(0.5, 3.0), y, weight, [0.0, 1 / n, 0.5, 1.0][number % 4]


VARIANTS = [(1.0, False), (1.0, True), (0.0, False), (0.25, True), (3.0, False)]


@pytest.mark.parametrize(("foreign", "ratio"), VARIANTS)
def test_the_greedy_algorithm_and_its_variants_are_those_of_the_definition(problem, foreign, ratio):
    inside, y, weight, cost = problem
    cost = max(cost, 0.01) if ratio else cost  # a ratio to nothing is none
    found = greedy(bits_of(inside), y, weight, cost, foreign=foreign, ratio=ratio)
    pairs, path = reference.greedy(inside, y, weight, cost, foreign, ratio)
    assert list(zip(found.index.tolist(), found.labels.tolist(), strict=True)) == pairs
    np.testing.assert_allclose(found.objective_path, path, atol=1e-9)


def test_the_ratio_prefers_a_small_ball_without_foreign_points():
    """Gains 5 - 2 - 1 and 2 - 1 = 1, but 5 / 3 is less than 2 / 1. The plain cover takes the large ball alone."""
    inside = np.array([[1, 1], [1, 1], [1, 0], [1, 0], [1, 0], [1, 0], [1, 0]])
    bits, y, weight = np.packbits(inside, axis=1), np.array([0, 0, 0, 0, 0, 1, 1]), np.ones(7)
    assert greedy(bits, y, weight, 1.0).index.tolist() == [0]
    by_ratio = greedy(bits, y, weight, 1.0, ratio=True)
    assert by_ratio.index.tolist() == [1]  # then three points for a cost of three are no gain
    assert by_ratio.miscovered.tolist() == [0.0]
    plain = greedy(bits, y, weight, 1.0, foreign=0.0)
    assert chosen(plain) == {0: [0], 1: [0]}
    assert plain.miscovered.tolist() == [2.0, 5.0]


def test_with_no_cost_at_all_the_ratio_is_no_error():
    inside = np.eye(3)
    found = greedy(np.packbits(inside.astype(int), axis=1), np.zeros(3, dtype=int), np.ones(3), 0.0, ratio=True)
    assert found.index.tolist() == [0, 1, 2]


def test_the_greedy_algorithm_is_that_of_the_definition_in_chunks(monkeypatch):
    monkeypatch.setattr(cover, "CHUNK", 1000)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, (150, 2)).astype(float)
    y = X[:, 0].astype(int) // 4
    inside = cdist(X, X) < 2.5
    (bits,) = ball_bits(lambda rows: cdist(X[rows], X), 150, 150, [2.5])
    pairs, _ = reference.greedy(inside, y, np.ones(150), 1 / 150)
    found = greedy(bits, y, np.ones(150), 1 / 150)
    assert list(zip(found.index.tolist(), found.labels.tolist(), strict=True)) == pairs
    assert len(pairs) > 10


def test_bound_optimum_and_both_algorithms_are_in_order(problem):
    inside, y, weight, cost = problem
    bits, best = bits_of(inside), reference.optimum(inside, y, weight, cost)
    by_greedy = greedy(bits, y, weight, cost)
    rounded = round_relaxed(bits, y, weight, cost, inside.shape[1], np.random.default_rng(0))
    for found in (by_greedy, rounded):
        value = reference.objective(inside, y, weight, cost, chosen(found))
        assert found.objective == pytest.approx(value, abs=1e-9)
        assert best <= found.objective + 1e-9
    assert rounded.lower_bound <= best + 1e-7
    assert by_greedy.objective <= weight.sum()
    factor = max(2 * np.log(max(np.bincount(y).max(), 3)), 1)
    assert rounded.objective <= factor * rounded.lower_bound + 1e-7  # that of the source


def test_counts_are_what_the_balls_hold(problem):
    inside, y, weight, cost = problem
    found = greedy(bits_of(inside), y, weight, cost)
    before = np.zeros(len(y), dtype=bool)
    for p, (j, k) in enumerate(zip(found.index, found.labels, strict=True)):
        mine = inside[:, j] & (y == k)
        assert found.covered[p] == pytest.approx(weight[mine].sum())
        assert found.newly_covered[p] == pytest.approx(weight[mine & ~before].sum())
        assert found.miscovered[p] == pytest.approx(weight[inside[:, j] & (y != k)].sum())
        before |= mine


def test_a_larger_ball_can_be_a_trap_for_the_greedy_algorithm():
    """Six points, balls {0,1,2}, {3,4,5}, {1,2,3,4}: greedy takes all three, two are enough."""
    inside = np.array([[1, 0, 0], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1], [0, 1, 0]], dtype=bool)
    y, weight = np.zeros(6, dtype=int), np.ones(6)
    found = greedy(bits_of(inside), y, weight, 0.25)
    assert found.index.tolist() == [2, 0, 1]
    np.testing.assert_allclose(found.objective_path, [6.0, 2.25, 1.5, 0.75])
    assert found.newly_covered.tolist() == [4, 1, 1]
    rounded = round_relaxed(bits_of(inside), y, weight, 0.25, 3, np.random.default_rng(0))
    assert sorted(rounded.index) == [0, 1]
    assert rounded.objective == pytest.approx(0.5)
    assert rounded.lower_bound == pytest.approx(0.5)


def test_the_relaxation_of_a_triangle_is_half_of_each_ball():
    """Three points, every ball holds two of them: 3/2 balls when relaxed, 2 when whole."""
    inside = ~np.eye(3, dtype=bool)
    y, weight = np.zeros(3, dtype=int), np.ones(3)
    relaxed = relax(bits_of(inside), y, weight, 0.5, 3, 0)
    np.testing.assert_allclose(relaxed.chosen, 0.5)
    assert relaxed.value == pytest.approx(0.75)
    rounded = round_relaxed(bits_of(inside), y, weight, 0.5, 3, np.random.default_rng(0))
    assert (rounded.objective, rounded.lower_bound) == (1.0, pytest.approx(0.75))
    assert reference.optimum(inside, y, weight, 0.5) == 1.0


def test_candidates_that_cannot_help_are_left_out_of_the_linear_program():
    """With them its value is the same: HiGHS on the whole problem of the class."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    inside = cdist(X, X) < 0.6
    relaxed = relax(bits_of(inside), y, np.ones(40), 0.1, 40, 1)
    of_class = y == 1
    costs = 0.1 + inside[~of_class].sum(axis=0)
    whole = linprog(
        np.concatenate([costs, np.ones(of_class.sum())]),
        A_ub=-np.hstack([inside[of_class], np.eye(of_class.sum())]),
        b_ub=-np.ones(of_class.sum()),
        bounds=(0, 1),
    )
    assert 0 < len(relaxed.candidates) < 40
    assert relaxed.value == pytest.approx(whole.fun)


def test_rounding_keeps_no_prototype_that_raises_the_objective():
    """Large balls in classes that overlap: the relaxed solution is spread thin, and most of a rounding is waste."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    bits = bits_of(cdist(X, X) < 1.2)
    found = round_relaxed(bits, y, np.ones(300), 1 / 300, 300, rng)
    assert (np.diff(found.objective_path) < 0).all()
    assert found.objective < 300


def test_a_rounding_of_a_whole_solution_is_that_solution():
    inside = np.eye(4, dtype=bool)
    relaxed = relax(bits_of(inside), np.zeros(4, dtype=int), np.ones(4), 0.25, 4, 0)
    assert best_rounding(relaxed, np.random.default_rng(0)).all()


def test_a_solver_that_fails_is_an_error(monkeypatch):
    monkeypatch.setattr("proset.cover_lp.linprog", lambda **problem: linprog(**problem | {"options": {"maxiter": 0}}))
    inside = ~np.eye(3, dtype=bool)
    with pytest.raises(RuntimeError, match="the linear program of class 0 was not solved"):
        relax(bits_of(inside), np.zeros(3, dtype=int), np.ones(3), 0.5, 3, 0)


@pytest.mark.parametrize("grid", [False, True])
def test_balls_of_ranks_hold_the_nearest_points(grid):
    """The dissimilarity by rank of the source: how many points are as near or nearer; ties at the edge stay out."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 5, (30, 2)).astype(float) if grid else rng.normal(size=(30, 2))
    D = cdist(X, X)
    for m in (1, 4, 30):
        radii = rank_radii(lambda columns: D[:, columns], 30, 30, m)
        rank = np.array([[(D[:, j] <= D[i, j]).sum() for j in range(30)] for i in range(30)])
        np.testing.assert_array_equal(radii > D, rank <= m)
        if not grid:
            assert ((radii > D).sum(axis=0) == m).all()


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e160, 1e200])
@pytest.mark.parametrize("grid", [False, True])
@pytest.mark.parametrize("each", [False, True])
def test_balls_by_one_product_are_those_of_the_distances(scale, grid, each):
    """Also where points lie on the edge of a ball, far from zero, or have squares that are no numbers."""
    generator = np.random.default_rng(1)
    X = generator.integers(0, 5, (700, 3)) if grid else generator.normal(size=(700, 3))
    X = (X + 1e4) * scale
    radius = scale * (generator.integers(1, 4, len(X)) if each else 2.0)
    (expected,) = ball_bits(lambda rows: cdist(X[rows], X), len(X), len(X), [radius])
    found = euclidean_ball_bits(X, X, radius)
    np.testing.assert_array_equal(found, expected)
    assert 0 < np.unpackbits(found).mean() < 1


def test_radii_of_a_path_are_quantiles_of_positive_distances():
    """From one in 10,000 on, a proportion that grows by 5 / 3 until it is 1."""
    distances = np.concatenate([np.zeros(500), np.random.default_rng(0).exponential(size=50_000)])
    radii = path_radii(distances, 22)
    shares = [np.mean(distances[distances > 0] <= radius) for radius in radii]
    np.testing.assert_allclose(shares, np.minimum(1.0, 1e-4 * (5 / 3) ** np.arange(22)), atol=2e-5)
    assert radii[-1] == distances.max()
    assert path_radii(np.zeros(10), 3).tolist() == [1.0, 1.0, 1.0]
