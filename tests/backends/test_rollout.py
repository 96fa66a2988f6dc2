"""Roll-outs: every driver agrees, steppers have their order, instances that fail stop alone."""

from typing import Any

import casadi
import numpy as np
import pytest

from backends.problems import (
    COMPILED,
    FEW,
    INERTIA,
    RIGID_BODY,
    TARGETS,
    dynamics,
    lorenz,
    needs_compiler,
    numbered,
    pendulum,
    rigid_body,
    rigid_states,
)
from locomotor.codegen import IMPLICIT, compile_map, compile_rollout, rollout
from locomotor.codegen.rollout_plan import STEPPERS
from locomotor.lie import Manifold
from locomotor.tracing.core.traced import Traced

PLANE = Manifold([("vector", 2)])


def meetings(targets, *quick: tuple[str, int]) -> list[Any]:
    """Every target with every stepper; of the implicit ones, whose code takes longer to compile, few widths are quick."""
    few = {("interpreter", None), ("c", None), *quick}
    return [
        pytest.param(*target, stepper, marks=[pytest.mark.slow] if stepper in IMPLICIT and target not in few else [])
        for target in targets
        for stepper in STEPPERS
    ]


GRAVITY = np.array([9.81])


@pytest.fixture(scope="module")
def reference():
    return compile_rollout(rigid_body(), RIGID_BODY, target="interpreter")


# --- agreement -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("target", "lanes", "stepper"), meetings(TARGETS, ("simd", 4)))
def test_drivers_agree(reference, stepper: str, target: str, lanes, monkeypatch, rng: np.random.Generator) -> None:
    """Inputs over time and parameters for each instance, in a batch that no number of lanes divides."""
    monkeypatch.setattr(rollout, "WORTH_SIMD", 0)  # "auto" shall mean SIMD here
    x, u = rigid_states(rng, 11), rng.normal(size=(11, 60, 3))
    p = INERTIA * rng.uniform(0.9, 1.1, size=(11, 3))
    arguments: dict[str, Any] = {"inputs": u, "parameters": p, "save_every": 7, "stepper": stepper, "start_time": 0.3}
    expected = reference.run(x, 60, 0.02, **arguments)
    found = compile_rollout(rigid_body(), RIGID_BODY, target=target, lanes=lanes).run(x, 60, 0.02, **arguments)
    assert found.states.shape == (11, 9, 7)
    # The motion is regular and short: roundings of 1e-16 a step grow little over 60 steps.
    np.testing.assert_allclose(found.states, expected.states, rtol=1e-13, atol=1e-13)
    assert found.status.tolist() == expected.status.tolist() == [0] * 11
    assert found.completed.tolist() == expected.completed.tolist() == [60] * 11
    np.testing.assert_allclose(found.times, 0.3 + 0.14 * np.arange(9), rtol=1e-14)


