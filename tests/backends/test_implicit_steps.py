"""Implicit steps: their recurrence against plain matrices, what they damp, on every driver; slopes against differences."""

import casadi
import numpy as np
import pytest
from numpy.typing import NDArray

from backends.problems import FEW, INERTIA, RIGID_BODY, dynamics, needs_compiler, pendulum, rigid_body, rigid_states
from locomotor.codegen import UNSOLVED, Implicit, compile_rollout
from locomotor.codegen.implicit import Elimination
from locomotor.errors import ArgumentError, StepperError
from locomotor.lie import Manifold
from locomotor.tracing.core import slopes, slopes_of

Matrix = NDArray[np.float64]
FOUR = Manifold([("vector", 4)])
WIDTHS = [pytest.param(*target, marks=[pytest.mark.slow] if target[0] == "simd" else []) for target in FEW if target[1] != 2]
"""Wide code is compiled in `test_rollout.py` too."""


def linear(A: Matrix):
    return dynamics("linear", len(A), 0, 0, lambda t, x, u, p: casadi.DM(A) @ x)


def by_hand(A: Matrix, x: Matrix, h: float, steps: int, rho: float) -> Matrix:
    """The generalised alpha method for x' = A x as Jansen, Whiting and Hulbert write it, with the unknowns (x, x')."""
    a_m, a_f = 0.5 * (3 - rho) / (1 + rho), 1 / (1 + rho)
    gamma, one = 0.5 + a_m - a_f, np.eye(len(A))
    left = np.block([[one, -h * gamma * one], [-a_f * A, a_m * one]])
    right = np.block([[one, h * (1 - gamma) * one], [(1 - a_f) * A, (a_m - 1) * one]])
    both = np.concatenate([x, A @ x])
    for _ in range(steps):
        both = np.linalg.solve(left, right @ both)
    return both[: len(x)]


@pytest.mark.parametrize(("target", "lanes"), WIDTHS)
def test_linear_systems_against_plain_matrices(target: str, lanes: int | None, rng: np.random.Generator) -> None:
    A = rng.normal(size=(4, 4)) - 2.0 * np.eye(4)
    A[0] *= 1e4  # one mode far too fast for the steps
    x = rng.normal(size=(5, 4))
    kernel = compile_rollout(linear(A), FOUR, target=target, lanes=lanes)
    for rho in (1.0, 0.8, 0.5, 0.0):
        expected = np.array([by_hand(A, row, 0.05, 30, rho) for row in x])
        found = kernel.run(x, 30, 0.05, stepper=Implicit(rho)).final
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)  # the matrix has a condition of 1e4 to 1e5


def test_midpoint_is_the_cayley_map(rng: np.random.Generator) -> None:
    A = rng.normal(size=(4, 4))
    one, x = np.eye(4), rng.normal(size=4)
    found = compile_rollout(linear(A), FOUR, target="interpreter").run(x, 1, 0.3, stepper="midpoint").final
    np.testing.assert_allclose(found, np.linalg.solve(one - 0.15 * A, (one + 0.15 * A) @ x), rtol=1e-13)


@pytest.mark.parametrize("rho", [0.9, 0.6, 0.3])
def test_modes_too_fast_shrink_by_rho(rho: float) -> None:
    """At infinite frequency both roots are -rho: the amplitude falls as n rho^n."""
    spring = dynamics("spring", 2, 0, 0, lambda t, x, u, p: casadi.vertcat(x[1], -1e16 * x[0]))
    run = compile_rollout(spring, Manifold([("vector", 2)]), target="interpreter").run(
        [1.0, 0.0], 40, 1.0, stepper=Implicit(rho)
    )
    sizes = np.hypot(run.states[:, 0], run.states[:, 1] / 1e8)
    beyond = sizes[21:] / sizes[20:-1] / rho - 1.0  # 1 / (n + s), with some s
    np.testing.assert_allclose(np.diff(1.0 / beyond), 1.0, rtol=1e-2)


def test_midpoint_keeps_the_energy_of_a_stiff_spring() -> None:
    spring = dynamics("spring", 2, 0, 0, lambda t, x, u, p: casadi.vertcat(x[1], -1e8 * x[0]))
    run = compile_rollout(spring, Manifold([("vector", 2)])).run([1.0, 0.0], 1000, 0.1, stepper="midpoint")
    energy = 0.5 * run.states[:, 1] ** 2 + 0.5e8 * run.states[:, 0] ** 2
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)  # a thousand steps, each a thousand radians long


