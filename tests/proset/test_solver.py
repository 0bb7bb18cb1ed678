import numpy as np
import pytest
from tests.reference import solver as reference

from proset.library import minimize


def quadratic(matrix, target):
    def fun(x):
        step = matrix @ (x - target)
        return 0.5 * (x - target) @ step, step

    return fun


def test_quadratic_with_active_bounds_reaches_the_solution_of_its_optimality_conditions(rng):
    root = rng.normal(size=(40, 40))
    matrix, target = root @ root.T + np.eye(40), rng.normal(size=40)
    solution = minimize(quadratic(matrix, target), np.ones(40), np.ones(40), tol=1e-9)
    gradient = matrix @ (solution.x - target)
    assert solution.converged
    assert (solution.x >= 0).all()
    assert (solution.x == 0).sum() > 5
    assert np.abs(gradient[solution.x > 0]).max() < 1e-4
    assert gradient[solution.x == 0].min() > -1e-4


def test_separable_case_solved_by_hand():
    solution = minimize(quadratic(np.diag([1.0, 4.0, 9.0]), np.array([2.0, -1.0, 0.5])), np.ones(3), np.ones(3))
    np.testing.assert_allclose(solution.x, [2.0, 0.0, 0.5], atol=1e-4)
    assert solution.fun == pytest.approx(2.0, abs=1e-8)  # 4 / 2 * 1


def test_rosenbrock_inside_the_bounds():
    def fun(x):
        value = 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
        return value, np.array([-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)])

    solution = minimize(fun, np.array([0.2, 1.8]), np.ones(2), tol=1e-8)
    np.testing.assert_allclose(solution.x, 1.0, atol=1e-4)


def test_start_at_the_minimum_stops_at_once():
    solution = minimize(quadratic(np.eye(3), np.zeros(3)), np.zeros(3), np.ones(3))
    assert solution.converged
    assert solution.n_evaluations <= 2


def test_iteration_limit_is_not_convergence(rng):
    root = rng.normal(size=(30, 30))
    solution = minimize(quadratic(root @ root.T, rng.normal(size=30)), np.ones(30), np.ones(30), max_iter=3)
    assert not solution.converged
    assert solution.message == "limit of 3 iterations reached"
    assert solution.n_iter == 3


def test_a_wrong_gradient_is_not_called_convergence():
    solution = minimize(lambda x: (float(x @ x), -2 * x), np.ones(4), np.ones(4))
    assert not solution.converged


def test_values_that_are_not_finite_at_the_start_raise():
    with pytest.raises(FloatingPointError, match="not finite at the start"):
        minimize(lambda x: (np.nan, x), np.ones(2), np.ones(2))


def test_an_error_of_the_function_is_raised_not_swallowed():
    def fun(x):
        if x[0] < 0.9:
            raise KeyboardInterrupt
        return float(x @ x), 2 * x

    with pytest.raises(KeyboardInterrupt):
        minimize(fun, np.ones(2), np.ones(2))


def test_a_step_uphill_away_from_every_bound_is_handed_on():
    """An indefinite model, [[-3, 2], [2, 0.1]]: from the first bound of the path, the subspace step leads up and away.

    There is then no bound to stop at; the caller sees that the direction leads uphill and starts its memory anew.
    """
    model = reference._Model([], 2)
    model.theta, model.w = 1.0, np.eye(2)
    model.inverse_m = np.linalg.inv(np.array([[4.0, -2.0], [-2.0, 0.9]]))
    x, g = np.array([1.0, 10.0]), np.ones(2)
    direction = reference._path_direction(x, g, model)
    np.testing.assert_allclose(direction, [-1.0, -1.0 + 1.1 / 0.1])
    assert g @ direction > 0


def test_the_compiled_solver_takes_the_steps_of_the_reference(rng):
    """Function, start, memory and held variables: not only the same end, but the same way."""
    root, target = rng.normal(size=(60, 60)), rng.normal(size=60)
    fun = quadratic(root @ root.T / 60 + np.eye(60), target)
    for max_iter in (1, 5, 30, 31, 40, 45, 2000):
        ours, theirs = (
            solve(fun, np.ones(60), np.full(60, 2.0), max_iter=max_iter, tol=1e-9)
            for solve in (reference.minimize, minimize)
        )
        assert (ours.n_iter, ours.n_evaluations, ours.message) == (theirs.n_iter, theirs.n_evaluations, theirs.message)
        np.testing.assert_allclose(theirs.x, ours.x, rtol=1e-6, atol=1e-9)


def test_a_variable_that_was_held_is_let_go_where_that_helps():
    """x_0 is held at 0 by x_1 until x_1 has come down: without a look at its derivative it would stay there."""

    def fun(x):
        value = (x[0] - 1) ** 2 + 4 * x[0] * x[1] + x[1] ** 4 / 100
        return value, np.array([2 * (x[0] - 1) + 4 * x[1], 4 * x[0] + x[1] ** 3 / 25])

    solution = minimize(fun, np.array([0.0, 30.0]), np.ones(2), tol=1e-8)
    np.testing.assert_allclose(solution.x, [1.0, 0.0], atol=1e-3)