@pytest.mark.parametrize(("target", "lanes"), TARGETS)
def test_drivers_agree_on_large_rotations(reference, target: str, lanes: int | None, rng: np.random.Generator) -> None:
    """Beyond one radian within a step the maps of the manifold leave their series for closed forms."""
    x = rigid_states(rng, 5)
    x[:, 4:] *= 2.0 / np.linalg.norm(x[:, 4:], axis=1, keepdims=True)
    x[2, 4:] *= 0.2  # one lane below, the others above
    expected = reference.run(x, 3, 0.8, parameters=INERTIA)
    found = compile_rollout(rigid_body(), RIGID_BODY, target=target, lanes=lanes).run(x, 3, 0.8, parameters=INERTIA)
    np.testing.assert_allclose(found.states, expected.states, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_single_state_is_one_row_of_a_batch(target: str, lanes: int | None, rng: np.random.Generator) -> None:
    kernel = compile_rollout(rigid_body(), RIGID_BODY, target=target, lanes=lanes)
    x, u = rigid_states(rng, 3), rng.normal(size=(20, 3))
    alone = kernel.run(x[1], 20, 0.01, u, INERTIA)
    together = kernel.run(x, 20, 0.01, np.broadcast_to(u, (3, 20, 3)), INERTIA)
    assert alone.states.shape == (21, 7) and alone.status.shape == ()
    np.testing.assert_allclose(alone.states, together.states[1], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_shapes_of_inputs(target: str, lanes: int | None) -> None:
    kernel = compile_rollout(pendulum(), PLANE, target=target, lanes=lanes)
    x = np.zeros((5, 2))
    torque = np.arange(5.0)[:, None] * 0.1
    shared = kernel.run(x, 10, 0.1, [0.2], GRAVITY).final
    held = kernel.run(x, 10, 0.1, torque, GRAVITY).final
    stepped = kernel.run(x, 10, 0.1, np.repeat(torque[:, None], 10, axis=1), GRAVITY).final
    common = kernel.run(x, 10, 0.1, np.full((1, 10, 1), 0.2), GRAVITY).final
    np.testing.assert_array_equal(held, stepped)
    np.testing.assert_array_equal(held[2], shared[0])
    np.testing.assert_array_equal(shared, common)
    np.testing.assert_array_equal(kernel.run(x, 10, 0.1, parameters=GRAVITY).final, 0.0)
    once = kernel.run(np.zeros(2), 1, 0.1, [[0.2]], GRAVITY).final  # one step, given per step
    np.testing.assert_array_equal(once, kernel.run(np.zeros(2), 1, 0.1, [0.2], GRAVITY).final)


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_inputs_are_held_over_their_step(target: str, lanes: int | None) -> None:
    """x_ddot = u: with u constant on each step Runge-Kutta is exact, so the polynomial pieces can be checked."""
    traced = dynamics("cart", 2, 1, 0, lambda t, x, u, p: casadi.vertcat(x[1], u[0]))
    run = compile_rollout(traced, PLANE, target=target, lanes=lanes).run(
        np.zeros((3, 2)), 3, 0.5, np.tile([[[1.0], [0.0], [-1.0]]], (3, 1, 1))
    )
    np.testing.assert_allclose(run.states[1], [[0.0, 0.0], [0.125, 0.5], [0.375, 0.5], [0.5, 0.0]], atol=1e-15)


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_empty_and_trivial_runs(target: str, lanes: int | None) -> None:
    kernel = compile_rollout(lorenz(), Manifold([("vector", 3)]), target=target, lanes=lanes)
    p = np.array([10.0, 28.0, 8 / 3])
    nobody = kernel.run(np.zeros((0, 3)), 5, 0.01, parameters=p)
    assert nobody.states.shape == (0, 6, 3) and nobody.status.shape == (0,)
    still = kernel.run(np.ones((3, 3)), 0, 0.01, parameters=p)
    assert still.states.tolist() == np.ones((3, 1, 3)).tolist() and still.completed.tolist() == [0, 0, 0]
    one = kernel.run(np.ones((1, 3)), 4, 0.01, parameters=p, save_every=3)
    assert one.states.shape == (1, 2, 3)
    np.testing.assert_array_equal(one.final, kernel.run(np.ones((1, 3)), 4, 0.01, parameters=p).states[:, -1])


@needs_compiler
def test_threads_share_the_batch_without_changing_it(rng: np.random.Generator) -> None:
    kernel = compile_rollout(rigid_body(), RIGID_BODY)
    x, u = rigid_states(rng, 45), rng.normal(size=(45, 3))
    one = kernel.run(x, 30, 0.01, u, INERTIA)
    for threads in (2, 3, 100):
        np.testing.assert_array_equal(kernel.run(x, 30, 0.01, u, INERTIA, threads=threads).states, one.states)


@needs_compiler
def test_reproducible_rollouts_give_the_same_bits(rng: np.random.Generator) -> None:
    x = rigid_states(rng, 9)
    runs = [
        compile_rollout(rigid_body(), RIGID_BODY, target=target, lanes=lanes, reproducible=True)
        .run(x, 200, 0.01, parameters=INERTIA, save_every=50)
        .states.tobytes()
        for target, lanes in (("c", None), ("simd", 2), ("simd", 8))
    ]
    assert runs[0] == runs[1] == runs[2]


# --- accuracy --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stepper", "order"), STEPPERS.items())
def test_measured_order(stepper: str, order: int, rng: np.random.Generator) -> None:
    """Slope of the error against the step on the rigid body with torque, within 0.2 of the declared order."""
    kernel = compile_rollout(rigid_body(), RIGID_BODY)
    x, u = rigid_states(rng, 1)[0], rng.normal(size=3)
    exact = kernel.run(x, 20000, 2 / 20000, u, INERTIA, save_every=20000).final
    counts = np.array([160, 320, 640]) if COMPILED else np.array([160, 320])
    errors = [
        np.abs(kernel.run(x, int(n), 2 / n, u, INERTIA, stepper=stepper, save_every=int(n)).final - exact).max() for n in counts
    ]
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert abs(slope - order) < 0.2, (slope, errors)


@pytest.mark.parametrize("stepper", STEPPERS)
def test_energy_and_quaternion_of_a_free_body(stepper: str, rng: np.random.Generator) -> None:
    """Without torque kinetic energy and the length of the quaternion are constant; midpoint conserves the one exactly."""

    def rate(t, x, u, p):
        w = x[4:7]
        return casadi.vertcat(w, -casadi.cross(w, p * w) / p)

    kernel = compile_rollout(dynamics("free", 7, 0, 3, rate), RIGID_BODY)
    run = kernel.run(rigid_states(rng, 4), 1000, 1e-3, parameters=INERTIA, stepper=stepper, save_every=100)
    energy = 0.5 * np.sum(INERTIA * run.states[..., 4:] ** 2, axis=-1)
    # 1000 steps of h^5, of what Newton leaves open (1e-14), of h^3 and a dissipation of still higher order.
    rtol = {"midpoint": 1e-11, "generalised-alpha": 1e-6}.get(stepper, 1e-10)
    np.testing.assert_allclose(energy, energy[:, :1] * np.ones(energy.shape[1]), rtol=rtol)
    np.testing.assert_allclose(np.linalg.norm(run.states[..., :4], axis=-1), 1.0, rtol=4e-16)


def test_rotation_about_a_fixed_axis_is_exact() -> None:
    """Munthe-Kaas steps of a constant angular velocity are exact, even a radian at a time."""
    traced = dynamics("spin", 4, 0, 0, lambda t, x, u, p: casadi.vertcat(0.0, 0.0, 3.0))
    run = compile_rollout(traced, Manifold([("quaternion",)])).run([1.0, 0.0, 0.0, 0.0], 10, 0.5)
    angle = 1.5 * np.arange(11)
    expected = np.stack([np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)], axis=1)
    np.testing.assert_allclose(run.states, expected, atol=1e-14)


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_time_reaches_the_dynamics(target: str, lanes: int | None) -> None:
    traced = dynamics("clock", 1, 0, 0, lambda t, x, u, p: casadi.vertcat(3 * t[0] ** 2))
    kernel = compile_rollout(traced, Manifold([("vector", 1)]), target=target, lanes=lanes)
    run = kernel.run([[8.0]] * 3, 4, 0.25, start_time=2.0)
    np.testing.assert_allclose(run.states[0, :, 0], run.times**3, rtol=1e-15)
    back = kernel.run(run.final, 4, -0.25, start_time=3.0)
    np.testing.assert_allclose(back.final, 8.0, rtol=1e-14)


# --- instances that stop ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("target", "lanes", "stepper"), meetings(FEW))
def test_one_bad_instance_stops_alone(target: str, lanes: int | None, stepper: str) -> None:
    kernel = compile_rollout(pendulum(), PLANE, target=target, lanes=lanes)
    x = np.tile([0.1, 0.0], (10, 1))
    good = kernel.run(x, 50, 0.02, parameters=GRAVITY, stepper=stepper)
    x[3] = [0.0, 50.0]  # passes the angle 2, where the monitor becomes negative, during step 2 or 3
    x[5] = [np.nan, 0.0]
    x[8] = [2.5, 0.0]  # beyond it from the start
    run = kernel.run(x, 50, 0.02, parameters=GRAVITY, stepper=stepper)
    rest = [0, 1, 2, 4, 6, 7, 9]
    np.testing.assert_array_equal(run.states[rest], good.states[rest])
    assert run.status.tolist() == [0, 0, 0, 1, 0, 2, 0, 0, 1, 0]
    assert run.monitor.tolist() == [-1, -1, -1, 0, -1, -1, -1, -1, 0, -1]
    stopped = int(run.completed[3])
    assert run.states[3, stopped, 0] > 2.0 and run.states[3, stopped - 1, 0] <= 2.0
    assert np.isnan(run.states[3, stopped + 1 :]).all() and np.isfinite(run.states[3, : stopped + 1]).all()
    np.testing.assert_array_equal(run.final[3], run.states[3, stopped])
    assert run.completed[8] == 0 and np.isnan(run.states[8, 1:]).all()
    np.testing.assert_array_equal(run.states[8, 0], [2.5, 0.0])
    assert np.isnan(run.states[5, 1:]).all() and run.completed[5] == 0


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_blow_up_is_caught(target: str, lanes: int | None) -> None:
    """x_dot = x^2 is infinite at t = 1 / x0: the state before is kept, nothing after."""
    traced = dynamics("blow_up", 1, 0, 0, lambda t, x, u, p: x**2)
    kernel = compile_rollout(traced, Manifold([("vector", 1)]), target=target, lanes=lanes)
    run = kernel.run([[0.01], [2.0], [-0.5], [0.02], [0.03]], 100, 0.1)
    assert run.status.tolist() == [0, 2, 0, 0, 0]
    assert 0 < run.completed[1] < 100
    assert np.isfinite(run.final).all() and np.isnan(run.states[1, run.completed[1] + 1 :]).all()


def test_undefined_monitor_stops(rng: np.random.Generator) -> None:
    """A monitor that is NaN is not >= 0."""
    traced = dynamics("root", 1, 0, 0, lambda t, x, u, p: -casadi.SX.ones(1), lambda t, x, u, p: casadi.sqrt(x))
    run = compile_rollout(traced, Manifold([("vector", 1)])).run([[1.0], [100.0]], 20, 0.1)
    assert run.status.tolist() == [1, 0]
    assert run.states[0, run.completed[0], 0] < 0


# --- projection and feedback -----------------------------------------------------------------------------------------


def projected_oscillator() -> tuple[Traced, Traced]:
    """Harmonic oscillator, and the radial correction that keeps its energy: x^2 + v^2 = p."""
    traced = dynamics("oscillator", 2, 0, 1, lambda t, x, u, p: casadi.vertcat(x[1], -x[0]))
    symbols = [casadi.SX.sym(label, size) for label, size in (("t", 1), ("x", 2), ("u", 0), ("p", 1))]
    ports = [numbered(*pair) for pair in (("time", 1), ("state", 2), ("inputs", 0), ("parameters", 1))]
    x, p = symbols[1], symbols[3]
    correction = x * (casadi.sqrt(p[0] / casadi.sumsqr(x)) - 1)
    project = Traced.build("radial", list(zip(ports, symbols, strict=True)), [(numbered("correction", 2), correction)])
    return traced, project


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_projection_keeps_the_invariant(target: str, lanes: int | None) -> None:
    traced, project = projected_oscillator()
    start = np.tile([1.0, 0.0], (5, 1))
    plain = compile_rollout(traced, PLANE, target=target, lanes=lanes).run(start, 200, 0.2, parameters=[1.0])
    kept = compile_rollout(traced, PLANE, project, target, lanes).run(start, 200, 0.2, parameters=[1.0])
    assert np.abs(np.sum(plain.final**2, axis=1) - 1).min() > 1e-4
    np.testing.assert_allclose(np.sum(kept.states**2, axis=2), 1.0, rtol=1e-14)


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_projection_sees_the_end_of_the_step(target: str, lanes: int | None) -> None:
    """A projection onto x = t + u: the state after each step is its own time, plus the input of that step."""
    symbols = [casadi.SX.sym(label, size) for label, size in (("t", 1), ("x", 1), ("u", 1), ("p", 0))]
    ports = [numbered(*pair) for pair in (("time", 1), ("state", 1), ("inputs", 1), ("parameters", 0))]
    inputs = list(zip(ports, symbols, strict=True))
    correction = [(numbered("correction", 1), symbols[0] + symbols[2] - symbols[1])]
    traced = dynamics("still", 1, 1, 0, lambda t, x, u, p: 0 * x)
    project = Traced.build("clock", inputs, correction)
    kernel = compile_rollout(traced, Manifold([("vector", 1)]), project, target, lanes)
    u = np.array([0.0, 10.0, 20.0])[:, None]
    run = kernel.run([0.0], 3, 0.5, u, start_time=1.0)
    np.testing.assert_allclose(run.states[1:, 0], run.times[1:] + u[:, 0], rtol=1e-15)


@pytest.mark.parametrize(("target", "lanes", "stepper"), meetings(FEW))
def test_feedback_equals_the_same_inputs_given(target: str, lanes, stepper: str, rng: np.random.Generator) -> None:
    kernel = compile_rollout(rigid_body(), RIGID_BODY, target=target, lanes=lanes)
    x, u = rigid_states(rng, 3), rng.normal(size=(3, 40, 3))
    given = kernel.run(x, 40, 0.01, u, INERTIA, stepper=stepper, save_every=4)
    seen: list[float] = []

    def feedback(t: float, state: np.ndarray) -> np.ndarray:
        assert state.shape == (3, 7)
        seen.append(t)
        return u[:, round(t / 0.01)]

    found = kernel.run(x, 40, 0.01, parameters=INERTIA, stepper=stepper, save_every=4, feedback=feedback)
    np.testing.assert_allclose(found.states, given.states, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(seen, 0.01 * np.arange(40), atol=1e-15)


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_feedback_in_every_stage_keeps_the_order(target: str, lanes: int | None) -> None:
    """A damper computed in Python: sampled in every stage it equals the one in the dynamics, held it does not."""
    inside = dynamics("damped", 2, 0, 0, lambda t, x, u, p: casadi.vertcat(x[1], -x[0] - 0.5 * x[1]))
    outside = dynamics("driven", 2, 1, 0, lambda t, x, u, p: casadi.vertcat(x[1], -x[0] + u[0]))
    expected = compile_rollout(inside, PLANE, target=target, lanes=lanes).run([1.0, 0.0], 50, 0.1)
    kernel = compile_rollout(outside, PLANE, target=target, lanes=lanes)
    law = lambda t, x: [-0.5 * x[1]]  # noqa: E731 - the law reads best on one line
    staged = kernel.run([1.0, 0.0], 50, 0.1, feedback=law, sample="stage")
    held = kernel.run([1.0, 0.0], 50, 0.1, feedback=law)
    np.testing.assert_allclose(staged.states, expected.states, atol=1e-14)
    assert 1e-4 < np.abs(held.states - expected.states).max() < 0.1


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_feedback_stops_with_the_instance(target: str, lanes: int | None) -> None:
    kernel = compile_rollout(pendulum(), PLANE, target=target, lanes=lanes)
    x = np.array([[0.1, 0.0], [0.0, 50.0], [np.inf, 0.0]])
    expected = kernel.run(x, 20, 0.02, parameters=GRAVITY)
    found = kernel.run(x, 20, 0.02, parameters=GRAVITY, feedback=lambda t, x: [0.0])
    np.testing.assert_allclose(found.states, expected.states, rtol=1e-14)
    for name in ("status", "completed", "monitor", "final"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-14, err_msg=name)


def test_error_in_feedback_reaches_the_caller() -> None:
    kernel = compile_rollout(pendulum(), PLANE)

    def broken(t: float, x: np.ndarray) -> np.ndarray:
        raise ZeroDivisionError("controller")

    with pytest.raises(ZeroDivisionError, match="controller"):
        kernel.run([0.1, 0.0], 10, 0.1, parameters=GRAVITY, feedback=broken)
    with pytest.raises(ValueError, match="feedback of pendulum: inputs must have shape"):
        kernel.run([0.1, 0.0], 10, 0.1, parameters=GRAVITY, feedback=lambda t, x: [1.0, 2.0])


# --- bad arguments ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"states": np.zeros(3)}, r"state must have shape \(2\) or \(batch, 2\)"),
        ({"steps": -1}, "steps is -1; it must be a whole number of at least 0"),
        ({"steps": 2.5}, "steps is .*; it must be a whole number"),
        ({"dt": 0.0}, "dt is 0.0 s; a step must not be zero"),
        ({"dt": np.nan}, "dt is nan; it must be a finite number"),
        ({"save_every": -1}, "save_every is -1; it must be a whole number of at least 0"),
        ({"threads": 0}, "threads is 0; it must be a whole number of at least 1"),
        ({"stepper": "euler"}, "stepper is .euler.; give one of .rk4., .abm4., .abm5."),
        ({"start_time": np.inf}, "start_time is inf; it must be a finite number"),
        ({"sample": "never"}, "sample must be 'step' or 'stage'"),
        ({"parameters": None}, "parameters must be given, 1 numbers: parameters_0"),
        ({"parameters": np.zeros((3, 1))}, "parameters are given for 3 instances, there are 4 states"),
        ({"inputs": np.zeros((3, 1))}, "inputs are given for 3 instances, there are 4 states"),
        ({"inputs": np.zeros((4, 9, 1))}, "inputs are given for 9 steps, the roll-out has 10"),
        ({"inputs": np.zeros((4, 2))}, r"inputs must have shape \(1\) or \(batch, 1\) or \(batch, steps, 1\)"),
        ({"inputs": [0.0], "feedback": lambda t, x: [0.0]}, "inputs or feedback, not both"),
    ],
)
def test_bad_arguments_are_named(changes: dict, words: str) -> None:
    arguments = {"states": np.zeros((4, 2)), "steps": 10, "dt": 0.1, "parameters": GRAVITY} | changes
    with pytest.raises(ValueError, match=words):
        compile_rollout(pendulum(), PLANE).run(**arguments)