@pytest.mark.parametrize(("target", "lanes"), WIDTHS)
def test_a_step_without_solution_stops_its_instance_alone(target: str, lanes: int | None) -> None:
    """x' = x^2 is infinite at 1 / x0: no step across it has a solution, however it is divided."""
    blow_up = dynamics("blow_up", 1, 0, 0, lambda t, x, u, p: x**2)
    kernel = compile_rollout(blow_up, Manifold([("vector", 1)]), target=target, lanes=lanes)
    x = np.array([[0.01], [2.0], [-0.5], [0.02], [0.03]])
    run, good = kernel.run(x, 100, 0.1, stepper="midpoint"), kernel.run(x[[0, 2, 3, 4]], 100, 0.1, stepper="midpoint")
    assert run.status.tolist() == [0, UNSOLVED, 0, 0, 0]
    assert 3 <= run.completed[1] <= 5  # the end is at t = 0.5
    assert np.isfinite(run.final).all() and np.isnan(run.states[1, run.completed[1] + 1 :]).all()
    np.testing.assert_array_equal(run.states[[0, 2, 3, 4]], good.states)


@pytest.mark.parametrize(("target", "lanes"), WIDTHS)
def test_no_other_solution_is_taken_for_the_motion(target: str, lanes: int | None) -> None:
    """x'' = x^3 from x = 1 grows without bound within 2 s: steps across have solutions, on the other side of zero."""
    grows = dynamics("grows", 2, 0, 0, lambda t, x, u, p: casadi.vertcat(x[1], x[0] ** 3))
    run = compile_rollout(grows, Manifold([("vector", 2)]), target=target, lanes=lanes).run(
        [[1.0, 0.0]], 200, 0.05, stepper="midpoint"
    )
    assert run.status.tolist() == [UNSOLVED]
    assert np.all(np.diff(run.states[0, : run.completed[0] + 1, 0]) >= 0.0)


@needs_compiler
@pytest.mark.slow
def test_slopes_column_by_column_are_the_same(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    x = rigid_states(rng, 3)
    expected = compile_rollout(rigid_body(), RIGID_BODY).run(x, 20, 0.02, parameters=INERTIA, stepper="midpoint")
    monkeypatch.setattr(slopes, "LONG", 0)
    kernel = compile_rollout(rigid_body(), RIGID_BODY)
    found = kernel.run(x, 20, 0.02, parameters=INERTIA, stepper="midpoint")
    assert "lm_along" in kernel.implicit.source
    np.testing.assert_allclose(found.final, expected.final, rtol=1e-13)


@pytest.mark.parametrize("longest", [0, 10**9])
def test_slopes_against_differences(longest: int, rng: np.random.Generator) -> None:
    traced, x, u, h = rigid_body(), rigid_states(rng, 1), rng.normal(size=3), 1e-6
    found = slopes_of(traced, RIGID_BODY, longest)
    time = np.array([0.3])
    matrix = found.matrices(lambda *along: np.array([found.function(time, x[0], u, INERTIA, *along)[0]]), 6)[0]
    for j, direction in enumerate(np.eye(6)):
        ends = [RIGID_BODY.retract(x, sign * h * direction[None])[0] for sign in (1, -1)]
        ahead, behind = (traced(time, end, u, INERTIA)[0] for end in ends)
        np.testing.assert_allclose(matrix[:, j], (ahead - behind) / (2 * h), atol=1e-8)


def test_coordinates_are_eliminated() -> None:
    assert Elimination.of(slopes_of(rigid_body(), RIGID_BODY), RIGID_BODY) == Elimination((3, 4, 5), (0, 1, 2))
    assert Elimination.of(slopes_of(pendulum(), Manifold([("vector", 2)])), Manifold([("vector", 2)])).kept == (1,)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Implicit(1.5), "rho_infinity is 1.5; it must be from 0 to 1"),
        (lambda: Implicit(float("nan")), "rho_infinity is nan"),
        (lambda: Implicit("much"), "rho_infinity is 'much'"),
        (lambda: Implicit(tolerance=0.0), "tolerance is 0.0; it must be from 1e-16 to 0.001"),
    ],
)
def test_methods_that_make_no_sense(make, words: str) -> None:
    with pytest.raises(StepperError, match=words):
        make()


def test_what_takes_no_implicit_steps_says_so() -> None:
    kernel = compile_rollout(pendulum(), Manifold([("vector", 2)]), target="interpreter")
    with pytest.raises(ArgumentError, match="compiled for implicit steps; 'rk4' takes none"):
        kernel.implicit.run([0.1, 0.0], 1, 0.1, parameters=[9.81])