def test_ports_must_be_those_of_a_rollout() -> None:
    with pytest.raises(ValueError, match="the manifold has 3 and 3"):
        compile_rollout(pendulum(), Manifold([("vector", 3)]))
    with pytest.raises(ValueError, match="needs the outputs"):
        compile_rollout(pendulum().jacobian("rate", "state"), PLANE)
    wrong = Traced.build("f", [(numbered("x", 1), casadi.SX.sym("x"))], [(numbered("rate", 1), casadi.SX(1.0))])
    with pytest.raises(ValueError, match="needs inputs time"):
        compile_rollout(wrong, PLANE)


def test_rollout_documents_itself() -> None:
    kernel = compile_rollout(pendulum(), PLANE)
    assert "state_1" in (kernel.__doc__ or "") and "abm5" in (kernel.__doc__ or "")
    assert ("lm_rollout" in kernel.source) == COMPILED


@pytest.mark.parametrize(("target", "lanes"), FEW)
def test_a_step_map_is_iterated(target: str, lanes: int | None) -> None:
    """x_(k+1) = a x_k + h u: after n steps a^n x_0 + h u (1 - a^n) / (1 - a)."""
    time, x, u, a, h = (casadi.SX.sym(name) for name in ("time", "state", "inputs", "parameters", "step"))
    ports = [
        (numbered(name, 1), symbol)
        for name, symbol in zip(("time", "state", "inputs", "parameters", "step"), (time, x, u, a, h), strict=True)
    ]
    step = Traced.build("decay", ports, [(numbered("next", 1), a * x + h * u)])
    found = compile_map(step, target=target, lanes=lanes).run(
        np.array([[3.0], [-1.0]]), 20, 0.25, np.array([0.4]), np.array([0.9])
    )
    wanted = 0.9**20 * np.array([3.0, -1.0]) + 0.25 * 0.4 * (1 - 0.9**20) / (1 - 0.9)
    np.testing.assert_allclose(found.states[:, -1, 0], wanted, rtol=1e-14)
